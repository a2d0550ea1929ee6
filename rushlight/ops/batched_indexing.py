"""Batches of elements picked by index arrays; indices of each example get the examples' numbers beside them."""

import numpy as np

from rushlight.core.batched import Batched, aligned, lifted, spread
from rushlight.core.batching import dynamic


def numbered(key, levels):
    """A key with the numbers of the examples in front, then its own items with the batch dimensions in front."""
    ndim = max(item.ndim for item in key if not isinstance(item, slice))
    n = len(levels)
    numbers = [np.arange(level.size).reshape(-1, *(1,) * (n - 1 - i + ndim)) for i, level in enumerate(levels)]
    own = [lifted(item, levels, ndim) if type(item) is Batched else item for item in key]
    return (*numbers, *own), ndim


def place_of(key):
    """Where the dimensions of a key's arrays are in its result: 0 where slices are between them, as in NumPy."""
    places = [i for i, item in enumerate(key) if not isinstance(item, slice)]
    return 0 if places[-1] - places[0] >= len(places) else places[0]


def picked(op, args, levels):
    """The rule of picking elements."""
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


def put_back(op, args, levels):
    """The rule of its adjoint: adding elements in at their places."""
    input, shape, key = args
    n, sizes = len(levels), tuple([level.size for level in levels])
    if not any(type(item) is Batched for item in key):
        moved = np.moveaxis(aligned(input, levels), range(n), range(-n, 0))
        return np.moveaxis(op.forward(moved, (*shape, *moved.shape[-n:]), key), range(-n, 0), range(n))
    key_in_front, ndim = numbered(key, levels)
    place = place_of(key)
    rows = np.moveaxis(spread(input, levels), range(n + place, n + place + ndim), range(n, n + ndim))
    return op.forward(rows, (*sizes, *shape), key_in_front)
