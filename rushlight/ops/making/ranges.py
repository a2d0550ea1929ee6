"""Evenly spaced numbers: `arange`, `linspace`, `logspace`; and the indices of triangles."""

import builtins
import math
from collections.abc import Callable
from operator import index
from typing import Any, Unpack

import numpy as np

from rushlight import dtypes
from rushlight.core.aliases import Array
from rushlight.core.batched import Batched
from rushlight.core.batching import by
from rushlight.core.graph import TensorBase
from rushlight.core.interpreters import noted
from rushlight.core.lines import warn
from rushlight.dtypes import dtype as DType
from rushlight.kernels.steps import count_up, integers
from rushlight.kernels.steps import evenly as write_evenly
from rushlight.kernels.triangles import indices
from rushlight.ops.arguments.options import Options, OutOptions, created, made, numpy_type
from rushlight.ops.arguments.promotion import missing
from rushlight.ops.changes.filling import checked_number
from rushlight.ops.making.creation import type_of_out
from rushlight.ops.table import operator
from rushlight.random.names import NUMBERS, require
from rushlight.tensors import Tensor

__all__ = ["arange", "linspace", "logspace", "range", "tril_indices", "triu_indices"]


def arange(
    start: float | None = None,
    end: float | None = None,
    step: float = 1,
    *,
    dtype: DType | None = None,
    **options: Unpack[OutOptions],
) -> Tensor:
    """The numbers from `start` to before `end`, `step` apart: `arange(end)` or `arange(start, end, step=1)`.

    They are int64 if all arguments are integers, else of the default dtype. RuntimeError for a step of 0 or in the
    wrong direction.

    >>> import rushlight as torch
    >>> torch.arange(3), torch.arange(1, 2, 0.5)
    (tensor([0, 1, 2]), tensor([1.0000, 1.5000]))
    """
    if end is None:
        last, first, by = numbers("arange", end=start, start=0, step=step)
    else:
        first, last, by = numbers("arange", start=0 if start is None else start, end=end, step=step)
    floating = isinstance(first, float) or isinstance(last, float) or isinstance(by, float)
    default = dtypes.get_default_dtype() if floating else dtypes.int64
    d = numpy_type("arange", dtype, type_of_out(options) or default._numpy)
    require(d, NUMBERS, "arange_cpu")
    if d == np.int64:
        if 0 < abs(by) < 1:
            raise ValueError(f"step must be nonzero, but as an integer {by} is 0")
        first, last, by = int(first), int(last), int(by)
    size = count(first, last, by)
    return made("arange", lambda shape, d: in_steps(first, by, shape[0], d), (size,), d, options, dtype)


def range(
    start: float,
    end: float | None = None,
    step: float = 1,
    *,
    dtype: DType | None = None,
    **options: Unpack[OutOptions],
) -> Tensor:
    """The numbers from `start` to `end`, inclusive, `step` apart. Deprecated in PyTorch; use `arange`.

    >>> import rushlight as torch
    >>> torch.arange(1, 3 + 1)
    tensor([1, 2, 3])
    """
    warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).",
    )
    first, last, by = numbers("range", start=0 if end is None else start, end=start if end is None else end, step=step)
    check_direction(first, last, by)
    d = numpy_type("range", dtype, type_of_out(options))
    size = math.floor((last - first) / by) + 1
    return made("range", lambda shape, d: in_steps(first, by, shape[0], d), (size,), d, options, dtype)


def linspace(
    start: complex | Tensor,
    end: complex | Tensor,
    steps: int,
    *,
    dtype: DType | None = None,
    **options: Unpack[OutOptions],
) -> Tensor:
    """`steps` evenly spaced numbers from `start` to `end`, inclusive.

    RuntimeError for a negative number of steps and for bounds that are tensors with dimensions.

    >>> import rushlight as torch
    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    first, last, d = bounds("linspace", start, end, steps, dtype, options)
    make = _evenly if any(isinstance(bound, Batched) for bound in (first, last)) else numbers_between
    return made("linspace", lambda shape, d: make(first, last, *shape, d), (index(steps),), d, options, dtype)


def logspace(
    start: complex | Tensor,
    end: complex | Tensor,
    steps: int,
    base: float = 10.0,
    *,
    dtype: DType | None = None,
    **options: Unpack[OutOptions],
) -> Tensor:
    """`steps` numbers from `base ** start` to `base ** end`, inclusive, with evenly spaced logarithms.

    >>> import rushlight as torch
    >>> torch.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    if isinstance(base, complex):
        raise TypeError("logspace(): argument 'base' (position 4) must be float, not complex")
    first, last, d = bounds("logspace", start, end, steps, dtype, options)
    return made("logspace", lambda shape, d: _powers(first, last, *shape, d, base), (index(steps),), d, options, dtype)


def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: DType | None = None, **options: Unpack[Options]
) -> Tensor:
    """The row and column indices, in two rows, of the elements of a matrix on or below a diagonal.

    >>> import rushlight as torch
    >>> torch.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    return triangle("tril_indices", row, col, offset, dtype or dtypes.int64, options)


def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: DType | None = None, **options: Unpack[Options]
) -> Tensor:
    """The row and column indices, in two rows, of the elements of a matrix on or above a diagonal.

    >>> import rushlight as torch
    >>> torch.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    return triangle("triu_indices", row, col, offset, dtype or dtypes.int64, options)


