"""LAPACK's functions without the wrappers of SciPy and NumPy, by a compiled kernel.

What it does not take (arrays that are not NumPy's, empty ones, other types), and everything where it was not compiled,
is left to who asks: to NumPy's functions, or to SciPy's for one matrix after the other.
"""

from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.compiled import load

__all__ = ["computed", "computed_with"]

fast: ModuleType | None = load("lapack")


def computed(name: str, *args: Any) -> Any:
    """What a function of the kernel gives; None for what it does not take."""
    return None if fast is None else getattr(fast, name)(*args)


def computed_with(name: str, A: Array, B: Array, *args: Any) -> Any:
    """`computed` for matrices A and right sides B, whose batch dimensions are broadcast."""
    if fast is None or type(A) is not np.ndarray or type(B) is not np.ndarray:
        return None
    if A.shape[:-2] != B.shape[:-2]:
        batch = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
        A = np.broadcast_to(A, batch + A.shape[-2:])
        B = np.broadcast_to(B, batch + B.shape[-2:])
    return getattr(fast, name)(A, B, *args)
