"""Vector norms, and the distance between two tensors."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import lifted
from rushlight.core.batching import leading
from rushlight.core.fusion import fused
from rushlight.core.graph import TensorBase, unbroadcast
from rushlight.core.kinds import kind_of
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES, as_numpy, dtype, keeping, promote_types
from rushlight.kernels.codes import SIZES, SQUARES
from rushlight.kernels.reductions import reduced
from rushlight.layouts import joint_shape
from rushlight.ops.arguments.keywords import keywords
from rushlight.ops.derivatives.tangents import weighed
from rushlight.ops.elementwise.arithmetic import no_booleans
from rushlight.ops.elementwise.selection import _drop, ratio, side, without_zeros
from rushlight.ops.reductions.extrema import _shares
from rushlight.ops.reductions.reduction import Dim, added, axes, kept_shape, type_name
from rushlight.ops.table import method, operator, refuse
from rushlight.tensors import Tensor

__all__ = ["dist"]


def norm_of(x: Array, p: float, dims: tuple[int, ...], keepdim: bool) -> Array:
    """The p-norm of a float array over `dims`; that of float16 is computed in float32."""
    if x.dtype.char == "e":
        return norm_of(x.astype(np.float32), p, dims, keepdim).astype(np.float16)
    if x.dtype.kind == "c" and p != 0:
        x = np.abs(x)  # infinite if one part is, even if the other part is NaN
    if p == 2:
        return np.sqrt(reduced(x, dims, keepdim, SQUARES))
    if p == 0:
        return added((x != 0).astype(x.real.dtype), dims, keepdim)
    if p == 1:
        return reduced(x, dims, keepdim, SIZES)
    size = np.abs(x)
    if p == math.inf:
        return np.maximum.reduce(size, dims, None, None, keepdim, initial=0)
    if p == -math.inf:
        return np.minimum.reduce(size, dims, None, None, keepdim, initial=np.inf)
    return added(size**p, dims, keepdim) ** (1 / p)


def power_slope(x: Array, p: float) -> Array:
    """The derivative of |x|^p / p, x |x|^(p-2); at 0 it is 0 (for even p so are its derivatives)."""
    if p > 2 and p % 2 == 0:
        return x * np.real(x * np.conjugate(x)) ** (int(p) // 2 - 1)
    size, zero = without_zeros(np.abs(x))
    return np.sign(x) * size ** (p - 1) if p < 2 else x * _drop(zero, size ** (p - 2))


@fused
def slope_times(input: Array, factor: Array, p: float) -> Array:
    """`power_slope` times the factor that all elements of a norm share."""
    return power_slope(input, p) * factor


@fused
def side_times(input: Array, grad: Array) -> Array:
    """The gradient of the 1-norm."""
    return side(input) * grad


def norm_cotangent(grad: Array, input: Array, result: Array, p: float, dims: Sequence[int]) -> Array:
    """The gradient of the p-norm. Where the norm is 0 it is 0, as in PyTorch; for p = 0 there is none."""
    grad, result = grad.reshape(kept_shape(input.shape, dims)), result.reshape(kept_shape(input.shape, dims))
    if p == 0:
        return None
    if p == 1:
        return side_times(input, grad)
    if p == 2:
        return input * (grad * ratio(np.ones_like(result), result))
    if abs(p) == math.inf:
        return np.sign(input) * grad * _shares(np.abs(input), result, dims)
    length, zero = without_zeros(result)
    return slope_times(input, _drop(zero, grad / length ** (p - 1)), p)


@operator(
    saved_as={"p": "ord"},
    holomorphic=False,
    batch=leading,
    tangent=weighed,
    input=lambda grad, input, result, p, dims, keepdim: norm_cotangent(grad, input, result, p, dims),
    slopes={"input": "scaled"},
)
def _linalg_vector_norm(input: Array, p: float, dims: tuple[int, ...], keepdim: bool) -> Array:
    return norm_of(input, p, dims, keepdim)


def vector_norm(input: Tensor, p: float, dim: Dim, keepdim: bool, dtype: dtype | None = None) -> Tensor:
    """The p-norm over some dimensions (all for None or ()): the part that `norm` and `linalg.vector_norm` share.

    RuntimeError for integers, and for an infinity norm of no elements.
    """
    array = input._array
    check_type(input)
    input = in_dtype("linalg.vector_norm", input, dtype)
    dims = axes(dim, array.ndim)
    if array.size == 0 and (p < 0 or p == math.inf):
        refuse_empty(array.shape, p, None if dim is None else dims)
    return _linalg_vector_norm(input, float(p), dims, keepdim)


def check_type(input: Tensor) -> None:
    """Raises RuntimeError for integers and bools, of which there is no norm."""
    if kind_of(input._array.dtype) not in "fc":
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {type_name(input)}"
        )


def in_dtype(name: str, input: Tensor, dtype: dtype | None) -> Tensor:
    """The input of a norm in the dtype to compute in, which must be of the same kind and at least as precise."""
    if dtype is None or dtype == input.dtype:
        return input
    given, asked, kind = TYPE_NAMES[input.dtype], TYPE_NAMES[dtype], kind_of(input._array.dtype)
    if kind_of(as_numpy(dtype)) not in "fc":
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {asked}")
    if kind_of(as_numpy(dtype)) != kind:
        word = "complex" if kind == "c" else "real"
        raise RuntimeError(f"{name}: dtype should be {word} for {word} inputs, but got {asked}")
    if promote_types(input.dtype, dtype) != dtype:
        raise RuntimeError(
            f"{name}: the dtype of the input ({given}) should be convertible without narrowing to the specified dtype "
            f"({asked})"
        )
    return input.to(dtype)


def refuse_empty(shape: Sequence[int], p: Any, dims: Any) -> None:
    """Raises PyTorch's errors for norms that are undefined for no elements."""
    if dims is None or len(dims) == len(shape):
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {p:g} norm on an empty tensor because the operation does "
            "not have an identity"
        )
    for d in dims:
        if shape[d] == 0:
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {p:g} norm on the dimension {d}because this dimension "
                "is empty and the operation does not have an identity"
            )


