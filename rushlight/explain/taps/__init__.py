"""Wraps functions while a program is explained: those that cut values off or set modes without calling an operator.

Also those that update parameters. Outside of explanations nothing is wrapped.
"""

from contextlib import ExitStack
from typing import Any

from rushlight.core.above import above
from rushlight.explain.taps.draws import tap_draws
from rushlight.explain.taps.modes import tap_modes
from rushlight.explain.taps.modules import tap_modules
from rushlight.explain.taps.passes import tap_passes
from rushlight.explain.taps.training import tap_training
from rushlight.explain.taps.values import tap_values


@above
def tap(watch: Any) -> ExitStack:
    """Wraps all functions that must report to a watch; leaving the stack unwraps them."""
    stack = ExitStack()
    for add in (tap_values, tap_modes, tap_training, tap_passes, tap_modules, tap_draws):
        add(stack, watch)
    return stack
