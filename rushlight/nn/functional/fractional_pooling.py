"""Fractional max pooling: windows of one size at random distances, for a given output size.

Graham, "Fractional max-pooling", 2014.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight import random
from rushlight.core.aliases import Array
from rushlight.core.graph import new_tensor
from rushlight.kernels.pooling import fractional_maxima
from rushlight.nn.functional import planes
from rushlight.nn.functional.batching import as_samples
from rushlight.nn.functional.sizes import Numbers, repeated
from rushlight.ops.arguments.dims import size_of
from rushlight.ops.table import operator
from rushlight.random import distributions
from rushlight.tensors import Tensor

__all__ = [
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
]


def starts(samples: Array, size: int, count: int, kernel: int) -> Array:
    """The start of each window along one dimension, for each channel of each sample: (N, C, count)."""
    begin = np.full((*samples.shape, count), size - kernel, np.int64)
    if count > 1:
        alpha = samples.dtype.type((size - kernel) / (count - 1))
        steps = np.arange(count - 1, dtype=samples.dtype, like=samples) + samples[..., None]
        begin[..., :-1] = (steps * alpha).astype(np.int64) - (samples * alpha).astype(np.int64)[..., None]
    return begin


def positions(samples: Array, spatial: Any, places: Sequence[int], kernel: Sequence[int]) -> Array:
    """The flat positions of each window's elements: (N, C, windows, taps)."""
    order = range(len(spatial)) if len(spatial) == 3 else (1, 0)  # in 2-D, the first is for the width
    flat = np.zeros((*samples.shape[:2], 1, 1), np.int64)
    for which, size, count, width in zip(order, spatial, places, kernel, strict=True):
        line = starts(samples[..., which], size, count, width)[..., None] + np.arange(width)
        flat = flat[:, :, :, None, :, None] * size + line[:, :, None, :, None, :]
        flat = flat.reshape(*samples.shape[:2], flat.shape[2] * count, flat.shape[4] * width)
    return flat


def pool_operator(dims: int) -> Any:
    """Registers the fractional max pooling of `dims` dimensions."""

    def fractional_max_pool(
        input: Array, samples: Array, kernel: Sequence[int], places: Sequence[int]
    ) -> tuple[Array, Array]:
        if (found := fractional_maxima(input, samples, places, kernel)) is not None:
            return found
        batch = planes.batched(input, dims)
        values, indices = planes.largest(batch, positions(samples, batch.shape[2:], places, kernel))
        shape = (*input.shape[:-dims], *places)
        return values.reshape(shape), indices.reshape(shape)

    return operator(
        batch=as_samples,
        name=f"fractional_max_pool{dims}d",
        node=f"FractionalMaxPool{dims}DBackward0",
        nondifferentiable=(1,),
        input=lambda grad, result1, input_shape: planes.scatter(grad[0], result1, input_shape, dims),
    )(fractional_max_pool)


POOL = {dims: pool_operator(dims) for dims in (2, 3)}
NAMES: dict[int, tuple[str, ...]] = {2: ("height", "width"), 3: ("time", "height", "width")}


def each(dims: int, name: str, numbers: Any) -> tuple[int, ...]:
    """One number for each dimension. RuntimeError for a wrong count."""
    found = repeated(numbers, dims)
    if found is None:
        raise RuntimeError(
            f"fractional_max_pool{dims}d: {name} must either be a single Int or tuple of Ints, one for each dimension"
        )
    return found


def places_of(dims: int, shape: Sequence[int], ratios: Any) -> tuple[int, ...]:
    """The number of windows along each dimension, from its ratio to the input size."""
    if isinstance(ratios, (int, float)):
        if dims == 2:
            raise TypeError(f"object of type '{type(ratios).__name__}' has no len(): give output_ratio as a tuple")
        ratios = (ratios,) * dims
    elif len(ratios) != dims:
        raise ValueError(
            f"fractional_max_pool{dims}d requires output_ratio to either be a single Int or tuple of Ints."
        )
    return tuple(int(size_of(shape, k - dims) * ratio) for k, ratio in enumerate(ratios))


