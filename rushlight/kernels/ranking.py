"""Elements by their rank: the first few, that of one rank, the most frequent; and places in a sorted sequence."""

from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.arrays import is_array
from rushlight.kernels.compiled import load

__all__ = ["extreme_along", "first_along", "most_frequent", "place_in_rows", "places_in"]

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


def extreme_along(array: np.ndarray, dim: int | None, keepdim: bool, largest: bool) -> np.ndarray:
    """The indices of the first largest, or smallest, elements along a dimension, or in the flattened array."""
    if fast is not None and type(array) is np.ndarray and dim is not None and dim == array.ndim - 1:
        found = fast.extreme(array, largest)
        if found is not None:
            return found[..., None] if keepdim else found
    return array.argmax(dim, keepdims=keepdim) if largest else array.argmin(dim, keepdims=keepdim)


def place_in_rows(rows: Any, rank: int, numbers_only: bool = False) -> Any:
    """The index of the element of a rank in each row along the last dimension; None if not supported.

    NaN counts as the largest. The rank -1 stands for the lower of the middle elements: for the first NaN if there is
    one, or for the middle of the numbers alone (`numbers_only`).
    """
    return None if fast is None else fast.place_in_rows(rows, rank, numbers_only)


def most_frequent(rows: Any) -> Any:
    """The last index of the most frequent element of each row, the smallest of several such; None if not supported."""
    if fast is None or not is_array(rows) or rows.ndim == 0 or rows.dtype.char not in "fd":
        return None
    return fast.most_frequent(rows, order_of_numbers(rows))


def order_of_numbers(rows: np.ndarray) -> np.ndarray:
    """The indices that sort each row, equal elements in any order; NaN is at either end."""
    if rows.dtype.char == "d":
        return rows.argsort(-1)
    bits = rows.view(np.int32) if rows.flags.c_contiguous else np.ascontiguousarray(rows).view(np.int32)
    keys = (bits ^ ((bits >> 31) & 0x7FFFFFFF)).astype(np.int64) << 32
    keys |= np.arange(rows.shape[-1])
    keys.sort(-1)  # with the index in the lower half: sorting numbers is faster than sorting indices
    keys &= 0xFFFFFFFF
    return keys


def places_in(sequence: Any, values: Any, right: bool) -> Any:
    """Where in a sorted sequence to insert values, before or after (`right`) equal ones; None if not supported."""
    return None if fast is None else fast.places_in(sequence, values, right)
