"""Batch rules of products: a single matrix product if one operand is the same for all examples."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import Batched, aligned, grown, lifted
from rushlight.core.batching import one_by_one
from rushlight.ops.products.equations import LETTERS


def times(x: Array, matrix: Array, levels: Any) -> Array:
    """The products of arrays (..., k) and matrices (k, m), either of which may be batched."""
    if type(matrix) is not Batched:
        x = aligned(x, levels)
        return x.reshape(math.prod(x.shape[:-1]), x.shape[-1]).dot(matrix).reshape(*x.shape[:-1], matrix.shape[1])
    if x.ndim == 1:
        return np.matmul(aligned(x, levels)[..., None, :], aligned(matrix, levels))[..., 0, :]
    return np.matmul(aligned(x, levels), grown(aligned(matrix, levels), len(levels), x.ndim))


def turned(matrix: Array) -> Array:
    """The transpose of a matrix, which may be batched."""
    return Batched(matrix.array.swapaxes(-1, -2), matrix.levels) if type(matrix) is Batched else matrix.T


def with_matrix(op: Any, args: Any, levels: Any) -> Array:
    """The batch rule of `x @ matrix`, for x with any number of dimensions."""
    x, matrix = args
    return times(x, matrix, levels)


def with_turned(op: Any, args: Any, levels: Any) -> Any:
    """The batch rule of `x @ matrix.T`."""
    x, matrix = args
    return times(x, turned(matrix), levels)


def matrix_first(op: Any, args: Sequence[Any], levels: Any) -> Array:
    """The batch rule of `matrix @ vector`."""
    matrix, vector = args
    return times(vector, turned(matrix), levels)


def of_vectors(op: Any, args: Any, levels: Any) -> Any:
    """The batch rule of the dot product."""
    x, y = args
    if type(x) is not Batched or type(y) is not Batched:
        single, many = (x, y) if type(x) is not Batched else (y, x)
        return aligned(many, levels).dot(single)
    x, y = aligned(x, levels), aligned(y, levels)
    return np.matmul(x[..., None, :], y[..., :, None])[..., 0, 0]


def of_conjugate(op: Any, args: Any, levels: Any) -> Any:
    """The batch rule of the dot product with the first vector conjugated."""
    return of_vectors(op, (args[0].conj(), args[1]), levels)


def layer(op: Any, args: Sequence[Any], levels: Any) -> Array:
    """The batch rule of `x @ weight.T + bias`."""
    x, weight, bias = args
    return times(x, turned(weight), levels) + lifted(bias, levels, x.ndim)


def outer(x: Array, y: Array, levels: Any) -> Any:
    """The outer products of vectors."""
    return aligned(x, levels)[..., :, None] * aligned(y, levels)[..., None, :]


def of_columns(op: Any, args: Any, levels: Any) -> Array:
    """The batch rule of the outer product."""
    x, y = args
    return outer(x, y, levels)


def of_matrices(x: Array, y: Array, levels: Any) -> Any:
    """Products of two batches of matrices, example by example."""
    return np.matmul(aligned(x, levels), aligned(y, levels))


def summed(x: Array, y: Array, levels: Any) -> Any:
    """The sums of such products over the inner batch."""
    return np.add.reduce(of_matrices(x, y, levels), axis=-3)


def plus(product: Callable[..., Any]) -> Callable[..., Any]:
    """The batch rule of `beta * input + alpha * product(first, second)`."""

    def rule(op: Any, args: Any, levels: Any) -> Array:
        input, first, second, beta, alpha = args
        result = product(first, second, levels)
        result = result * result.dtype.type(alpha)
        ndim = result.ndim - len(levels)
        return result if beta == 0 else result + lifted(input, levels, ndim) * result.dtype.type(beta)

    return rule


def of_letters(op: Any, args: Sequence[Any], levels: Any) -> Array:
    """The batch rule of `einsum`: each `vmap` level adds a letter."""
    operands, subscripts, output = args
    free = [letter for letter in LETTERS if not any(letter in part for part in (*subscripts, output))]
    if len(free) < len(levels):
        return one_by_one(op, args, levels)
    letters = dict(zip(levels, free, strict=False))
    parts = [
        "".join(letters[level] for level in x.levels) + part if type(x) is Batched else part
        for x, part in zip(operands, subscripts, strict=True)
    ]
    arrays = [x.array if type(x) is Batched else x for x in operands]
    return op.forward(arrays, parts, "".join(letters.values()) + output)


def of_dims(op: Any, args: Any, levels: Any) -> Any:
    """The batch rule of `tensordot`."""
    x, y, dims, dims_y = args
    n = len(levels)
    if type(x) is Batched and type(y) is Batched:
        return one_by_one(op, args, levels)
    if type(x) is Batched:
        return np.tensordot(aligned(x, levels), y, ([d % x.ndim + n for d in dims], dims_y))
    result = np.tensordot(x, aligned(y, levels), (dims, [d % y.ndim + n for d in dims_y]))
    place = x.ndim - len(dims)
    return np.moveaxis(result, range(place, place + n), range(n))
