"""Vectors: cross and dot products along a dimension, and Vandermonde matrices."""

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import leading
from rushlight.core.graph import new_tensor, unbroadcast
from rushlight.kernels import products as kernels
from rushlight.linalg.calls import linalg
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.arguments.mismatch import check_tensors, same_scalars
from rushlight.ops.arguments.promotion import missing
from rushlight.ops.products.products import vdot
from rushlight.ops.shapes.joining import cat
from rushlight.ops.shapes.slicing import diagonal as diagonal_of
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["cross", "diagonal", "vander", "vecdot"]

NEXT, LAST = np.array([1, 2, 0]), np.array([2, 0, 1])  # for each of three axes the next one, and the previous one


@operator(
    batch=leading,
    linear=True,
    node="LinalgCrossBackward0",
    input=lambda grad, input_shape, other, dim: unbroadcast(_cross(other, grad, dim), input_shape),
    other=lambda grad, input, other_shape, dim: unbroadcast(_cross(grad, input, dim), other_shape),
    slopes={"input": "contiguous", "other": "contiguous"},
)
def _cross(input: Array, other: Array, dim: int) -> Array:
    if (found := kernels.cross(input, other, dim)) is not None:
        return found
    x, y = input.swapaxes(dim, -1), other.swapaxes(dim, -1)
    product = x[..., NEXT] * y[..., LAST] - x[..., LAST] * y[..., NEXT]
    return product.swapaxes(dim, -1)


@linalg
def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The cross products of vectors of three elements along `dim`; the other dimensions are broadcast.

    RuntimeError for another size, different dtypes, and different numbers of dimensions.

    >>> import rushlight as torch
    >>> torch.linalg.cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    check_tensors("linalg_cross", input=input, other=other)
    x, y = input._array, other._array
    if x.ndim != y.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    axis = wrap_dim(dim, x.ndim)
    if x.shape[axis] != 3 or y.shape[axis] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {x.shape[axis]} and {y.shape[axis]}"
        )
    if x.dtype.kind == "b":
        raise missing("cross", x.dtype)
    same_scalars(x, y)
    return _cross(input, other, axis - x.ndim)


@linalg
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """The dot products of vectors along `dim`, with the first one conjugated; the other dimensions are broadcast.

    RuntimeError for dtypes or sizes that differ.

    >>> import rushlight as torch
    >>> torch.linalg.vecdot(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 1.0]))
    tensor([3., 7.])
    """
    check_tensors("linalg_vecdot", x=x, y=y)
    if x._array.dtype != y._array.dtype:
        raise RuntimeError(f"linalg.vecdot: Expected x and y to have the same dtype, but got {x.dtype} and {y.dtype}")
    if x._array.ndim == y._array.ndim == 1:
        return vdot(x, y)
    return (x.conj_physical() * y).sum(dim)


@linalg
def vander(x: Tensor, N: int | None = None) -> Tensor:
    """The Vandermonde matrices of vectors (*, n): their powers from 0 to N - 1 (by default n - 1) as columns.

    RuntimeError for fewer than two powers.

    >>> import rushlight as torch
    >>> torch.linalg.vander(torch.tensor([2, 3]), N=3)
    tensor([[1, 2, 4],
            [1, 3, 9]])
    """
    x = x if x._array.ndim else x.unsqueeze(0)
    count = x._array.shape[-1] if N is None else N
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    x = x.long() if x._array.dtype.kind == "b" else x
    shape = x._array.shape
    columns = x.unsqueeze(-1).expand(*shape, count - 1).cumprod(-1)
    return cat([new_tensor(np.ones((*shape, 1), x._array.dtype, like=x._array)), columns], -1)


@linalg
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """A view of the diagonals of matrices: `torch.diagonal`, by default of the last two dimensions.

    >>> import rushlight as torch
    >>> torch.linalg.diagonal(torch.eye(2))
    tensor([1., 1.])
    """
    return diagonal_of(A, offset, dim1, dim2)
