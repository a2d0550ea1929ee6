"""Softmax, its logarithm, and the logarithm of a sum of exponentials."""

import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.arrays import as_array
from rushlight.core.batching import leading
from rushlight.core.fusion import fused
from rushlight.core.graph import new_tensor
from rushlight.core.interpreters import writer
from rushlight.core.kinds import kind_of
from rushlight.core.narrow import in_float32
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES, as_numpy, dtype, floating
from rushlight.kernels.codes import LARGEST
from rushlight.kernels.compiled import load
from rushlight.kernels.reductions import reduced
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.arguments.keywords import keywords
from rushlight.ops.derivatives.series import rewritten
from rushlight.ops.derivatives.tangents import is_complex, symmetric, weighed
from rushlight.ops.elementwise.selection import where
from rushlight.ops.reductions.reduction import Dim, added, axes, kept_shape, repeated_over
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = ["log_softmax", "logsumexp", "softmax"]

fast: ModuleType | None = load("softmax")
fast_sums: ModuleType | None = load("log_sums")


def total(array: Array, dim: Any) -> Array:
    """The sum along a dimension, which is kept with size 1."""
    return np.add.reduce(array, axis=dim, keepdims=True)


def below_largest(input: Array, dim: int, dtype: np.dtype[Any]) -> Array:
    """A new array: the input minus its maximum along a dimension. float16 is computed in float32."""
    d = np.float32 if dtype == np.float16 else dtype
    input = input.real if input.dtype.kind == "c" else input
    if input.size == 0:
        return np.zeros(input.shape, d, like=input)
    return as_array(np.subtract(input, np.maximum.reduce(input, dim, None, None, True), dtype=d))


@operator(
    kernel=True,
    aten="_softmax_backward_data",
    batch=leading,
    grad=lambda grad, result, dim: _softmax_cotangent(grad, result, dim),
    result=lambda c, grad, result, dim: c * (grad - total(grad * result, dim)) - grad * total(c * result, dim),
    node="SoftmaxBackwardDataBackward0",
)
@in_float32
def _softmax_cotangent(grad: Array, result: Array, dim: int) -> Array:
    """result * (grad - sum(grad * result))."""
    if fast is not None and (values := fast.softmax_cotangent(grad, result, dim, False)) is not None:
        return values
    weighted = as_array(grad * result)
    weighted -= result * total(weighted, dim)
    return weighted


def softmax_by_parts(input: Array, dim: int, dtype: Any) -> Any:
    """The softmax, computed step by step: exp(x) divided by its sum."""
    values = np.exp(input - input.detach().amax(dim, keepdim=True))
    return values / values.sum(dim, keepdim=True)


@operator(
    kernel=True,
    aten=("softmax", "_softmax"),
    batch=leading,
    tangent=symmetric,
    series=rewritten(softmax_by_parts),
    input=lambda grad, result, dim: _softmax_cotangent(grad, result, dim),
)
def _softmax(input: Array, dim: int, dtype: np.dtype[Any]) -> Array:
    if fast is not None and input.dtype is dtype and (values := fast.softmax(input, dim, False)) is not None:
        return values
    values = below_largest(input, dim, dtype)
    np.exp(values, out=values)
    values /= total(values, dim)
    return values.astype(dtype, copy=False)


@operator(
    kernel=True,
    aten="_log_softmax_backward_data",
    batch=leading,
    grad=lambda c, result, dim: c - total(c * np.exp(result), dim),
    result=lambda c, grad, result, dim: -c * np.exp(result) * total(grad, dim),
    node="LogSoftmaxBackwardDataBackward0",
)
@in_float32
def _log_softmax_cotangent(grad: Array, result: Array, dim: int) -> Array:
    """grad - softmax * sum(grad)."""
    if fast is not None and (values := fast.softmax_cotangent(grad, result, dim, True)) is not None:
        return values
    values = as_array(np.exp(result))
    values *= total(grad, dim)
    return np.subtract(grad, values, out=values)


def log_softmax_tangent(op: Any, outs: Sequence[Array], args: Any, tangents: Sequence[Array]) -> Any:
    """t - sum(softmax * t)."""
    t = tangents[0]
    return None if is_complex(args) else [t - total(np.exp(outs[0]) * t, args[1])]


def log_sum_exp_by_parts(input: Array, dims: Sequence[int], keepdim: bool) -> Any:
    """The logarithm of the sum of exponentials, computed step by step."""
    largest = input.detach().amax(dims, keepdim=True)
    result = np.exp(input - largest).sum(dims, keepdim=True).log() + largest
    return result if keepdim else result.squeeze(dims)


@operator(
    kernel=True,
    aten=("log_softmax", "_log_softmax"),
    batch=leading,
    tangent=log_softmax_tangent,
    series=rewritten(lambda input, dim, dtype: input - log_sum_exp_by_parts(input, (dim,), True)),
    input=lambda grad, result, dim: _log_softmax_cotangent(grad, result, dim),
)
def _log_softmax(input: Array, dim: int, dtype: np.dtype[Any]) -> Array:
    if fast is not None and input.dtype is dtype and (values := fast.softmax(input, dim, True)) is not None:
        return values
    values = below_largest(input, dim, dtype)
    values -= np.log(total(np.exp(values), dim))
    return values.astype(dtype, copy=False)


