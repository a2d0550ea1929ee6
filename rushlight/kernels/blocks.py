"""Long formulas on large arrays, block by block, so that what they compute on the way stays in the cache.

This is for formulas with conditions; those without are written down as steps and need no help (`core.formulas`).
"""

import functools
from collections.abc import Callable

import numpy as np

__all__ = ["blockwise"]

SIZE = 1 << 15  # elements in a block, and from which on blocks pay


def blockwise(function: Callable) -> Callable:
    """An elementwise function that computes large arrays of one layout in blocks.

    Its arguments are arrays of one shape and dtype and options; on anything else than such arrays it works as it is.
    """

    @functools.wraps(function)
    def run(first, *others):
        if type(first) is not np.ndarray or first.size <= SIZE:
            return function(first, *others)
        args = (first, *others)
        arrays = [a for a in args if isinstance(a, np.ndarray) and any(a.strides)]
        if not arrays or not alike(arrays):
            return function(first, *others)
        model = arrays[0]
        flat = [in_memory_order(a) for a in args]
        out = np.empty_like(model)
        target = in_memory_order(out)
        for start in range(0, model.size, SIZE):
            part = slice(start, start + SIZE)
            target[part] = function(*[a[part] if isinstance(a, np.ndarray) and a.ndim else a for a in flat])
        return out

    return run


def alike(arrays):
    """Whether arrays have the same shape, dtype and layout without gaps."""
    model = arrays[0]
    same = all(a.strides == model.strides and a.shape == model.shape and a.dtype is model.dtype for a in arrays[1:])
    return same and model.ravel("K").base is not None


def in_memory_order(value):
    """An array as a view of one dimension; one that repeats a single number as that number; options as they are."""
    if not isinstance(value, np.ndarray):
        return value
    return value.ravel("K") if any(value.strides) else value[(0,) * value.ndim + (...,)]
