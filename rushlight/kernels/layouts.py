"""Copies of arrays in the memory order of others, so that kernels can traverse both."""

import numpy as np

from rushlight.kernels.parts import assign, duplicate
from rushlight.kernels.patches import batch_first, batch_last

__all__ = ["laid_out_like"]

LARGE = 1 << 12  # elements from which on a copy in another order pays off


def laid_out_like(x: np.ndarray, model: np.ndarray) -> np.ndarray:
    """`x` in the memory order of a `model` of the same shape: a copy, or `x` itself if it is so, small, or no array."""
    if type(x) is not np.ndarray or x.size < LARGE or x.shape != model.shape or x.strides == model.strides:
        return x
    if x.flags.c_contiguous and batch_last(model).flags.c_contiguous:
        return batch_first(samples_innermost(x))
    copy = np.empty_like(model, dtype=x.dtype)
    assign(copy, x)
    return copy


def samples_innermost(batch: np.ndarray) -> np.ndarray:
    """A batch (N, ...) as a contiguous array (..., N): a view if it lies so, else a copy."""
    run = batch_last(batch)
    if not batch.flags.c_contiguous or run.flags.c_contiguous:
        return np.ascontiguousarray(run)
    samples = batch.shape[0]
    return transposed(batch.reshape(samples, batch.size // samples)).reshape(run.shape)


def transposed(matrix: np.ndarray) -> np.ndarray:
    """The transpose of a contiguous matrix, contiguous too."""
    return duplicate(matrix.T)
