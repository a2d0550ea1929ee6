"""Norms of vectors and matrices, the condition number, and `renorm`."""

import math
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import by
from rushlight.core.fusion import fused
from rushlight.core.kinds import is_half, kind_of
from rushlight.dtypes import dtype
from rushlight.linalg.calls import check_floating, check_matrix, linalg
from rushlight.linalg.singular_values import svdvals
from rushlight.linalg.solving import inv_ex
from rushlight.ops.arguments.dims import INTEGERS, wrap_dim
from rushlight.ops.arguments.keywords import keywords
from rushlight.ops.elementwise.selection import _where, times_each, where
from rushlight.ops.reductions import norms
from rushlight.ops.table import in_place, method, operator
from rushlight.tensors import Tensor

__all__ = ["cond", "matrix_norm", "norm", "vector_norm"]

Dims = int | tuple[int, ...] | list[int] | None
MARGIN = 1e-7  # that PyTorch's renorm adds to norms


@linalg
def vector_norm(
    x: Tensor, ord: float = 2, dim: Dims = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """(sum |x|^ord)^(1/ord) over all elements or some dimensions; for 0 the number of nonzero elements.

    inf and -inf give the largest and the smallest absolute value. The gradient at 0 is 0. RuntimeError for integers.

    >>> import rushlight as torch
    >>> x = torch.tensor([3.0, -4.0])
    >>> torch.linalg.vector_norm(x), torch.linalg.vector_norm(x, 1)
    (tensor(5.), tensor(7.))
    """
    if isinstance(ord, str):
        raise TypeError("linalg_vector_norm(): argument 'ord' (position 2) must be Number, not str")
    return norms.vector_norm(x, ord, dim, keepdim, dtype)


@linalg
def matrix_norm(
    A: Tensor, ord: float | str = "fro", dim: Dims = (-2, -1), keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """The norm of matrices, whose rows and columns are the two dimensions `dim`.

    `ord` is "fro" (Frobenius), "nuc" (the sum of the singular values), 2 or -2 (the largest or smallest singular
    value), 1 or -1 (the largest or smallest sum of absolute values in a column), inf or -inf (in a row). RuntimeError
    for any other, integers, and fewer than two dimensions.

    >>> import rushlight as torch
    >>> torch.linalg.matrix_norm(torch.tensor([[1.0, 2.0], [3.0, -4.0]]), 1)
    tensor(6.)
    """
    check_matrix("linalg.matrix_norm", A)
    rows, columns = matrix_dims(A, dim)
    if ord not in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if kind_of(A._array.dtype) not in "fc":
        check_floating("linalg.matrix_norm", A)
    A = norms.in_dtype("linalg.matrix_norm", A, dtype)
    if ord == "fro":
        return norms._linalg_vector_norm(A, 2.0, (min(rows, columns), max(rows, columns)), keepdim)
    if isinstance(ord, str) or abs(ord) == 2:
        return norm_by_singular_values(A, ord, rows, columns, keepdim)
    summed, kept = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = norms.vector_norm(A, 1, summed, True)
    sums = largest(sums, kept, True) if ord > 0 else sums.amin(kept, True)
    return sums if keepdim else sums.squeeze((rows, columns))


def norm_by_singular_values(A: Tensor, ord: Any, rows: int, columns: int, keepdim: bool) -> Any:
    """The matrix norms "nuc", 2 and -2."""
    values = svdvals(A.movedim((rows, columns), (-2, -1)))
    result = values.sum(-1) if ord == "nuc" else largest(values, -1) if ord == 2 else values.amin(-1)
    return np.expand_dims(result, tuple(sorted((rows, columns)))) if keepdim else result


def largest(values: Tensor, dim: int, keepdim: bool = False) -> Tensor:
    """The maximum of nonnegative values; 0 if there are none."""
    return values.amax(dim, keepdim) if values._array.shape[dim] else values.sum(dim, keepdim)


def matrix_dims(A: Tensor, dim: Any) -> tuple[int, ...]:
    """The two dimensions of matrices as non-negative numbers."""
    if isinstance(dim, INTEGERS) or len(dim) != 2:
        raise RuntimeError(
            f"linalg.matrix_norm: dim must be a 2-tuple. Got {dim if isinstance(dim, INTEGERS) else list(dim)}"
        )
    if dim == (-2, -1):
        return A._array.ndim - 2, A._array.ndim - 1
    rows, columns = (wrap_dim(d, A._array.ndim) for d in dim)
    if rows == columns:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    return rows, columns


@linalg
def norm(
    A: Tensor, ord: float | str | None = None, dim: Dims = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """The norm of a vector (one dimension) or of matrices (two): `vector_norm` or `matrix_norm`.

    Without `ord` it is the 2-norm of all elements, or along `dim`. RuntimeError for an `ord` without `dim` if the input
    has more than two dimensions.

    >>> import rushlight as torch
    >>> torch.linalg.norm(torch.tensor([[3.0, 0.0], [0.0, 4.0]])), torch.linalg.norm(torch.eye(2), "nuc")
    (tensor(5.), tensor(2.))
    """
    count = 1 if isinstance(dim, INTEGERS) else None if dim is None else len(dim)
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    if dim is not None and not isinstance(dim, INTEGERS) and len(dim) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
    if count is None and A._array.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A._array.ndim}D."
        )
    if isinstance(ord, str) or (count or A._array.ndim) == 2:
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(A, ord, dim, keepdim, dtype=dtype)


@linalg
def cond(A: Tensor, p: float | str | None = None) -> Tensor:
    """The condition number of matrices: the norm of the matrix times that of its inverse; inf for a singular one.

    `p` is the norm, as in `matrix_norm`; None means 2, computed from singular values, for which matrices need not be
    square.

    >>> import rushlight as torch
    >>> torch.linalg.cond(torch.tensor([[2.0, 0.0], [0.0, 0.5]]))
    tensor(4.)
    """
    check_floating("linalg.cond", A)
    if A._array.ndim < 2:
        named = isinstance(p, str)
        name, tensor = (f"linalg.cond(ord={p})", "tensor A") if named else ("linalg.cond", "tensor")
        raise RuntimeError(f"{name}: The input {tensor} must have at least 2 dimensions.")
    if A._array.size == 0 and (not isinstance(p, str) or A._array.shape[-1] == A._array.shape[-2]):
        return A.abs().sum((-2, -1))
    if p is None or p in (2, -2):
        values = svdvals(A)
        largest, smallest = values.narrow(-1, 0, 1), values.narrow(-1, values.shape[-1] - 1, 1)
        return (smallest / largest if p == -2 else largest / smallest).squeeze(-1)
    if p not in ("fro", "nuc", 1, -1, math.inf, -math.inf):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    n, m = A._array.shape[-2:]
    if n != m:
        raise RuntimeError(
            f"linalg.cond(ord={p}): A must be batches of square matrices, but they are {n} by {m} matrices"
        )
    inverse, info = inv_ex(A)
    inverse = where((info == 0).unsqueeze(-1).unsqueeze(-1), inverse, 0.0)
    return where(info == 0, matrix_norm(A, p) * matrix_norm(inverse, p), math.inf)


def other_dims(ndim: int, dim: int) -> tuple[int, ...]:
    """All dimensions but one."""
    return tuple([d for d in range(ndim) if d != dim])


def scaled_down(input: Array, p: float, dims: tuple[int, ...], maxnorm: float) -> Array:
    """The parts along some dimensions, those with a larger p-norm scaled down to `maxnorm`."""
    wide = input.astype(np.float32) if is_half(input.dtype) else input
    factors = factors_to(norms.norm_of(wide, p, dims, True), maxnorm)
    return times_each(wide, factors).astype(input.dtype, copy=False)


@fused
def factors_to(sizes: Array, maxnorm: float) -> Array:
    """What scales parts of some sizes down to `maxnorm`: 1 for those that are not larger."""
    return np.where(sizes > maxnorm, maxnorm / (sizes + MARGIN), 1)


def renorm_cotangent(grad: Array, input: Array, p: float, dim: int, maxnorm: float) -> Array:
    """The gradient of `renorm`: of the parts that are not scaled down it is the cotangent itself."""
    dims = other_dims(input.ndim, dim)
    sizes = norms._linalg_vector_norm(input, p, dims, True)
    inverse = 1 / (sizes + MARGIN)
    along = np.real(np.add.reduce(np.conj(input) * grad, dims, keepdims=True))
    slope = maxnorm * inverse * (grad - inverse * norms.norm_cotangent(along, input, sizes, p, dims))
    return _where(sizes > maxnorm, slope, grad)


def renorm_batch(n: int, input: Array, p: float, dim: int, maxnorm: float) -> Array:
    """The batch rule of `renorm`."""
    return scaled_down(input, p, tuple([n + d for d in other_dims(input.ndim - n, dim)]), maxnorm)


@operator(
    layout="contiguous",
    batch=by(renorm_batch),
    input=renorm_cotangent,
    slopes={"input": "contiguous"},
    holomorphic=False,
)
def _renorm(input: Array, p: float, dim: int, maxnorm: float) -> Array:
    return scaled_down(input, p, other_dims(input.ndim, dim), maxnorm)


@in_place
@method
@keywords
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Scales down the slices along `dim` whose p-norm is larger than `maxnorm`, to that norm.

    RuntimeError for fewer than two dimensions, and for a negative `p` or `maxnorm`.

    >>> import rushlight as torch
    >>> torch.renorm(torch.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    ndim = input._array.ndim
    if ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {ndim} dimensions")
    norms.check_type(input)
    return _renorm(input, float(p), wrap_dim(dim, ndim), float(maxnorm))
