"""Helpers of the gradient formulas of linear algebra, and batching for functions of a single matrix."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.arrays import is_foreign
from rushlight.core.batched import Batched, levels_of, spread
from rushlight.core.batching import leading
from rushlight.kernels.parts import by_slices
from rushlight.kernels.triangles import triangle
from rushlight.ops.table import operator


@operator(layout="as computed", batch=leading, linear=True, input=lambda grad: grad)
def _in_columns(input: Array) -> Array:
    """A copy of matrices in column-major order, as LAPACK returns its results."""
    return input.mT.copy().mT


def lower_part(x: Array, diagonal: int = 0) -> Array:
    """`np.tril`: in formulas, for arrays by the kernel."""
    return triangle(x, diagonal, True) if type(x) is np.ndarray else np.tril(x, diagonal)


def upper_part(x: Array, diagonal: int = 0) -> Array:
    """`np.triu`: in formulas, for arrays by the kernel."""
    return triangle(x, diagonal, False) if type(x) is np.ndarray else np.triu(x, diagonal)


def adjoint(x: Array) -> Array:
    """The conjugate transpose of matrices."""
    return x.mT.conj()


def identity_like(x: Array) -> Array:
    """The identity matrix of the size of the last dimension of x, in its dtype."""
    return np.eye(x.shape[-1], dtype=x.dtype, like=x)


def diagonal_matrix(x: Array) -> Array:
    """Diagonal matrices with the last dimension of x on the diagonal."""
    return np.expand_dims(x, -1) * identity_like(x)


def diagonal_part(x: Array) -> Array:
    """Square matrices with all elements off the diagonal set to 0."""
    return x * identity_like(x)


def skew(x: Array) -> Any:
    """Matrices minus their conjugate transposes."""
    return x - adjoint(x)


def quotient(x: Array, y: Array) -> Array:
    """x / y; 0 where both are 0."""
    return x / np.where((x == 0) & (y == 0), np.ones_like(y), y)


def gaps(x: Array) -> Array:
    """The differences x[j] - x[i] along the last dimension, as matrices with 1 on the diagonal."""
    return np.expand_dims(x, -2) - np.expand_dims(x, -1) + identity_like(x)


def of_matrices(function: Callable[[Any], Any], x: Array) -> Any:
    """The value of a function of matrices, large batches in parts that threads share."""
    return by_slices(function, x, x.ndim - 1) if x.ndim > 2 else function(x)


def over_batches(function: Callable[..., Any], arrays: Sequence[Array], dims: Sequence[int]) -> Any:
    """Calls a function of arrays with `dims` dimensions for each example; the batch dimensions are broadcast.

    NotImplementedError for arrays that are not NumPy's, which SciPy's functions do not accept.
    """
    if all(type(x) is np.ndarray and x.ndim == d for x, d in zip(arrays, dims, strict=True)):
        return function(*arrays)
    if any(is_foreign(x) for x in arrays):
        raise NotImplementedError("This decomposition is SciPy's, which takes NumPy's arrays alone: convert it before.")
    levels = levels_of(*arrays)
    if levels:
        results = over_batches(function, [spread(x, levels) for x in arrays], dims)
        return tuple([Batched(r, levels) for r in results]) if isinstance(results, tuple) else Batched(results, levels)
    cut = [x.ndim - d for x, d in zip(arrays, dims, strict=True)]
    batch = np.broadcast_shapes(*[x.shape[:c] for x, c in zip(arrays, cut, strict=True)])
    if not batch:
        return function(*arrays)
    if 0 in batch:
        samples = function(*[np.ones(x.shape[c:], x.dtype, like=x) for x, c in zip(arrays, cut, strict=True)])
        stacked = [np.empty(batch + np.shape(s), np.result_type(s)) for s in as_tuple(samples)]
    else:
        wide = [np.broadcast_to(x, batch + x.shape[c:]) for x, c in zip(arrays, cut, strict=True)]
        results = [as_tuple(function(*[x[index] for x in wide])) for index in np.ndindex(batch)]
        stacked = [np.stack(r).reshape(batch + np.shape(r[0])) for r in zip(*results, strict=True)]
        samples = results[0] if len(stacked) > 1 else None
    return tuple(stacked) if isinstance(samples, tuple) else stacked[0]


def as_tuple(value: Any) -> tuple[Any, ...]:
    """A result as a tuple: a single one as a tuple of one."""
    return value if isinstance(value, tuple) else (value,)
