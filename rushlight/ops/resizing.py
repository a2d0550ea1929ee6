"""Tensors that get another shape in place: the elements of their memory from the first one on."""

import numpy as np

from rushlight.core.graph import TensorBase
from rushlight.core.windows import address, memory_of
from rushlight.layouts import extent


def lay_anew(tensor: TensorBase, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    """Gives a tensor another shape and strides in bytes; where its memory ends too soon, more of it with the same
    elements at its beginning."""
    array, memory = tensor._settled(), memory_of(tensor)
    size = extent(memory.shape, memory.strides, memory.itemsize)
    start, wanted = address(array) - address(memory), extent(shape, strides, array.itemsize)
    if wanted <= size - start:
        tensor._array = np.lib.stride_tricks.as_strided(array, shape, strides)
        return
    larger = np.empty((start + wanted) // array.itemsize, array.dtype)
    old = np.lib.stride_tricks.as_strided(memory, (size // array.itemsize,), (array.itemsize,))
    larger[: old.size] = old
    tensor._array = np.lib.stride_tricks.as_strided(larger[start // array.itemsize :], shape, strides)
    tensor.__dict__.pop("_memory", None)
