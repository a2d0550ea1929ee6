"""Changes in place under transforms: through views, of what is mapped over, and of tensors with tangents."""

import numpy as np
import pytest

VIEWS = {
    "itself": lambda x: x,
    "select": lambda x: x[1],
    "slice": lambda x: x[:, ::2],
    "transpose": lambda x: x.t(),
    "diagonal": lambda x: x.diagonal(),
    "reshape": lambda x: x.reshape(-1),
    "unfold": lambda x: x.unfold(0, 2, 2),
    "narrow": lambda x: x.narrow(0, 1, 1),
    "as_strided": lambda x: x.as_strided((2,), (2,)),
    "view of a view": lambda x: x[None].movedim(1, -1)[0, 1:],
}
CHANGES = {
    "add_": lambda v, y: v.add_(y),
    "mul_": lambda v, y: v.mul_(y),
    "exp_": lambda v, y: v.exp_(),
    "setitem": lambda v, y: v.__setitem__(..., y * y),
    "masked_fill_": lambda v, y: v.masked_fill_(v > 0, 2.0),
    "zero_": lambda v, y: v.zero_(),
}


def numbers(torch, *shape):
    """Some numbers."""
    return torch.from_numpy(np.sin(1 + np.arange(np.prod(shape), dtype=np.float64)).reshape(shape))


def close(found, expected):
    """Compares tensors."""
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), rtol=1e-9, atol=1e-12)


@pytest.fixture(params=VIEWS)
def view(request):
    """A way to look at a matrix."""
    return VIEWS[request.param]


@pytest.fixture(params=CHANGES)
def change(request):
    """A change of a tensor by another."""
    return CHANGES[request.param]


def program(torch, view, change):
    """A function that changes a copy of its argument through a view, and its results by way of three tensors."""

    def function(x, y):
        base = x * 1
        one, other = view(base), view(base)
        change(one, y)
        return base * 1, one.sin(), other * other

    return function


def test_views_and_bases_see_changes(torch, view, change):
    x, y = numbers(torch, 3, 2, 2), numbers(torch, 3)
    function = program(torch, view, change)
    rows = [function(x[k], y[k]) for k in range(3)]
    close(torch.vmap(function)(x, y), [torch.stack(column) for column in zip(*rows, strict=True)])
    push = lambda x, y: torch.func.jvp(function, (x, y), (x.cos(), y.cos()))[1]
    rows = [push(x[k], y[k]) for k in range(3)]
    expected = [torch.stack(column) for column in zip(*rows, strict=True)]
    close(torch.vmap(push)(x, y), expected)
    close(torch.func.jvp(torch.vmap(function), (x, y), (x.cos(), y.cos()))[1], expected)


@pytest.mark.parametrize("dim", [0, 2])
def test_what_is_mapped_over_is_changed(torch, view, change, dim):
    if view is VIEWS["as_strided"] and dim:
        pytest.skip("the examples overlap")

    def changed(x, y):
        part = view(x)
        change(part, y)
        return part * 1

    grads = []
    for mapped in (True, False):
        x, y = numbers(torch, 3, 2, 2).requires_grad_(), numbers(torch, 3).requires_grad_()
        whole = (x * 1).movedim(0, dim).contiguous()
        if mapped:
            results = torch.vmap(changed, (dim, 0))(whole, y)
        else:
            parts = [whole.select(dim, k).clone() for k in range(3)]
            results = torch.stack([changed(part, y[k]) for k, part in enumerate(parts)])
            whole = torch.stack(parts, dim)
        total = (whole * whole).sum() + (results.sin()).sum()
        grads.append((whole, *torch.autograd.grad(total, (x, y), allow_unused=True, materialize_grads=True)))
    close(*grads)


def test_what_is_mapped_over_carries_its_tangent(torch):
    def function(x):
        torch.vmap(lambda row: row[0].mul_(row[1]), in_dims=1)(x)
        return x * x

    x = numbers(torch, 2, 3)
    plain = lambda x: torch.stack([x[0] * x[1], x[1]]) ** 2
    close(torch.func.jvp(function, (x.clone(),), (x.cos(),)), torch.func.jvp(plain, (x,), (x.cos(),)))


def test_a_leaf_that_is_mapped_over_is_not_changed(torch):
    x = numbers(torch, 3).requires_grad_()
    with pytest.raises(RuntimeError, match=r"a (view of a )?leaf Variable that requires grad"):
        torch.vmap(lambda x: x.mul_(2))(x)
    close([x], [numbers(torch, 3)])


@pytest.mark.parametrize("recorded", [True, False])
def test_a_tangent_that_its_user_holds_is_changed_with_its_tensor(torch, recorded):
    forward = torch.autograd.forward_ad
    values, tangent = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.5, 0.25, 1.0])
    with forward.dual_level(), torch.set_grad_enabled(recorded):
        dual = forward.make_dual(values, tangent)
        other = dual + 1
        dual *= 2
        close([tangent], [torch.tensor([1.0, 0.5, 2.0])])
        dual[1:] *= dual[:1]
        close(forward.unpack_dual(dual), [torch.tensor([2.0, 8.0, 12.0]), torch.tensor([1.0, 5.0, 10.0])])
        close([values, tangent], forward.unpack_dual(dual))
        close([forward.unpack_dual(other).tangent], [torch.tensor([0.5, 0.25, 1.0])])
