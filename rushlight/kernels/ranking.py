"""Elements by their rank: in order, the first few, one, the most frequent; and places in a sorted sequence."""

from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.arrays import is_array
from rushlight.kernels.compiled import load
from rushlight.kernels.parts import contiguous, duplicate
from rushlight.machine import threads

__all__ = ["among", "extreme_along", "first_along", "in_order", "most_frequent", "place_in_rows", "places_in"]

fast: ModuleType | None = load("ranking")
fast_sorting: ModuleType | None = load("sorting")
PART = 1 << 15  # elements that a thread sorts at once


def in_order(array: Any, dim: int, descending: bool = False) -> tuple[np.ndarray, np.ndarray] | None:
    """The elements sorted along a dimension and their indices; None if not supported.

    Equal elements keep their order, and NaN counts as the largest.
    """
    if fast_sorting is None or not is_array(array) or not array.ndim:
        return None
    rows = array.swapaxes(dim, -1)
    if not rows.flags.c_contiguous:
        rows = duplicate(rows)
    keys = fast_sorting.keys(rows, descending)
    if keys is None:
        return None
    if keys.size <= PART:
        keys.sort(-1)
    else:
        lines = keys.reshape(-1, keys.shape[-1])
        threads.share(lambda start, stop: lines[start:stop].sort(-1), len(lines), max(1, PART // lines.shape[-1]))
    found = fast_sorting.settled(rows, keys, descending)
    if found is None:
        return None
    values, places = (lying_like(array, part.swapaxes(dim, -1)) for part in found)
    return values, places


def lying_like(array: np.ndarray, part: np.ndarray) -> np.ndarray:
    """An array contiguous as another is, backwards or not; a copy if it is not so."""
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        return part if part.flags.f_contiguous else duplicate(part.T).T
    return contiguous(part)


def first_along(array: Any, k: int, dim: int, largest: bool) -> Any:
    """The first k elements in sorted order and their indices along a dimension; None if not supported."""
    if fast is None or not is_array(array):
        return None
    last = dim == array.ndim - 1
    found = fast.first(array if last else array.swapaxes(dim, -1), k, largest)
    if found is None or last:
        return found
    return tuple([duplicate(part.swapaxes(-1, dim)) for part in found])


def extreme_along(array: Any, dim: int | None, keepdim: bool, largest: bool) -> Any:
    """The indices of the first largest, or smallest, elements along a dimension, or in the flattened array."""
    if fast is not None and dim is not None and (found := fast.extreme(array, dim, largest)) is not None:
        return np.expand_dims(found, dim) if keepdim else found
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
    rows = contiguous(rows)
    found = in_order(rows, rows.ndim - 1)
    return fast.most_frequent(rows, rows.argsort(-1) if found is None else found[1])


def places_in(sequence: Any, values: Any, right: bool) -> Any:
    """Where in a sorted sequence to insert values, before or after (`right`) equal ones; None if not supported."""
    return None if fast is None else fast.places_in(sequence, values, right)


def among(elements: Any, others: Any) -> Any:
    """Which elements of an array are among few others; None if not supported."""
    return None if fast is None else fast.among(elements, others)
