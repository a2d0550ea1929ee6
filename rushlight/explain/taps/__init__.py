"""Functions that are replaced while something is explained: those through which values leave the graph, modes are set
and optimizers work without a call of an operator. Nothing of this is there while nothing is explained.
"""

from contextlib import ExitStack
from typing import Any

from rushlight.explain.taps.draws import tap_draws
from rushlight.explain.taps.modes import tap_modes
from rushlight.explain.taps.modules import tap_modules
from rushlight.explain.taps.passes import tap_passes
from rushlight.explain.taps.training import tap_training
from rushlight.explain.taps.values import tap_values


def tap(watch: Any) -> ExitStack:
    """Lets a watch know of all that operators do not tell; leaving the stack ends it."""
    stack = ExitStack()
    for add in (tap_values, tap_modes, tap_training, tap_passes, tap_modules, tap_draws):
        add(stack, watch)
    return stack
