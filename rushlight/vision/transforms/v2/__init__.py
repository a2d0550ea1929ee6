"""`torchvision.transforms.v2`: the same transforms, and conversions of type."""
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
    """Returns an image unchanged."""

    def __call__(self, img: Any) -> Any:
        return img


class ToPureTensor(Identity):
    """Returns a tensor unchanged: there are no image classes here."""


class ToImage:
    """Converts an image to a tensor (channels, height, width), with unchanged values."""

    def __call__(self, img: Any) -> Tensor:
        return img if isinstance(img, Tensor) else pil_to_tensor(img)


class ToDtype:
    """Converts a tensor to another dtype; with `scale`, its values are scaled to the range of that dtype."""

    scale: bool

    def __init__(self, dtype: dtypes.dtype, scale: bool = False):
        self.dtype, self.scale = dtype, scale

    def __call__(self, img: Tensor) -> Tensor:
        return convert_image_dtype(img, self.dtype) if self.scale else img.to(self.dtype)

    def __repr__(self) -> str:
        return f"ToDtype(dtype={self.dtype}, scale={self.scale})"
