"""Into a level of `vmap` and out of it: the operators that turn a dimension into the examples of a batch, and back."""

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
    """A batched array on some levels; an ordinary one on none."""
    return Batched(array, levels) if levels else array


def into(input: Array, dim: int, level: Any) -> Array:
    """An array whose dimension `dim` holds the examples of a level."""
    levels, array = parts(input)
    joined = levels_of(input, Batched(None, (level,)))
    return Batched(np.moveaxis(array, len(levels) + dim, joined.index(level)), joined)


def out_of(input: Array, dim: int, level: Any) -> Array:
    """An array on a level with its examples as dimension `dim`."""
    place, dim = input.levels.index(level), len(input.levels) - 1 + dim
    array = np.moveaxis(input.array, place, dim)
    if array.shape[dim] != level.size:
        array = np.broadcast_to(array, (*array.shape[:dim], level.size, *array.shape[dim + 1 :]))
    return put_together(array, tuple([other for other in input.levels if other is not level]))


def summed(input: Array, levels: Any) -> Array:
    """The sum over the examples of some levels that an array is on."""
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
# A tangent may be the same for all examples where what it belongs to is not: hence rules where linearity would do.


def enter(tensor: Any, dim: int, level: Any) -> Any:
    """A tensor whose dimension `dim` holds the examples of a level: a view, through which the whole can be changed."""
    tensor._settled()
    result = INTO(tensor, dim, level)
    look(result, tensor, False)
    level.places[whereabouts(result)] = dim
    return result


def whereabouts(tensor: Any) -> Any:
    """Where a batched tensor lies in memory."""
    array = tensor._array
    return address(array), array.array.shape, array.array.strides


def place_of(tensor: Any, level: Any) -> Any:
    """The dimension in which a tensor holds the examples of a level: that in which it came in, else the first."""
    return level.places.get(whereabouts(tensor), 0)


def leave(tensor: TensorBase, dim: int, level: Any) -> Any:
    """A tensor with the examples of a level as dimension `dim`: the same one again and again where it is not on it.

    What is a view of a tensor outside of the level stays one.
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
    """The sum of a cotangent over the examples of some levels, whether it is on them or the same for all.

    Inside a level a derivative is one for each example: there is no sum over levels that this context is in.
    """
    entered = ENTERED.get()
    return added_up(grad, [level for level in levels if level not in entered])


def added_up(tensor: TensorBase, levels: Any) -> Any:
    """The sum over the examples of some levels of a tensor that is on some of them, and the same for all of others."""
    held = levels_of(tensor._array)
    here = tuple([level for level in levels if level in held])
    times = math.prod([level.size for level in levels if level not in held])
    if here:
        tensor = SUMMED(tensor, here)
    return tensor if times == 1 else tensor * times
