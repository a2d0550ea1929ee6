"""The operators that turn a dimension into the examples of a `vmap` level, and back."""

import math
from typing import Any

import numpy as np

from rushlight.core.above import above
from rushlight.core.aliases import Array
from rushlight.core.arrays import as_array
from rushlight.core.batched import ENTERED, Batched, levels_of
from rushlight.core.batching import on_batched
from rushlight.core.graph import TensorBase
from rushlight.core.operators import Operator
from rushlight.core.recording import look
from rushlight.core.windows import address


def parts(array: Any) -> Any:
    """An array's levels, and the ordinary array with their dimensions in front."""
    return (array.levels, array.array) if type(array) is Batched else ((), array)


def put_together(array: Array, levels: Any) -> Array:
    """A batched array on some levels; an ordinary array if there are no levels."""
    return Batched(array, levels) if levels else array


def moved(array: Array, source: int, target: int) -> Array:
    """A view with one dimension moved; both places count from the front."""
    order = list(range(array.ndim))
    order.insert(target, order.pop(source))
    return array.transpose(order)


def into(input: Array, dim: int, level: Any) -> Array:
    """An array with dimension `dim` turned into the examples of a level."""
    levels, array = parts(input)
    joined = levels_of(input, Batched(None, (level,)))
    return Batched(moved(array, len(levels) + dim, joined.index(level)), joined)


def out_of(input: Array, dim: int, level: Any) -> Array:
    """An array with the examples of a level turned into dimension `dim`."""
    place, dim = input.levels.index(level), len(input.levels) - 1 + dim
    array = moved(input.array, place, dim)
    if array.shape[dim] != level.size:
        array = np.broadcast_to(array, (*array.shape[:dim], level.size, *array.shape[dim + 1 :]))
    return put_together(array, tuple([other for other in input.levels if other is not level]))


def summed(input: Array, levels: Any) -> Array:
    """The sum of an array over the examples of some levels."""
    places = tuple([input.levels.index(level) for level in levels])
    times = math.prod([level.size for level in levels if input.array.shape[input.levels.index(level)] != level.size])
    array = np.add.reduce(input.array, axis=places, dtype=input.dtype)
    rest = tuple([level for level in input.levels if level not in levels])
    return put_together(as_array(array if times == 1 else array * np.asarray(times, array.dtype)), rest)


INTO = Operator(
    "into_level",
    into,
    ("input", "dim", "level"),
    {"input": lambda grad, dim, level: leave(grad, dim, level)},
    linear=True,
    aten=(),
    batch=on_batched,
    layout="as computed",
)
OUT_OF = Operator(
    "out_of_level",
    out_of,
    ("input", "dim", "level"),
    {"input": lambda grad, dim, level: INTO(grad, dim, level)},
    linear=True,
    aten=(),
    batch=on_batched,
    layout="as computed",
    tangent=lambda op, outs, args, tangents: [leave(tangents[0], *args[1:])],
)
SUMMED = Operator(
    "summed_over_levels",
    summed,
    ("input", "levels"),
    {"input": lambda grad: grad},
    linear=True,
    aten=(),
    batch=on_batched,
    layout="as computed",
    tangent=lambda op, outs, args, tangents: [added_up(tangents[0], args[1])],
)
# A tangent may be shared by all examples where its tensor is not: hence rules where linearity would be enough.


def enter(tensor: Any, dim: int, level: Any) -> Any:
    """A tensor with dimension `dim` turned into the examples of a level, as a view that in-place changes go through."""
    tensor._settled()
    result = INTO(tensor, dim, level)
    look(result, tensor, False)
    level.places[whereabouts(result)] = dim
    return result


def whereabouts(tensor: Any) -> Any:
    """The place of a batched tensor in memory, as a key."""
    array = tensor._array
    return address(array), array.array.shape, array.array.strides


def place_of(tensor: Any, level: Any) -> Any:
    """The dimension with the examples of a level: the one that the tensor came in with, else the first."""
    return level.places.get(whereabouts(tensor), 0)


def leave(tensor: TensorBase, dim: int, level: Any) -> Any:
    """A tensor with the examples of a level turned into dimension `dim`, repeated if it is not batched on the level.

    A view of a tensor from outside the level stays a view.
    """
    if level in levels_of(tensor._array):
        result = OUT_OF(tensor, dim, level)
        if tensor._view is not None and level not in levels_of(tensor._view.base._array):
            look(result, tensor, False)
        else:
            result._counter = tensor._versions()
        return result
    shape = tensor._array.shape
    return tensor.unsqueeze(dim).expand(*shape[:dim], level.size, *shape[dim:])


@above
def total(grad: TensorBase, levels: Any) -> Any:
    """The sum of a cotangent over the examples of some levels, whether it is batched on them or not.

    Inside a level there is a derivative for each example: levels that are active in this context are not summed over.
    """
    entered = ENTERED.get()
    return added_up(grad, [level for level in levels if level not in entered])


def added_up(tensor: TensorBase, levels: Any) -> Any:
    """The sum over the examples of some levels, for a tensor that is batched on only some of them."""
    held = levels_of(tensor._array)
    here = tuple([level for level in levels if level in held])
    times = math.prod([level.size for level in levels if level not in held])
    if here:
        tensor = SUMMED(tensor, here)
    return tensor if times == 1 else tensor * times
