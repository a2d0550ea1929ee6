"""Functions of pixel values: conversions, brightness, contrast, colors, erasing."""

from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.graph import new_tensor
from rushlight.tensors import Tensor
from rushlight.vision.transforms.basics import Image, as_array

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_saturation",
    "convert_image_dtype",
    "erase",
    "invert",
    "pil_to_tensor",
    "rgb_to_grayscale",
    "to_grayscale",
    "to_pil_image",
]


def to_pil_image(pic: Image, mode: str | None = None) -> Any:
    """A tensor (channels, height, width) or array (height, width, channels) as a PIL image.

    Floating-point tensors are from 0 to 1. TypeError for anything but an image, ValueError for other dimensions.
    """
    from PIL import Image as Pillow

    if isinstance(pic, Tensor):
        if pic.dim() not in (2, 3):
            raise ValueError(f"pic should be 2/3 dimensional. Got {pic.dim()} dimensions.")
        planes = pic.unsqueeze(0) if pic.dim() == 2 else pic
        array = (planes.mul(255).byte() if planes.is_floating_point() else planes).permute(1, 2, 0).numpy()
    elif isinstance(pic, np.ndarray):
        array = pic[:, :, None] if pic.ndim == 2 else pic
    else:
        raise TypeError(f"pic should be Tensor or ndarray. Got {type(pic)}.")
    array = np.ascontiguousarray(array[:, :, 0] if array.shape[2] == 1 else array)
    return Pillow.fromarray(array) if mode is None else Pillow.fromarray(array).convert(mode)


def pil_to_tensor(pic: Image) -> Tensor:
    """An image as a tensor (channels, height, width), with unchanged values."""
    array = as_array(pic)
    return new_tensor(np.array(array[None] if array.ndim == 2 else array.transpose(2, 0, 1), order="C"))


def convert_image_dtype(image: Tensor, dtype: dtypes.dtype = dtypes.float32) -> Tensor:
    """A tensor in another dtype, with its values scaled to the range of that: 0 to 1, or 0 to the largest integer.

    >>> import rushlight as torch
    >>> from rushlight.vision.transforms.pixels import convert_image_dtype
    >>> convert_image_dtype(torch.tensor([0, 255], dtype=torch.uint8))
    tensor([0., 1.])
    """
    if image.dtype is dtype:
        return image
    if image.is_floating_point():
        if dtype.is_floating_point:
            return image.to(dtype)
        return image.mul(dtypes.iinfo(dtype).max + 1.0 - 1e-3).to(dtype)
    most = dtypes.iinfo(image.dtype).max
    if dtype.is_floating_point:
        return image.to(dtype) / most
    wanted = dtypes.iinfo(dtype).max
    if most > wanted:
        return (image // ((most + 1) // (wanted + 1))).to(dtype)
    return image.to(dtype) * ((wanted + 1) // (most + 1))


def planes(img: Image) -> tuple[Tensor, Any]:
    """An image as a tensor, and a function that converts such a tensor back to the image's type."""
    if isinstance(img, Tensor):
        return img, lambda tensor: tensor
    return pil_to_tensor(img), lambda tensor: np.ascontiguousarray(tensor.numpy().transpose(1, 2, 0))


def grey(img: Tensor) -> Tensor:
    """The luminance of an RGB image, as one channel."""
    red, green, blue = img.unbind(-3)
    return (0.2989 * red + 0.587 * green + 0.114 * blue).to(img.dtype).unsqueeze(-3)


def rgb_to_grayscale(img: Image, num_output_channels: int = 1) -> Image:
    """An image converted to gray, with one channel or three equal ones."""
    if not isinstance(img, Tensor):
        bright = np.asarray((to_pil_image(img) if isinstance(img, np.ndarray) else img).convert("L"))
        return bright if num_output_channels == 1 else np.stack([bright] * 3, 2)
    tensor, back = planes(img)
    one = tensor if tensor.shape[-3] == 1 else grey(tensor)
    return back(one if num_output_channels == 1 else one.expand(*one.shape[:-3], 3, *one.shape[-2:]))


to_grayscale = rgb_to_grayscale


def blended(img: Tensor, other: Any, ratio: float) -> Tensor:
    """An image blended with another, clamped to the range of its dtype."""
    bound = 1.0 if img.is_floating_point() else float(dtypes.iinfo(img.dtype).max)
    return (ratio * img + (1.0 - ratio) * other).clamp(0, bound).to(img.dtype)


def adjust_brightness(img: Image, brightness_factor: float) -> Image:
    """An image with its brightness multiplied by a factor. ValueError for a negative factor."""
    tensor, back = planes(img)
    check_factor(brightness_factor, "brightness_factor")
    return back(blended(tensor, 0.0 * tensor, brightness_factor))


def adjust_contrast(img: Image, contrast_factor: float) -> Image:
    """An image blended with its mean luminance. ValueError for a negative factor."""
    tensor, back = planes(img)
    check_factor(contrast_factor, "contrast_factor")
    real = tensor if tensor.is_floating_point() else tensor.to(dtypes.float32)
    mean = (grey(tensor).to(real.dtype) if tensor.shape[-3] == 3 else real).mean((-3, -2, -1), keepdim=True)
    return back(blended(tensor, mean, contrast_factor))


def adjust_saturation(img: Image, saturation_factor: float) -> Image:
    """An image blended with its gray version. ValueError for a negative factor."""
    tensor, back = planes(img)
    check_factor(saturation_factor, "saturation_factor")
    return back(tensor if tensor.shape[-3] == 1 else blended(tensor, grey(tensor), saturation_factor))


def check_factor(factor: float, name: str) -> None:
    """Raises ValueError for a negative factor."""
    if factor < 0:
        raise ValueError(f"{name} ({factor}) is not non-negative.")


def invert(img: Image) -> Image:
    """An image with inverted colors."""
    tensor, back = planes(img)
    return back((1.0 if tensor.is_floating_point() else dtypes.iinfo(tensor.dtype).max) - tensor)


def erase(img: Tensor, i: int, j: int, h: int, w: int, v: Any, inplace: bool = False) -> Tensor:
    """A tensor in which a rectangle is set to values `v`."""
    out = img if inplace else img.clone()
    out[..., i : i + h, j : j + w] = v
    return out
