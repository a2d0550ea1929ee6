"""Segment reductions: sums, means, products, maxima or minima of consecutive segments of a dimension."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import values
from rushlight.core.batching import leading
from rushlight.core.interpreters import rely_on
from rushlight.core.kinds import INDICES, kind_of
from rushlight.kernels.accumulate import are_indices
from rushlight.kernels.codes import LARGEST, PRODUCT, SMALLEST, SUM
from rushlight.kernels.compiled import load
from rushlight.kernels.steps import zeros
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.derivatives.series import default, nearby
from rushlight.ops.derivatives.unrecorded import with_kernels
from rushlight.ops.out import takes_out
from rushlight.ops.picking.reducing_scatter import UFUNCS, product_of_others, start_of
from rushlight.ops.reductions.reduction import type_name
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["segment_reduce"]

REDUCTIONS = {
    "sum": "sum",
    "mean": "mean",
    "prod": "prod",
    "max": "amax",
    "amax": "amax",
    "min": "amin",
    "amin": "amin",
}
fast: Any = load("segments")
KINDS = {"sum": SUM, "mean": SUM, "prod": PRODUCT, "amax": LARGEST, "amin": SMALLEST}
WIDE = 256  # row size from which runs are reduced one by one, since `reduceat` is slow for wide rows


def flat_bounds(bounds: Array, length: int) -> Array:
    """The bounds of the segments of several rows, as bounds in all rows concatenated."""
    if bounds.ndim == 1:
        return bounds
    first = length * np.arange(math.prod(bounds.shape[:-1]))
    return (bounds + first.reshape(*bounds.shape[:-1], 1)).reshape(-1)


@operator(
    linear=True,
    batch=leading,
    input=lambda grad, starts, ends: _segment_reduce(grad, starts, ends, "sum", None),
    aten=(),
)
def _segment_spread(input: Array, starts: Array, ends: Array, length: int) -> Array:
    """The value of each segment at each of its elements, 0 outside of the segments: the adjoint of segment sums."""
    axis = starts.ndim - 1
    inner = input.shape[axis + 1 :]
    first, last = (flat_bounds(bounds, length) for bounds in (starts, ends))
    rows = input.reshape(starts.size, *inner)
    found = None if fast is None else fast.spread(rows, first, last, math.prod(input.shape[:axis]) * length)
    if found is not None:
        return found.reshape(*input.shape[:axis], length, *inner)
    counts = np.maximum(last - first, 0)
    places = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    result = zeros((math.prod(input.shape[:axis]) * length, *inner), input)
    result[places] = np.repeat(rows, counts, axis=0)
    return result.reshape(*input.shape[:axis], length, *inner)


@operator(batch=leading, aten=())
def _segment_numbers(starts: Array, ends: Array, shape: Sequence[int]) -> Array:
    """The number of the segment that each element is in, counted from 1; 0 for elements in no segment."""
    axis = starts.ndim - 1
    numbers = np.arange(1, starts.size + 1).reshape(starts.shape)
    numbers = _segment_spread.forward(numbers, starts, ends, shape[axis])
    return np.broadcast_to(numbers.reshape(*numbers.shape, *(1,) * (len(shape) - numbers.ndim)), shape).copy()


@with_kernels
def segment_cotangent(
    grad: Array, input: Array, starts: Array, ends: Array, reduce: str, initial: float | None, result: Array
) -> Array:
    """The gradient of the data; shared evenly by all elements for a mean, by equal extremes for `max` and `min`."""
    length = input.shape[starts.ndim - 1]
    if reduce == "prod" and type(input) is np.ndarray and input.all() and not np.isnan(input).any():
        return _segment_spread(grad * result, starts, ends, length) / input
    if reduce in ("sum", "prod"):
        share = _segment_spread(grad if initial is None or reduce == "sum" else grad * initial, starts, ends, length)
        if reduce == "sum":
            return share
        others = product_of_others(input, _segment_numbers(starts, ends, input.shape), starts.ndim - 1)
        return share * others
    sharing = np.ones_like(input)
    if reduce != "mean":
        reached = (input == _segment_spread(result, starts, ends, length)) | np.isnan(input)
        sharing = np.where(reached, sharing, np.zeros_like(input))
    counts = np.maximum(_segment_reduce(sharing, starts, ends, "sum", None), 1)
    return sharing * _segment_spread(grad / counts, starts, ends, length)


def segment_tangent(op: Any, outs: Any, args: Any, tangents: Any) -> Any:
    """Forward mode: the sum over each segment of the tangents times the derivatives."""
    input, starts, ends, reduce, initial = args
    counts_for = segment_cotangent(np.ones_like(outs[0]), input, starts, ends, reduce, initial, outs[0])
    return [_segment_reduce(counts_for * tangents[0], starts, ends, "sum", None)]


def segment_series(op: Any, args: Any, primals: Any, outs: Any, level: Any, order: int) -> Any:
    """Taylor series of segment reductions; NotImplementedError for products."""
    rule = default(op, outs) if args[3] == "prod" else nearby
    return rule(op, args, primals, outs, level, order)


@operator(batch=leading, tangent=segment_tangent, series=segment_series, input=segment_cotangent)
def _segment_reduce(input: Array, starts: Array, ends: Array, reduce: str, initial: float | None) -> Array:
    axis = starts.ndim - 1
    inner = input.shape[starts.ndim :]
    rows = input.reshape(math.prod(input.shape[: axis + 1]), *inner)
    first, last = (flat_bounds(bounds, input.shape[axis]) for bounds in (starts, ends))
    start = start_of(reduce, input.dtype) if initial is None else initial
    result = None if fast is None else fast.reduced(rows, first, last, KINDS[reduce], start)
    if result is None:
        result = reduced_segments(rows, first, last, UFUNCS[reduce], start)
    if reduce == "mean":
        result = result / np.maximum(last - first, 1).reshape(-1, *(1,) * len(inner)).astype(input.dtype)
        if initial is None:
            result[last <= first] = np.nan
    return result.reshape(*starts.shape, *inner)


def reduced_segments(rows: Array, first: Array, last: Array, ufunc: np.ufunc, start: float) -> Array:
    """The reductions of segments of rows by NumPy's functions, each from a start."""
    result, held = np.full((first.size, *rows.shape[1:]), start, rows.dtype, like=rows), last > first
    if held.any():
        result[held] = ufunc(reduced_runs(ufunc, rows, first[held], last[held]), start)
    return result


