"""Sparse gradients: of custom functions, and of numbers that are gathered."""

from copy import deepcopy

import pytest

import rushlight as torch


def test_sparse_gradients_of_custom_functions_are_added_up():
    class Given(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, gradient):
            ctx.save_for_backward(gradient)
            return x

        @staticmethod
        def backward(ctx, grad):
            return ctx.saved_tensors[0], None

    sparse = torch.sparse_coo_tensor(torch.tensor([[0, 1], [0, 2]]), torch.ones(2, 2), (3, 3, 2))
    dense = torch.full((3, 3, 2), 0.5)
    for given in ((sparse,), (sparse, dense), (dense, sparse), (sparse, sparse)):
        x = torch.zeros(3, 3, 2, requires_grad=True)
        sum(Given.apply(x, gradient) for gradient in given).sum().backward()
        assert x.grad.is_sparse == all(gradient is sparse for gradient in given)
        assert torch.equal(x.grad.to_dense(), sum(gradient.to_dense() for gradient in given))
    with pytest.raises(RuntimeError, match="invalid gradient at index 0"):
        Given.apply(torch.zeros(3, requires_grad=True), sparse).sum().backward()


@pytest.mark.parametrize("shape", [(), (3,)])
def test_gather_of_numbers_with_a_sparse_gradient(shape):
    x = torch.ones(shape, requires_grad=True)
    index = torch.zeros((2,) if shape == () else (), dtype=torch.int64)
    torch.gather(x, 0, index, sparse_grad=True).sum().backward()
    dense = torch.ones(shape, requires_grad=True)
    torch.gather(dense, 0, index).sum().backward()
    assert torch.equal(x.grad.to_dense(), dense.grad)


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc], ids=str)
@pytest.mark.parametrize("given", ["sparse", "dense"])
def test_sparse_outputs_and_inputs_of_grad(layout, given):
    x, g = torch.arange(1.0, 5).reshape(2, 2).requires_grad_(), torch.tensor([[2.0, 3.0], [5.0, 7.0]])
    weight = g.to_sparse() if given == "sparse" else g
    (found,) = torch.autograd.grad(x.to_sparse(layout=layout) * 3, x, weight)
    assert found.layout is torch.strided
    assert torch.equal(found, 3 * g)
    leaf = x.detach().to_sparse(layout=layout).requires_grad_()
    (found,) = torch.autograd.grad(leaf * 3, leaf, weight, retain_graph=True)
    assert found.layout is layout
    assert torch.equal(found.to_dense(), 3 * g)
    torch.autograd.backward(leaf * 3, weight)
    assert torch.equal(leaf.grad.to_dense(), 3 * g)
    (found,) = torch.autograd.grad((leaf.to_dense() ** 2).sum(), leaf)
    assert torch.equal(found.to_dense(), 2 * x.detach())


def test_a_deep_copy_has_the_gradient_too():
    x = torch.eye(2).to_sparse().requires_grad_()
    torch.sparse.sum(x * 3.0).backward()
    copy, again = deepcopy([x, x])
    assert copy is again
    assert copy.grad.to_dense().tolist() == x.grad.to_dense().tolist() == [[3, 0], [0, 3]]
    copy.grad.values().zero_()
    assert x.grad.to_dense().tolist() == [[3, 0], [0, 3]]


def test_a_gradient_with_elements_at_other_places():
    x = torch.ones(3).to_sparse().requires_grad_()
    x.grad = torch.tensor([0.0, 1.0, 0.0]).to_sparse()
    assert deepcopy(x).grad.to_dense().tolist() == x.grad.to_dense().tolist() == [0, 1, 0]
    (x.to_dense() * 2).sum().backward()
    assert x.grad.to_dense().tolist() == [2, 3, 2]
    x.grad = None
    assert x.grad is None
    (x.to_dense() * 2).sum().backward()
    assert x.grad.to_dense().tolist() == [2, 2, 2]


def test_gradients_that_cannot_be_assigned():
    x = torch.ones(3).to_sparse()
    for value, words in (
        (torch.ones(4).to_sparse(), "gradient of size"),
        (torch.ones(3).double().to_sparse(), "dtype 'double'"),
        (torch.ones(3), "data of a different type"),
    ):
        with pytest.raises(RuntimeError, match=words):
            x.grad = value
