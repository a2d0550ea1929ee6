"""Filling arrays with one number, or with evenly spaced numbers."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.kernels.compiled import load

__all__ = ["blank", "count_up", "evenly", "fill", "filled_like", "integers", "zeros", "zeros_like"]

fast: ModuleType | None = load("steps")
SUITING = {
    bool: "biufc",
    int: "biufc",
    float: "bfc",
    complex: "c",
}  # kinds of arrays whose elements such numbers can be made


def fill(array: np.ndarray, value: complex) -> None:
    """Overwrites all elements with a number."""
    if type(array) is not np.ndarray:
        array[...] = value
    elif fast is None or not suits(array, value) or not fast.fill(array, value):
        np.copyto(array, value, casting="unsafe")


def filled_like(array: Any, value: complex) -> np.ndarray | None:
    """A new array filled with a number, of the dtype and strides of another; None where there is no kernel for it."""
    if fast is None or type(array) is not np.ndarray or not suits(array, value):
        return None
    return fast.filled_like(array, value)


def zeros_like(x: Any) -> Any:
    """Zeros like an array or a tensor, which lie as it does."""
    found = filled_like(x, 0)
    return np.zeros_like(x) if found is None else found


def suits(array: np.ndarray, value: complex) -> bool:
    """Whether the elements of an array can be made such a number."""
    return array.dtype.kind in SUITING.get(type(value), "")


def zeros(shape: Sequence[int], like: Any) -> Any:
    """Zeros of a shape, in an array of the dtype and kind of another."""
    return blank(shape, like.dtype) if type(like) is np.ndarray else np.zeros(shape, like.dtype, like=like)


def blank(shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """Zeros of a shape and dtype."""
    if fast is None or dtype.kind not in "bufic" or not dtype.isnative:
        return np.zeros(shape, dtype)
    found: np.ndarray = fast.blank(tuple(shape), dtype)
    return found


def integers(first: int, step: int, size: int) -> np.ndarray:
    """Evenly spaced integers, none of which is out of the range of int64."""
    step = (step + (1 << 63)) % (1 << 64) - (1 << 63)  # products and sums wrap around
    return np.arange(size) * step + first if fast is None else fast.integers(first, step, size)


def count_up(out: np.ndarray, first: float, step: float, origin: int = 0) -> None:
    """Writes `first + (origin + i) * step`, computed in double precision, into a vector for all of its indices i."""
    if fast is not None and out.dtype in (np.float32, np.float64) and out.flags.carray:
        fast.count_up(out, first, step, origin)
    else:
        np.copyto(out, first + np.arange(origin, origin + out.size) * step, casting="unsafe")


def evenly(out: np.ndarray, first: float, last: float) -> None:
    """Writes evenly spaced numbers into a vector, half of them counted from the first, and half from the last."""
    if fast is not None and out.dtype in (np.float32, np.float64) and out.flags.carray:
        fast.evenly(out, first, last)
        return
    kind = out.dtype.type
    start, end = kind(first), kind(last)
    step, half = float((end - start) / kind(max(out.size - 1, 1))), out.size // 2
    count_up(out[:half], float(start), step)
    count_up(out[half:], float(end), step, half + 1 - out.size)
