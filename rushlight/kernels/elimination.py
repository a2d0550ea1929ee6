"""Solutions, inverses and determinants of square matrices: small ones by a kernel, others by LAPACK.

For a large matrix SciPy's LAPACK is faster than NumPy's: it inverts, where NumPy solves for the identity matrix, and
neither copies nor transposes are needed.
"""

from types import ModuleType

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.compiled import load
from rushlight.machine.blas import lapack_functions

__all__ = ["determinant", "inverse", "is_large", "is_spoiled", "log_determinant", "solution"]

fast: ModuleType | None = load("elimination")
LARGE = 64  # rows from which SciPy's LAPACK is asked
WORK = 64  # numbers of workspace for each row


def inverse(A: Array) -> Array:
    """The inverses. NumPy's LinAlgError for singular matrices."""
    found = None if fast is None else fast.solved(A, None)
    if found is None and is_large(A):
        return of_large(A)
    return np.linalg.inv(A) if found is None else found


def solution(A: Array, B: Array) -> Array:
    """The solutions X of A X = B. NumPy's LinAlgError for singular matrices."""
    found = None if fast is None else fast.solved(A, B)
    if found is None and is_large(A) and type(B) is np.ndarray and B.ndim == 2:
        return of_large(A, B)
    return np.linalg.solve(A, B) if found is None else found


def is_large(A: Array) -> bool:
    """Whether an array is one matrix of many rows, of a type of LAPACK's."""
    return type(A) is np.ndarray and A.ndim == 2 and len(A) >= LARGE and A.dtype.char in "fdFD"


def of_large(A: np.ndarray, B: np.ndarray | None = None) -> np.ndarray:
    """The solution of A X = B, or without B the inverse, for a large matrix."""
    solve, invert = lapack_functions(("getrs", "getri"), A)
    turned = A.flags.c_contiguous
    factors, pivots, zero = factorized(A)
    if zero:
        raise np.linalg.LinAlgError("Singular matrix")
    if B is not None:
        return solve(factors, pivots, B, trans=int(turned))[0]
    inverse = invert(factors, pivots, lwork=WORK * len(A), overwrite_lu=True)[0]
    return inverse.T if turned else inverse


def factorized(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """The LU decomposition, pivots and LAPACK's `info` of a large matrix; of its transpose where that is no copy."""
    return lapack_functions("getrf", A)(A.T if A.flags.c_contiguous else A)


def determinant(A: Array) -> Array:
    """The determinants: nan for a matrix with numbers that are not finite, also where a pivot is zero."""
    found = None if fast is None else fast.determinants(A)
    if found is None:
        found = np.multiply.reduce(pivots_of_large(A)) if is_large(A) else np.linalg.det(A)
    return found if np.all(found) else np.where(is_spoiled(A, found), found * np.nan, found)


def log_determinant(A: Array) -> tuple[Array, Array]:
    """The signs (or phases) of the determinants, and the logarithms of their absolute values."""
    if not is_large(A):
        return np.linalg.slogdet(A)
    found = pivots_of_large(A)
    sizes = np.abs(found)
    with np.errstate(divide="ignore"):
        logarithm = np.add.reduce(np.log(sizes))
    sign = np.multiply.reduce(found / sizes) if sizes.all() else A.dtype.type(0)
    return np.asarray(sign), np.asarray(logarithm)


def pivots_of_large(A: np.ndarray) -> np.ndarray:
    """The numbers whose product is the determinant of a large matrix."""
    factors, pivots, _ = factorized(A)
    found = factors.diagonal().copy()
    if np.count_nonzero(pivots != np.arange(len(A))) % 2:
        found[0] = -found[0]
    return found


def is_spoiled(A: Array, determinants: Array) -> Array:
    """Whether a determinant of zero, at which the elimination ended, is that of a matrix that is not finite."""
    return (determinants == 0) & ~np.isfinite(A).all((-2, -1))