def dist_cotangents(grad: Array, input: Array, other: Array, result: Array, p: float) -> list[Array]:
    """The gradients of both operands: that of the norm of their difference, and its negative."""
    difference = input - other
    cotangent = norm_cotangent(grad, difference, result, p, tuple(range(difference.ndim)))
    return [unbroadcast(cotangent, input.shape), unbroadcast(-cotangent, other.shape)]


def over_pairs(op: Any, args: Sequence[Any], levels: Any) -> Array:
    """The batch rule of `dist`: the norm over the dimensions of each example."""
    x, y, p = args
    ndim, n = max(x.ndim, y.ndim), len(levels)
    difference = lifted(x, levels, ndim) - lifted(y, levels, ndim)
    return norm_of(difference, p, tuple(range(n, n + ndim)), False)


@keeping("fc")
def subtracted(*operands: Tensor) -> Array | tuple[Array, ...]:
    """Type promotion of the difference."""
    arrays = no_booleans(*operands)
    dtype = arrays[0].dtype
    if kind_of(dtype) not in "fc":
        kind = TYPE_NAMES[FROM_NUMPY[dtype]]
        raise RuntimeError(f"norm(): input dtype should be either floating point or complex. Got {kind} instead.")
    return arrays


@operator(
    joint=dist_cotangents,
    inputs=("input", "other"),
    promote=subtracted,
    broadcasts=True,
    holomorphic=False,
    batch=over_pairs,
)
def _dist(input: Array, other: Array, p: float) -> Array:
    difference = input - other
    return norm_of(difference, p, tuple(range(difference.ndim)), False)


@method
@keywords
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of `input - other`, with broadcasting.

    >>> import rushlight as torch
    >>> torch.dist(torch.tensor([1.0, 2.0]), torch.tensor([4.0, 6.0]))
    tensor(5.)
    """
    if not isinstance(other, TensorBase):
        return refuse("dist", "other", 2, other)
    shape = joint_shape(input._array.shape, other._array.shape)
    if 0 in shape and (p < 0 or p == math.inf):
        refuse_empty(shape, p, None)
    return _dist(input, other, float(p))
