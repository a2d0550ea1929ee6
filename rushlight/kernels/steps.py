"""Filling arrays with one number, or with evenly spaced numbers."""

from types import ModuleType

import numpy as np

from rushlight.kernels.compiled import load

__all__ = ["count_up", "fill"]

fast: ModuleType | None = load("steps")
LARGE = 1 << 15  # bytes from which on the compiled kernel is faster


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


def count_up(out: np.ndarray, first: float, step: float, origin: int = 0) -> None:
    """Writes `first + (origin + i) * step`, computed in double precision, into a vector for all of its indices i."""
    if fast is not None and out.dtype in (np.float32, np.float64) and out.flags.carray:
        fast.count_up(out, first, step, origin)
    else:
        np.copyto(out, first + np.arange(origin, origin + out.size) * step, casting="unsafe")
