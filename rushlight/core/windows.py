"""A view as a window onto the memory of its base, and the window laid over another array: a gradient's.

Reading through a window and putting back are each other's adjoint, for any view whatever made it.
"""

import math

import numpy as np

from rushlight.core.operators import Operator
from rushlight.layouts import compact, extent, overlaps


class Window:
    """Where a view's elements lie in the memory of its base: shapes, strides and dtypes of both, and the offset."""

    __slots__ = ("base_dtype", "base_shape", "base_strides", "dtype", "offset", "shape", "strides")

    def __init__(self, base, view, offset):
        self.base_shape, self.base_strides, self.base_dtype = base
        self.shape, self.strides, self.dtype = view
        self.offset = offset

    @classmethod
    def between(cls, base, view):
        """The window through which the array `view` looks at the array `base`."""
        return cls(layout(base), layout(view), address(view) - address(base))

    def lay_out(self, array):
        """A copy of an array in the layout of the base: the memory as bytes or an array, and the array in it."""
        if self.base_strides == compact(self.base_shape, self.base_dtype.itemsize):
            whole = np.array(array, self.base_dtype, order="C")
            return whole, whole
        memory = np.zeros(extent(self.base_shape, self.base_strides, self.base_dtype.itemsize), np.uint8)
        whole = np.ndarray(self.base_shape, self.base_dtype, memory, 0, self.base_strides)
        whole[...] = array
        return memory, whole

    def open(self, memory):
        """The part of a laid out copy that the window shows."""
        if math.prod(self.shape) == 0:
            return np.empty(self.shape, self.dtype)
        return np.ndarray(self.shape, self.dtype, memory, self.offset, self.strides)

    def read(self, whole):
        """The elements of `whole` that the window shows."""
        return self.open(self.lay_out(whole)[0])

    def replace(self, whole, part):
        """`whole` with `part` in the window."""
        memory, result = self.lay_out(whole)
        self.open(memory)[...] = part
        return result

    def zeros(self, like):
        """Zeros of the shape of what the window shows."""
        return np.zeros_like(like, shape=self.shape, dtype=self.dtype)

    def put_back(self, part):
        """Zeros with `part` added in through the window: elements that are seen twice get both."""
        memory, result = self.lay_out(np.zeros(self.base_shape, self.base_dtype))
        repeated = tuple(i for i, s in enumerate(self.strides) if s == 0)
        if repeated:
            part = np.add.reduce(part, axis=repeated, keepdims=True)
        shape = tuple(1 if s == 0 else n for n, s in zip(self.shape, self.strides, strict=True))
        if overlaps(shape, self.strides, self.dtype.itemsize):
            flat = np.frombuffer(memory, self.dtype)
            np.add.at(flat, positions(shape, self.strides, self.offset, self.dtype.itemsize), part)
        elif part.size:
            np.ndarray(shape, self.dtype, memory, self.offset, self.strides)[...] = part
        return result


def layout(array):
    """An array's shape, strides and dtype."""
    return array.shape, array.strides, array.dtype


def memory_of(tensor):
    """The array that a tensor's memory is: its own; of a view that of its base; and what `share_memory` noted."""
    base = tensor if tensor._view is None else tensor._view.base
    return getattr(base, "_memory", base._array)


def address(array):
    """The address of an array's first element."""
    return array.__array_interface__["data"][0]


def positions(shape, strides, offset, itemsize):
    """Which element of the memory each element of a window is."""
    places = np.asarray(offset // itemsize)
    for i, (n, s) in enumerate(zip(shape, strides, strict=True)):
        places = places + (np.arange(n) * (s // itemsize)).reshape((n,) + (1,) * (len(shape) - i - 1))
    return places


READ = Operator(
    "window_read", lambda whole, window: window.read(whole), ("whole", "window"),
    {"whole": lambda grad, window: PUT_BACK(grad, window)}, linear=True, holomorphic=False,
    layout="as computed",
)  # fmt: skip
PUT_BACK: Operator = Operator(
    "window_put_back", lambda part, window: window.put_back(part), ("part", "window"),
    {"part": lambda grad, window: READ(grad, window)}, linear=True, holomorphic=False,
    layout="as computed",
)  # fmt: skip
REPLACE: Operator = Operator(
    "window_replace", lambda whole, part, window: window.replace(whole, part), ("whole", "part", "window"),
    {
        "whole": lambda grad, window: REPLACE(grad, window.zeros(grad), window),
        "part": lambda grad, window: READ(grad, window),
    },
    holomorphic=False, layout="as computed",
)  # fmt: skip
