"""Elementwise formulas, and how they are evaluated.

This is the Python version: where the core is compiled, `formulas.pyx` replaces it, records a formula as steps
(`tracing`) and runs them with NumPy's inner loops, without Python objects in between.
"""

from typing import Any

from rushlight.core.aliases import Array


class Formula:
    """An elementwise function of up to four operands: arrays, numbers and options."""

    def __init__(self, function: Any, arity: int):
        self.function = function
        self.arity = arity


def evaluate(formula: Any, *operands: Any) -> Any:
    """The value of a formula for operands of which the first is an array. Operands beyond its arity are ignored."""
    return formula.function(*operands[: formula.arity])


def add_to(array: Array, other: Array) -> None:
    """Computes `array += other`."""
    array += other
