"""Unique elements, and how often they occur."""

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import by, dynamic, refusal
from rushlight.core.fusion import fused
from rushlight.core.kinds import is_half, kind_of
from rushlight.kernels.accumulate import are_indices
from rushlight.kernels.codes import LARGEST, SMALLEST
from rushlight.kernels.masks import selected
from rushlight.kernels.reductions import total
from rushlight.ops.arguments.dims import known_dim
from rushlight.ops.arguments.keywords import keywords
from rushlight.ops.changes.filling import overflow
from rushlight.ops.reductions.reduction import type_name
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = ["bincount", "histc", "unique", "unique_consecutive"]

WIDE = 1 << 12  # numbers in a range of so many are counted however few there are


def underivable(name: str) -> Callable[..., Any]:
    """The gradient formula of an operator without a derivative: it raises PyTorch's error when called."""

    def formula(grads: Sequence[Array]) -> NoReturn:
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return formula


def sliced_dim(dim: int, shape: Sequence[int]) -> int:
    """The dimension of the slices of `unique`, as a non-negative number; RuntimeError if they have no elements."""
    dim = known_dim(dim, shape)
    if shape.count(0) > 1:
        raise RuntimeError("Number of zero sized dimensions is more than one, so unique cannot be applied ")
    if 0 in shape and shape[dim]:
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    return dim


def distinct(input: Array, dim: int | None, numbered: bool, counted: bool) -> tuple[Array, ...]:
    """The sorted unique elements (or slices); if wanted, the index of each element's value, and the counts."""
    if dim is None and (found := distinct_numbers(input, numbered, counted)) is not None:
        return found
    if dim is not None and type(input) is np.ndarray and input.dtype.kind in "biu" and input.size:
        return distinct_slices(np.moveaxis(input, dim, 0), dim, numbered, counted)
    values, *rest = np.unique(input, return_inverse=numbered, return_counts=True, axis=dim, equal_nan=False)
    values = values if dim is None else slices_in_order(np.moveaxis(values, dim, 0), dim)
    inverse = rest[0].reshape(input.shape if dim is None else -1) if numbered else np.zeros(0, np.int64)
    return values, inverse, rest[-1] if counted else np.zeros(0, np.int64)


def distinct_numbers(input: Any, numbered: bool, counted: bool) -> tuple[Array, ...] | None:
    """`distinct` of whole numbers that lie within a range of about as many, which are counted; None for others."""
    if type(input) is not np.ndarray or input.dtype.kind not in "iu" or not input.size:
        return None
    low, high = int(total(input, SMALLEST)), int(total(input, LARGEST))
    if high - low > max(input.size, WIDE) or high > np.iinfo(np.int64).max:
        return None
    places = input.reshape(-1).astype(np.int64, copy=False) - low
    counts = np.bincount(places)
    values = counts.nonzero()[0]
    inverse = np.zeros(0, np.int64)
    if numbered:
        order = np.zeros(counts.size, np.int64)
        order[values] = np.arange(values.size)
        inverse = order[places].reshape(input.shape)
    counts = counts[values] if counted else np.zeros(0, np.int64)
    return (values + low).astype(input.dtype, copy=False), inverse, counts


def distinct_slices(slices: np.ndarray, dim: int, numbered: bool, counted: bool) -> tuple[Array, ...]:
    """`distinct` of slices of whole numbers along a dimension, which is moved to the front."""
    order = np.lexsort(slices.reshape(len(slices), -1).T[::-1])
    values, numbers, counts = runs(slices[order], 0, numbered, counted)
    inverse = np.empty_like(numbers)
    if numbered:
        inverse[order] = numbers
    return slices_in_order(values, dim), inverse, counts


def slices_in_order(slices: Array, dim: int) -> Array:
    """Slices along a dimension, each contiguous in memory, as PyTorch puts them."""
    return np.moveaxis(np.array(slices, order="C"), 0, dim)


@fused
def are_different(x: Array, y: Array) -> Array:
    """Whether elements differ."""
    return x != y


def runs(input: Array, dim: int | None, numbered: bool, counted: bool) -> Any:
    """The first of each run of equal elements (or slices); if wanted, each element's run and the run lengths."""
    rows = input.reshape(-1) if dim is None else np.moveaxis(input, dim, 0)
    starts = np.empty(len(rows), bool)
    starts[:1] = True
    if rows.ndim == 1:
        starts[1:] = are_different(rows[1:], rows[:-1])
    else:
        starts[1:] = (rows[1:] != rows[:-1]).any(tuple(range(1, rows.ndim)))
    values = selected(rows, starts) if dim is None else slices_in_order(rows[starts], dim)
    nothing = np.zeros(0, np.int64)
    inverse = (np.cumsum(starts) - 1).reshape(input.shape if dim is None else -1) if numbered else nothing
    counts = np.diff(np.append(np.flatnonzero(starts), len(rows))) if counted else nothing
    return values, inverse, counts


@operator(
    shape_of_values=True,
    aten="_unique2",
    batch=dynamic,
    name="unique2",
    nondifferentiable=(1, 2),
    input=underivable("_unique2"),
)
def _unique(input: Array, numbered: bool, counted: bool) -> tuple[Array, ...]:
    return distinct(input, None, numbered, counted)


@operator(
    shape_of_values=True,
    layout="as computed",
    batch=dynamic,
    nondifferentiable=(1, 2),
    input=underivable("unique_dim"),
)
def _unique_dim(input: Array, dim: int, numbered: bool, counted: bool) -> tuple[Array, ...]:
    return distinct(input, dim, numbered, counted)


