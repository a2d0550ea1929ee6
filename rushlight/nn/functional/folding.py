"""Sliding patches of images as columns (im2col), and its adjoint, which adds columns up to images (col2im)."""

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels import patches
from rushlight.nn.functional.batching import as_samples
from rushlight.nn.functional.sizes import Numbers, hashable, repeated
from rushlight.ops.arguments.dims import size_of
from rushlight.ops.table import operator, refuse
from rushlight.tensors import Tensor

__all__ = ["fold", "unfold"]


@operator(
    batch=as_samples,
    linear=True,
    node="Im2ColBackward0",
    input=lambda grad, input_shape, kernel, dilation, padding, stride: _fold(
        grad, tuple(input_shape[-2:]), kernel, dilation, padding, stride
    ),
)
def _unfold(
    input: Array, kernel: tuple[int, ...], dilation: tuple[int, ...], padding: tuple[int, ...], stride: tuple[int, ...]
) -> Array:
    batch = input if input.ndim == 4 else input[None]
    columns = patches.unfold(batch, kernel, dilation, padding, stride)
    return columns if input.ndim == 4 else columns[0]


@operator(
    aten="col2im",
    batch=as_samples,
    linear=True,
    node="Col2ImBackward0",
    input=lambda grad, kernel, dilation, padding, stride: _unfold(grad, kernel, dilation, padding, stride),
)
def _fold(
    input: Array,
    spatial: tuple[int, ...],
    kernel: tuple[int, ...],
    dilation: tuple[int, ...],
    padding: tuple[int, ...],
    stride: tuple[int, ...],
) -> Array:
    batch = input if input.ndim == 3 else input[None]
    images = patches.fold(batch, spatial, kernel, dilation, padding, stride)
    return images if input.ndim == 3 else images[0]


@lru_cache(maxsize=256)
def settings_of(kernel: Callable[..., Any], dilation: Any, padding: Any, stride: Any) -> Any:
    """Kernel size, dilation, padding and stride as pairs. RuntimeError for impossible values."""
    given = {"kernel": kernel, "dilation": dilation, "pad": padding, "stride": stride}
    full = {"kernel": "kernel size", "pad": "padding"}
    settings = []
    for name, numbers in given.items():
        word = full.get(name, name)
        pair = repeated(numbers, 2)
        if pair is None:
            raise RuntimeError(f"It is expected {word} equals to 2, but got size {len(numbers)}")
        if min(pair) < (0 if name == "pad" else 1):
            bound = "non-negative" if name == "pad" else "greater than zero"
            raise RuntimeError(f"{word} should be {bound}, but got {name}_height: {pair[0]} {name}_width: {pair[1]}")
        settings.append(pair)
    return tuple(settings)


@lru_cache(maxsize=256)
def places_of(spatial: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """How many patches there are along each dimension; less than one if the kernel does not fit."""
    lines = zip(spatial, kernel, dilation, padding, stride, strict=True)
    return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in lines)


def listing(kernel: Callable[..., Any], dilation: Any, padding: Any, stride: Any = None) -> Any:
    """The settings as error messages list them."""
    last = "" if stride is None else f", stride={stride}"
    return f"kernel_size={kernel}, dilation={dilation}, padding={padding}{last}"


def unfold(
    input: Tensor, kernel_size: Numbers, dilation: Numbers = 1, padding: Numbers = 0, stride: Numbers = 1
) -> Tensor:
    """Sliding patches of images (N, C, H, W) or (C, H, W) as columns (N, C * KH * KW, patches).

    RuntimeError if no patch fits.

    >>> import rushlight as torch
    >>> torch.nn.functional.unfold(torch.arange(4.0).reshape(1, 1, 2, 2), 2)
    tensor([[[0.],
             [1.],
             [2.],
             [3.]]])
    """
    if not isinstance(input, Tensor):
        refuse("unfold", "input", 1, input)
    settings = settings_of(*hashable(kernel_size, dilation, padding, stride))
    shape = input._array.shape
    if len(shape) != 2 or shape[1]:
        for dim in (1, 2):
            size_of(shape, dim)
    if len(shape) not in (3, 4) or 0 in shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
            f"input, but got: {list(shape)}"
        )
    places = places_of(shape[-2:], *settings)
    if min(places) < 1:
        raise RuntimeError(
            f"Given input with spatial size {tuple(shape[-2:])}, {listing(*settings[:3])}, calculated shape of the "
            f"array of sliding blocks as {places}, but its components must be at least one."
        )
    return _unfold(input, *settings)


def fold(
    input: Tensor,
    output_size: Numbers,
    kernel_size: Numbers,
    dilation: Numbers = 1,
    padding: Numbers = 0,
    stride: Numbers = 1,
) -> Tensor:
    """Adds columns (N, C * KH * KW, patches), or without N, up to images (N, C, H, W), the adjoint of `unfold`.

    RuntimeError for columns that do not match the images.

    >>> import rushlight as torch
    >>> torch.nn.functional.fold(torch.ones(1, 2, 2), (1, 3), (1, 2))
    tensor([[[[1., 2., 1.]]]])
    """
    if not isinstance(input, Tensor):
        refuse("fold", "input", 1, input)
    settings = settings_of(*hashable(kernel_size, dilation, padding, stride))
    size = repeated(output_size, 2)
    if size is None:
        raise RuntimeError(f"It is expected output_size equals to 2, but got size {np.size(output_size)}")
    shape = input._array.shape
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(shape)}"
        )
    check_columns(shape, size, settings)
    return _fold(input, size, *settings)


def check_columns(shape: Any, size: Any, settings: Any) -> None:
    """Raises PyTorch's errors for columns that do not match an image."""
    kernel, dim = settings[0], len(shape) - 2
    if shape[-2] % prod(kernel):
        raise RuntimeError(
            f"Expected size of input's dimension {dim} to be divisible by the product of kernel_size, "
            f"but got input.size({dim})={shape[-2]} and kernel_size={kernel}."
        )
    high, wide = places_of(size, *settings)
    if high * wide != shape[-1] or min(high, wide) < 1:
        raise RuntimeError(
            f"Given output_size={size}, {listing(*settings)}, expected size of input's dimension {dim + 1} to match "
            f"the calculated number of sliding blocks {high} * {wide} = {high * wide}, "
            f"but got input.size({dim + 1})={shape[-1]}."
        )
