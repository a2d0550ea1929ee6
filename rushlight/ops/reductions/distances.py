"""Distances between the rows of matrices."""

import math
from collections.abc import Sequence
from functools import lru_cache, reduce
from operator import add

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import elementwise, leading
from rushlight.core.graph import unbroadcast
from rushlight.core.kinds import kind_of
from rushlight.kernels.codes import SQUARES
from rushlight.kernels.compiled import load
from rushlight.kernels.products import times
from rushlight.kernels.reductions import reduced
from rushlight.kernels.steps import zeros
from rushlight.kernels.triangles import indices
from rushlight.ops.arguments.mismatch import check_tensors, type_name
from rushlight.ops.derivatives.unrecorded import with_kernels
from rushlight.ops.elementwise.selection import ratio
from rushlight.ops.reductions.norms import norm_cotangent, norm_of, vector_norm
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["cdist", "pdist"]

MODES = (
    "use_mm_for_euclid_dist_if_necessary",
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)
CACHED = 1 << 16  # elements of differences to process at a time
MANY = 25  # with more rows than this, Euclidean distances are computed by a matrix product

fast = load("distances")


def euclidean_cotangents(
    grad: Array, x1: Array, x1_shape: Sequence[int], x2: Array, x2_shape: Sequence[int], result: Array
) -> list[Array]:
    """The gradients of both matrices; the derivative of a distance of 0 is taken as 0."""
    weights = ratio(grad, result)
    turned = weights.mT
    of_x1 = x1 * np.add.reduce(weights, -1, keepdims=True) - np.matmul(weights, x2)
    of_x2 = x2 * np.add.reduce(turned, -1, keepdims=True) - np.matmul(turned, x1)
    return [unbroadcast(of_x1, x1_shape), unbroadcast(of_x2, x2_shape)]


@operator(
    aten="_euclidean_dist", name="euclidean_dist", batch=elementwise, joint=euclidean_cotangents, inputs=("x1", "x2")
)
def _euclidean(x1: Array, x2: Array) -> Array:
    """Euclidean distances by |x|^2 - 2 x y + |y|^2, whose rounding error is that of the squares.

    The kernel computes those of few columns from differences.
    """
    if fast is not None and (known := fast.euclidean(x1, x2)) is not None:
        return known
    squares, other_squares = (reduced(x, (x.ndim - 1,), False, SQUARES) for x in (x1, x2))
    found = times(x1, x2.mT)
    if fast is not None and fast.finish_products(found, squares, other_squares):
        return found
    return np.sqrt(np.maximum(squares[..., None] + other_squares[..., None, :] - 2 * found, 0))


@with_kernels
def distance_cotangents(
    grad: Array, x1: Array, x1_shape: Sequence[int], x2: Array, x2_shape: Sequence[int], result: Array, p: float
) -> list[Array]:
    """The gradients of both matrices: for arrays by a kernel, else a few rows at a time."""
    found = None
    if fast is not None and type(grad) is type(x1) is type(x2) is np.ndarray and p in (1, 2):
        weights = ratio(grad, result) if p == 2 else grad
        found = fast.cotangents(weights, x1, x2, p)
    if found is None:
        parts = [slopes(grad[..., k, :], x1[..., k, :], x2, result[..., k, :], p) for k in parts_of(x1, x2)]
        of_x1, of_x2 = zip(*parts, strict=True)
        found = joined(of_x1), reduce(add, of_x2)
    return [unbroadcast(found[0], x1_shape), unbroadcast(found[1], x2_shape)]


def slopes(grad: Array, x1: Array, x2: Array, result: Array, p: float) -> tuple[Array, Array]:
    """The gradients of some rows of `x1`, and the contribution of these rows to the gradient of `x2`."""
    differences = x1[..., None, :] - x2[..., None, :, :]
    of_differences = norm_cotangent(grad[..., None], differences, result[..., None], p, (differences.ndim - 1,))
    if of_differences is None:
        of_differences = np.zeros_like(differences)
    return np.add.reduce(of_differences, -2), -np.add.reduce(of_differences, -3)


