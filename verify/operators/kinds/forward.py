"""Forward mode: tangents of results."""

from verify.operators import slopes
from verify.operators.kinds import gradients

TITLE = "forward mode"


def cases(op, count):
    """Samples of operators that PyTorch can differentiate forward."""
    if op.supports_forward_ad:
        yield from gradients.cases(op, count)


def use(side):
    """The tangent of each result that can have one."""
    forward_ad = side.library.autograd.forward_ad
    inputs = gradients.detached(side.inputs)
    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(x, t) for x, t in zip(inputs, side.directions(inputs, 3), strict=True)]
        outs = [t for t in side.at(*duals) if t.is_floating_point() or t.is_complex()]
        tangents = [forward_ad.unpack_dual(t).tangent for t in outs]
        return [(side.library.zeros_like(t) if d is None else d).detach() for t, d in zip(outs, tangents, strict=True)]


def right(side) -> bool:
    """Whether the tangents are the slopes of the results."""
    inputs = gradients.detached(side.inputs)
    ways = side.directions(inputs, 3)

    def paired(distance):
        outs = side.at(*gradients.detached(slopes.moved(inputs, ways, distance)))
        outs = [t for t in outs if t.is_floating_point() or t.is_complex()]
        return slopes.inner(side.directions(outs, 1), outs)

    found = use(side)
    return slopes.agree([slopes.inner(side.directions(found, 1), found)], paired)
