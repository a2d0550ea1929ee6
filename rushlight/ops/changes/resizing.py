"""Giving tensors another shape in place."""

import numpy as np

from rushlight.core.graph import TensorBase
from rushlight.core.turned import memory, turn, turning
from rushlight.core.windows import address, memory_of
from rushlight.layouts import extent


def lay_anew(tensor: TensorBase, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    """Gives a tensor another shape and strides (in bytes), in place.

    If its memory is too small, it gets larger memory that begins with the old elements.
    """
    held, whole = tensor._settled(), memory_of(tensor)
    array, turned = memory(held), turning(held)
    size = extent(whole.shape, whole.strides, whole.itemsize)
    start, wanted = address(array) - address(whole), extent(shape, strides, array.itemsize)
    if wanted <= size - start:
        tensor._memory = whole  # what is beyond the new shape is kept
        tensor._array = turn(np.lib.stride_tricks.as_strided(array, shape, strides), *turned)
        return
    larger = np.empty((start + wanted) // array.itemsize, array.dtype)
    old = np.lib.stride_tricks.as_strided(whole, (size // array.itemsize,), (array.itemsize,))
    larger[: old.size] = old
    tensor._array = turn(np.lib.stride_tricks.as_strided(larger[start // array.itemsize :], shape, strides), *turned)
    tensor.__dict__.pop("_memory", None)
