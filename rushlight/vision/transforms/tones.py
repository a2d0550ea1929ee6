"""Functions that change the tones of an image: its sharpness, its contrast, the number of its values."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.graph import new_tensor
from rushlight.nn.functional import conv2d
from rushlight.ops.elementwise.selection import where
from rushlight.ops.shapes.joining import stack
from rushlight.tensors import Tensor
from rushlight.vision.transforms.basics import Image, is_picture
from rushlight.vision.transforms.pixels import blended, check_factor, enhanced, invert, planes

__all__ = ["adjust_sharpness", "autocontrast", "equalize", "posterize", "solarize"]


def adjust_sharpness(img: Image, sharpness_factor: float) -> Image:
    """An image blended with a blurred one: 0 is blurred, 1 unchanged, 2 sharper. ValueError for a negative factor."""
    check_factor(sharpness_factor, "sharpness_factor")
    if is_picture(img):
        return enhanced(img, "Sharpness", sharpness_factor)
    tensor, back = planes(img)
    if min(tensor.shape[-2:]) <= 2:
        return img
    real = tensor if tensor.is_floating_point() else tensor.to(dtypes.float32)
    kernel = np.ones((3, 3), real._array.dtype)
    kernel[1, 1] = 5.0
    channels = real.shape[-3]
    weights = new_tensor(kernel / kernel.sum()).expand(channels, 1, 3, 3)
    inner = conv2d(real.reshape(-1, *real.shape[-3:]), weights, groups=channels)
    soft = tensor.clone()
    inner = inner.reshape(*real.shape[:-2], *inner.shape[-2:])
    soft[..., 1:-1, 1:-1] = inner if tensor.is_floating_point() else inner.round().to(tensor.dtype)
    return back(blended(tensor, soft, sharpness_factor))


def autocontrast(img: Image) -> Image:
    """An image whose darkest value of each channel becomes 0 and the brightest the largest of its dtype."""
    if is_picture(img):
        return by_pillow(lambda ops: ops.autocontrast(img))
    tensor, back = planes(img)
    real = tensor if tensor.is_floating_point() else tensor.to(dtypes.float32)
    least, most = real.amin((-2, -1), keepdim=True), real.amax((-2, -1), keepdim=True)
    bound = 1.0 if tensor.is_floating_point() else float(dtypes.iinfo(tensor.dtype).max)
    scale = bound / (most - least)
    level = most == least
    stretched = (real - where(level, 0.0, least)) * where(level, 1.0, scale)
    return back(stretched.clamp(0, bound).to(tensor.dtype))


def equalize(img: Image) -> Image:
    """A uint8 image whose values are spread so that each is about as frequent. TypeError for another dtype."""
    if is_picture(img):
        return by_pillow(lambda ops: ops.equalize(img))
    tensor, back = planes(img)
    check_bytes(tensor)
    channels = [new_tensor(spread(one._settled())) for one in tensor.reshape(-1, *tensor.shape[-2:])]
    return back(stack(channels).reshape(tensor.shape))


def spread(values: Any) -> Any:
    """The equalized values of one channel; unchanged if there are too few different ones."""
    counts = np.bincount(values.reshape(-1), minlength=256)
    step = counts[counts != 0][:-1].sum() // 255
    if step == 0:
        return values
    table = (np.cumsum(counts) + step // 2) // step
    return np.clip(np.concatenate([[0], table[:-1]]), 0, 255)[values].astype(np.uint8)


def posterize(img: Image, bits: int) -> Image:
    """A uint8 image with only the highest bits of each value. TypeError for another dtype."""
    if is_picture(img):
        return by_pillow(lambda ops: ops.posterize(img, bits))
    tensor, back = planes(img)
    check_bytes(tensor)
    return back(tensor & (256 - 2 ** (8 - bits)) % 256)


def solarize(img: Image, threshold: float) -> Image:
    """An image whose values of at least a threshold are inverted. TypeError if no value of the dtype reaches it."""
    if is_picture(img):
        return by_pillow(lambda ops: ops.solarize(img, threshold))
    tensor, back = planes(img)
    if threshold > (1 if tensor.is_floating_point() else dtypes.iinfo(tensor.dtype).max):
        raise TypeError("Threshold should be less than bound of img.")
    return back(where(tensor >= threshold, invert(tensor), tensor))


def by_pillow(change: Callable[..., Any]) -> Any:
    """A PIL image changed by a function of `PIL.ImageOps`."""
    from PIL import ImageOps

    return change(ImageOps)


def check_bytes(img: Tensor) -> None:
    """Raises TypeError unless an image is of uint8."""
    if img.dtype is not dtypes.uint8:
        raise TypeError(f"Only torch.uint8 image tensors are supported, but found {img.dtype}")
