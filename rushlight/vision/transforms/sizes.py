"""Functions that resize and blur images."""

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.graph import new_tensor
from rushlight.nn.functional import conv2d, interpolate, pad
from rushlight.tensors import Tensor
from rushlight.vision.transforms.basics import (
    Image,
    as_array,
    center_crop,
    crop,
    get_image_size,
    hflip,
    is_picture,
    keeping_kind,
    pair,
    vflip,
)
from rushlight.vision.transforms.pixels import pil_to_tensor

__all__ = ["InterpolationMode", "five_crop", "gaussian_blur", "resize", "resized_crop", "ten_crop"]


class InterpolationMode(Enum):
    """The interpolation methods."""

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


@keeping_kind
def resize(
    img: Image,
    size: int | Sequence[int],
    interpolation: Any = InterpolationMode.BILINEAR,
    max_size: int | None = None,
    antialias: bool | None = True,
) -> Image:
    """Resizes an image to a height and width; one number is the size of the shorter side (same aspect ratio)."""
    wide, high = get_image_size(img)
    height, width = size_of_resized(wide, high, size, max_size)
    mode = InterpolationMode(interpolation) if isinstance(interpolation, str) else interpolation
    if (high, wide) == (height, width):
        return img
    if isinstance(img, Tensor):
        return resized_tensor(img, height, width, mode.value, bool(antialias))
    from PIL import Image as Pillow

    kind = getattr(Pillow.Resampling, "NEAREST" if mode is InterpolationMode.NEAREST_EXACT else mode.name)
    picture = Pillow.fromarray(np.ascontiguousarray(img)) if isinstance(img, np.ndarray) else img
    return np.asarray(picture.resize((width, height), kind))


def size_of_resized(wide: int, high: int, size: int | Sequence[int], max_size: int | None = None) -> tuple[int, int]:
    """The height and width of a resized image: as given, or with the shorter side given and the same aspect ratio."""
    if not isinstance(size, int) and len(size) > 1:
        return size[0], size[1]
    shorter = size if isinstance(size, int) else size[0]
    small, large = sorted((wide, high))
    longer = int(shorter * large / small)
    if max_size is not None and longer > max_size:
        shorter, longer = int(max_size * shorter / longer), max_size
    return (longer, shorter) if wide <= high else (shorter, longer)


def resized_tensor(img: Tensor, height: int, width: int, mode: str, antialias: bool) -> Tensor:
    """A tensor (..., height, width) resized."""
    if mode not in ("nearest", "nearest-exact", "bilinear", "bicubic"):
        raise ValueError(f"The interpolation {mode} is for Pillow's images: tensors take nearest, bilinear and bicubic")
    lead = img.shape[:-3] if img.dim() > 3 else ()
    batch = img.reshape(-1, *img.shape[-3:]) if img.dim() > 3 else img.reshape(1, *(1,) * (3 - img.dim()), *img.shape)
    real = batch if batch.is_floating_point() else batch.to(dtypes.float32)
    smooth = mode in ("bilinear", "bicubic")
    options: dict[str, Any] = {"align_corners": False, "antialias": antialias} if smooth else {}
    out = interpolate(real, size=(height, width), mode=mode, **options)
    if not img.is_floating_point():
        out = out.clamp(0, 255).round().to(img.dtype) if smooth else out.to(img.dtype)
    return out.reshape(*lead, *out.shape[1:]) if img.dim() > 3 else out.reshape(*img.shape[:-2], height, width)


def resized_crop(
    img: Image,
    top: int,
    left: int,
    height: int,
    width: int,
    size: int | Sequence[int],
    interpolation: Any = InterpolationMode.BILINEAR,
    antialias: bool | None = True,
) -> Image:
    """A rectangle of an image, resized."""
    return resize(crop(img, top, left, height, width), size, interpolation, antialias=antialias)


@keeping_kind
def gaussian_blur(img: Tensor, kernel_size: int | Sequence[int], sigma: Any = None) -> Image:
    """An image blurred with Gaussian weights; its edges are reflected."""
    tensor = img if isinstance(img, Tensor) else pil_to_tensor(img)
    sizes = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
    widths = [k * 0.15 + 0.35 for k in sizes] if sigma is None else [sigma] * 2 if isinstance(sigma, float) else sigma
    real = tensor if tensor.is_floating_point() else tensor.to(dtypes.float32)
    weights = []
    for size, width in zip(sizes, widths, strict=True):
        places = np.linspace(-(size - 1) * 0.5, (size - 1) * 0.5, size)
        density = np.exp(-0.5 * (places / width) ** 2)
        weights.append(density / density.sum())
    kernel = new_tensor(np.outer(weights[1], weights[0]).astype(real._array.dtype))
    channels = real.shape[-3]
    batch = real.reshape(-1, *real.shape[-3:])
    padded = pad(batch, (sizes[0] // 2, sizes[0] // 2, sizes[1] // 2, sizes[1] // 2), "reflect")
    out = conv2d(padded, kernel.expand(channels, 1, *kernel.shape), groups=channels).reshape(real.shape)
    out = out if tensor.is_floating_point() else out.round().to(tensor.dtype)
    return out if isinstance(img, Tensor) else np.ascontiguousarray(out.numpy().transpose(1, 2, 0))


def five_crop(img: Image, size: int | Sequence[int]) -> tuple[Any, ...]:
    """The four corners and the center of an image."""
    (wide, high), (height, width) = get_image_size(img), pair(size)
    picture = img if isinstance(img, Tensor) or is_picture(img) else as_array(img)
    corners = [(0, 0), (0, wide - width), (high - height, 0), (high - height, wide - width)]
    return (*(crop(picture, top, left, height, width) for top, left in corners), center_crop(picture, size))


def ten_crop(img: Image, size: int | Sequence[int], vertical_flip: bool = False) -> tuple[Any, ...]:
    """The crops of `five_crop`, and those of the image flipped left to right, or with `vertical_flip` top to bottom."""
    return (*five_crop(img, size), *five_crop((vflip if vertical_flip else hflip)(img), size))
