"""Filling arrays with one number, or with evenly spaced numbers."""

import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.kernels.compiled import load

__all__ = ["count_up", "fill", "zeros"]

fast: ModuleType | None = load("steps")
MUCH = 1 << 20  # bytes from which on threads fill new memory faster than the system
LARGE = 1 << 18  # bytes from which on the compiled kernel is faster


def fill(array: np.ndarray, value: complex) -> None:
    """Overwrites all elements with a number."""
    if type(array) is not np.ndarray:
        array[...] = value
    elif fast is not None and array.nbytes >= LARGE and array.flags.carray:
        one = np.empty((), array.dtype)
        np.copyto(one, value, casting="unsafe")
        fast.fill(array, one)
    elif array.dtype.kind in "bf" and not isinstance(value, complex):
        array.fill(value)
    else:
        np.copyto(array, value, casting="unsafe")


def zeros(shape: Sequence[int], like: Any) -> Any:
    """Zeros of a shape, in an array of the dtype and kind of another."""
    if type(like) is not np.ndarray or math.prod(shape) * like.itemsize < MUCH or like.dtype.kind not in "bufic":
        return np.zeros(shape, like.dtype, like=like)
    out = np.empty(shape, like.dtype)
    fill(out, 0)
    return out


def count_up(out: np.ndarray, first: float, step: float, origin: int = 0) -> None:
    """Writes `first + (origin + i) * step`, computed in double precision, into a vector for all of its indices i."""
    if fast is not None and out.dtype in (np.float32, np.float64) and out.flags.carray:
        fast.count_up(out, first, step, origin)
    else:
        np.copyto(out, first + np.arange(origin, origin + out.size) * step, casting="unsafe")
