"""Functions that are replaced while something is explained: those through which values leave the graph, modes are set
and optimizers work without a call of an operator. Nothing of this is there while nothing is explained.
"""

from contextlib import ExitStack
from typing import Any

from rushlight.explain.taps.modes import modes
from rushlight.explain.taps.modules import modules
from rushlight.explain.taps.passes import passes
from rushlight.explain.taps.training import training
from rushlight.explain.taps.values import values


def tap(watch: Any) -> ExitStack:
    """Lets a watch know of all that operators do not tell; leaving the stack ends it."""
    stack = ExitStack()
    for add in (values, modes, training, passes, modules):
        add(stack, watch)
    return stack
