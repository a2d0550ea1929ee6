"""The few largest or smallest elements along a dimension."""

from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.arrays import is_array
from rushlight.kernels.compiled import load

__all__ = ["first_along"]

fast: ModuleType | None = load("ranking")


def first_along(array: Any, k: int, dim: int, largest: bool) -> Any:
    """The first k elements in sorted order and their indices along a dimension; None if not supported."""
    if fast is None or not is_array(array):
        return None
    last = dim == array.ndim - 1
    found = fast.first(array if last else array.swapaxes(dim, -1), k, largest)
    if found is None or last:
        return found
    return tuple([np.ascontiguousarray(part.swapaxes(-1, dim)) for part in found])
