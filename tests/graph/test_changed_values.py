"""Saved values that were changed in place: refused also where nobody asks for the gradient that needs them."""

import pytest

import rushlight

CHANGED = {
    "x*y": lambda torch, x, y: x * y,
    "x/y": lambda torch, x, y: x / y,
    "addcmul": lambda torch, x, y: torch.addcmul(y, x, y),
    "mm": lambda torch, x, y: x.unsqueeze(0) @ y.unsqueeze(1),
    "pow": lambda torch, x, y: x**y,
    "maximum": lambda torch, x, y: torch.maximum(x, y),
    "xlogy": lambda torch, x, y: torch.xlogy(x, y),
    "atan2": lambda torch, x, y: torch.atan2(x, y),
    "hypot": lambda torch, x, y: torch.hypot(x, y),
    "lerp": lambda torch, x, y: torch.lerp(x, y, x),
    "addcdiv": lambda torch, x, y: torch.addcdiv(y, x, y),
    "addmm": lambda torch, x, y: torch.addmm(x, x.unsqueeze(1), y.unsqueeze(0)),
    "addr": lambda torch, x, y: torch.addr(x, x, y),
    "bmm": lambda torch, x, y: torch.bmm(x.reshape(1, 1, 3), y.reshape(1, 3, 1)),
    "dot": lambda torch, x, y: torch.dot(x, y),
    "mv": lambda torch, x, y: torch.mv(x.unsqueeze(0), y),
    "outer": lambda torch, x, y: torch.outer(x, y),
    "linear": lambda torch, x, y: torch.nn.functional.linear(x, y.unsqueeze(0)),
    "conv1d": lambda torch, x, y: torch.nn.functional.conv1d(x.reshape(1, 1, 3), y.reshape(1, 1, 3)),
    "where": lambda torch, x, y: torch.where(x > 2, x, y),
    "logaddexp": lambda torch, x, y: torch.logaddexp(x, y),
    "copysign": lambda torch, x, y: torch.copysign(x, y),
    "fmod": lambda torch, x, y: torch.fmod(x, y),
    "remainder": lambda torch, x, y: torch.remainder(x, y),
    "dist": lambda torch, x, y: torch.dist(x, y),
    "cdist": lambda torch, x, y: torch.cdist(x.unsqueeze(0), y.unsqueeze(0)),
    "cross": lambda torch, x, y: torch.linalg.cross(x, y),
    "solve": lambda torch, x, y: torch.linalg.solve(torch.diag(x), y),
    "mse": lambda torch, x, y: torch.nn.functional.mse_loss(x, y),
    "huber": lambda torch, x, y: torch.nn.functional.huber_loss(x, y),
    "prelu": lambda torch, x, y: torch.nn.functional.prelu(x.reshape(1, 3), y),
    "layer_norm": lambda torch, x, y: torch.nn.functional.layer_norm(x, (3,), y, y),
    "bce": lambda torch, x, y: torch.nn.functional.binary_cross_entropy_with_logits(x, y),
    "kl": lambda torch, x, y: torch.nn.functional.kl_div(x, y),
    "scatter_add": lambda torch, x, y: x.scatter_add(0, torch.tensor([0, 1, 1]), y),
    "scatter_reduce": lambda torch, x, y: x.scatter_reduce(0, torch.tensor([0, 1, 1]), y, "prod"),
    "einsum": lambda torch, x, y: torch.einsum("i,j->ij", x, y),
    "clamp": lambda torch, x, y: x.clamp(min=y),
}


@pytest.mark.parametrize("hooked", [False, True])
@pytest.mark.parametrize("changed", [0, 1])
@pytest.mark.parametrize("wanted", [0, 1])
@pytest.mark.parametrize("name", CHANGED)
def test_values_saved_for_other_gradients_may_not_have_changed_either(name, wanted, changed, hooked):
    theirs = pytest.importorskip("torch")

    def seen(torch):
        leaves = [torch.tensor([1.5, 2.5, 3.5], requires_grad=True) for _ in range(2)]
        operands = [leaf * 1 for leaf in leaves]
        result = CHANGED[name](torch, *operands)
        if hooked:
            result.grad_fn.register_hook(lambda *_: None)
        operands[changed].add_(1)
        try:
            return torch.autograd.grad(result.sum(), leaves[wanted])[0].tolist()
        except RuntimeError as error:
            return str(error)[:80]

    assert seen(rushlight) == seen(theirs)


def test_freed_values_are_refused_although_nobody_asks_for_the_gradient_that_needs_them():
    x, y = (rushlight.ones(2, requires_grad=True) for _ in range(2))
    length = rushlight.hypot(x, y)
    length.sum().backward()
    length.tanh_()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        rushlight.autograd.grad(length.sum(), x)


@pytest.mark.parametrize("name", ["mul", "dot", "addcmul", "atan2", "hypot"])
@pytest.mark.parametrize("place", [0, 1])
def test_nothing_is_saved_for_a_view_made_without_recording_alone(name, place):
    """Such a view of what requires grad requires it too, but has no place in the graph."""
    theirs = pytest.importorskip("torch")

    def seen(torch):
        leaf, other = torch.ones(3, requires_grad=True), torch.full((3,), 2.0)
        doubled = leaf * 2
        with torch.no_grad():
            view = doubled.view(3)
        operands = (view, other) if place == 0 else (other, view)
        result = getattr(torch, name)(*operands, *(other,) * (name == "addcmul"))
        other.add_(1)
        try:
            (result.sum() + leaf.sum()).backward()
            return result.requires_grad, leaf.grad.tolist()
        except RuntimeError as error:
            return str(error)[:80]

    assert seen(rushlight) == seen(theirs)
