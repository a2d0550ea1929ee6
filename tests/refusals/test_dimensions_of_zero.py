"""Tensors with dimensions of size 0: what is refused, in PyTorch's words, and what is not."""

import pytest

import rushlight

CALLS = {
    **{
        f"unique of {shape}, {dim}": lambda t, s=shape, d=dim: t.unique(t.ones(s), dim=d)
        for shape in ((3, 0), (0, 3), (0, 0), (0, 0, 2), (0,))
        for dim in range(min(2, len(shape)))
    },
    **{
        f"unique_consecutive of {shape}": lambda t, s=shape: t.unique_consecutive(t.ones(s), dim=0)
        for shape in ((3, 0), (0, 3), (0, 0))
    },
    **{
        f"unfold of {shape}": lambda t, s=shape: t.nn.functional.unfold(t.ones(s), 1)
        for shape in ((3, 0), (0, 3), (2, 3), (0,), (2, 0, 3))
    },
    "batch_norm": lambda t: t.nn.functional.batch_norm(t.ones(1, 0), None, None, training=True),
    "batch_norm of points": lambda t: t.nn.functional.batch_norm(t.ones(1, 0, 2), None, None, training=True),
    "batch_norm of nobody": lambda t: t.nn.functional.batch_norm(t.ones(0, 2), None, None, training=True),
}


def outcome(library, call):
    """The shape of a result, or the class and the first words of an error."""
    try:
        return tuple(call(library).shape)
    except (RuntimeError, IndexError, ValueError) as error:
        return type(error), str(error).partition(". ")[0][:60]


@pytest.mark.parametrize("name", CALLS)
def test_beside_pytorch(name):
    torch = pytest.importorskip("torch")
    assert outcome(rushlight, CALLS[name]) == outcome(torch, CALLS[name])


@pytest.mark.parametrize(("shape", "sizes"), [((0,), (0,)), ((3, 0), (0,)), ((0, 3), (3,))])
def test_second_derivatives_of_a_normalization_of_nothing(torch, shape, sizes):
    x = torch.ones(shape, requires_grad=True)
    result = torch.nn.functional.layer_norm(x, sizes)
    (grad,) = torch.autograd.grad(result, x, torch.ones(shape), create_graph=True)
    (second,) = torch.autograd.grad(grad.sum() + x.sum(), x)
    assert grad.shape == second.shape == shape
