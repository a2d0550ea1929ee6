"""Reductions: sums, means and counts, over all elements or over some dimensions."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.arrays import as_array
from rushlight.core.batching import leading, over_all
from rushlight.core.graph import TensorBase
from rushlight.core.kinds import kind_of
from rushlight.core.operators import unary as call_unary
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES, as_numpy, dtype
from rushlight.kernels.codes import NUMBERS, SUM
from rushlight.kernels.parts import duplicate
from rushlight.kernels.reductions import reduced, total
from rushlight.layouts import expanded_strides, laid_over, widened
from rushlight.ops.arguments.dims import INTEGERS
from rushlight.ops.arguments.keywords import keywords
from rushlight.ops.arguments.promotion import missing
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = ["all", "any", "count_nonzero", "mean", "nanmean", "nansum", "sum"]

Dim = int | tuple[int, ...] | list[int] | None


def axes(dim: Dim, ndim: int) -> tuple[int, ...]:
    """Dimensions as non-negative numbers; None or () means all of them. IndexError if one is out of range."""
    if dim is None:
        return tuple(range(ndim))
    if type(dim) is int and -ndim <= dim < ndim:
        return (dim % ndim,)
    dims = (dim,) if isinstance(dim, INTEGERS) else tuple(dim)
    for d in dims:
        if type(d) is not int:
            return several_axes.__wrapped__(dims, ndim)
    return several_axes(dims, ndim)


@lru_cache(maxsize=1024)
def several_axes(dims: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    """Several dimensions as non-negative numbers, which are kept for the next call."""
    for d in dims:
        if not -max(ndim, 1) <= d < max(ndim, 1):
            limit = max(ndim, 1)
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {d})"
            )
    found = tuple(d % (ndim or 1) for d in dims)
    if len(set(found)) < len(found):
        raise RuntimeError(
            f"dim {next(d for d in found if found.count(d) > 1)} appears multiple times in the list of dims"
        )
    return found if found and ndim else tuple(range(ndim))


def kept_shape(shape: Sequence[int], dims: Sequence[int]) -> tuple[int, ...]:
    """The shape after a reduction over `dims` with `keepdim`: size 1 in each of them."""
    return tuple([1 if i in dims else n for i, n in enumerate(shape)])


def repeated_over(grad: Array, shape: Sequence[int], dims: Sequence[int], keepdim: bool) -> Array:
    """The adjoint of a sum over `dims`: the gradient broadcast over them, without copying."""
    if not keepdim:
        grad = widened(grad, kept_shape(shape, dims), dims)
    return repeated(grad, shape)


def repeated(grad: Array, shape: Sequence[int]) -> Array:
    """`np.broadcast_to` with PyTorch's strides."""
    if type(grad) is not np.ndarray:
        return np.broadcast_to(grad, shape)
    view = laid_over(grad, shape, expanded_strides(grad, shape))
    view.flags.writeable = False
    return view


def size_of(shape: Sequence[int], dims: Sequence[int]) -> int:
    """The number of elements that are reduced to one."""
    return math.prod([shape[d] for d in dims])


def shared_out(grad: Array, shape: Sequence[int], dims: Sequence[int], keepdim: bool) -> Array:
    """The adjoint of a mean over `dims`."""
    n = size_of(shape, dims)
    if type(grad) is not np.ndarray or not n:
        return repeated_over(grad, shape, dims, keepdim) / n
    return duplicate(repeated_over(as_array(grad / n), shape, dims, keepdim))


def type_name(input: Array) -> Any:
    """The name of a tensor's dtype in PyTorch's error messages: `Long`, `Float`, ..."""
    return TYPE_NAMES[FROM_NUMPY[input._array.dtype]]


def integers_widened(input: Any) -> Array:
    """Type promotion of sums: integers are added up in int64, as bools are without it."""
    array = input._array if isinstance(input, TensorBase) else input
    return array.astype(np.int64, copy=False) if array.dtype.kind in "iu" else array


