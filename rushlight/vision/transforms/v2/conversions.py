"""Transforms that v2 has and v1 has not: conversions of types, noise."""
# ruff: noqa: D102 (to call a transform does what its class says)

from typing import Any

from rushlight import dtypes
from rushlight.tensors import Tensor
from rushlight.vision.transforms.transform import Transform
from rushlight.vision.transforms.v2 import functional

__all__ = ["RGB", "GaussianNoise", "Identity", "ToDtype", "ToImage", "ToPureTensor"]


class Identity(Transform):
    """Returns an image unchanged."""

    def forward(self, img: Any) -> Any:
        return img


class ToPureTensor(Identity):
    """Returns a tensor unchanged: there are no image classes here."""


class ToImage(Transform):
    """Converts an image to a tensor (channels, height, width), with unchanged values."""

    def forward(self, img: Any) -> Tensor:
        return functional.to_image(img)


class ToDtype(Transform):
    """Converts a tensor to another dtype; with `scale`, its values are scaled to the range of that dtype."""

    scale: bool

    shown: tuple[str, ...] = ("scale",)

    def __init__(self, dtype: dtypes.dtype, scale: bool = False):
        self.dtype, self.scale = dtype, scale

    def forward(self, img: Tensor) -> Tensor:
        return functional.to_dtype(img, self.dtype, self.scale)


class RGB(Transform):
    """Makes gray images have three channels."""

    def forward(self, img: Any) -> Any:
        return functional.grayscale_to_rgb(img)


class GaussianNoise(Transform):
    """Adds normal noise to tensors from 0 to 1; with `clip` they stay in that range."""

    mean: float
    sigma: float
    clip: bool

    shown: tuple[str, ...] = ("mean", "sigma", "clip")

    def __init__(self, mean: float = 0.0, sigma: float = 0.1, clip: bool = True):
        self.mean, self.sigma, self.clip = mean, sigma, clip

    def forward(self, img: Tensor) -> Tensor:
        return functional.gaussian_noise(img, self.mean, self.sigma, self.clip)
