"""Conversion of arrays to other types: floats, integers, truths, float16, and bfloat16 once it is known."""

from types import ModuleType
from typing import Any

import numpy as np

from rushlight.kernels.compiled import load
from rushlight.kernels.parts import assign

__all__ = ["cast", "complex_of", "convert", "converted", "meet_bfloat16"]

fast: ModuleType | None = load("casts")


def meet_bfloat16(dtype: np.dtype) -> None:
    """Tells the kernel which of NumPy's types bfloat16 is: the upper half of a float32."""
    if fast is not None:
        fast.know_upper(dtype.num)


def convert(x: Any, out: Any) -> bool:
    """Copies an array to another of another type; whether there is a kernel for it."""
    return fast is not None and type(x) is type(out) is np.ndarray and fast.convert(x, out)


def cast(x: Any, dtype: np.dtype) -> np.ndarray | None:
    """A dense array in another dtype, in its order in memory; None without a kernel for it."""
    return None if fast is None else fast.converted(x, dtype)


def complex_of(real: Any, imag: Any) -> np.ndarray | None:
    """Complex numbers of their parts, of one shape and dtype, in the order of the first that is not contiguous.

    None for others, or without kernels.
    """
    if fast is None or type(real) is not np.ndarray or type(imag) is not np.ndarray:
        return None
    found = fast.complex_of(real, imag)
    if found is None and real.shape == imag.shape and real.dtype is imag.dtype:
        found = fast.complex_of(*in_one_order(real, imag))
    return found


def in_one_order(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays of one shape and dtype, one of them copied to the order of the first that is not contiguous."""
    if x.flags.c_contiguous:
        return reordered(x, y), y
    return x, reordered(y, x)


def reordered(x: np.ndarray, model: np.ndarray) -> np.ndarray:
    """A copy of an array in the order of another."""
    out = np.empty_like(model)
    assign(out, x)
    return out


def converted(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """An array in another dtype, as `x.astype(dtype)`."""
    out = cast(x, dtype)
    if out is None:
        out = np.empty_like(x, dtype)
        if not convert(x, out):
            assign(out, x)
    return out
