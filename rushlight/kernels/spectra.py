"""The middle factors of the gradients of eigenvalue and singular value decompositions, by a compiled kernel."""

from types import ModuleType

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.compiled import load

__all__ = ["inner"]

fast: ModuleType | None = load("spectra")


def inner(left: Array, right: Array | None, values: Array, diagonal: Array) -> np.ndarray | None:
    """Matrices with a diagonal, and beside it (left - left^T) / 2 by the differences of some values.

    With `right` it is (left - left^T) values[j] + values[i] (right - right^T) by the differences of the squares. Where
    a difference and what it divides are 0, so is the quotient. None for what the kernel does not take.
    """
    return None if fast is None else fast.inner(left, right, values, diagonal)
