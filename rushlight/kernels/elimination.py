"""Solutions, inverses and determinants of square matrices: small ones by a kernel, others by LAPACK."""

from types import ModuleType

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.compiled import load

__all__ = ["determinant", "inverse", "is_spoiled", "solution"]

fast: ModuleType | None = load("elimination")


def inverse(A: Array) -> Array:
    """The inverses. NumPy's LinAlgError for singular matrices."""
    found = None if fast is None else fast.solved(A, None)
    return np.linalg.inv(A) if found is None else found


def solution(A: Array, B: Array) -> Array:
    """The solutions X of A X = B. NumPy's LinAlgError for singular matrices."""
    found = None if fast is None else fast.solved(A, B)
    return np.linalg.solve(A, B) if found is None else found


def determinant(A: Array) -> Array:
    """The determinants: nan for a matrix with numbers that are not finite, also where a pivot is zero."""
    found = None if fast is None else fast.determinants(A)
    found = np.linalg.det(A) if found is None else found
    return found if np.all(found) else np.where(is_spoiled(A, found), found * np.nan, found)


def is_spoiled(A: Array, determinants: Array) -> Array:
    """Whether a determinant of zero, at which the elimination ended, is that of a matrix that is not finite."""
    return (determinants == 0) & ~np.isfinite(A).all((-2, -1))