def added(array: Array, dims: tuple[int, ...], keepdim: bool, d: Any = None) -> Array:
    """The sum over `dims`; float16 is added up in float32, for precision."""
    if d is None and array.dtype == np.float16:
        return np.add.reduce(array, dims, np.float32, None, keepdim).astype(np.float16)
    if d is None or d == array.dtype or (array.dtype == bool and d == np.int64):
        found = reduced(array, dims, keepdim, SUM)
        return found if d is None else found.astype(d, copy=False)  # NumPy adds up small integers in int64
    return np.add.reduce(array, dims, d, None, keepdim)


def averaged(array: Array, dims: tuple[int, ...], keepdim: bool, d: Any = None) -> Array:
    """The mean over `dims`; float16 is added up in float32, so that the sum does not overflow."""
    half = d is None and array.dtype == np.float16
    mean = added(array, dims, keepdim, np.float32 if half else d) / size_of(array.shape, dims)
    return mean.astype(np.float16) if half else mean


@operator(
    in_steps=True,
    one_byte=False,
    linear=True,
    promote=integers_widened,
    input=lambda grad, input_shape: repeated(grad, input_shape),
    batch=over_all(np.add.reduce),
)
def _sum(input: Array) -> Array:
    return total(input)


@operator(
    in_steps=True,
    one_byte=False,
    aten="sum",
    linear=True,
    layout="kept",
    batch=leading,
    node="SumBackward1",
    input=lambda grad, input_shape, dims, keepdim: repeated_over(grad, input_shape, dims, keepdim),
)
def _sum_dims(input: Array, dims: tuple[int, ...], keepdim: bool, dtype: np.dtype[Any] | None) -> Array:
    return added(input, dims, keepdim, dtype)


