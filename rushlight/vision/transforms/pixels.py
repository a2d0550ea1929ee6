"""Functions of pixel values: conversions, brightness, contrast, colors, erasing."""

from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.graph import new_tensor
from rushlight.ops.elementwise.selection import where
from rushlight.ops.shapes.joining import stack
from rushlight.tensors import Tensor
from rushlight.vision.transforms.basics import Image, as_array, is_picture, keeping_kind

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
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


@keeping_kind
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
    ratio = float(ratio)  # an integer would be multiplied in the image's dtype
    return (ratio * img + (1.0 - ratio) * other).clamp(0, bound).to(img.dtype)


def adjust_brightness(img: Image, brightness_factor: float) -> Image:
    """An image with its brightness multiplied by a factor. ValueError for a negative factor."""
    check_factor(brightness_factor, "brightness_factor")
    if is_picture(img):
        return enhanced(img, "Brightness", brightness_factor)
    tensor, back = planes(img)
    return back(blended(tensor, 0.0 * tensor, brightness_factor))


def adjust_contrast(img: Image, contrast_factor: float) -> Image:
    """An image blended with its mean luminance. ValueError for a negative factor."""
    check_factor(contrast_factor, "contrast_factor")
    if is_picture(img):
        return enhanced(img, "Contrast", contrast_factor)
    tensor, back = planes(img)
    real = tensor if tensor.is_floating_point() else tensor.to(dtypes.float32)
    mean = (grey(tensor).to(real.dtype) if tensor.shape[-3] == 3 else real).mean((-3, -2, -1), keepdim=True)
    return back(blended(tensor, mean, contrast_factor))


def adjust_saturation(img: Image, saturation_factor: float) -> Image:
    """An image blended with its gray version. ValueError for a negative factor."""
    check_factor(saturation_factor, "saturation_factor")
    if is_picture(img):
        return enhanced(img, "Color", saturation_factor)
    tensor, back = planes(img)
    return back(tensor if tensor.shape[-3] == 1 else blended(tensor, grey(tensor), saturation_factor))


def enhanced(img: Any, what: str, factor: float) -> Any:
    """A PIL image changed by a class of `PIL.ImageEnhance`."""
    from PIL import ImageEnhance

    return getattr(ImageEnhance, what)(img).enhance(factor)


def adjust_hue(img: Image, hue_factor: float) -> Image:
    """An image with its hues turned by a part of the circle of colors, from -0.5 to 0.5; gray images stay.

    ValueError for another part.
    """
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"hue_factor ({hue_factor}) is not in [-0.5, 0.5].")
    if is_picture(img):
        return img if img.mode in ("L", "1", "I", "F") else turned_picture(img, hue_factor)
    tensor, back = planes(img)
    if tensor.shape[-3] == 1:
        return img
    hue, saturation, value = hsv(convert_image_dtype(tensor, dtypes.float32) if is_whole(tensor) else tensor)
    return back(convert_image_dtype(rgb((hue + hue_factor) % 1.0, saturation, value), tensor.dtype))


def is_whole(img: Tensor) -> bool:
    """Whether pixels are integers."""
    return not img.is_floating_point()


def turned_picture(img: Any, hue_factor: float) -> Any:
    """A PIL image with its hues turned, in Pillow's bytes."""
    from PIL import Image as Pillow

    hue, *others = img.convert("HSV").split()
    turned = np.asarray(hue) + np.uint8(int(hue_factor * 255) % 256)
    return Pillow.merge("HSV", (Pillow.fromarray(turned), *others)).convert(img.mode)


def hsv(img: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Hue, saturation and value of an RGB image; a gray pixel has the hue 0."""
    red, green, blue = img.unbind(-3)
    most, least = img.amax(-3), img.amin(-3)
    gray = most == least
    span = most - least
    saturation = span / where(gray, 1.0, most)
    whole = where(gray, 1.0, span)
    to_red, to_green, to_blue = (most - red) / whole, (most - green) / whole, (most - blue) / whole
    is_red, is_green = most == red, most == green
    hue = where(is_red, to_blue - to_green, where(is_green, 2.0 + to_red - to_blue, 4.0 + to_green - to_red))
    return (where(gray, 0.0, hue) / 6.0 + 1.0) % 1.0, saturation, most


def rgb(hue: Tensor, saturation: Tensor, value: Tensor) -> Tensor:
    """The RGB image of a hue, a saturation and a value."""
    sector = (hue * 6.0).floor()
    part = hue * 6.0 - sector
    low = (value * (1.0 - saturation)).clamp(0.0, 1.0)
    falling = (value * (1.0 - saturation * part)).clamp(0.0, 1.0)
    rising = (value * (1.0 - saturation * (1.0 - part))).clamp(0.0, 1.0)
    shades = stack([value, falling, low, rising])  # in a sector each channel is one of these
    choice = stack([new_tensor(SHADES[k])[sector.to(dtypes.int64) % 6] for k in range(3)])
    return stack([shades.gather(0, choice[k].unsqueeze(0)).squeeze(0) for k in range(3)], dim=-3)


SHADES = np.array([[0, 1, 2, 2, 3, 0], [3, 0, 0, 1, 2, 2], [2, 2, 3, 0, 0, 1]])  # of red, green, blue in six sectors


def adjust_gamma(img: Image, gamma: float, gain: float = 1) -> Image:
    """An image with each value v from 0 to 1 replaced by gain * v ** gamma. ValueError for a negative gamma."""
    if gamma < 0:
        raise ValueError("Gamma should be a non-negative real number")
    if is_picture(img):
        table = [int((255 + 1 - 1e-3) * gain * (value / 255.0) ** gamma) for value in range(256)]
        return img.convert("RGB").point(table * 3).convert(img.mode)
    tensor, back = planes(img)
    real = convert_image_dtype(tensor, dtypes.float32) if is_whole(tensor) else tensor
    return back(convert_image_dtype((gain * real**gamma).clamp(0, 1), tensor.dtype))


def check_factor(factor: float, name: str) -> None:
    """Raises ValueError for a negative factor."""
    if factor < 0:
        raise ValueError(f"{name} ({factor}) is not non-negative.")


@keeping_kind
def invert(img: Image) -> Image:
    """An image with inverted colors."""
    tensor, back = planes(img)
    return back((1.0 if tensor.is_floating_point() else dtypes.iinfo(tensor.dtype).max) - tensor)


def erase(img: Tensor, i: int, j: int, h: int, w: int, v: Any, inplace: bool = False) -> Tensor:
    """A tensor in which a rectangle is set to values `v`."""
    out = img if inplace else img.clone()
    out[..., i : i + h, j : j + w] = v
    return out
