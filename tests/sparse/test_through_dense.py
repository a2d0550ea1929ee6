"""Sparse gradients on their way through operators of dense tensors, and in `.grad` beside dense ones."""

import math
import warnings

import pytest

VALUES = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
EVERYWHERE = {  # operators that PyTorch, too, gives a sparse gradient
    "sine": lambda torch, w: w.sin(),
    "square": lambda torch, w: w * w,
    "product": lambda torch, w: w * torch.tensor([3.0, 4.0]),
    "exponential": lambda torch, w: w.exp(),
    "sum": lambda torch, w: w + torch.ones(2),
    "negative": lambda torch, w: -w,
    "copy": lambda torch, w: w.clone(),
}
HERE = {
    "relu": lambda torch, w: w.relu(),
    "quotient": lambda torch, w: w / w.detach(),
    "other shape": lambda torch, w: w.view(6).view(3, 2),
    "other type": lambda torch, w: w.double().float(),
    "hyperbolic tangent": lambda torch, w: w.tanh(),
    "transposed": lambda torch, w: w.t().t(),
    "joined": lambda torch, w: torch.cat([w, w])[:3],
    "one of several": lambda torch, w: w.unbind(1)[0].repeat(2).view(2, 3).t(),
    "broadcast": lambda torch, w: w.sum(0) + torch.zeros(3, 2),
}
NEEDS = {"rushlight": {**EVERYWHERE, **HERE}, "torch": EVERYWHERE}


def gradient(torch, operator, *, sparse):
    weight = torch.tensor(VALUES, requires_grad=True)
    picked = torch.nn.functional.embedding(torch.tensor([0, 0, 2, 0]), operator(torch, weight), sparse=sparse)
    (picked * torch.arange(8.0).view(4, 2)).sum().backward()
    return weight.grad.to_dense()


@pytest.mark.parametrize("name", [*EVERYWHERE, *HERE])
def test_a_sparse_gradient_is_that_of_the_dense_one(torch, name):
    if name not in NEEDS[torch.__name__]:
        pytest.skip("PyTorch refuses sparse gradients there")
    operator = NEEDS[torch.__name__][name]
    found, right = (gradient(torch, operator, sparse=sparse) for sparse in (True, False))
    torch.testing.assert_close(found, right)


def scattered(torch, dtype=None):
    return torch.sparse_coo_tensor(torch.tensor([[1, 1]]), torch.tensor([1.0, 1.0], dtype=dtype), (2,))


def test_a_sparse_gradient_of_a_dense_output(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 2).backward(scattered(torch))
    assert x.grad.is_sparse
    assert x.grad.to_dense().tolist() == [0, 4]
    (found,) = torch.autograd.grad(x.sin(), x, scattered(torch, torch.float64))
    assert found.to_dense().tolist() == pytest.approx([0, 2 * math.cos(2)])
    with pytest.raises(RuntimeError, match=r"Mismatch in shape: grad_output\[0\] has a shape of torch.Size\(\[2\]\)"):
        torch.ones(3, requires_grad=True).backward(scattered(torch))


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("held_sparse", [False, True])
@pytest.mark.parametrize("new_sparse", [False, True])
def test_dense_and_sparse_gradients_add_up(torch, held_sparse, new_sparse, create_graph):
    dense = torch.tensor([1.5, 1.5])
    x = torch.zeros(2, requires_grad=True)
    x.grad = held = scattered(torch) if held_sparse else dense.clone()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of create_graph
        x.backward(scattered(torch) if new_sparse else dense.clone(), create_graph=create_graph)
    assert x.grad.is_sparse == (held_sparse and new_sparse)
    assert (x.grad is held) == (not create_graph and not (held_sparse and not new_sparse))
    right = [[3.0, 3.0], [1.5, 3.5], [1.5, 3.5], [0.0, 4.0]][2 * held_sparse + new_sparse]
    assert x.grad.to_dense().tolist() == right