@method
@keywords
def sum(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The sum of all elements, or over one or several dimensions, which `keepdim` keeps with size 1.

    Integers and bools are added up in int64. IndexError for a dimension out of range.

    >>> import rushlight as torch
    >>> torch.sum(torch.ones(2, 3)), torch.sum(torch.ones(2, 3), dim=0)
    (tensor(6.), tensor([2., 2., 2.]))
    """
    if dim is None and dtype is None and not keepdim:
        return call_unary(_sum, input)
    array = input._array
    d = as_numpy(dtype) or (np.dtype(np.int64) if array.dtype.kind in "biu" else None)
    return _sum_dims(input, axes(dim, array.ndim), keepdim, d)


def infer_floating(name: str, input: Tensor, dtype: Any) -> Any:
    """The NumPy dtype to compute a mean in; RuntimeError if it is not floating-point."""
    d = as_numpy(dtype)
    asked = input._array.dtype if d is None else d
    if kind_of(asked) not in "fc":
        raise RuntimeError(
            f"{name}(): could not infer output dtype. {'Input' if d is None else 'Optional'} dtype must be "
            f"either a floating point or complex dtype. Got: {TYPE_NAMES[FROM_NUMPY[asked]]}"
        )
    return d


@operator(
    in_steps=True,
    one_byte=False,
    linear=True,
    promote=integers_widened,
    input=lambda grad, input_shape: shared_out(grad, input_shape, range(len(input_shape)), False),
    batch=over_all(lambda input, dims: np.add.reduce(input, dims) / size_of(input.shape, dims)),
)
def _mean(input: Array) -> Array:
    if input.dtype == np.float16:
        return averaged(input, tuple(range(input.ndim)), False)
    return total(input) / input.size


@operator(
    in_steps=True,
    one_byte=False,
    aten="mean",
    linear=True,
    batch=leading,
    node="MeanBackward1",
    input=lambda grad, input_shape, dims, keepdim: shared_out(grad, input_shape, dims, keepdim),
)
def _mean_dims(input: Array, dims: tuple[int, ...], keepdim: bool, dtype: np.dtype[Any] | None) -> Array:
    return averaged(input, dims, keepdim, dtype)


@method
@keywords
def mean(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The mean of all elements, or over one or several dimensions; NaN for no elements.

    RuntimeError for integers and bools, unless `dtype` is floating-point.

    >>> import rushlight as torch
    >>> torch.mean(torch.tensor([[1.0, 2.0], [3.0, 6.0]]), dim=1)
    tensor([1.5000, 4.5000])
    """
    array = input._array
    if dim is None and dtype is None and not keepdim and kind_of(array.dtype) in "fc":
        return call_unary(_mean, input)
    return _mean_dims(input, axes(dim, array.ndim), keepdim, infer_floating("mean", input, dtype))


@operator(aten=(), layout="elementwise", batch=leading)
def _is_number(input: Array) -> Array:
    """1 where an element is not NaN, 0 elsewhere, in the dtype of the input."""
    return (~np.isnan(input)).astype(input.dtype)


@operator(
    layout="kept",
    batch=leading,
    input=lambda grad, input, dims, keepdim: repeated_over(grad, input.shape, dims, keepdim) * _is_number(input),
)
def _nansum(input: Array, dims: tuple[int, ...], keepdim: bool, dtype: np.dtype[Any] | None) -> Array:
    if (dtype is None or dtype == input.dtype) and input.dtype != np.float16:
        return reduced(input, dims, keepdim, NUMBERS)
    return added(np.where(np.isnan(input), 0, input), dims, keepdim, dtype)


@method
@keywords
def nansum(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The sum of the elements that are not NaN.

    >>> import rushlight as torch
    >>> torch.nansum(torch.tensor([1.0, float("nan"), 3.0]))
    tensor(4.)
    """
    array = input._array
    if array.dtype.kind == "c":
        raise RuntimeError("nansum on CPU does not support complex inputs")
    if array.dtype.kind in "biu":
        return sum(input, dim, keepdim, dtype=dtype)
    wanted = as_numpy(dtype)
    if wanted is not None and wanted.kind == "c":
        raise missing("nansum_cpu", wanted)
    return _nansum(input, axes(dim, array.ndim), keepdim, wanted)


@method
@keywords
def nanmean(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The mean of the elements that are not NaN; NaN if there are none.

    >>> import rushlight as torch
    >>> torch.nanmean(torch.tensor([1.0, float("nan"), 3.0]))
    tensor(2.)
    """
    if kind_of(input._array.dtype) not in "fc":
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {type_name(input)}"
        )
    infer_floating("nanmean", input, dtype)
    total = nansum(input, dim, keepdim, dtype=dtype)
    return total / sum(_is_number(input), dim, keepdim).to(total.dtype)


@operator(layout="kept", batch=leading, name="all")
def _all(input: Array, dims: Sequence[int], keepdim: bool) -> Array:
    return np.logical_and.reduce(input, dims, None, None, keepdim)


@operator(layout="kept", batch=leading, name="any")
def _any(input: Array, dims: Sequence[int], keepdim: bool) -> Array:
    return np.logical_or.reduce(input, dims, None, None, keepdim)


def truth(entry: Any, input: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """The part that `all` and `any` share: the result is bool, or uint8 for an input of uint8."""
    nothing = isinstance(dim, (tuple, list)) and not dim
    result = entry(input, () if nothing else axes(dim, input._array.ndim), keepdim)
    if input._array.dtype == np.uint8:
        result._array = result._array.astype(np.uint8)
    return result


@method
@keywords
def all(input: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Whether all elements are true (not zero), in the whole tensor or over some dimensions.

    >>> import rushlight as torch
    >>> torch.all(torch.tensor([[True, False], [True, True]]), dim=1)
    tensor([False,  True])
    """
    return truth(_all, input, dim, keepdim)


@method
@keywords
def any(input: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Whether any element is true (not zero), in the whole tensor or over some dimensions.

    >>> import rushlight as torch
    >>> torch.any(torch.tensor([[True, False], [False, False]]), dim=1)
    tensor([ True, False])
    """
    return truth(_any, input, dim, keepdim)


@operator(batch=leading)
def _count_nonzero(input: Array, dims: Sequence[int]) -> Array:
    if len(dims) == input.ndim and type(input) is np.ndarray:
        return np.count_nonzero(input)
    return np.add.reduce(input != 0, dims, np.int64)


@method
@keywords
def count_nonzero(input: Tensor, dim: Dim = None) -> Tensor:
    """The number of elements that are not zero, in the whole tensor or over some dimensions.

    >>> import rushlight as torch
    >>> torch.count_nonzero(torch.tensor([[0, 1], [2, 3]]), dim=0)
    tensor([1, 2])
    """
    return _count_nonzero(input, axes(dim, input._array.ndim))
