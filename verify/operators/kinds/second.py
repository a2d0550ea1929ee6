"""Second gradients, reverse over reverse."""

from verify.operators import slopes
from verify.operators.kinds import gradients

TITLE = "second gradients"


def cases(op, count):
    """Samples of operators whose gradients PyTorch can differentiate."""
    if op.supports_gradgrad:
        yield from gradients.cases(op, count)


def use(side):
    """The gradients of the gradients, with other cotangents."""
    inputs = side.inputs
    first = gradients.gradient(side, inputs, create_graph=True)
    ends = [(g, c) for g, c in zip(first, side.directions(first, 2), strict=True) if g.requires_grad]
    if not ends:
        return []
    outs, cotangents = zip(*ends, strict=True)
    return gradients.detached(side.library.autograd.grad(outs, inputs, cotangents, materialize_grads=True))


def right(side) -> bool:
    """Whether the second gradients are the slopes of the first."""
    found = use(side)
    return is_slope(side, slopes.inner(found, side.directions(side.inputs, 3)) if found else 0.0)


def is_slope(side, slope: float) -> bool:
    """Whether a number is the slope of the first gradients in a fixed direction, paired with fixed cotangents."""
    inputs = side.inputs
    ways = side.directions(inputs, 3)

    def paired(distance):
        first = gradients.gradient(side, slopes.moved(inputs, ways, distance))
        return slopes.inner(side.directions(first, 2), first)

    return slopes.agree([slope], paired)
