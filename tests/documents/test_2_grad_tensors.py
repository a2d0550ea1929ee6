"""The third document: what grad_tensors are for. Its code was in pictures; this is what its text says of it."""

import warnings

import pytest


def test_what_a_tensor_records(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2
    z = y + 1
    assert x.is_leaf
    assert not y.is_leaf
    assert x.grad_fn is None
    assert y.grad_fn.name() == "PowBackward0"
    assert z.grad_fn.name() == "AddBackward0"
    assert x.data.tolist() == [1, 2, 3]
    assert x.requires_grad
    assert x.grad is None


def test_backward_of_a_scalar(torch):
    x = torch.tensor(3.0, requires_grad=True)
    y = x * 2
    z = y**2 + 1
    torch.autograd.backward(z)
    assert x.grad.item() == 24
    x.grad = None
    z = (x * 2) ** 2 + 1
    z.backward()
    assert x.grad.item() == 24


def test_a_matrix_needs_grad_tensors(torch):
    x = torch.ones(2, 2, requires_grad=True)
    z = x + 2
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        z.backward()


def test_the_sum_of_the_matrix_is_the_same_as_ones(torch):
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    (x + 2).sum().backward()
    torch.autograd.backward(y + 2, torch.ones(2))
    assert x.grad.tolist() == y.grad.tolist() == [1, 1]


def test_grad_tensors_are_the_weights_of_a_sum(torch):
    x, y = torch.tensor([2.0, 3.0], requires_grad=True), torch.tensor([2.0, 3.0], requires_grad=True)
    weights = torch.tensor([0.5, 10.0])
    torch.autograd.backward(x**2, grad_tensors=weights)
    (weights * y**2).sum().backward()
    assert x.grad.tolist() == y.grad.tolist() == [2, 60]


def test_retain_graph(torch):
    x = torch.tensor(2.0, requires_grad=True)
    y = x**2
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 8
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


def test_create_graph(torch):
    x = torch.tensor(2.0, requires_grad=True)
    (first,) = torch.autograd.grad(outputs=x**3, inputs=x, create_graph=True)
    (second,) = torch.autograd.grad(outputs=first, inputs=x)
    assert (first.item(), second.item()) == (12, 12)


def test_grad_variables_is_deprecated(torch):
    x = torch.ones(2, requires_grad=True)
    with pytest.warns(FutureWarning, match="`grad_variables` is deprecated. Use `grad_tensors` instead"):
        torch.autograd.backward(x * 2, grad_variables=torch.ones(2))


def test_parameters_of_grad(torch):
    x, y = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    z = x * x * y
    (grad_x,) = torch.autograd.grad(outputs=z, inputs=x, grad_outputs=torch.tensor(1.0), retain_graph=True)
    assert grad_x.item() == 12
    assert x.grad is None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.autograd.grad(z, x, retain_graph=True, only_inputs=False)
    assert any("only_inputs" in str(w.message) for w in caught)
    unused = torch.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        torch.autograd.grad(z, unused, retain_graph=True)
    assert torch.autograd.grad(z, unused, allow_unused=True) == (None,)
