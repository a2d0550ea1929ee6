"""Where truths are true: their places, and values that are put there one after the other."""

from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.arrays import is_array
from rushlight.kernels.compiled import load

__all__ = ["places", "scattered", "selected"]

fast: ModuleType | None = load("masks")


def places(x: Any) -> Any:
    """The coordinates of the elements that are not zero, a column for each dimension: `np.argwhere`."""
    found = None
    if fast is not None and is_array(x):
        found = fast.places(np.asarray(x if x.dtype == bool else x != 0, order="C"))
    return np.argwhere(x) if found is None else found.T


def scattered(x: Any, mask: Any, values: Any) -> Any:
    """A copy of an array with values where the mask is true, one after the other; ValueError if there are too few."""
    found = None if fast is None else fast.scattered(x, mask, values)
    if found is not None:
        return found
    count = np.count_nonzero(mask)
    if count > values.size:
        raise ValueError
    out = x.copy("K")
    out[mask] = values.reshape(-1)[:count]
    return out


def selected(x: Any, mask: Any) -> Any:
    """The elements where a mask of the array's shape is true, as a vector."""
    found = None if fast is None else fast.selected(x, mask)
    return x[mask] if found is None else found
