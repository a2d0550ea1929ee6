"""Long formulas on large arrays, in blocks that stay in the cache."""

from collections.abc import Callable

import numpy as np

__all__ = ["LARGE", "in_blocks"]

LARGE = 1 << 14  # elements in a block, and from which on blocks pay


def in_blocks(function: Callable[..., np.ndarray], *arrays: np.ndarray) -> np.ndarray:
    """An elementwise function of arrays of one shape and dtype; of large contiguous ones in blocks."""
    first = arrays[0]
    if first.size <= LARGE or not all(a.flags.c_contiguous and a.shape == first.shape for a in arrays):
        return function(*arrays)
    out = np.empty_like(first)
    flat = [a.reshape(-1) for a in (out, *arrays)]
    for start in range(0, first.size, LARGE):
        target, *blocks = [a[start : start + LARGE] for a in flat]
        target[...] = function(*blocks)
    return out