def normalised(name: str, entry: Any, input: Tensor, dim: int, dtype: Any) -> Tensor:
    """The part that `softmax` and `log_softmax` share: checking their arguments."""
    array = input._array
    d = as_numpy(dtype) or array.dtype
    dim = wrap_dim(dim, array.ndim)
    if kind_of(d) != "f":
        kernel = f"{name}_lastdim_kernel_impl" if dim + 1 >= array.ndim else f"{name}_kernel_impl"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{TYPE_NAMES[FROM_NUMPY[d]]}'")
    return entry(input, dim, d)


@method
@keywords
def softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """exp(x) divided by its sum along a dimension: positive numbers that sum to 1.

    The input is converted to `dtype` first. NotImplementedError for integers without it.

    >>> import rushlight as torch
    >>> torch.softmax(torch.tensor([1.0, 2.0, 3.0]), dim=0)
    tensor([0.0900, 0.2447, 0.6652])
    """
    return normalised("softmax", _softmax, input, dim, dtype)


def has_something(array: Array, dim: int) -> bool:
    """Whether a float array has a number other than -inf in every row along a dimension; False for other dtypes."""
    if fast is not None and dim in (-1, array.ndim - 1) and fast.has_numbers(array):
        return True
    if type(array) is not np.ndarray or array.dtype.kind != "f" or array.size * array.ndim == 0:
        return False
    return not (np.maximum.reduce(array, dim) == -math.inf).any()


def safe_softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """The softmax, but 0, with zero gradient, in rows where all elements are -inf."""
    if writer() is None and has_something(input._array, dim):  # a compiled replay may get other masks
        return softmax(input, dim, dtype)
    nothing = (input == -math.inf).all(dim, keepdim=True)
    return where(nothing, 0.0, softmax(where(nothing, 0.0, input), dim, dtype=dtype))


@method
@keywords
def log_softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """The logarithm of `softmax`, computed more precisely than `log(softmax(x))`.

    The input is converted to `dtype` first. NotImplementedError for integers without it.

    >>> import rushlight as torch
    >>> torch.log_softmax(torch.tensor([1.0, 2.0, 3.0]), dim=0)
    tensor([-2.4076, -1.4076, -0.4076])
    """
    return normalised("log_softmax", _log_softmax, input, dim, dtype)


def log_sums(input: Array, dims: Sequence[int]) -> Array | None:
    """The result for neighbouring dimensions by the kernel; None for inputs that it does not take."""
    if fast_sums is None or not dims:
        return None
    first, last = min(dims), max(dims)
    return fast_sums.log_sums(input, first, last) if last - first + 1 == len(dims) else None


@in_float32
def log_sum_exp_cotangent(grad: Array, input: Array, result: Array, dims: Sequence[int], keepdim: bool) -> Array:
    """`grad * softmax(input)`."""
    result = result.reshape(kept_shape(input.shape, dims))
    return exponential_above(repeated_over(grad, input.shape, dims, keepdim), input, result)


@fused
def exponential_above(factor: Array, input: Array, level: Array) -> Array:
    """The exponential of what lies above a level, times a factor."""
    return factor * np.exp(input - level)


@operator(
    batch=leading,
    tangent=weighed,
    series=rewritten(log_sum_exp_by_parts),
    input=lambda grad, input, result, dims, keepdim: log_sum_exp_cotangent(grad, input, result, dims, keepdim),
)
@in_float32
def _logsumexp(input: Array, dims: Sequence[int], keepdim: bool) -> Array:
    if input.size == 0:
        return np.log(np.add.reduce(np.exp(input), dims, None, None, keepdim))
    if (found := log_sums(input, dims)) is not None:
        return found.reshape(kept_shape(input.shape, dims)) if keepdim else found
    largest = reduced(np.real(input), tuple(dims), True, LARGEST)
    largest = np.where(np.isinf(largest), np.zeros_like(largest), largest)
    exponentials = exponential_above(np.ones_like(largest), input, largest)
    result = np.log(added(exponentials, tuple(dims), True)) + largest
    return result if keepdim else np.reshape(result, [n for d, n in enumerate(input.shape) if d not in dims])


@method
@keywords
def logsumexp(input: Tensor, dim: Dim, keepdim: bool = False) -> Tensor:
    """The logarithm of the sum of exponentials over one or several dimensions, computed without overflow.

    >>> import rushlight as torch
    >>> torch.logsumexp(torch.tensor([1000.0, 1000.0]), dim=0)
    tensor(1000.6932)
    """
    dims = axes(dim, input._array.ndim)
    return _logsumexp(input if kind_of(input._array.dtype) in "fc" else new_tensor(floating(input)), dims, keepdim)
