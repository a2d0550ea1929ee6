"""Solutions, inverses, determinants and Cholesky factors of matrices: small ones by a kernel, others by LAPACK.

For a large matrix SciPy's LAPACK is faster than NumPy's: it inverts, where NumPy solves for the identity matrix, and
neither copies nor transposes are needed.
"""

from types import ModuleType

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.compiled import load
from rushlight.machine.blas import lapack_functions

__all__ = [
    "definite_factor",
    "determinant",
    "inverse",
    "is_large",
    "is_spoiled",
    "log_determinant",
    "regular_cofactors",
    "solution",
]

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
    factors, pivots, zero = factorized(A)
    if zero:
        raise np.linalg.LinAlgError("Singular matrix")
    if B is not None:
        return lapack_functions("getrs", A)(factors, pivots, B, trans=int(A.flags.c_contiguous))[0]
    return inverted(A, factors, pivots)


def inverted(A: np.ndarray, factors: np.ndarray, pivots: np.ndarray) -> np.ndarray:
    """The inverse of a large matrix from its LU decomposition, which is written over."""
    inverse = lapack_functions("getri", A)(factors, pivots, lwork=WORK * len(A), overwrite_lu=True)[0]
    return inverse.T if A.flags.c_contiguous else inverse


def factorized(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """The LU decomposition, pivots and LAPACK's `info` of a large matrix; of its transpose where that is no copy."""
    return lapack_functions("getrf", A)(A.T if A.flags.c_contiguous else A)


def determinant(A: Array) -> Array:
    """The determinants: nan for a matrix with numbers that are not finite, also where a pivot is zero."""
    found = None if fast is None else fast.determinants(A)
    if found is None:
        found = np.multiply.reduce(signed_pivots(*factorized(A)[:2])) if is_large(A) else np.linalg.det(A)
    return found if np.all(found) else np.where(is_spoiled(A, found), found * np.nan, found)


def log_determinant(A: Array) -> tuple[Array, Array]:
    """The signs (or phases) of the determinants, and the logarithms of their absolute values."""
    if not is_large(A):
        return np.linalg.slogdet(A)
    found = signed_pivots(*factorized(A)[:2])
    sizes = np.abs(found)
    with np.errstate(divide="ignore"):
        logarithm = np.add.reduce(np.log(sizes))
    sign = np.multiply.reduce(found / sizes) if sizes.all() else A.dtype.type(0)
    return np.asarray(sign), np.asarray(logarithm)


def regular_cofactors(A: Array) -> Array | None:
    """The determinants times the transposed inverses; None where a determinant is 0."""
    if not is_large(A):
        volume = determinant(A)[..., None, None]
        return volume * inverse(A).mT if np.all(volume != 0) else None
    factors, pivots, _ = factorized(A)
    volume = np.multiply.reduce(signed_pivots(factors, pivots))
    if volume == 0 and np.isfinite(A).all():
        return None
    return (volume if volume else volume * np.nan) * inverted(A, factors, pivots).T


def signed_pivots(factors: np.ndarray, pivots: np.ndarray) -> np.ndarray:
    """The numbers whose product is the determinant of a large matrix, from its LU decomposition."""
    found = factors.diagonal().copy()
    if np.count_nonzero(pivots != np.arange(len(factors))) % 2:
        found[0] = -found[0]
    return found


def definite_factor(A: Array, upper: bool) -> Array | None:
    """The Cholesky factors of small matrices by the kernel; None for others, and where one is not positive definite."""
    return None if fast is None else fast.cholesky(A, upper)


def is_spoiled(A: Array, determinants: Array) -> Array:
    """Whether a determinant of zero, at which the elimination ended, is that of a matrix that is not finite."""
    return (determinants == 0) & ~np.isfinite(A).all((-2, -1))
