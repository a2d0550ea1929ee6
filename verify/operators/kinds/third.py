"""Third gradients, reverse over reverse over reverse."""

from verify.operators import slopes
from verify.operators.kinds import gradients, second

TITLE = "third gradients"
cases = second.cases


def use(side):
    """The gradients of the second gradients, with cotangents of their own."""
    inputs = side.inputs
    found = second.of_gradients(side, inputs, create_graph=True)
    return gradients.detached(second.again(side, found, inputs, 4))


def right(side) -> bool:
    """Whether the third gradients are the slopes of the second, by central differences."""
    inputs, found = side.inputs, use(side)
    ways = side.directions(inputs, 5)

    def paired(distance):
        moved = second.of_gradients(side, slopes.moved(inputs, ways, distance))
        return slopes.inner(side.directions(moved, 4), moved)

    return slopes.agree([slopes.inner(found, ways) if found else 0.0], paired)
