"""Forward over reverse: tangents of gradients."""

from verify.operators import slopes
from verify.operators.kinds import gradients, second

TITLE = "forward over reverse"


def cases(op, count):
    """Samples of operators whose gradients PyTorch can differentiate forward."""
    if op.supports_fwgrad_bwgrad:
        yield from second.cases(op, count)


def use(side):
    """The tangent of each gradient."""
    forward_ad = side.library.autograd.forward_ad
    inputs = side.inputs
    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(x, t) for x, t in zip(inputs, side.directions(inputs, 3), strict=True)]
        first = gradients.gradient(side, duals, create_graph=True)
        tangents = [forward_ad.unpack_dual(g).tangent for g in first]
        return [(side.library.zeros_like(g) if d is None else d).detach() for g, d in zip(first, tangents, strict=True)]


def right(side) -> bool:
    """Whether the tangents are the slopes of the gradients."""
    found = use(side)
    return second.is_slope(side, slopes.inner(side.directions(found, 2), found))
