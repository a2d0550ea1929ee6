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
    return gradients.detached(of_gradients(side, side.inputs))


def of_gradients(side, inputs: list, create_graph: bool = False) -> list:
    """The gradients of the gradients at some inputs, with fixed cotangents of both."""
    first = gradients.gradient(side, inputs, create_graph=True)
    return again(side, first, inputs, 2, create_graph)


def again(side, found: list, inputs: list, phase: int, create_graph: bool = False) -> list:
    """The gradients of what was found, with fixed cotangents; none where nothing depends on the inputs."""
    ends = [(g, c) for g, c in zip(found, side.directions(found, phase), strict=True) if g.requires_grad]
    if not ends:
        return []
    outs, cotangents = zip(*ends, strict=True)
    options = {"materialize_grads": True, "create_graph": create_graph}
    return list(side.library.autograd.grad(outs, inputs, cotangents, **options))


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
