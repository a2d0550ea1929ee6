"""Cumulative sums, maxima and minima, and log-sum-exp along a dimension."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from rushlight import return_types
from rushlight.core.aliases import Array
from rushlight.core.batching import leading
from rushlight.core.kinds import kind_of
from rushlight.core.narrow import in_float32
from rushlight.dtypes import dtype
from rushlight.kernels.compiled import load
from rushlight.kernels.parts import by_slices
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.arguments.keywords import keywords
from rushlight.ops.elementwise.selection import _drop
from rushlight.ops.picking.gather import _put_back
from rushlight.ops.reductions.extrema import refuse_complex, refuse_complex_derivative
from rushlight.ops.reductions.prod import _recur, _shift, accumulated, cumulative_dtype, in_double
from rushlight.ops.reductions.reduction import type_name
from rushlight.ops.table import in_place, method, operator
from rushlight.tensors import Tensor

__all__ = ["cummax", "cummin", "cumsum", "logcumsumexp"]

fast: ModuleType | None = load("cumulative")


@operator(
    aten="cumsum",
    linear=True,
    batch=leading,
    name="cumsum_back",
    node="FlipBackward0",
    input=lambda grad, dim, double: _cumsum(grad, dim, None, double),
)
def _cumsum_back(input: Array, dim: int, double: bool) -> Array:
    """The cumulative sum from the end of a dimension to its start: the adjoint of `_cumsum`."""
    if fast is not None and double and (result := fast.cumulative_sum(input, dim, True)) is not None:
        return result
    if input.ndim == 0:
        return input
    return np.flip(accumulated(np.add, np.flip(input, dim), dim, None, double), dim).copy("K")


@operator(
    kernel=True,
    one_byte=False,
    linear=True,
    batch=leading,
    input=lambda grad, dim, double: grad if grad.shape[dim : dim + 1] == (1,) else _cumsum_back(grad, dim, double),
)
def _cumsum(input: Array, dim: int, dtype: np.dtype[Any] | None, double: bool) -> Array:
    if fast is not None and double and (dtype is None or dtype == input.dtype):
        result = fast.cumulative_sum(input, dim, False)
        if result is not None:
            return result
    return accumulated(np.add, input, dim, dtype, double)


@in_place
@method
@keywords
def cumsum(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """The cumulative sum along a dimension. Integers and bools are added up in int64.

    >>> import rushlight as torch
    >>> torch.cumsum(torch.tensor([1.0, 2.0, 3.0]), dim=0)
    tensor([1., 3., 6.])
    """
    d = cumulative_dtype("cumsum", input, dtype)
    return _cumsum(input, wrap_dim(dim, input._array.ndim), d, in_double(d))


def latest(input: Array, dim: int, ufunc: Any, wins: Any) -> tuple[Array, ...]:
    """Values and indices of the maximum or minimum so far; of equal values the last one, and NaN counts as extreme."""
    if fast is not None and (found := fast.cumulative_extreme(input, dim, ufunc is np.maximum)) is not None:
        return found
    if input.ndim == 0:
        return input.copy(), np.zeros((), np.int64, like=input)
    values = ufunc.accumulate(input, dim)
    count = np.arange(input.shape[dim], like=input).reshape([-1 if d == dim else 1 for d in range(input.ndim)])
    new = wins(input, values)
    if kind_of(input.dtype) == "f":
        new = new | np.isnan(input)
    return values, np.maximum.accumulate(np.where(new, count, 0), dim)


def returned_repeatedly(grads: Sequence[Array], index: Array, input_shape: Sequence[int], dim: int) -> Array:
    """The gradient of values selected along a dimension, some of them more than once."""
    return _put_back(grads[0], dim, index, input_shape)


@operator(
    batch=leading,
    nondifferentiable=(1,),
    input=lambda grads, result1, input_shape, dim: returned_repeatedly(grads, result1, input_shape, dim),
)
def _cummax(input: Array, dim: int) -> tuple[Array, ...]:
    return latest(input, dim, np.maximum, np.greater_equal)


@operator(
    batch=leading,
    nondifferentiable=(1,),
    input=lambda grads, result1, input_shape, dim: returned_repeatedly(grads, result1, input_shape, dim),
)
def _cummin(input: Array, dim: int) -> tuple[Array, ...]:
    return latest(input, dim, np.minimum, np.less_equal)


def scanned_dim(name: str, input: Tensor, dim: int) -> int:
    """The dimension as a non-negative number, with PyTorch's special message for a tensor without dimensions."""
    if not input._array.ndim and dim not in (-1, 0):
        raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
    return wrap_dim(dim, input._array.ndim)