def reduced_runs(ufunc: Any, rows: Array, first: Array, last: Array) -> Array:
    """The reductions of consecutive runs of rows; there must be at least one run, and no empty one."""
    if rows.size >= WIDE * len(rows):
        runs = zip(first.tolist(), last.tolist(), strict=True)
        return np.stack([ufunc.reduce(rows[start:end], axis=0) for start, end in runs])
    cuts = np.concatenate([first, last]).reshape(2, -1).T.reshape(-1)
    return ufunc.reduceat(rows, cuts[:-1] if cuts[-1] == len(rows) else cuts, axis=0)[::2]


def fit(ends: Array, starts: Array, length: int) -> bool:
    """Whether all segments lie within the data."""
    return bool((values(starts) >= 0).all() and (values(ends) <= length).all())


def fill_all(lengths: Array, length: int) -> bool:
    """Whether the lengths of the segments are not negative and add up to the length of the data."""
    given = values(lengths)
    return are_indices(given, length + 1) and bool((np.add.reduce(given, -1) == length).all())


def bounds_of(lengths: Tensor | None, offsets: Tensor | None, shape: Any, axis: int, unsafe: bool) -> tuple[Any, Any]:
    """The start and end of each segment; raises PyTorch's errors for segments that do not fit."""
    lengths = lengths if offsets is None else None
    given = offsets if lengths is None else lengths
    if given is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    array = given._array
    if array.dtype not in INDICES:
        raise NotImplementedError(f"\"_segment_reduce_lengths_cpu_kernel1\" not implemented for '{type_name(given)}'")
    if array.ndim > len(shape):
        raise RuntimeError("Expected data.dim() >= lengths_value.dim() to be true, but got false.")
    if axis != array.ndim - 1:
        raise RuntimeError(f"segment_reduce(): Expected axis to be the last dimension of lengths but got {axis}.")
    if array.shape[:axis] != shape[:axis]:
        raise RuntimeError(
            f"segment_reduce(): the dimensions before axis {axis} must be those of data, {list(shape[:axis])}, but got "
            f"{list(array.shape[:axis])}"
        )
    if lengths is not None and not unsafe:
        check_lengths(array, shape[axis])
    if lengths is None:
        starts, ends = given[..., :-1], given[..., 1:]
    else:
        ends = given.cumsum(-1)
        starts = ends - given
    if lengths is None or unsafe:
        check_bounds(ends._array, starts._array, shape[axis])
    return starts, ends


def check_bounds(ends: Array, starts: Array, length: int) -> None:
    """Raises an error for segments that reach beyond the data."""
    if not fit(ends, starts, length):
        raise RuntimeError(f"segment_reduce(): segments reach beyond the {length} places of data")
    rely_on(fit, ends, starts, length)


def check_lengths(lengths: Array, length: int) -> None:
    """Raises PyTorch's errors for segment lengths that do not fit the data."""
    if fill_all(lengths, length):
        rely_on(fill_all, lengths, length)
    elif values(lengths).min(initial=0) < 0:
        raise RuntimeError("lengths contains negative value!")
    else:
        raise RuntimeError(
            "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when "
            "!unsafe."
        )


@takes_out
def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Tensor:
    """The sum, mean, product, maximum or minimum of each segment of a dimension.

    The segments are given by `lengths`, or by `offsets`, where each starts and the last one ends: int32 or int64
    tensors, with the dimensions of `data` before `axis`, and a last one for the segments. In the result, the segments
    take the place of `axis`. `reduce` is "sum", "mean", "prod", "max" or "min". `initial` is the initial value of each
    segment, which empty segments keep; without it these are 0, NaN, 1, -inf and inf.
    RuntimeError for lengths that do not add up to `axis`, unless `unsafe`, and for `indices`, as in PyTorch;
    NotImplementedError for data that are not floating-point.

    >>> import rushlight as torch
    >>> torch.segment_reduce(torch.tensor([1.0, 2.0, 3.0, 4.0]), "sum", lengths=torch.tensor([1, 3]))
    tensor([1., 9.])
    """
    axis = wrap_dim(axis, data._array.ndim)
    if reduce not in REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    starts, ends = bounds_of(lengths, offsets, data._array.shape, axis, unsafe)
    if kind_of(data._array.dtype) != "f":
        raise NotImplementedError(f"\"_segment_reduce_cpu\" not implemented for '{type_name(data)}'")
    return _segment_reduce(data, starts, ends, REDUCTIONS[reduce], initial)
