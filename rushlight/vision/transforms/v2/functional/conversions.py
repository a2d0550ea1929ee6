"""Functions that v2 has and v1 has not: conversions of images, noise, other names."""

from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.ops.making.from_data import from_numpy
from rushlight.ops.randomness.random_tensors import randn_like
from rushlight.tensors import Tensor
from rushlight.vision.transforms.basics import get_image_size, hflip, vflip
from rushlight.vision.transforms.pixels import convert_image_dtype, pil_to_tensor, rgb_to_grayscale, to_pil_image
from rushlight.vision.transforms.warping import elastic_transform
from rushlight.vision.tv_tensors.kinds import Image

__all__ = [
    "elastic",
    "gaussian_noise",
    "get_size",
    "grayscale_to_rgb",
    "horizontal_flip",
    "permute_channels",
    "to_dtype",
    "to_image",
    "vertical_flip",
]

horizontal_flip, vertical_flip, elastic = hflip, vflip, elastic_transform


def to_image(inpt: Any) -> Image:
    """An image as a `tv_tensors.Image` (channels, height, width), with unchanged values."""
    if isinstance(inpt, np.ndarray):
        return Image(from_numpy(np.ascontiguousarray(np.atleast_3d(inpt).transpose(2, 0, 1))))
    return Image(inpt)


def to_dtype(inpt: Tensor, dtype: dtypes.dtype = dtypes.float32, scale: bool = False) -> Tensor:
    """A tensor of another dtype; with `scale`, its values are scaled to the range of that dtype."""
    return convert_image_dtype(inpt, dtype) if scale else inpt.to(dtype)


def get_size(inpt: Any) -> list[int]:
    """The height and width of an image."""
    return get_image_size(inpt)[::-1]


def grayscale_to_rgb(inpt: Any) -> Any:
    """An image with three channels; one that has three is unchanged."""
    if isinstance(inpt, Tensor):
        return inpt if inpt.shape[-3] == 3 else inpt.expand(*inpt.shape[:-3], 3, *inpt.shape[-2:])
    return rgb_to_grayscale(inpt, 3) if np.asarray(inpt).ndim == 2 else inpt


def gaussian_noise(inpt: Tensor, mean: float = 0.0, sigma: float = 0.1, clip: bool = True) -> Tensor:
    """An image from 0 to 1 plus normal noise. ValueError for integers, and for a negative `sigma`."""
    if not inpt.is_floating_point():
        raise ValueError(f"Input tensor is expected to be in float dtype, got dtype={inpt.dtype}")
    if sigma < 0:
        raise ValueError(f"sigma shouldn't be negative. Got {sigma}")
    noisy = inpt + mean + randn_like(inpt) * sigma
    return noisy.clamp(0, 1) if clip else noisy


def permute_channels(inpt: Any, permutation: Any) -> Any:
    """An image with its channels in another order."""
    order = [int(place) for place in permutation]
    if not isinstance(inpt, Tensor):
        return to_pil_image(pil_to_tensor(inpt)[order])
    return inpt[..., order, :, :]
