"""Triangles of matrices: the elements on and below (or above) a diagonal, their indices; and sums of diagonals."""

from types import ModuleType

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.compiled import load

__all__ = ["indices", "mirrored", "trace", "triangle"]

fast: ModuleType | None = load("triangles")
LARGEST = np.iinfo(np.int64).max // 4  # diagonals further away have the same effect


def triangle(input: Array, diagonal: int, lower: bool) -> Array:
    """The lower or upper triangle of matrices, from a diagonal on; zeros elsewhere."""
    diagonal = nearer(diagonal)
    if fast is not None and (found := fast.part(input, diagonal, lower)) is not None:
        return found
    if not input.size:
        return input.copy()
    return np.tril(input, diagonal) if lower else np.triu(input, diagonal)


def mirrored(input: Array, lower: bool) -> Array:
    """The Hermitian matrices that have one triangle, and the real parts of the diagonal, in common with others."""
    if fast is not None and (found := fast.mirrored(input, lower)) is not None:
        return found
    part = np.tril(input, -1) if lower else np.triu(input, 1)
    return part + part.mT.conj() + np.real(input * np.eye(input.shape[-1], dtype=input.dtype, like=input))


def trace(matrix: Array) -> Array:
    """The sum of the diagonal of a matrix; that of integers and bools in int64."""
    if fast is not None and (found := fast.trace(matrix)) is not None:
        return found
    return np.add.reduce(matrix.diagonal(), None, np.int64 if matrix.dtype.kind in "biu" else None)


def indices(rows: int, columns: int, diagonal: int, lower: bool) -> np.ndarray:
    """The row and column indices, as two rows, of the elements of a triangle."""
    diagonal = nearer(diagonal)
    if fast is not None and rows * columns <= LARGEST:
        return fast.indices(rows, columns, diagonal, lower)
    count = elements_below(rows, columns, diagonal)
    if not lower:
        count = rows * columns - elements_below(rows, columns, diagonal - 1)
    if count > LARGEST:
        raise MemoryError(f"Unable to allocate an array with shape {(2, count)}")
    found = np.empty((2, count), np.int64)  # allocated first, as it may fail
    if count:
        below = np.tri(rows, columns, diagonal if lower else diagonal - 1, bool)
        found[:] = (below if lower else ~below).nonzero()
    return found


def nearer(diagonal: int) -> int:
    """A diagonal limited to `LARGEST`. OverflowError for numbers of more than 64 bits."""
    return diagonal if abs(diagonal) < LARGEST else max(-LARGEST, min(int(np.int64(diagonal)), LARGEST))


def elements_below(rows: int, columns: int, diagonal: int) -> int:
    """The number of elements on or below a diagonal."""
    first = max(diagonal, 0) + 1  # the elements of the first row that has some, and of the last, in an endless matrix
    last = rows + diagonal
    if last < first:
        return 0
    whole = max(last - max(first - 1, columns), 0)  # rows that lie below the diagonal entirely
    last -= whole
    return whole * columns + (first + last) * (last - first + 1) // 2