@operator(
    shape_of_values=True,
    layout="as computed",
    batch=dynamic,
    nondifferentiable=(1, 2),
    input=underivable("unique_consecutive"),
)
def _unique_consecutive(input: Array, dim: int | None, numbered: bool, counted: bool) -> tuple[Array, ...]:
    return runs(input, dim, numbered, counted)


def asked(results: Any, return_inverse: bool, return_counts: bool) -> Any:
    """Those of the results (values, inverse, counts) that were asked for; not in a tuple if it is only one."""
    chosen = [results[0], *results[1:2] * return_inverse, *results[2:3] * return_counts]
    return tuple(chosen) if len(chosen) > 1 else chosen[0]


@method
@keywords
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """The unique elements, or slices along a dimension, sorted (with `sorted=False` too).

    `return_inverse` also returns the index, in the result, of each element's value; `return_counts` how often each
    value occurs. The results have no derivative. NotImplementedError for complex numbers.

    >>> import rushlight as torch
    >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    if input._array.dtype.kind == "c":
        raise NotImplementedError(f"\"unique\" not implemented for '{type_name(input)}'")
    wanted = bool(return_inverse), bool(return_counts)
    if dim is None:
        return asked(_unique(input, *wanted), *wanted)
    return asked(_unique_dim(input, sliced_dim(dim, input._array.shape), *wanted), *wanted)


@method
@keywords
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Tensor | tuple[Tensor, ...]:
    """The elements, or slices along a dimension, without those that equal the one before. See `unique`.

    >>> import rushlight as torch
    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])
    """
    dim = None if dim is None else sliced_dim(dim, input._array.shape)
    results = _unique_consecutive(input, dim, return_inverse, return_counts)
    return asked(results, return_inverse, return_counts)


def count_batch(n: int, input: Array, weights: Array, minlength: int) -> Array:
    """The batch rule of `bincount`: each example has counts of its own; all must need the same number of them."""
    rows = input.reshape(math.prod(input.shape[:n]), input.shape[n])
    needed = rows.max(1, initial=-1) + 1
    if np.unique(np.maximum(needed, minlength)).size > 1:
        raise refusal("bincount")
    size = max(minlength, needed.max(initial=0))
    own = (rows + size * np.arange(len(rows))[:, None]).reshape(-1)
    weights = None if weights is None else weights.reshape(-1)
    return _bincount.forward(own, weights, size * len(rows)).reshape(*input.shape[:n], size)


@operator(batch=by(count_batch))
def _bincount(input: Array, weights: Array | None, minlength: int) -> Array:
    counts = np.bincount(input, weights, minlength)
    return counts if weights is None or weights.dtype != np.float32 else counts.astype(np.float32)


@method
@keywords
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each of the integers 0, 1, 2, ... occurs, or the sum of the weights of its occurrences.

    RuntimeError unless the input has one dimension and no negative numbers.

    >>> import rushlight as torch
    >>> torch.bincount(torch.tensor([1, 3, 3]))
    tensor([0, 1, 0, 2])
    """
    array = input._array
    if array.dtype.kind not in "iu":
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{type_name(input)}'")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if array.ndim != 1 or not are_indices(array, sys.maxsize):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if not array.size:
        weights = None
    if weights is not None and weights._array.shape != array.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    if weights is not None and is_half(weights._array.dtype):
        weights = weights.double()
    return _bincount(input, weights, minlength)


def histogram_batch(n: int, input: Array, *how: Any) -> Array:
    """The batch rule of `histc`."""
    rows = input.reshape(math.prod(input.shape[:n]), math.prod(input.shape[n:]))
    return np.stack([_histc.forward(row, *how) for row in rows]).reshape(*input.shape[:n], -1)


@operator(batch=by(histogram_batch))
def _histc(input: Array, bins: int, low: float, high: float) -> Array:
    """The histogram between `low` and `high` if they differ, else between the minimum and the maximum."""
    row = input.reshape(-1)
    if low == high and row.size:
        low, high = total(row, SMALLEST).item(), total(row, LARGEST).item()
    else:
        low, high = np.asarray([low, high], row.dtype).tolist()
        row = row[(row >= low) & (row <= high)]
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.histc: range of [{low}, {high}] is not finite")
    if low == high:
        low, high = low - 1, high + 1
    places = ((row - low) / (high - low) * bins).astype(np.int64)
    counts = np.bincount(np.minimum(places, bins - 1, out=places), minlength=bins)
    return counts.astype(row.dtype)


@method
@keywords
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall into each of `bins` bins of equal width from `min` to `max`, as floats.

    If `min` equals `max`, the smallest and largest element are used. Elements outside are not counted.

    >>> import rushlight as torch
    >>> torch.histc(torch.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    array = input._array
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if not (np.isfinite(min) and np.isfinite(max)):
        raise RuntimeError(f"torch.histc: range of [{min}, {max}] is not finite")
    if min > max:
        raise RuntimeError("torch.histc: max must be larger than min")
    if kind_of(array.dtype) != "f":
        if array.dtype.kind in "iu" and array.size and min == max and array.min() == array.max():
            limits = np.iinfo(array.dtype)
            if array.min() == limits.min or array.max() == limits.max:
                raise overflow(array.dtype)
        raise NotImplementedError(f"\"histogram_cpu\" not implemented for '{type_name(input)}'")
    return _histc(input, bins, min, max)
