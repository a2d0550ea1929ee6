"""Transforms that v2 has and v1 has not: conversions of types, noise."""
# ruff: noqa: D102 (a transform does what its class says)

from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_flatten, tree_unflatten
from rushlight.vision.transforms.v2 import functional
from rushlight.vision.transforms.v2.base import Transform
from rushlight.vision.transforms.v2.samples import IMAGES, changing, whole
from rushlight.vision.tv_tensors.kinds import TVTensor

__all__ = ["RGB", "GaussianNoise", "Identity", "ToDtype", "ToImage", "ToPureTensor"]


class Identity(Transform):
    """Returns its inputs unchanged."""

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return inpt


class ToPureTensor(Transform):
    """Converts the tensors of `tv_tensors` to plain ones."""

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return inpt.as_subclass(Tensor) if isinstance(inpt, TVTensor) else inpt


class ToImage(Transform):
    """Converts PIL images, arrays and the first plain tensor to `tv_tensors.Image`, with unchanged values."""

    def forward(self, *inputs: Any) -> Any:
        flat, structure = tree_flatten(whole(inputs))
        arrays = [k for k, one in enumerate(flat) if isinstance(one, np.ndarray)]
        for k in [*changing(flat, ()), *arrays]:
            flat[k] = functional.to_image(flat[k])
        return tree_unflatten(flat, structure)


class ToDtype(Transform):
    """Converts images and videos to another dtype; with `scale`, values are scaled to the range of that dtype.

    `dtype` may be a dict with a dtype, or None, for each class of tensors, and for "others".
    """

    def __init__(self, dtype: Any, scale: bool = False):
        super().__init__()
        if not isinstance(dtype, (dict, dtypes.dtype)):
            raise ValueError(f"dtype must be a dict or a torch.dtype, got {type(dtype)} instead")
        self.dtype, self.scale = dtype, scale

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        is_picture = not isinstance(inpt, TVTensor) or isinstance(inpt, IMAGES)
        if not isinstance(self.dtype, dict):
            return functional.to_dtype(inpt, self.dtype, self.scale) if is_picture else inpt
        if type(inpt) not in self.dtype and "others" not in self.dtype:
            raise ValueError(f'No dtype was specified for type {type(inpt)}: give one, or one for "others".')
        dtype = self.dtype.get(type(inpt), self.dtype.get("others"))
        if dtype is None:
            return inpt
        return functional.to_dtype(inpt, dtype, self.scale) if is_picture else inpt.to(dtype)


class RGB(Transform):
    """Makes gray images have three channels."""

    kinds = IMAGES

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return functional.grayscale_to_rgb(inpt)


class GaussianNoise(Transform):
    """Adds normal noise to tensors from 0 to 1; with `clip` they stay in that range."""

    kinds = IMAGES

    def __init__(self, mean: float = 0.0, sigma: float = 0.1, clip: bool = True):
        super().__init__()
        self.mean, self.sigma, self.clip = mean, sigma, clip

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return functional.gaussian_noise(inpt, self.mean, self.sigma, self.clip)
