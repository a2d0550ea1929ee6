"""Floating-point types in which nothing is computed: operators convert them to float32 first.

They are float16, in elementwise operators alone since others see to it themselves (`in_float32`), and the types of
ml_dtypes, bfloat16 and float8, registered by `dtypes` once that package is loaded. A float32 result is rounded to the
narrow type once, as PyTorch's kernels do. Views are made of the arrays directly. It is the same for derivatives: a
formula runs in float32, and the gradient is rounded to the input's type.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import Batched
from rushlight.core.graph import use_widening
from rushlight.core.kinds import LARGEST, is_half
from rushlight.core.operators import use_narrowing
from rushlight.kernels import casts

WIDE = np.dtype(np.float32)
HALF = np.dtype(np.float16)
HALVES = {HALF}
TYPES: set[np.dtype] = set()  # the types of ml_dtypes that are in use
WIDENED: set[np.dtype] = {HALF}  # they, and float16
SERVED: list[Any] = []  # functions to call with each of them
SATURATED: set[np.dtype] = set()  # types without infinity: larger numbers become the largest one
BYTES: set[np.dtype] = set()  # types of one byte: stored and moved, but not computed with


def serve(dtype: np.dtype, largest: float, saturated: bool) -> None:
    """Registers a narrow type."""
    TYPES.add(dtype)
    WIDENED.add(dtype)
    LARGEST[dtype] = largest
    if dtype.itemsize == 1:
        BYTES.add(dtype)
    if dtype.name == "bfloat16":
        casts.meet_bfloat16(dtype)
    if saturated:
        SATURATED.add(dtype)
    for function in SERVED:
        function(dtype)


def when_served(function: Callable[..., Any]) -> Callable[..., Any]:
    """Has a function called with each narrow type that is registered: for tables of types."""
    SERVED.append(function)
    return function


def narrow_type(op: Any, args: Any) -> np.dtype | None:
    """The type to round to if an operator must compute in float32; None if it can compute on the arrays directly.

    NotImplementedError for an operator that does not exist for types of one byte.
    """
    if op.view:
        return None
    asked = held = None
    for arg in args:
        for item in arg if type(arg) is tuple or type(arg) is list else (arg,):
            if isinstance(item, np.dtype):
                asked = item
            elif isinstance(item, (np.ndarray, Batched)) and item.dtype in WIDENED:
                held = item.dtype
    if held in BYTES and not op.one_byte:
        raise NotImplementedError(
            f"\"{op.name}\" not implemented for '{held.name.capitalize()}'. Convert with x.float() first."
        )
    found = asked if asked is not None and (held is not None or asked in WIDENED) else held
    if op.promote is None and held in (None, HALF) and asked not in TYPES:
        return None
    return None if op.converts and asked not in BYTES and held not in BYTES else found


def in_float32(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function compute in float32 where its first argument is a float16 array, and round once at the end.

    For sums and products of many numbers, which NumPy rounds at each step. Tensors are passed on unchanged.
    """

    @wraps(function)
    def computed(first: Any, *others: Any) -> Any:
        if not isinstance(first, np.ndarray) or first.dtype not in HALVES:
            return function(first, *others)
        return narrowed(function(wide(first, HALVES), *wide(others, HALVES)), first.dtype)

    return computed


def in_steps(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a quotient of arrays round each of its steps to half precision, where PyTorch's kernels do.

    `function` gets the operands, and what rounds a step. A divisor that is a number is not rounded, nor are the steps.
    """

    @wraps(function)
    def computed(x: Any, y: Any) -> Any:
        half = next((value.dtype for value in (x, y) if hasattr(value, "dtype") and is_half(value.dtype)), None)
        if half is None:
            return function(x, y, unchanged)
        if getattr(y, "dtype", None) != half:
            return converted(function(wide(x), np.asarray(y, WIDE), unchanged), half)

        def rounded(array: Array) -> Array:
            return wide(converted(np.asarray(array, WIDE), half))

        return converted(function(rounded(wide(x)), wide(y), rounded), half)

    return computed


def unchanged(array: Array) -> Array:
    """The array, which is not rounded."""
    return array


def wide(value: Any, types: set[np.dtype] = WIDENED) -> Any:
    """An argument with float32 in place of narrow types: an array, a list of arrays, a dtype; others unchanged."""
    if isinstance(value, np.dtype):
        return WIDE if value in types else value
    if isinstance(value, Batched):
        return Batched(wide(value.array, types), value.levels)
    if isinstance(value, np.ndarray):
        return casts.converted(value, WIDE) if value.dtype in types else value
    if type(value) is tuple or type(value) is list:
        return type(value)([wide(item, types) for item in value])
    return value


def narrowed(result: Any, dtype: np.dtype) -> Array:
    """A float32 result cast to another type; results of other types, such as indices, unchanged."""
    if type(result) is tuple or type(result) is list:
        return type(result)([narrowed(part, dtype) for part in result])
    if isinstance(result, Batched):
        return Batched(narrowed(result.array, dtype), result.levels)
    return converted(result, dtype) if result.dtype == WIDE else result


def converted(array: Array, dtype: np.dtype) -> Array:
    """An array cast to another type with PyTorch's rounding: types without infinity saturate."""
    if dtype in SATURATED:
        array = np.clip(array, -LARGEST[dtype], LARGEST[dtype])
    return casts.converted(array, dtype)


use_widening(wide)
use_narrowing(narrow_type, wide, narrowed)
