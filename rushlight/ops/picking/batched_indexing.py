"""Batch rules of indexing: the index arrays of a batch get an additional index, the number of the example."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import Batched, aligned, lifted, spread
from rushlight.core.batching import dynamic, one_by_one
from rushlight.kernels.accumulate import add_rows


def numbered(key: Array, levels: Any) -> tuple[Any, ...]:
    """A key with the example numbers as its first index, and its own items with the batch dimensions in front."""
    ndim = max(item.ndim for item in key if not isinstance(item, slice))
    n = len(levels)
    numbers = [np.arange(level.size).reshape(-1, *(1,) * (n - 1 - i + ndim)) for i, level in enumerate(levels)]
    own = [lifted(item, levels, ndim) if type(item) is Batched else item for item in key]
    return (*numbers, *own), ndim


def place_of(key: Array) -> int:
    """The position of the indexed dimensions in the result: 0 if slices are between the index arrays, as in NumPy."""
    places = [i for i, item in enumerate(key) if not isinstance(item, slice)]
    return 0 if places[-1] - places[0] >= len(places) else places[0]


def picked(op: Any, args: tuple[Any, ...], levels: Any) -> Any:
    """The batch rule of indexing."""
    input, key = args
    if any(type(item) is Batched and item.dtype == bool for item in key):
        return dynamic(op, args, levels)
    n = len(levels)
    if not any(type(item) is Batched for item in key):
        result = op.forward(np.moveaxis(aligned(input, levels), range(n), range(-n, 0)), key)
        return np.moveaxis(result, range(-n, 0), range(n))
    key_in_front, ndim = numbered(key, levels)
    place = place_of(key)
    result = op.forward(spread(input, levels), key_in_front)
    return np.moveaxis(result, range(n, n + ndim), range(n + place, n + place + ndim))


def put_back(op: Any, args: tuple[Any, ...], levels: Any) -> Any:
    """The batch rule of its adjoint, which adds values at indices."""
    input, shape, key = args
    n, sizes = len(levels), tuple([level.size for level in levels])
    if not any(type(item) is Batched for item in key):
        moved = np.moveaxis(aligned(input, levels), range(n), range(-n, 0))
        return np.moveaxis(op.forward(moved, (*shape, *moved.shape[-n:]), key), range(-n, 0), range(n))
    key_in_front, ndim = numbered(key, levels)
    place = place_of(key)
    rows = np.moveaxis(spread(input, levels), range(n + place, n + place + ndim), range(n, n + ndim))
    return op.forward(rows, (*sizes, *shape), key_in_front)


def put_in(op: Any, args: Any, levels: Any) -> Any:
    """The batch rule of overwriting elements at indices, or adding to them."""
    input, values, key, accumulate = args
    if any(type(item) is Batched for item in key):
        return one_by_one(op, args, levels)
    n = len(levels)
    ndim = np.broadcast_to(np.empty((), bool), input.shape)[key].ndim
    last = [np.moveaxis(x, range(n), range(-n, 0)) for x in (spread(input, levels), lifted(values, levels, ndim))]
    return np.moveaxis(op.forward(*last, key, accumulate), range(-n, 0), range(n))


# embedding tables


def rows_picked(op: Any, args: Sequence[Any], levels: Any) -> Array:
    """The batch rule of looking up rows of a table."""
    table, indices = args[:2]
    if type(table) is not Batched:
        return table[aligned(indices, levels)]
    if type(indices) is not Batched:
        return np.take(aligned(table, levels), indices, axis=len(levels))
    numbers, _ = numbered((indices,), levels)
    return spread(table, levels)[numbers]


def rows_put(op: Any, args: Sequence[Any], levels: Any) -> Array:
    """The batch rule of its adjoint: the examples' tables are stacked into one, and their indices offset."""
    rows, indices, count = args
    rows, indices = [spread(x, levels) for x in (rows, indices)]
    sizes = tuple([level.size for level in levels])
    examples = int(np.prod(sizes))
    flat = indices.reshape(examples, -1) + count * np.arange(examples)[:, None]
    return add_rows(flat.reshape(-1), rows.reshape(-1, rows.shape[-1]), examples * count).reshape(*sizes, count, -1)
