"""Reductions, with MindSpore's `axis` and `keep_dims`."""

from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.core.aliases import Array
from rushlight.interop.mindspore.common.dtype import Type, to_native
from rushlight.interop.mindspore.common.lifting import wrapped
from rushlight.interop.mindspore.common.tensor import Tensor

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "cumprod",
    "cumsum",
    "logsumexp",
    "max",
    "mean",
    "min",
    "norm",
    "prod",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_sum",
    "sort",
    "std",
    "sum",
    "topk",
    "var",
]

Axis = int | tuple[int, ...] | list[int] | None


def axes(axis: Axis, x: Tensor) -> tuple[int, ...]:
    """The axes as a tuple: all for None and for ()."""
    if isinstance(axis, int):
        return (axis,)
    return tuple(axis) if axis else tuple(range(x.ndim))


def reduced(function: Any, x: Tensor, axis: Axis, keep_dims: bool, **options: Any) -> Tensor:
    """A rushlight reduction over some axes; a 0-dimensional tensor is reduced without axes."""
    value = x._value if x.ndim else x._value.reshape(1)
    result = function(value, dim=axes(axis, x) or (0,), keepdim=keep_dims, **options)
    return wrapped(result.reshape(()) if keep_dims and not x.ndim else result)


def sum(input: Tensor, dim: Axis = None, keepdim: bool = False, *, dtype: Type | None = None) -> Tensor:
    """The sum over axes; integers and booleans give int64.

    >>> import rushlight.interop.mindspore as ms
    >>> print(ms.ops.sum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
    [3. 7.]
    """
    return reduced(torch.sum, input, dim, keepdim, dtype=to_native(dtype))


def mean(x: Tensor, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """The mean over axes."""
    return reduced(torch.mean, x, axis, keep_dims)


def prod(input: Tensor, axis: Axis = None, keep_dims: bool = False, dtype: Type | None = None) -> Tensor:
    """The product over axes."""
    value = input._value if dtype is None else input._value.to(to_native(dtype))
    for a in sorted((a % input.ndim for a in axes(axis, input)), reverse=True):
        value = value.prod(a, keepdim=keep_dims)
    return wrapped(value)


def amax(input: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The largest values over axes; equal ones share the gradient equally."""
    return reduced(torch.amax, input, axis, keepdims)


def amin(input: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The smallest values over axes; equal ones share the gradient equally."""
    return reduced(torch.amin, input, axis, keepdims)


def max(input: Tensor, axis: int | None = None, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """(largest values along an axis, their indices); without an axis the largest of all elements, and index 0.

    >>> import rushlight.interop.mindspore as ms
    >>> values, indices = ms.ops.max(ms.Tensor([[1.0, 5.0], [7.0, 3.0]]), axis=1)
    >>> print(values, indices)
    [5. 7.] [1 0]
    """
    return extremum(torch.max, input, axis, keepdims)


def min(input: Tensor, axis: int | None = None, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """(smallest values along an axis, their indices); without an axis the smallest of all elements, and index 0."""
    return extremum(torch.min, input, axis, keepdims)


def extremum(function: Callable[..., Any], input: Array, axis: Any, keepdims: bool) -> Any:
    """The values of `max` or `min`, and their indices."""
    if axis is None:
        return wrapped(function(input._value)), Tensor(0)
    return wrapped(tuple(function(input._value, axis, keepdims)))


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the largest value along an axis, or in the flattened tensor."""
    return wrapped(torch.argmax(input._value, dim, keepdim))


def argmin(input: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index of the smallest value along an axis, or in the flattened tensor."""
    return wrapped(torch.argmin(input._value, axis, keepdims))


def all(input: Tensor, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """Whether all elements over axes are true."""
    return reduced(torch.all, input, axis, keep_dims)


def any(input: Tensor, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """Whether any element over axes is true."""
    return reduced(torch.any, input, axis, keep_dims)


def std(input: Tensor, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The standard deviation over axes, with n - ddof degrees of freedom."""
    return reduced(torch.std, input, axis, keepdims, correction=int(ddof))


def var(input: Tensor, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The variance over axes, with n - ddof degrees of freedom."""
    return reduced(torch.var, input, axis, keepdims, correction=int(ddof))


def logsumexp(input: Tensor, axis: Axis, keep_dims: bool = False) -> Tensor:
    """The logarithm of the sum of exponentials over axes."""
    return reduced(torch.logsumexp, input, axis, keep_dims)


def norm(A: Tensor, ord: Any = None, dim: Axis = None, keepdim: bool = False, *, dtype: Type | None = None) -> Tensor:
    """The norm of a vector or matrix, as `linalg.norm`."""
    axis = tuple(dim) if isinstance(dim, list) else dim
    return wrapped(torch.linalg.norm(A._value, ord, axis, keepdim, dtype=to_native(dtype)))


def cumsum(x: Tensor, axis: int, dtype: Type | None = None) -> Tensor:
    """The cumulative sum along an axis."""
    return wrapped(torch.cumsum(x._value, axis, dtype=to_native(dtype)))


def cumprod(input: Tensor, dim: int, dtype: Type | None = None) -> Tensor:
    """The cumulative product along an axis."""
    return wrapped(torch.cumprod(input._value, dim, dtype=to_native(dtype)))


def sort(input_x: Tensor, axis: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    """(sorted values along an axis, their indices)."""
    return wrapped(tuple(torch.sort(input_x._value, dim=axis, descending=descending)))


def argsort(input: Tensor, axis: int = -1, descending: bool = False) -> Tensor:
    """The indices that sort along an axis."""
    return wrapped(torch.argsort(input._value, dim=axis, descending=descending))


def topk(
    input: Tensor, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True
) -> tuple[Tensor, Tensor]:
    """(k largest or smallest values along an axis, their indices)."""
    return wrapped(tuple(torch.topk(input._value, k, -1 if dim is None else dim, largest, sorted)))


def reduce_sum(x: Tensor, axis: Axis = (), keep_dims: bool = False) -> Tensor:
    """The sum over axes, in the tensor's dtype."""
    return reduced(torch.sum, x, axis, keep_dims, dtype=x._value.dtype)


reduce_mean, reduce_max, reduce_min = mean, amax, amin
