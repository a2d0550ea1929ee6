"""Solutions, inverses, determinants and Cholesky factors of matrices: small ones by a kernel, others by LAPACK."""

from types import ModuleType

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.compiled import load
from rushlight.kernels.lapack import computed, computed_with

__all__ = [
    "definite_factor",
    "determinant",
    "inverse",
    "is_spoiled",
    "log_determinant",
    "regular_cofactors",
    "solution",
]

fast: ModuleType | None = load("elimination")
LARGE = 64  # rows from which on NumPy takes longer than a few of its calls


def inverse(A: Array) -> Array:
    """The inverses. NumPy's LinAlgError for singular matrices."""
    found = None if fast is None else fast.solved(A, None)
    if found is None:
        found = computed("inverse", A)
    return np.linalg.inv(A) if found is None else found


def solution(A: Array, B: Array) -> Array:
    """The solutions X of A X = B. NumPy's LinAlgError for singular matrices."""
    found = None if fast is None else fast.solved(A, B)
    if found is None and (parts := computed_with("solution", A, B)) is not None:
        found = parts[0]
    return np.linalg.solve(A, B) if found is None else found


def determinant(A: Array) -> Array:
    """The determinants: nan for a matrix with numbers that are not finite, also where a pivot is zero."""
    found = None if fast is None else fast.determinants(A)
    if found is None:
        parts = computed("lu", A.mT)
        found = np.linalg.det(A) if parts is None else volume_of(*parts[:2])
    return found if np.all(found) else np.where(is_spoiled(A, found), found * np.nan, found)


def log_determinant(A: Array) -> tuple[Array, Array]:
    """The signs (or phases) of the determinants, and the logarithms of their absolute values."""
    parts = computed("lu", A.mT) if A.shape[-1] >= LARGE else None
    if parts is None:
        return np.linalg.slogdet(A)
    found = signed_pivots(*parts[:2])
    sizes = np.abs(found)
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithm = np.add.reduce(np.log(sizes), -1)
        sign = np.multiply.reduce(found / sizes, -1)
    return np.where(sizes.all(-1), sign, A.dtype.type(0)), np.asarray(logarithm)


def regular_cofactors(A: Array) -> Array | None:
    """The determinants times the transposed inverses; None where a determinant is 0."""
    is_small = fast is not None and fast.determinants(A) is not None
    parts = None if is_small else computed("lu", A.mT)
    if parts is None:
        volume = determinant(A)[..., None, None]
        return volume * inverse(A).mT if np.all(volume != 0) else None
    packed, pivots, _ = parts
    volume = volume_of(packed, pivots)
    zero = volume == 0
    if np.any(zero) and np.any(zero & ~is_spoiled(A, volume)):
        return None
    inverses = computed_with("lu_solution", packed, np.eye(A.shape[-1], dtype=A.dtype), pivots, False)
    return np.where(zero, np.nan, volume)[..., None, None].astype(A.dtype) * inverses


def volume_of(packed: np.ndarray, pivots: np.ndarray) -> np.ndarray:
    """The determinants of matrices, from their LU decomposition and row exchanges."""
    return np.asarray(np.multiply.reduce(signed_pivots(packed, pivots), -1))


def signed_pivots(packed: np.ndarray, pivots: np.ndarray) -> np.ndarray:
    """The numbers whose product is the determinant of a matrix, from its LU decomposition and row exchanges."""
    found = packed.diagonal(0, -2, -1).copy()
    exchanges = np.count_nonzero(pivots != np.arange(1, pivots.shape[-1] + 1), -1)
    found[..., 0] *= 1 - exchanges % 2 * 2
    return found


def definite_factor(A: Array, upper: bool) -> Array | None:
    """The Cholesky factors of small matrices by the kernel; None for others, and where one is not positive definite."""
    return None if fast is None else fast.cholesky(A, upper)


def is_spoiled(A: Array, determinants: Array) -> Array:
    """Whether a determinant of zero, at which the elimination ended, is that of a matrix that is not finite."""
    return (determinants == 0) & ~np.isfinite(A).all((-2, -1))
