"""Elements of the planes of a batch, selected by the flat indices that pooling returns."""

from math import prod
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels import pooling as kernels
from rushlight.nn.functional.batching import as_samples
from rushlight.ops.table import operator


def batched(array: Array, dims: int) -> Array:
    """A single sample as a batch of one; a batch unchanged."""
    return array if array.ndim == dims + 2 else array[None]


@operator(
    batch=as_samples,
    linear=True,
    input=lambda grad, indices, input_shape, dims: scatter(grad, indices, input_shape, dims),
)
def gather(input: Array, indices: Array, dims: int) -> Array:
    """The elements at the indices, of batches (N, C, *spatial) or samples (C, *spatial)."""
    return kernels.gather_planes(batched(input, dims), batched(indices, dims)).reshape(indices.shape)


@operator(batch=as_samples, linear=True, input=lambda grad, indices, dims: gather(grad, indices, dims))
def scatter(input: Array, indices: Array, shape: Any, dims: int) -> Array:
    """Zeros of a given shape, with the elements added at the indices."""
    return kernels.scatter_planes(batched(input, dims), batched(indices, dims), shape[-dims:]).reshape(shape)


def largest(planes: Array, positions: Array) -> tuple[Array, ...]:
    """The maxima of planes (N, C, *spatial) over positions (N or 1, C or 1, windows, taps), and their indices.

    As in pooling, the first of equal elements is taken, but the last NaN.
    """
    if (found := kernels.largest_listed(planes, positions)) is not None:
        return found
    flat = planes.reshape(*planes.shape[:2], 1, prod(planes.shape[2:]))
    seen = np.take_along_axis(flat, positions, -1)
    tap = seen.argmax(-1)
    if np.isnan(seen).any():
        missing = np.isnan(seen)[..., ::-1]
        tap = np.where(missing.any(-1), missing.shape[-1] - 1 - missing.argmax(-1), tap)
    tap = tap[..., None]
    positions = np.broadcast_to(positions, seen.shape)
    return np.take_along_axis(seen, tap, -1)[..., 0], np.take_along_axis(positions, tap, -1)[..., 0]