def triangle(name: str, row: int, col: int, offset: int, dtype: Any, options: Any) -> Tensor:
    """The indices of the elements of a triangle; RuntimeError for negative sizes."""
    if row < 0 or col < 0:
        side, length = ("row", row) if row < 0 else ("col", col)
        raise RuntimeError(f"{side} must be non-negative, got{length}")
    found, d = indices(index(row), index(col), index(offset), name == "tril_indices"), numpy_type(name, dtype)
    return created(name, found if found.dtype is d else found.astype(d), options)


def numbers(name: str, **arguments: float | None) -> list[Any]:
    """Arguments as real numbers. Raises PyTorch's errors for others."""
    found = []
    for position, (argument, value) in enumerate(arguments.items(), 1):
        if type(value) is int or type(value) is float:
            found.append(value)
            continue
        number = value.item() if isinstance(value, np.generic) else value
        if isinstance(number, complex):
            number = checked_number(number, np.dtype(np.float64))
        if not isinstance(number, (bool, int, float)):
            given = type(number).__name__
            raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Number, not {given}")
        found.append(number)
    return found


def in_steps(first: float, step: float, size: int, dtype: np.dtype) -> np.ndarray:
    """`size` numbers from `first` on, `step` apart."""
    if dtype == np.int64 and size and isinstance(first, int) and isinstance(step, int):
        return integers(first, step, size)
    if dtype.kind != "f" or dtype.itemsize < 4:
        return (first + np.arange(size) * step).astype(dtype, copy=False)
    out = np.empty(size, dtype)
    count_up(out, first, step)
    return out


def count(start: float, end: float, step: float) -> int:
    """How many numbers there are from `start` up to but not including `end`; RuntimeError for an impossible range."""
    check_direction(start, end, step)
    if isinstance(start, int) and isinstance(end, int) and isinstance(step, int):
        return len(builtins.range(start, end, step))
    return math.ceil((end - start) / step)


def check_direction(start: float, end: float, step: float) -> None:
    """Raises PyTorch's errors for a step of 0 or in the wrong direction."""
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def bounds(name: str, start: Any, end: Any, steps: int, dtype: Any, options: Any) -> tuple[complex, complex, np.dtype]:
    """The bounds as numbers, and the dtype of the result."""
    first, last = bound_number(name, "start", start), bound_number(name, "end", end)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    default = dtypes.get_default_dtype()
    is_complex = isinstance(first, complex) or isinstance(last, complex)
    if is_complex:
        default = default.to_complex()
    d = numpy_type(name, dtype, type_of_out(options) or default._numpy)
    if is_complex and d.kind != "c":
        raise RuntimeError(
            f"torch.{name}(): inferred dtype {default} can't be safely cast to passed dtype "
            f"{dtypes.TYPE_NAMES[dtypes.FROM_NUMPY[d]]}"
        )
    if d.kind == "b":
        raise missing(f"{name}_cpu", d)
    if d.kind in "iu":
        first, last = [x if type(x) is Batched else checked_number(x, d) for x in (first, last)]
    return first, last, d


def bound_number(name: str, side: str, bound: Tensor | float) -> Array:
    """A bound as a number, or inside `vmap` as an array of each example's number."""
    if not isinstance(bound, TensorBase):
        return bound.item() if isinstance(bound, np.generic) else bound
    if bound._array.ndim:
        raise RuntimeError(
            f"{name} only supports 0-dimensional start and end tensors, but got {side} with {bound._array.ndim} "
            "dimension(s)."
        )
    return bound._array if type(bound._array) is Batched else bound.item()


@operator(batch=by(lambda n, *args: _evenly.forward(*args)), name="linspace")
def _evenly(first: float, last: float, steps: int, dtype: np.dtype[Any]) -> Array:
    return evenly(first, last, steps, dtype).astype(dtype, copy=False)


numbers_between: Callable[..., Any] = noted(_evenly.forward)


@operator(batch=by(lambda n, *args: _powers.forward(*args)), name="logspace")
def _powers(first: float, last: float, steps: int, dtype: np.dtype[Any], base: float) -> Array:
    exponents = evenly(first, last, steps, np.dtype(np.complex128 if dtype.kind == "c" else np.float64))
    return np.power(base, exponents).astype(dtype)


def evenly(first: Array, last: Array, steps: int, dtype: np.dtype) -> np.ndarray:
    """Evenly spaced numbers, in double precision: the first half counted from the start, the other from the end.

    The bounds may be arrays of equal shape; each pair of bounds then gives its own numbers.
    """
    d: np.dtype = np.dtype(np.float64) if dtype.kind in "biu" else dtype
    if d.kind == "f" and steps != 1 and isinstance(first, (int, float)) and isinstance(last, (int, float)):
        out = np.empty(steps, d)
        write_evenly(out, first, last)
        return out
    start, end = np.broadcast_arrays(np.asarray(first, d)[..., None], np.asarray(last, d)[..., None])
    step = (end - start) / d.type(max(steps - 1, 1))
    precise = np.result_type(d, np.float64)
    start, end, step = start.astype(precise), end.astype(precise), step.astype(precise)
    half = np.arange(steps // 2) * step
    rest = np.arange(steps - steps // 2)[::-1] * step
    return np.concatenate([start + half, end - rest], axis=-1) if steps != 1 else start
