"""Conversion between float16 and float32."""

from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.arrays import is_array
from rushlight.kernels.compiled import load

__all__ = ["convert_halves"]

fast: ModuleType | None = load("halves")
HALF, SINGLE = np.dtype(np.float16), np.dtype(np.float32)


def convert_halves(x: Any, out: Any) -> bool:
    """Copies an array to another, of float32 and float16 in either order; returns whether there is a kernel for it."""
    if fast is None or {x.dtype, out.dtype} != {HALF, SINGLE} or not (is_array(x) and is_array(out)):
        return False
    return fast.convert(x, out)
