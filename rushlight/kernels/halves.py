"""Conversion between float32 or float64 and the types of 16 bits: float16, and bfloat16 once it is known."""

from types import ModuleType
from typing import Any

import numpy as np

from rushlight.kernels.compiled import load
from rushlight.kernels.parts import assign

__all__ = ["HALVES", "convert_halves", "converted"]

fast: ModuleType | None = load("halves")
WIDER = np.dtype(np.float32), np.dtype(np.float64)
HALVES: dict[np.dtype, bool] = {np.dtype(np.float16): False}  # whether each is bfloat16, the upper half of a float32


def convert_halves(x: Any, out: Any) -> bool:
    """Copies an array to another, one of 16 bits and one of float32 or float64; whether there is a kernel for it."""
    if fast is None or type(x) is not np.ndarray or type(out) is not np.ndarray:
        return False
    narrow, wide = (out, x) if x.dtype in WIDER else (x, out)
    upper = HALVES.get(narrow.dtype)
    return upper is not None and wide.dtype in WIDER and fast.convert(x, out, upper)


def converted(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """An array in another dtype, as `x.astype(dtype)`."""
    out = np.empty_like(x, dtype)
    if not convert_halves(x, out):
        assign(out, x)
    return out
