"""Elementwise formulas, and how they are evaluated.

This is the Python version: where the core is compiled, `formulas.pyx` replaces it, records a formula as steps
(`tracing`) and runs them with NumPy's inner loops, without Python objects in between.
"""

from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.layouts import is_repeated


class Formula:
    """An elementwise function of up to four operands: arrays, numbers and options."""

    def __init__(self, function: Any, arity: int):
        self.function = function
        self.arity = arity


def evaluate(formula: Any, *operands: Any) -> Any:
    """The value of a formula for operands of which the first is an array. Operands beyond its arity are ignored."""
    result = formula.function(*operands[: formula.arity])
    first = operands[0]
    flags = getattr(first, "flags", None)  # tensors, which derivatives of derivatives are computed with, have none
    if flags is None or flags.c_contiguous or first.shape != result.shape:
        return result
    return in_order_of(first, result)


def evaluate_in_steps(formula: Any, *operands: Any) -> Any:
    """The value of a formula that lies as if each step made an array, as PyTorch's do; None where this is not known."""
    return None


def evaluate_to(formula: Any, target: Array, *operands: Any) -> bool:
    """Writes the value of a formula to an array of its shape and type; returns whether it did."""
    return False


def evaluate_into(formula: Any, target: Array, *operands: Any) -> bool:
    """Writes the value of a formula over its first operand, a float array; returns whether it did."""
    return False


def in_order_of(first: Array, result: Array) -> Array:
    """A result with its dimensions in the order of the first operand's, which PyTorch gives it, not NumPy's."""
    if is_repeated(first):
        return result
    ordered = np.empty_like(first, result.dtype)
    if ordered.strides == result.strides:
        return result
    ordered[...] = result
    return ordered


def add_to(array: Array, other: Array) -> None:
    """Computes `array += other`."""
    array += other