def check_samples(samples: Tensor, batch: int, channels: int, dims: int) -> None:
    """Raises PyTorch's errors for random numbers whose shape is not (N, C, dims)."""
    shape = samples._array.shape
    if len(shape) != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {len(shape)}")
    if shape[0] < batch:
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if shape[1] != channels:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if shape[2] != dims:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {dims}; got {shape[2]}.")


def check_output_sizes(dims: int, shape: Sequence[int], kernel: Sequence[int], places: Sequence[int]) -> None:
    """Raises PyTorch's errors for sizes that cannot be pooled."""
    name = f"fractional_max_pool{dims}d{'_out' if dims == 3 else ''}"
    if len(shape) not in (dims + 1, dims + 2):
        raise RuntimeError(f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got: {list(shape)}")
    if 0 in shape[1:]:
        raise RuntimeError(
            f"{name}(): Expected input to have non-zero size for non-batch dimensions, but got{list(shape)} with "
            f"dimension {shape.index(0, 1)} being empty."
        )
    if min(kernel) <= 0:
        raise RuntimeError(f"{name}(): kernel size should be greater than zero, but got {list(kernel)}")
    for word, size, count, width in zip(NAMES[dims], shape[-dims:], places, kernel, strict=True):
        if count + width - 1 > size:
            raise RuntimeError(f"{name}(): pool {word} {width} too large relative to input {word} {size}")


def pool(
    dims: int, input: Tensor, kernel_size: Any, output_size: Any, output_ratio: Sequence[float] | None, samples: Any
) -> Any:
    """The maxima of random windows, and their indices."""
    x, name = input._array, f"fractional_max_pool{dims}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    places = None if output_size is not None else places_of(dims, x.shape, output_ratio)
    if samples is None:
        channels = size_of(x.shape, -dims - 1)
        batch = 1 if x.ndim == dims + 1 else size_of(x.shape, 0)
        samples = new_tensor(distributions.uniform(random.default_generator, (batch, channels, dims), x.dtype))
    kernel = each(dims, "kernel_size", kernel_size)
    places = each(dims, "output_size", output_size) if places is None else places
    check_output_sizes(dims, x.shape, kernel, places)
    batch, channels = (1, x.shape[0]) if x.ndim == dims + 1 else x.shape[:2]
    check_samples(samples, batch, channels, dims)
    return POOL[dims](input, samples if len(samples._array) == batch else samples[:batch], kernel, places)


def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Numbers,
    output_size: Numbers | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """`fractional_max_pool2d`, with the indices of the maxima in the flattened planes.

    >>> import rushlight as torch
    >>> values, indices = torch.nn.functional.fractional_max_pool2d_with_indices(torch.ones(1, 6, 6), 2, 3)
    >>> indices.shape
    torch.Size([1, 3, 3])
    """
    return pool(2, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Numbers,
    output_size: Numbers | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """`fractional_max_pool3d`, with the indices of the maxima in the flattened volumes.

    >>> import rushlight as torch
    >>> values, indices = torch.nn.functional.fractional_max_pool3d_with_indices(torch.ones(1, 6, 6, 6), 2, 3)
    >>> indices.shape
    torch.Size([1, 3, 3, 3])
    """
    return pool(3, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Numbers,
    output_size: Numbers | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Max pooling of (N, C, H, W) or (C, H, W) to `output_size`, over windows at random distances.

    `output_ratio` gives the output size as a fraction of the input size. The random numbers in [0, 1) that place the
    windows are drawn for each channel, or given as `_random_samples` (N, C, 2). ValueError without a size, RuntimeError
    for one too large.

    >>> import rushlight as torch
    >>> torch.nn.functional.fractional_max_pool2d(torch.ones(1, 6, 6), 2, output_ratio=(0.5, 0.5)).shape
    torch.Size([1, 3, 3])
    """
    found = pool(2, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]


def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Numbers,
    output_size: Numbers | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Max pooling of (N, C, D, H, W) or (C, D, H, W) over windows at random distances; see `fractional_max_pool2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.fractional_max_pool3d(torch.ones(1, 6, 6, 6), 2, output_size=3).shape
    torch.Size([1, 3, 3, 3])
    """
    found = pool(3, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]
