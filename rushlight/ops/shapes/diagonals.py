"""Triangles and diagonals of matrices."""

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import by, leading
from rushlight.kernels import triangles
from rushlight.kernels.steps import zeros
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.arguments.promotion import missing
from rushlight.ops.out import write_out
from rushlight.ops.shapes.shape import flatten, reshape
from rushlight.ops.shapes.slicing import _diagonal, _place_diagonal
from rushlight.ops.table import in_place, method, operator
from rushlight.tensors import Tensor

__all__ = ["diag", "diag_embed", "diagflat", "trace", "tril", "triu"]


@operator(linear=True, batch=leading, input=lambda grad, diagonal: _tril(grad, diagonal))
def _tril(input: Array, diagonal: int) -> Array:
    return triangles.triangle(input, diagonal, True)


@operator(linear=True, batch=leading, input=lambda grad, diagonal: _triu(grad, diagonal))
def _triu(input: Array, diagonal: int) -> Array:
    return triangles.triangle(input, diagonal, False)


@in_place
@method
def tril(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """The lower triangle of matrices, with zeros above; a positive `diagonal` includes diagonals above the main one.

    >>> import rushlight as torch
    >>> torch.tril(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 0],
            [3, 4]])
    """
    check_matrices("tril", input)
    result = _tril(input, index(diagonal))
    return result if out is None else write_out("tril", out, result, input)


@in_place
@method
def triu(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """The upper triangle of matrices, with zeros below; a positive `diagonal` excludes diagonals from the main one on.

    >>> import rushlight as torch
    >>> torch.triu(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 2],
            [0, 4]])
    """
    check_matrices("triu", input)
    result = _triu(input, index(diagonal))
    return result if out is None else write_out("triu", out, result, input)


def check_matrices(name: str, input: Tensor) -> None:
    """Raises RuntimeError for fewer than two dimensions."""
    if input._array.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


@operator(linear=True, batch=leading, input=lambda grad, offset, dim1, dim2: _diagonal(grad, offset, dim1, dim2))
def _diag_embed(input: Array, offset: int, dim1: int, dim2: int) -> Array:
    n = input.shape[-1] + abs(offset)
    out = zeros((*input.shape[:-1], n, n), input)
    if (dim1, dim2) != (out.ndim - 2, out.ndim - 1):
        out = np.moveaxis(out, (-2, -1), (dim1, dim2))
    _diagonal.forward(out, offset, dim1, dim2)[...] = input
    return out


@method
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices, in the dimensions `dim1` and `dim2` of the result, with the last dimension of `input` on a diagonal.

    >>> import rushlight as torch
    >>> torch.diag_embed(torch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    ndim = input._array.ndim + 1
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return _diag_embed(input, offset, first, second)


@operator(aten=(), linear=True, batch=leading, node="DiagonalBackward0_copy", input=lambda grad: grad)
def _own(input: Array) -> Array:
    return input.copy()


@method
def diag(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """For a vector, a matrix with it on a diagonal; for a matrix, a copy of a diagonal.

    RuntimeError for any other number of dimensions.

    >>> import rushlight as torch
    >>> torch.diag(torch.tensor([[1, 2], [3, 4]])), torch.diag(torch.tensor([1, 2]))
    (tensor([1, 4]), tensor([[1, 0],
            [0, 2]]))
    """
    ndim = input._array.ndim
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    result = _diag_embed(input, diagonal, 0, 1) if ndim == 1 else _own(_diagonal(input, diagonal, 0, 1))
    return result if out is None else write_out("diag", out, result, input)


@method
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """A matrix with all elements of `input` on a diagonal.

    >>> import rushlight as torch
    >>> torch.diagflat(torch.tensor([[1, 2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    return _diag_embed(flatten(input) if input._array.ndim else reshape(input, 1), offset, 0, 1)


def trace_batch(n: int, input: Array) -> Any:
    """The batch rule of `trace`."""
    return np.trace(input, 0, n, n + 1, np.dtype(np.int64) if input.dtype.kind in "biu" else input.dtype)


@operator(linear=True, input=lambda grad, input_shape: _spread_diagonal(grad, input_shape), batch=by(trace_batch))
def _trace(input: Array) -> Array:
    return triangles.trace(input)


def spread_batch(n: int, input: Array, shape: Sequence[int]) -> Any:
    """The batch rule of `_spread_diagonal`."""
    diagonal = np.broadcast_to(input[..., None], (*input.shape, min(shape)))
    return _place_diagonal.forward(diagonal, (*input.shape, *shape), 0, n, n + 1)


@operator(aten=(), linear=True, input=lambda grad: _trace(grad), node="TraceBackward0", batch=by(spread_batch))
def _spread_diagonal(input: Array, shape: Sequence[int]) -> Array:
    """A matrix of zeros with one number on its whole diagonal: the adjoint of `trace`."""
    out = zeros(shape, input)
    np.fill_diagonal(out, input)
    return out


@method
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix; integers are added up in int64.

    >>> import rushlight as torch
    >>> torch.trace(torch.tensor([[1, 2], [3, 4]]))
    tensor(5)
    """
    if input._array.dtype.kind == "b":
        raise missing("trace", input._array.dtype)
    if input._array.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input._array.ndim}")
    return _trace(input)
