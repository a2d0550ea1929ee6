"""Solutions, inverses and determinants of square matrices: small ones by a kernel, others by LAPACK."""

from types import ModuleType

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.compiled import load

__all__ = ["determinant", "inverse", "solution"]

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
    """The determinants."""
    found = None if fast is None else fast.determinants(A)
    return np.linalg.det(A) if found is None else found
