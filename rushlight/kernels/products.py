"""Products of vectors and matrices: by BLAS in our own threads, and by kernels where BLAS is slow.

For small ones the overhead of NumPy is larger than BLAS's time; in products with a matrix of equal rows or columns (an
expanded array, such as the gradient of a sum) most of the work is redundant. NumPy's own calls of BLAS remain for what
the kernels do not take.
"""

from functools import cache
from types import ModuleType

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.compiled import load
from rushlight.machine.blas import WIDE_KERNELS, kernel

__all__ = [
    "add_outer",
    "add_row",
    "cross",
    "dot",
    "matvec",
    "multiplied",
    "multiply_into",
    "outer",
    "product",
    "products",
    "sum_rows",
    "times",
]

fast: ModuleType | None = load("products")
gemm: ModuleType | None = load("gemm")
if gemm is not None and not gemm.AVAILABLE:
    gemm = None
blas: ModuleType | None = load("blas")
LARGE = 1 << 26  # multiplications from which on BLAS is as fast, if it uses AVX-512
ALL = 1 << 62


def matvec(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """The product of a matrix (n, m) and a vector (m)."""
    found = None if fast is None else fast.matvec(matrix, vector)
    if found is None and blas is not None and type(vector) is np.ndarray and vector.ndim == 1:
        vector = np.ascontiguousarray(vector)  # BLAS takes no expanded numbers, and NumPy's own loop is slow
        found = blas.product(matrix, vector[:, None])
        found = None if found is None else found[:, 0]
    return np.matmul(matrix, vector) if found is None else found


def dot(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The inner product of two vectors."""
    found = None if fast is None else fast.dot(x, y)
    return x.dot(y) if found is None else found


def outer(column: np.ndarray, row: np.ndarray) -> np.ndarray:
    """The products (n, m) of each element of a vector (n) with each of another (m)."""
    found = None if fast is None else fast.outer(column, row, None)
    return column[:, None] * row if found is None else found


def add_outer(base: np.ndarray, column: np.ndarray, row: np.ndarray) -> np.ndarray:
    """`outer`, added to an array that broadcasts to it."""
    if base.ndim == 2 and base.strides[0] < base.strides[1]:
        return add_outer(base.T, row, column).T
    found = None if fast is None else fast.outer(column, row, base)
    return base + column[:, None] * row if found is None else found


def cross(x: Array, y: Array, dim: int) -> np.ndarray | None:
    """The cross products along a dimension, counted from the end; None for what no kernel takes."""
    return None if fast is None else fast.cross(x, y, dim)


def product(input: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    """The product of two matrices, (n, k) and (k, m)."""
    found = None if gemm is None else gemm.product(input, mat2, LARGE)
    return other_product(input, mat2) if found is None else found


def other_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Products that the kernel does not take: large ones, other dtypes, and expanded arrays."""
    if a.strides[0] == 0 and len(a) > 1:
        return np.broadcast_to(matvec(b.T, a[0]), (len(a), b.shape[1])).copy()
    if b.strides[1] == 0 and b.shape[1] > 1:
        return np.broadcast_to(matvec(a, b[:, 0])[:, None], (len(a), b.shape[1])).copy()
    return multiplied(a, b)


def multiplied(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product of two matrices as a new array."""
    found = None if gemm is None else gemm.product(a, b, LARGE if blas_is_wide() else ALL)
    return by_blas(a, b) if found is None else found


def products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The products of two batches of matrices, whose dimensions before the last two are broadcast."""
    found = None if gemm is None else gemm.product(a, b, ALL)
    return by_blas(a, b) if found is None else found


def times(x: Array, y: Array) -> Array:
    """The products of matrices in a formula: of NumPy's arrays by the kernels, of tensors as they record it."""
    if type(x) is not np.ndarray or type(y) is not np.ndarray:
        return np.matmul(x, y)
    return product(x, y) if x.ndim == y.ndim == 2 else products(x, y)


def by_blas(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product of two matrices or batches, by BLAS."""
    found = None if blas is None else blas.product(a, b)
    return np.matmul(a, b) if found is None else found


def multiply_into(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Writes the products of two batches of matrices to an array."""
    if blas is None or not blas.product_into(a, b, out):
        np.matmul(a, b, out=out)


@cache
def blas_is_wide() -> bool:
    """Whether NumPy's BLAS has chosen kernels for AVX-512."""
    return kernel() in WIDE_KERNELS


def add_row(matrix: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Adds a vector (m) to each row of an array (..., m), in place; returns the array."""
    if fast is None or matrix.ndim != 2 or not fast.add_row(matrix, row):
        matrix += row
    return matrix


def sum_rows(matrix: np.ndarray) -> np.ndarray:
    """The sum (m) of the rows of a matrix (n, m)."""
    found = None if fast is None else fast.sum_rows(matrix)
    return np.add.reduce(matrix, axis=0) if found is None else found
