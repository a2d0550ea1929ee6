"""Pixel shuffle and channel shuffle: permutations of elements, whose inverses are their adjoints."""

from math import prod

from rushlight.core.aliases import Array
from rushlight.core.batching import leading
from rushlight.kernels.parts import duplicate
from rushlight.nn.functional.batching import as_samples
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["channel_shuffle", "native_channel_shuffle", "pixel_shuffle", "pixel_unshuffle"]


@operator(layout="channels last", batch=leading, linear=True, input=lambda grad, factor: _pixel_unshuffle(grad, factor))
def _pixel_shuffle(input: Array, factor: int) -> Array:
    *lead, channels, high, wide = input.shape
    blocks = input.reshape(prod(lead), channels // factor**2, factor, factor, high, wide)
    moved = blocks.transpose(0, 1, 4, 2, 5, 3)
    return duplicate(moved).reshape(*lead, channels // factor**2, high * factor, wide * factor)


@operator(layout="channels last", batch=leading, linear=True, input=lambda grad, factor: _pixel_shuffle(grad, factor))
def _pixel_unshuffle(input: Array, factor: int) -> Array:
    *lead, channels, high, wide = input.shape
    blocks = input.reshape(prod(lead), channels, high // factor, factor, wide // factor, factor)
    moved = blocks.transpose(0, 1, 3, 5, 2, 4)
    return duplicate(moved).reshape(*lead, channels * factor**2, high // factor, wide // factor)


@operator(
    layout="channels last",
    batch=as_samples,
    linear=True,
    input=lambda grad, groups: _channel_shuffle(grad, max(grad.shape[1] // groups, 1)),
)
def _channel_shuffle(input: Array, groups: int) -> Array:
    samples, channels, *space = input.shape
    return duplicate(input.reshape(samples, groups, channels // groups, *space).swapaxes(1, 2)).reshape(input.shape)


def check_dimensions(name: str, input: Tensor) -> None:
    """Raises PyTorch's error for an input with fewer than 3 dimensions."""
    if input.ndim < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)"
        )


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(*, C * r * r, H, W) to (*, C, H * r, W * r): channels become pixels. RuntimeError if r * r does not divide.

    >>> import rushlight as torch
    >>> torch.nn.functional.pixel_shuffle(torch.arange(4.0).reshape(4, 1, 1), 2)
    tensor([[[0., 1.],
             [2., 3.]]])
    """
    check_dimensions("pixel_shuffle", input)
    if upscale_factor <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {upscale_factor}")
    channels = input.shape[-3]
    if channels % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {upscale_factor**2}"
        )
    return _pixel_shuffle(input, upscale_factor)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """(*, C, H * r, W * r) to (*, C * r * r, H, W): the inverse of `pixel_shuffle`.

    >>> import rushlight as torch
    >>> torch.nn.functional.pixel_unshuffle(torch.arange(4.0).reshape(1, 2, 2), 2).flatten()
    tensor([0., 1., 2., 3.])
    """
    check_dimensions("pixel_unshuffle", input)
    if downscale_factor <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {downscale_factor}")
    for word, dim in (("height", -2), ("width", -1)):
        if input.shape[dim] % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {word} to be divisible by downscale_factor, "
                f"but input.size({dim})={input.shape[dim]} is not divisible by {downscale_factor}"
            )
    return _pixel_unshuffle(input, downscale_factor)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Interleaves groups of channels of (N, C, ...): the first channel of each group, then the second of each, ...

    >>> import rushlight as torch
    >>> torch.nn.functional.channel_shuffle(torch.arange(4.0).reshape(1, 4, 1), 2).flatten()
    tensor([0., 2., 1., 3.])
    """
    shape = list(input.shape)
    if len(shape) < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {shape}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {shape[1]} channels and {groups} groups."
        )
    return _channel_shuffle(input, groups)


native_channel_shuffle = channel_shuffle