def parts_of(x1: Array, x2: Array) -> list[slice]:
    """Splits the rows of `x1` into slices so small that their differences from all of `x2` fit the cache."""
    if not isinstance(x1, np.ndarray) or not isinstance(x2, np.ndarray):
        return [slice(None)]
    step = max(1, CACHED // max(1, x2.size * math.prod(x1.shape[:-2])))
    return [slice(start, start + step) for start in range(0, max(x1.shape[-2], 1), step)]


def joined(parts: Sequence[Array]) -> Array:
    """Matrices stacked into one, row by row."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts, -2)


@operator(
    aten="_cdist_forward",
    name="cdist",
    batch=elementwise,
    joint=distance_cotangents,
    inputs=("x1", "x2"),
    slopes={"x1": "contiguous", "x2": "contiguous"},
    broadcasts=True,
)
def _cdist(x1: Array, x2: Array, p: float) -> Array:
    """Distances computed from the differences of all pairs of rows."""
    if fast is not None and (known := fast.distances(x1, x2, p)) is not None:
        return known
    found = []
    for k in parts_of(x1, x2):
        differences = x1[..., k, None, :] - x2[..., None, :, :]
        found.append(norm_of(differences, p, (differences.ndim - 1,), False))
    return joined(found)


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """The p-norm distances between all rows of (*, n, d) and all rows of (*, m, d): (*, n, m).

    With more than 25 rows, Euclidean distances are computed by a matrix product, which is fast but less precise for
    rows that are close together. The `compute_mode` "donot_use_mm_for_euclid_dist" avoids that,
    "use_mm_for_euclid_dist" always does it. RuntimeError for different numbers of columns and for a negative p.

    >>> import rushlight as torch
    >>> torch.cdist(torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0], [1.0, 0.0]]))
    tensor([[5., 1.]])
    """
    check_tensors("cdist", x1=x1, x2=x2)
    if compute_mode not in MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    for name, x in (("X1", x1), ("X2", x2)):
        if x._array.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x._array.ndim}D")
        if kind_of(x._array.dtype) != "f":
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {type_name(x._array)}")
    (n, d), (m, e) = x1._array.shape[-2:], x2._array.shape[-2:]
    if d != e:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {d} X2: {e}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    own, other = (type_name(x._array) for x in (x1, x2))
    if own != other:
        raise RuntimeError(f"expected scalar type {own} but found {other}: cast one with .to(other.dtype)")
    if p == 2 and (compute_mode == MODES[1] or (compute_mode == MODES[0] and max(n, m) > MANY)):
        return _euclidean(x1, x2)
    if d == 0 or kind_of(x1._array.dtype) != "f":
        return norm_of_rows(x1.unsqueeze(-2) - x2.unsqueeze(-3), p)
    return _cdist(x1, x2, p)


def norm_of_rows(differences: Tensor, p: float) -> Tensor:
    """The p-norm along the last dimension; 0 if it is empty."""
    if differences._array.shape[-1] == 0:
        return differences.sum(-1)
    return vector_norm(differences, p, -1, False)


@lru_cache(maxsize=16)
def places_of_pairs(n: int) -> Array:
    """The places of the pairs of n rows, each with the rows after it, in the flattened matrix of all pairs."""
    rows, columns = indices(n, n, 1, False)
    return rows * n + columns


@operator(aten=(), linear=True, batch=leading, input=lambda grad: _pairs(grad + np.swapaxes(grad, -1, -2)))
def _symmetric(input: Array, n: int) -> Array:
    """The symmetric matrices with a value for each pair of rows, and 0 on the diagonal."""
    out = zeros((*input.shape[:-1], n * n), input)
    out[..., places_of_pairs(n)] = input
    out = out.reshape(*input.shape[:-1], n, n)
    return out + np.swapaxes(out, -1, -2)


@operator(aten=(), linear=True, batch=leading, input=lambda grad, input_shape: upper_triangle(grad, input_shape[-1]))
def _pairs(input: Array) -> Array:
    """The elements of matrices above their diagonals."""
    n = input.shape[-1]
    return input.reshape(*input.shape[:-2], n * n)[..., places_of_pairs(n)]


def upper_triangle(pairs: Array, n: int) -> Array:
    """The matrices with a value for each pair above the diagonal: the adjoint of `_pairs`."""
    return np.triu(_symmetric(pairs, n))


@with_kernels
def pair_cotangent(grad: Array, input: Array, result: Array, p: float) -> Array:
    """The gradient of the rows: each row is compared with all others, in both orders."""
    n = input.shape[-2]
    if fast is not None and type(grad) is type(input) is np.ndarray and p in (1, 2):
        found = fast.cotangents(_symmetric(ratio(grad, result) if p == 2 else grad, n), input, input, p, False)
        if found is not None:
            return found
    return slopes(_symmetric(grad, n), input, input, _symmetric(result, n), p)[0]


@operator(aten="_pdist_forward", node="PdistBackward0", batch=leading, input=pair_cotangent)
def _pdist(input: Array, p: float) -> Array:
    found = None if fast is None else fast.pair_distances(input, p)
    return _pairs(_cdist.forward(input, input, p)) if found is None else found


def pdist(input: Tensor, p: float = 2) -> Tensor:
    """The p-norm distances between each row of (n, d) and the rows after it: n (n - 1) / 2 numbers.

    RuntimeError for another number of dimensions, integers, and a negative p.

    >>> import rushlight as torch
    >>> torch.pdist(torch.tensor([[0.0], [1.0], [3.0]]))
    tensor([1., 3., 2.])
    """
    check_tensors("pdist", input=input)
    if input._array.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._array.ndim}D")
    if kind_of(input._array.dtype) != "f":
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    n, width = input._array.shape
    if width == 0:
        rows, columns = indices(n, n, 1, False)
        return norm_of_rows(input[rows] - input[columns], p)
    return _pdist(input, p)