@method
@keywords
def cummax(input: Tensor, dim: int) -> return_types.cummax:
    """The maximum so far along a dimension, and its index: the last one of equal values.

    >>> import rushlight as torch
    >>> torch.cummax(torch.tensor([1, 3, 2]), dim=0).values
    tensor([1, 3, 3])
    """
    dim = scanned_dim("cummax", input, dim)
    if input._array.ndim:
        refuse_complex("cummax_cpu", input)
    refuse_complex_derivative("cummax", input)
    return return_types.cummax(_cummax(input, dim))


@method
@keywords
def cummin(input: Tensor, dim: int) -> return_types.cummin:
    """The minimum so far along a dimension, and its index: the last one of equal values.

    >>> import rushlight as torch
    >>> torch.cummin(torch.tensor([3, 1, 2]), dim=0).values
    tensor([3, 1, 1])
    """
    dim = scanned_dim("cummin", input, dim)
    if input._array.ndim:
        refuse_complex("cummin_cpu", input)
    refuse_complex_derivative("cummin", input)
    return return_types.cummin(_cummin(input, dim))


def add_logarithms(x: Any, y: Any) -> Any:
    """log(exp(x) + exp(y)) of complex numbers, without overflow.

    Infinite ones are added as PyTorch does: two logarithms of 0 are `y`, and NaN makes both parts NaN.
    """
    swap = x.real < y.real
    larger: Any = np.where(swap, y, x)
    smaller: Any = np.where(swap, x, y)
    sums = larger + np.log1p(np.exp(smaller - larger))
    even = np.isinf(larger.real) & (smaller.real == larger.real)
    sums = np.where(even, np.where(larger.real < 0, smaller, np.log(np.exp(x) + np.exp(y))), sums)
    return np.where(np.isnan(x) | np.isnan(y), complex(np.nan, np.nan), sums).astype(x.dtype)


def decay(result: Array, dim: int) -> Array:
    """exp(y[i] - y[i + 1]) along a dimension: the ratio of each cumulative sum to the next."""
    nothing = result == -np.inf
    gaps = _drop(nothing, result - _shift(result, dim, True)) * _shift(np.ones_like(result), dim, True)
    return _drop(nothing, np.exp(gaps))


def share(input: Array, result: Array) -> Array:
    """exp(x - y): the part of each element in its cumulative sum; 0, with derivative 0, where the sum is 0."""
    nothing = input == -np.inf
    return _drop(nothing, np.exp(_drop(nothing, input - result)))


@in_float32
def log_sums_cotangent(grad: Array, input: Array, result: Array, dim: int) -> Array:
    """The sum of g[k] exp(x[i] - y[k]) over k >= i, computed by a recurrence whose factors are at most 1."""
    return share(input, result) * _recur(grad, decay(result, dim), dim, True) if input.shape else grad


@operator(
    kernel=True,
    batch=leading,
    input=lambda grad, input, result, dim: log_sums_cotangent(grad, input, result, dim),
    slopes={"input": "contiguous"},
)
@in_float32
def _logcumsumexp(input: Array, dim: int) -> Array:
    """y[i] = log(exp(x[0]) + ... + exp(x[i]))."""
    if input.ndim == 0:
        return input.copy()
    if fast is not None and (found := fast.cumulative_logarithm(input, dim)) is not None:
        return found
    if input.dtype.kind != "c":
        return by_slices(lambda part: np.logaddexp.accumulate(part, dim), input, dim)
    out = np.array(input, like=input)
    rows = np.moveaxis(out, dim, 0)
    total = np.full(rows.shape[1:], -np.inf, input.dtype, like=input)
    for i in range(len(rows)):
        rows[i] = total = add_logarithms(rows[i], total)
    return out


@method
@keywords
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """The logarithm of the cumulative sum of exponentials along a dimension, computed without overflow.

    >>> import rushlight as torch
    >>> torch.logcumsumexp(torch.zeros(3), dim=0)
    tensor([0.0000, 0.6931, 1.0986])
    """
    dim = wrap_dim(dim, input._array.ndim)
    if kind_of(input._array.dtype) not in "fc":
        raise NotImplementedError(f"\"logcumsumexp_out_cpu\" not implemented for '{type_name(input)}'")
    return _logcumsumexp(input, dim)
