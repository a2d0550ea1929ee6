"""The fifth document: autograd.backward and autograd.grad compared with MindSpore's grad: its PyTorch program."""


def test_backward(torch):
    x = torch.tensor(2.0, requires_grad=True)
    y = torch.tensor(3.0, requires_grad=True)
    z = x * x * y
    z.backward()
    assert f"{x.grad!r} {y.grad!r}" == "tensor(12.) tensor(4.)"


def test_grad(torch):
    x = torch.tensor(2.0).requires_grad_()
    y = torch.tensor(3.0).requires_grad_()
    z = x * x * y
    grad_x = torch.autograd.grad(outputs=z, inputs=x)
    assert repr(grad_x[0]) == "tensor(12.)"
