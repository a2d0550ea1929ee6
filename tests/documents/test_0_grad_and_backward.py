"""The first document: what is the difference between autograd.grad and autograd.backward?

Every example in the document's order. Its random numbers were not seeded; here they are the ones after
`manual_seed(0)`, with the outputs that PyTorch prints for them.
"""


def example(torch):
    torch.manual_seed(0)
    x1 = torch.rand(1, requires_grad=True)
    x2 = torch.rand(1, requires_grad=True)
    y = x1**2 + 5 * x2
    return x1, x2, y


def test_inputs_unpacked_from_one_tensor_come_from_unbind(torch):
    torch.manual_seed(0)
    x1, x2 = torch.rand(2, requires_grad=True)
    assert repr((x1, x2)) == "(tensor(0.4963, grad_fn=<UnbindBackward0>), tensor(0.7682, grad_fn=<UnbindBackward0>))"


def test_inference_records_a_graph(torch):
    _, _, y = example(torch)
    assert repr(y) == "tensor([4.0874], grad_fn=<AddBackward0>)"


def test_autograd_grad_returns_the_partial_derivatives(torch):
    x1, x2, y = example(torch)
    grads = torch.autograd.grad(y, (x1, x2), torch.ones_like(y))
    assert repr(grads) == "(tensor([0.9925]), tensor([5.]))"
    assert grads[0].item() == 2 * x1.item()
    assert x1.grad is None


def test_autograd_backward_changes_grad_and_returns_nothing(torch):
    x1, x2, y = example(torch)
    assert torch.autograd.backward(y, torch.ones_like(y)) is None
    assert repr((x1.grad, x2.grad)) == "(tensor([0.9925]), tensor([5.]))"


def test_tensor_backward_is_the_same(torch):
    x1, x2, y = example(torch)
    y.backward(torch.ones_like(y))
    assert repr((x1.grad, x2.grad)) == "(tensor([0.9925]), tensor([5.]))"
