"""The second version of torchvision's transforms: the same, and conversions of type."""
# ruff: noqa: D102 (to call a transform does what its class says)

from typing import Any

from rushlight import dtypes
from rushlight.tensors import Tensor
from rushlight.vision import transforms as _first
from rushlight.vision.transforms import *
from rushlight.vision.transforms import functional
from rushlight.vision.transforms.pixels import convert_image_dtype, pil_to_tensor

__all__ = [*_first.__all__, "Identity", "ToDtype", "ToImage", "ToPureTensor", "functional"]


class Identity:
    """An image as it is."""

    def __call__(self, img: Any) -> Any:
        return img


class ToPureTensor(Identity):
    """A tensor as it is: there are no classes of images here."""


class ToImage:
    """An image as a tensor (channels, height, width) with its values as they are."""

    def __call__(self, img: Any) -> Tensor:
        return img if isinstance(img, Tensor) else pil_to_tensor(img)


class ToDtype:
    """A tensor in another type; with `scale` its values are scaled to that type's range."""

    scale: bool

    def __init__(self, dtype: dtypes.dtype, scale: bool = False):
        self.dtype, self.scale = dtype, scale

    def __call__(self, img: Tensor) -> Tensor:
        return convert_image_dtype(img, self.dtype) if self.scale else img.to(self.dtype)

    def __repr__(self) -> str:
        return f"ToDtype(dtype={self.dtype}, scale={self.scale})"
