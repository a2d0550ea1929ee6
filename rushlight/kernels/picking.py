"""Gathering and scattering elements along a dimension by an index."""

from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.arrays import is_array
from rushlight.kernels.compiled import load

__all__ = ["put_along", "selected", "take_along"]

fast: ModuleType | None = load("picking")


def take_along(array: np.ndarray, index: np.ndarray, dim: int) -> np.ndarray | None:
    """The elements at `index` along a dimension; None if the kernel does not take the inputs.

    The index has as many dimensions as the array, or is a vector, for whole slices.
    """
    return None if fast is None else fast.taken(array, index, dim)


def put_along(array: np.ndarray, index: Any, dim: int, values: Any, reduce: str | None = None) -> bool:
    """Writes values into an array along a dimension; returns whether it could. If not, some may have been written.

    Values are broadcast to the shape of the index, or to that of the slices if it is a vector.
    `reduce` ("sum", "prod", "amax" or "amin") combines them with the present values.
    """
    if fast is None or not is_array(index):
        return False
    return fast.put(array, index, dim, values if is_array(values) else np.asarray(values, array.dtype), reduce)


def selected(array: Any, index: Any) -> Any:
    """The rows of an array at an index of any shape."""
    found = take_along(array, index.reshape(-1), 0)
    return np.take(array, index, 0) if found is None else found.reshape(index.shape + array.shape[1:])
