"""Copies of arrays in the memory order of others, so that kernels can traverse both."""

from types import ModuleType

import numpy as np

from rushlight.kernels.compiled import load
from rushlight.kernels.patches import batch_first, batch_last

__all__ = ["laid_out_like"]

fast: ModuleType | None = load("layouts")
LARGE = 1 << 12  # elements from which on a copy in another order pays off


def laid_out_like(x: np.ndarray, model: np.ndarray) -> np.ndarray:
    """`x` in the memory order of a `model` of the same shape: a copy, or `x` itself if it is so, small, or no array."""
    if type(x) is not np.ndarray or x.size < LARGE or x.shape != model.shape or x.strides == model.strides:
        return x
    samples = x.shape[0]
    if x.flags.c_contiguous and batch_last(model).flags.c_contiguous:
        turned = transposed(x.reshape(samples, x.size // samples))
        return batch_first(turned.reshape(*x.shape[1:], samples))
    copy = np.empty_like(model, dtype=x.dtype)
    copy[...] = x
    return copy


def transposed(matrix: np.ndarray) -> np.ndarray:
    """The transpose of a contiguous matrix, contiguous too."""
    found = None if fast is None else fast.transposed(matrix)
    return np.ascontiguousarray(matrix.T) if found is None else found
