"""A view as a window onto the memory of its base, which can be applied to another array such as a gradient.

Reading through a window and writing back are each other's adjoint, for any kind of view. A view may show a dimension of
its base as the examples of a `vmap` level; on a batched array the window applies to each example.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import Batched, levels_of, spread, values
from rushlight.core.batching import on_batched, on_more_levels
from rushlight.core.graph import TensorBase
from rushlight.core.operators import Operator
from rushlight.core.turned import memory, plain, turn, turning
from rushlight.layouts import compact, extent, fast, overlaps


class Window:
    """The place of a view's elements in the memory of its base: shapes, strides and dtypes of both, and the offset.

    Where the view shows examples of `levels`, these are its first dimensions. `turning` tells whether it lazily
    conjugates, and whether it negates, what the base shows.
    """

    __slots__ = (
        "base_dtype",
        "base_shape",
        "base_strides",
        "dtype",
        "levels",
        "offset",
        "shape",
        "strides",
        "turning",
    )

    base_shape: Any
    base_strides: Any
    base_dtype: Any
    shape: Any
    strides: Any
    dtype: Any

    def __init__(
        self,
        base: Sequence[Any],
        view: Sequence[Any],
        offset: int,
        levels: Any = (),
        turning: Sequence[bool] = (False, False),
    ):
        self.base_shape, self.base_strides, self.base_dtype = base
        self.shape, self.strides, self.dtype = view
        self.offset: int = offset
        self.levels: Any = levels
        self.turning: Sequence[bool] = turning

    @classmethod
    def between(cls, base: Array, view: Array) -> "Window":
        """The window through which the array `view` shows the array `base`."""
        held = levels_of(base)
        own = tuple([level for level in levels_of(view) if level not in held])
        offset = address(view) - address(base) if 0 not in view.shape else 0  # NumPy places nothing anywhere
        if not (held or own) and not 0 <= offset <= size_of(base) - size_of(view):
            raise RuntimeError(MOVED)
        return cls(layout(base), layout(view, own), offset, own, difference(base, view, offset))

    def over(self, levels: Any) -> Any:
        """The window in each of the examples of some levels, which are stored one after another."""
        if not levels:
            return self
        sizes = tuple([level.size for level in levels])
        steps = compact(sizes, extent(self.base_shape, self.base_strides, self.base_dtype.itemsize))
        base = sizes + self.base_shape, steps + self.base_strides, self.base_dtype
        return Window(base, (sizes + self.shape, steps + self.strides, self.dtype), self.offset, turning=self.turning)

    def lay_out(self, array: Array) -> tuple[Any, ...]:
        """A copy of an array in the layout of the base: its memory (as bytes or an array), and the array in it."""
        if self.base_strides == compact(self.base_shape, self.base_dtype.itemsize):
            whole = np.array(array, self.base_dtype, order="C")
            return whole, whole
        memory = np.zeros(extent(self.base_shape, self.base_strides, self.base_dtype.itemsize), np.uint8)
        whole = np.ndarray(self.base_shape, self.base_dtype, memory, 0, self.base_strides)
        whole[...] = array
        return memory, whole

    def open(self, memory: Array) -> Any:
        """The part of a laid-out copy that the window shows."""
        if math.prod(self.shape) == 0:
            return np.empty(self.shape, self.dtype)
        return turn(np.ndarray(self.shape, self.dtype, memory, self.offset, self.strides), *self.turning)

    def read(self, whole: Array) -> Array:
        """The elements of `whole` that the window shows."""
        outer = self.others(whole)
        window = self.over(outer)
        return batched(plain(window.open(window.lay_out(spread(whole, outer))[0])), outer + self.levels)

    def replace(self, whole: Array, part: Array) -> Array:
        """`whole` with the elements in the window replaced by `part`."""
        outer = self.others(whole, (part, self.levels))
        window = self.over(outer)
        memory, result = window.lay_out(spread(whole, outer))
        window.open(memory)[...] = in_order(part, outer + self.levels)
        return batched(result, outer)

    def put_back(self, part: Array) -> Array:
        """Zeros with `part` added in through the window: an element that is shown twice gets both."""
        outer = self.others((part, self.levels))
        return batched(self.over(outer).added(in_order(part, outer + self.levels)), outer)

    def zeros(self, like: Any) -> Any:
        """Zeros of the shape of one example of the window."""
        return np.zeros_like(like, shape=self.shape[len(self.levels) :], dtype=self.dtype)

    def others(self, *arrays: Sequence[Array]) -> Any:
        """The levels of some arrays; for a pair (array, levels), the array's levels without those."""
        found = set()
        for array in arrays:
            array, own = array if type(array) is tuple else (array, ())
            found.update([level for level in levels_of(array) if level not in own])
        if not found.isdisjoint(self.levels):
            raise RuntimeError(
                "vmap: the gradient of a tensor that is mapped over and changed in place is asked for inside the "
                "function, of the whole tensor: take it outside of vmap, or change a copy (x.clone())."
            )
        return tuple(sorted(found, key=lambda level: level.number))

    def added(self, part: Array) -> Any:
        """`put_back` for an ordinary array."""
        part = plain(turn(part, *self.turning))
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


