"""Floating-point types that NumPy does not compute in: an operator's function gets their numbers as float32.

They are those of ml_dtypes, bfloat16 and float8, which `dtypes` tells once it has loaded that package. What a function
gives in float32 is rounded to the narrow type again, once, as PyTorch's kernels do. Views are made of the arrays as
they are. With derivatives it is the same: a formula runs in float32, and the cotangent is rounded to the input's type.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import Batched
from rushlight.core.graph import use_widening
from rushlight.core.kinds import LARGEST
from rushlight.core.operators import use_narrowing

WIDE = np.dtype(np.float32)
HALVES = {np.dtype(np.float16)}
TYPES: set[np.dtype] = set()  # the narrow types that there may be arrays of
SERVED: list[Any] = []  # functions that are told of each of them
SATURATED: set[np.dtype] = set()  # those that have no infinity: what is larger becomes the largest number
BYTES: set[np.dtype] = set()  # those of one byte: they are stored and moved about, but nothing is computed in them
WITH_BYTES = {"abs", "eq", "isnan", "ne", "where"}  # the elementwise operators that there are for them all the same
SUMS = {"cumsum", "mean", "mean_dims", "sum", "sum_dims"}  # linear ones that there are not


def serve(dtype: np.dtype, largest: float, saturated: bool) -> None:
    """Takes note of a narrow type, of which there may be arrays from now on."""
    TYPES.add(dtype)
    LARGEST[dtype] = largest
    if dtype.itemsize == 1:
        BYTES.add(dtype)
    if saturated:
        SATURATED.add(dtype)
    use_widening(wide)
    use_narrowing(narrow_type, wide, narrowed)
    for function in SERVED:
        function(dtype)


def when_served(function: Callable[..., Any]) -> Callable[..., Any]:
    """Has a function called with each narrow type that is taken note of: for tables that list types."""
    SERVED.append(function)
    return function


def narrow_type(op: Any, args: Any) -> np.dtype | None:
    """The type to round to what an operator computes in float32; None where it computes on the arrays as they are.

    NotImplementedError for an operator that there is not for numbers of one byte.
    """
    if op.view:
        return None
    asked = held = None
    for arg in args:
        for item in arg if type(arg) is tuple or type(arg) is list else (arg,):
            if isinstance(item, np.dtype):
                asked = item
            elif isinstance(item, (np.ndarray, Batched)) and item.dtype in TYPES:
                held = item.dtype
    if held in BYTES and (op.name in SUMS or ((op.broadcasts or not op.linear) and op.name not in WITH_BYTES)):
        raise NotImplementedError(
            f"\"{op.name}\" not implemented for '{held.name.capitalize()}'. Convert with x.float() first."
        )
    return asked if asked is not None and (held is not None or asked in TYPES) else held


def in_float32(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose first argument is an array: where that is of float16, it computes in float32, and rounds once.

    For sums and products of many numbers, which NumPy rounds at each step. Tensors pass as they are.
    """

    @wraps(function)
    def computed(first: Any, *others: Any) -> Any:
        if not isinstance(first, np.ndarray) or first.dtype not in HALVES:
            return function(first, *others)
        return narrowed(function(wide(first, HALVES), *wide(others, HALVES)), first.dtype)

    return computed


def wide(value: Any, types: set[np.dtype] = TYPES) -> Any:
    """An argument with float32 in the place of narrow types: an array, a list of them, a dtype; others as they are."""
    if isinstance(value, np.dtype):
        return WIDE if value in types else value
    if isinstance(value, Batched):
        return Batched(wide(value.array, types), value.levels)
    if isinstance(value, np.ndarray):
        return value.astype(WIDE) if value.dtype in types else value
    if type(value) is tuple or type(value) is list:
        return type(value)([wide(item, types) for item in value])
    return value


def narrowed(result: Any, dtype: np.dtype) -> Array:
    """What was computed in float32, in another type; results of other types, such as indices, as they are."""
    if type(result) is tuple or type(result) is list:
        return type(result)([narrowed(part, dtype) for part in result])
    if isinstance(result, Batched):
        return Batched(narrowed(result.array, dtype), result.levels)
    return converted(result, dtype) if result.dtype == WIDE else result


def converted(array: Array, dtype: np.dtype) -> Array:
    """An array in another type, rounded as PyTorch does: beyond the numbers of some types lies their largest one."""
    if dtype in SATURATED:
        array = np.clip(array, -LARGEST[dtype], LARGEST[dtype])
    return array.astype(dtype)
