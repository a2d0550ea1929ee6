"""Elementwise selection between values.

`np.where` branches at every element, and half of the branches are mispredicted under a random mask. For large arrays
masking the bits of the numbers is ten times as fast.
"""

import math
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.kinds import kind_of
from rushlight.kernels.compiled import load
from rushlight.kernels.layouts import laid_out_like

__all__ = ["bound", "bounded", "drop", "keep", "passed", "select"]

fast: ModuleType | None = load("bounds")
LARGE = 1 << 12
BITS: dict[int, type] = {2: np.int16, 4: np.int32, 8: np.int64}  # by the size of an element


def are_large(condition: Any, *values: Array) -> bool:
    """Whether a condition is an array of many elements, and the values are arrays."""
    return type(condition) is np.ndarray and condition.size >= LARGE and all(type(v) is np.ndarray for v in values)


def select(condition: np.ndarray, x: Any, y: Any) -> np.ndarray:
    """`x` where the condition holds, else `y`, with broadcasting."""
    if not are_large(condition, x, y):
        return np.where(condition, x, y)
    bits = BITS.get(x.itemsize)
    if bits is None or x.dtype != y.dtype:
        return np.where(condition, x, y)
    mask, dtype = masks(condition, bits), x.dtype
    x, y = x.view(bits), y.view(bits)
    return (((x ^ y) & mask) ^ y).view(dtype)


def keep(condition: np.ndarray, x: np.ndarray) -> np.ndarray:
    """`x` where the condition holds, else 0, also where `x` is infinite or NaN."""
    if not are_large(condition, x) or condition.shape != x.shape or x.itemsize not in BITS:
        return np.where(condition, x, 0)
    bits = BITS[x.itemsize]
    out = np.empty_like(x)
    np.bitwise_and(masks(condition, bits), x.view(bits), out=out.view(bits))
    return out


def drop(condition: np.ndarray, x: np.ndarray) -> np.ndarray:
    """0 where the condition holds, also where `x` is infinite or NaN; else `x`."""
    if not are_large(condition, x) or condition.shape != x.shape or x.itemsize not in BITS:
        return np.where(condition, 0, x)
    bits = BITS[x.itemsize]
    out = np.empty_like(x)
    np.bitwise_and(np.subtract(condition.view(np.int8), 1, dtype=bits), x.view(bits), out=out.view(bits))
    return out


def bounded(x: np.ndarray, low: float | None, high: float | None) -> np.ndarray:
    """`x` clamped to `low` and `high`, of which one may be None; NaN stays."""
    if fast is not None and type(x) is np.ndarray:
        result = fast.bounded(x, -math.inf if low is None else low, math.inf if high is None else high)
        if result is not None:
            return result
    if are_large(x) and kind_of(x.dtype) == "f":  # a ufunc of its own, which beats `np.maximum` with a number
        return x.clip(-np.inf if low is None else low, np.inf if high is None else high)
    if low is not None:
        x = np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def bound(x: np.ndarray, low: float | None, high: float | None) -> bool:
    """Clamps an array in place; returns whether there is a kernel for it."""
    return fast is not None and fast.bound(x, -math.inf if low is None else low, math.inf if high is None else high)


def passed(grad: Array, x: Array, low: float | None, high: float | None) -> np.ndarray | None:
    """The gradient of `bounded`.

    `grad` where `x` is within bounds, else 0. None if the kernel does not take the inputs.
    """
    if fast is None or type(grad) is not np.ndarray:
        return None
    grad = laid_out_like(grad, x)
    return fast.passed(grad, x, -math.inf if low is None else low, math.inf if high is None else high)


def masks(condition: Any, bits: Any) -> Any:
    """Integers of all ones where a condition holds, else of all zeros."""
    return np.negative(condition.view(np.int8), dtype=bits)
