"""The basic transforms as functions.

An image is an array of (height, width) or (height, width, channels), a PIL image, or a tensor of (..., height, width).
Results are of the same kind.
"""

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.graph import new_tensor
from rushlight.nn.functional import pad as pad_tensor
from rushlight.tensors import Tensor

__all__ = [
    "center_crop",
    "crop",
    "get_dimensions",
    "get_image_num_channels",
    "get_image_size",
    "hflip",
    "normalize",
    "pad",
    "to_tensor",
    "vflip",
]

Image = Any  # an array, a PIL image or a tensor


def to_tensor(pic: Image) -> Tensor:
    """An image as a tensor of (channels, height, width); uint8 becomes floats from 0 to 1, others stay.

    Floats are of the default dtype. PIL images of one bit become 0.0 and 1.0, those of 16 bits int16.
    TypeError for anything but an image, ValueError for arrays without two or three dimensions.

    >>> import numpy as np
    >>> from rushlight.vision.transforms.functional import to_tensor
    >>> to_tensor(np.array([[0, 255]], np.uint8))
    tensor([[[0., 1.]]])
    """
    array = pic if type(pic) is np.ndarray else as_array(pic)
    if is_picture(pic):
        array = IN_PICTURES.get(array.dtype.char, np.asarray)(array)
    if array.ndim == 2:
        array = array[None]
    elif array.ndim == 3:
        array = array.transpose(2, 0, 1)
    else:
        raise ValueError(f"pic should be 2/3 dimensional. Got {array.ndim} dimensions.")
    if array.dtype == np.uint8:
        return new_tensor(np.divide(array, 255, dtype=dtypes.get_default_dtype()._numpy, order="C"))
    return new_tensor(np.array(array, order="C"))


# What torchvision makes of the elements of PIL images, of those it does not leave as they are.
IN_PICTURES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "?": lambda bits: bits * np.uint8(255),
    "H": lambda deep: deep.view(np.int16),
}


def as_array(pic: Image) -> np.ndarray:
    """The array of a PIL image, or of an object that can be converted. TypeError for anything else."""
    if not hasattr(pic, "__array__") and not hasattr(pic, "__array_interface__"):
        raise TypeError(f"pic should be PIL Image or ndarray. Got {type(pic)}")
    return np.asarray(pic)


def is_picture(img: Any) -> bool:
    """Whether an object is a PIL image. Pillow is not loaded to find out."""
    pillow = sys.modules.get("PIL.Image")
    return pillow is not None and isinstance(img, pillow.Image)


def keeping_kind(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function that gives arrays for PIL images give PIL images of the same mode.

    Tensors of torchvision's classes, such as boxes, are changed by their own rules: `changed_by` of their class.
    """

    @wraps(function)
    def called(img: Image, *args: Any, **kwargs: Any) -> Any:
        if hasattr(type(img), "changed_by"):
            return img.changed_by(function, args, kwargs)
        found = function(img, *args, **kwargs)
        if not is_picture(img):
            return found
        return tuple(picture(array, img) for array in found) if isinstance(found, tuple) else picture(found, img)

    return called


def picture(found: Any, like: Any) -> Any:
    """An array as a PIL image, with the palette of another one."""
    if not isinstance(found, np.ndarray):
        return found
    pixels = found[:, :, 0] if found.ndim == 3 and found.shape[2] == 1 else found
    made = sys.modules["PIL.Image"].fromarray(np.ascontiguousarray(pixels))
    if like.mode == "P":
        made.putpalette(like.getpalette())
    return made


def normalize(tensor: Tensor, mean: Sequence[float], std: Sequence[float], inplace: bool = False) -> Tensor:
    """A tensor of (..., channels, height, width), minus the mean and divided by the standard deviation of each channel.

    TypeError unless it is a floating-point tensor, ValueError for a standard deviation of 0.

    >>> import rushlight as torch
    >>> from rushlight.vision.transforms.functional import normalize
    >>> normalize(torch.ones(1, 1, 2), (0.5,), (0.25,))
    tensor([[[2., 2.]]])
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(tensor)}")
    if not tensor.is_floating_point():
        raise TypeError(f"Input tensor should be a float tensor. Got {tensor.dtype}.")
    if tensor._array.ndim < 3:
        expected = "Expected tensor to be a tensor image of size (..., C, H, W)."
        raise ValueError(f"{expected} Got tensor.size() = {tensor.shape}")
    center, scale = channelwise(mean, tensor), channelwise(std, tensor)
    if not scale._array.all():
        raise ValueError(f"std evaluated to zero after conversion to {tensor.dtype}, leading to division by zero.")
    return tensor.sub_(center).div_(scale) if inplace else (tensor - center) / scale


