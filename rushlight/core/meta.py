"""Arrays without memory, for tensors on the device "meta": a batch of zero examples with the tensor's shape.

Every operator has a batching rule, which also works for a batch of zero examples. All arrays are then empty: nothing is
computed, no memory is used, and the shape and dtype of the result, or the error, come out. The level of this batch is
never entered, and counts as outside all others.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import Batched, Level
from rushlight.layouts import compact

NO_DATA = Level(0, "different")
NO_DATA.number = -1
COPIED_OUT = "Cannot copy out of meta tensor; no data!"


def is_meta(array: Array) -> bool:
    """Whether an array has no memory."""
    return type(array) is Batched and NO_DATA in array.levels


def without_data(shape: Any, dtype: Any, strides: Any = None) -> Array:
    """An array without memory, of a shape and dtype; contiguous unless strides (in bytes) are given."""
    steps = compact([max(n, 1) for n in shape], dtype.itemsize) if strides is None else strides
    return Batched(np.ndarray((0, *shape), dtype, bytearray(dtype.itemsize), 0, (0, *steps)), (NO_DATA,))


def outline(array: Array) -> Array:
    """An array without memory of the shape, dtype and strides of another."""
    return array if is_meta(array) else without_data(array.shape, array.dtype, array.strides)


def laid_out(result: Array) -> Array:
    """An operator's result for zero examples, made contiguous: NumPy gives empty arrays no useful strides."""
    n, array = len(result.levels), result.array
    steps = compact([max(m, 1) for m in array.shape[n:]], array.itemsize)
    return Batched(
        np.ndarray(array.shape, array.dtype, bytearray(array.itemsize), 0, (*(0,) * n, *steps)), result.levels
    )


def without_samples(op: Any, args: Sequence[Any]) -> Array:
    """The result of an operator on samples: computed for zero samples, then given the right number of them."""
    first = next(arg for arg in args if type(arg) is Batched)
    samples = first.shape[0]
    shown = [arg.example() if type(arg) is Batched else arg for arg in args]
    shown = [np.empty((0, *arg.shape[1:]), arg.dtype) if given is first else arg for given, arg in zip(args, shown)]
    results = op.forward(*shown)
    several = isinstance(results, (tuple, list))
    found = []
    for part in results if several else (results,):
        shape = (samples, *part.shape[1:]) if part.ndim and part.shape[0] == 0 else part.shape
        found.append(without_data(shape, part.dtype))
    return tuple(found) if several else found[0]
