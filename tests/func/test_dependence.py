"""What transforms give requires grad where it depends on what is differentiated outside, and nowhere else."""

import numpy as np
import pytest


def points(torch):
    """A constant, and a point that somebody differentiates by."""
    x = torch.tensor([0.3, -0.7, 1.1], dtype=torch.float64)
    return x, (x * 2).requires_grad_()


def pulled_back(torch, f, *primals):
    """The vector-Jacobian products of a function with ones."""
    output, vjp_fn = torch.func.vjp(f, *primals)
    return vjp_fn(torch.ones_like(output))


CASES = {
    "unused": (lambda t, x, w: t.func.grad(lambda x, w: x.sin().sum(), (0, 1))(x, w), [False, False]),
    "a product": (lambda t, x, w: t.func.grad(lambda x, w: (x * w).sum(), (0, 1))(x, w), [True, False]),
    "vjp": (lambda t, x, w: pulled_back(t, lambda x, w: x * w, x, w), [True, False]),
    "the value": (lambda t, x, w: t.func.grad_and_value(lambda x: (x * w).sin().sum())(x), [True, True]),
    "captured": (lambda t, x, w: t.func.grad(lambda x, y: (x * y * w).sum(), (0, 1))(x, x), [True, True]),
    "the same in vmap": (
        lambda t, x, w: t.vmap(t.func.grad(lambda x, w: x.exp() + w.sum(), (0, 1)), (0, None))(x, w),
        [False, False],
    ),
    "nested": (
        lambda t, x, w: t.func.grad(lambda x, w: t.func.grad(lambda x: (x**3).sum())(x).sum(), (0, 1))(x, w),
        [False, False],
    ),
    "tangents": (
        lambda t, x, w: t.func.jvp(t.func.grad_and_value(lambda x: x.exp().sum()), (x,), (x,))[1],
        [False, False],
    ),
    "directions": (
        lambda t, x, w: t.func.jvp(t.func.grad_and_value(lambda x: x.exp().sum()), (x,), (w,))[1],
        [True, True],
    ),
    "tangents of a formula for all inputs at once": (
        lambda t, x, w: t.func.grad(
            lambda x, y: t.func.jvp(lambda x, y: t.einsum("i,i->", x, y), (x, y), (x.cos(), y))[1], (0, 1)
        )(x, x),
        [False, False],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_dependence(torch, name):
    transform, expected = CASES[name]
    x, w = points(torch)
    found = transform(torch, x, w)
    assert [t.requires_grad for t in found] == expected
    for t in found:
        if t.requires_grad:
            assert torch.autograd.grad(t.sum(), w, retain_graph=True)[0].abs().sum() > 0


def test_tangents_that_are_the_same_for_all_examples(torch):
    x, w = points(torch)
    x, w = torch.stack([x, x.sin()]), w.detach()
    added = torch.vmap(lambda x, w: x.cos() + w**3, (0, None), out_dims=1)
    expected = np.stack([np.diag(3 * w.numpy() ** 2)] * 2, 1)
    np.testing.assert_allclose(torch.func.jacfwd(added, 1)(x, w).numpy(), expected)
    gradient = torch.func.grad(lambda x, w: added(x, w).sum(), 1)
    np.testing.assert_allclose(torch.func.jacfwd(gradient, 1)(x, w).numpy(), np.diag(12 * w.numpy()))


def test_tangents_of_sums_over_examples(torch):
    x, w = points(torch)
    rows = torch.stack([x, x.sin()])

    def pulled(v):
        _, vjp_fn = torch.func.vjp(lambda w: torch.vmap(lambda x: x + w)(rows), w.detach())
        return vjp_fn(rows * v)[0]

    np.testing.assert_allclose(torch.func.jacfwd(pulled)(x).numpy(), np.diag(rows.sum(0).numpy()))