def difference(base: Array, view: Array, offset: int) -> tuple[bool, ...]:
    """How a view is conjugated and negated relative to its base: the imaginary part of a conjugate is negated."""
    (conjugate, negate), (own, negated) = turning(base), turning(view)
    if view.dtype.kind != "c":
        imaginary = base.dtype.kind == "c" and offset % base.dtype.itemsize >= view.dtype.itemsize
        return False, negated != (negate != (conjugate and imaginary))
    return own != conjugate, negated != negate


MOVED = (
    "A view and its base lie in different memory, since one of them was given other `.data`, and the view or its base "
    "has been modified inplace: its gradient has no place in that of the base. Change tensors in place inside "
    "`with torch.no_grad():`, with copy_() for instance, where `.data` was assigned."
)


def size_of(array: Array) -> int:
    """The number of bytes that an array spans."""
    return extent(array.shape, array.strides, array.itemsize)


def in_order(array: Array, levels: Any) -> Array:
    """An ordinary array with a leading dimension for each level, in the order given."""
    order = sorted(levels, key=lambda level: level.number)
    whole = spread(array, tuple(order))
    places = [order.index(level) for level in levels]
    return whole.transpose(*places, *range(len(levels), whole.ndim))


def batched(array: Array, levels: Any) -> Array:
    """An array with leading dimensions for levels, in the order given, as a batched array; unchanged without levels."""
    if not levels:
        return array
    order = sorted(levels, key=lambda level: level.number)
    places = [levels.index(level) for level in order]
    return Batched(array.transpose(*places, *range(len(levels), array.ndim)), tuple(order))


def layout(array: Array, levels: Any = ()) -> tuple[Any, ...]:
    """An array's shape, strides and dtype; for a batched array an example's, after the dimensions of some levels."""
    places = [array.levels.index(level) for level in levels]
    sizes = tuple([array.array.shape[i] for i in places])
    steps = tuple([array.array.strides[i] for i in places])
    return sizes + tuple(array.shape), steps + tuple(array.strides), array.dtype


def memory_of(tensor: TensorBase) -> Array:
    """The array of a tensor's memory: what `share_memory` recorded, else its own; for a view that of its base.

    A view keeps its memory when its base's `.data` is replaced.
    """
    noted = getattr(tensor, "_memory", None)
    if noted is not None or tensor._view is None:
        return memory(tensor._array) if noted is None else noted
    base = memory_of(tensor._view.base)
    return base if np.may_share_memory(values(base), values(tensor._array)) else outermost(memory(tensor._array))


def outermost(array: Array) -> Array:
    """The outermost array that another is a part of; NumPy's windows have an object between the two."""
    inner = array
    while inner is not None:
        array, inner = (inner, inner.base) if isinstance(inner, np.ndarray) else (array, getattr(inner, "base", None))
    return array


def address(array: Array) -> int:
    """The address of an array's first element; for a batched array, in its first example."""
    first = array.example() if type(array) is Batched else memory(array)
    return first.__array_interface__["data"][0] if fast is None else fast.address(first)


def positions(shape: Sequence[int], strides: Any, offset: int, itemsize: int) -> Any:
    """For each element of a window, its index in the memory."""
    places = np.asarray(offset // itemsize)
    for i, (n, s) in enumerate(zip(shape, strides, strict=True)):
        places = places + (np.arange(n) * (s // itemsize)).reshape((n,) + (1,) * (len(shape) - i - 1))
    return places


READ = Operator(
    "window_read",
    lambda whole, window: window.read(whole),
    ("whole", "window"),
    {"whole": lambda grad, window: PUT_BACK(grad, window)},
    linear=True,
    holomorphic=False,
    aten=(),
    batch=on_batched,
    layout="as computed",
)
PUT_BACK: Operator = Operator(
    "window_put_back",
    lambda part, window: window.put_back(part),
    ("part", "window"),
    {"part": lambda grad, window: READ(grad, window)},
    linear=True,
    holomorphic=False,
    aten=(),
    batch=on_batched,
    layout="as computed",
)
REPLACE: Operator = Operator(
    "window_replace",
    lambda whole, part, window: window.replace(whole, part),
    ("whole", "part", "window"),
    {
        "whole": lambda grad, window: REPLACE(grad, window.zeros(grad), window),
        "part": lambda grad, window: READ(grad, window),
    },
    holomorphic=False,
    additive=True,
    aten=(),
    batch=on_more_levels,
    layout="as computed",
)
