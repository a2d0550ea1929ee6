"""Gathering and scattering elements along a dimension by an index."""

from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.arrays import is_array
from rushlight.kernels.compiled import load

__all__ = ["put_along", "take_along"]

fast: ModuleType | None = load("picking")


def take_along(array: np.ndarray, index: np.ndarray, dim: int) -> np.ndarray | None:
    """The elements at `index` along a dimension; None if the kernel does not take the inputs."""
    return None if fast is None else fast.taken(array, index, dim)


def put_along(array: np.ndarray, index: Any, dim: int, values: Any, reduce: str | None = None) -> bool:
    """Writes values into an array along a dimension; returns whether it could. If not, some may have been written.

    `reduce` ("sum", "prod", "amax" or "amin") combines them with the present values.
    """
    if fast is None or not is_array(index):
        return False
    source: Any = values if is_array(values) else np.asarray(values, array.dtype)
    if source.shape != index.shape:
        source = np.broadcast_to(source, index.shape)
    return fast.put(array, index, dim, source, reduce)