def channelwise(values: Sequence[Any], tensor: Tensor) -> Tensor:
    """A number for each channel, reshaped to broadcast over height and width."""
    return new_tensor(np.array(values, tensor._array.dtype).reshape(-1, 1, 1))


def get_image_size(img: Image) -> list[int]:
    """The width and the height of an image, or of the one that boxes are in."""
    shape = img.shape[-2:] if isinstance(img, Tensor) else as_array(img).shape[:2]
    height, width = getattr(img, "canvas_size", shape)
    return [width, height]


def get_dimensions(img: Image) -> list[int]:
    """The number of channels, the height and the width of an image."""
    shape = img.shape[:-2] if isinstance(img, Tensor) else as_array(img).shape[2:]
    return [shape[-1] if shape else 1, *reversed(get_image_size(img))]


def get_image_num_channels(img: Image) -> int:
    """The number of channels of an image."""
    return get_dimensions(img)[0]


@keeping_kind
def crop(img: Image, top: int, left: int, height: int, width: int) -> Image:
    """A rectangle of an image; parts outside of the image are 0."""
    wide, high = get_image_size(img)
    margins = [max(-left, 0), max(-top, 0), max(left + width - wide, 0), max(top + height - high, 0)]
    if any(margins):
        img, left, top = pad(img, margins), max(left, 0), max(top, 0)
    rows, columns = slice(top, top + height), slice(left, left + width)
    return img[..., rows, columns] if isinstance(img, Tensor) else as_array(img)[rows, columns]


def center_crop(img: Image, output_size: int | Sequence[int]) -> Image:
    """The central rectangle of an image, of a given height and width, or a square."""
    height, width = pair(output_size)
    wide, high = get_image_size(img)
    return crop(img, round((high - height) / 2), round((wide - width) / 2), height, width)


@keeping_kind
def hflip(img: Image) -> Image:
    """An image flipped left to right."""
    return img.flip(-1) if isinstance(img, Tensor) else as_array(img)[:, ::-1]


@keeping_kind
def vflip(img: Image) -> Image:
    """An image flipped top to bottom."""
    return img.flip(-2) if isinstance(img, Tensor) else as_array(img)[::-1]


@keeping_kind
def pad(img: Image, padding: int | Sequence[int], fill: float = 0, padding_mode: str = "constant") -> Image:
    """An image with padding: one width, [left and right, top and bottom] or [left, top, right, bottom].

    `padding_mode` is "constant" (filled with `fill`), "edge", "reflect" or "symmetric".
    """
    sides = [padding] * 4 if isinstance(padding, int) else list(padding) * (4 // len(padding))
    left, top, right, bottom = sides
    if isinstance(img, Tensor):
        mode = {"edge": "replicate"}.get(padding_mode, padding_mode)
        return pad_tensor(img, (left, right, top, bottom), mode, fill if mode == "constant" else None)
    array = as_array(img)
    margins = [(top, bottom), (left, right), (0, 0)][: array.ndim]
    options: dict[str, Any] = {"constant_values": fill} if padding_mode == "constant" else {}
    return np.pad(array, margins, padding_mode, **options)  # type: ignore[call-overload]  # NumPy wants literals


def pair(size: int | Sequence[int]) -> tuple[int, int]:
    """A height and width; one number is used for both."""
    return (size, size) if isinstance(size, int) else (size[0], size[-1])
