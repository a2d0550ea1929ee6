"""Transforms that change tones at random, drawn from PyTorch's stream, and a linear one."""
# ruff: noqa: D102 (to call a transform does what its class says)

from typing import Any

from rushlight.tensors import Tensor
from rushlight.vision.transforms import basics as F
from rushlight.vision.transforms import tones
from rushlight.vision.transforms.pixel_changes import Transform, chance

__all__ = [
    "LinearTransformation",
    "RandomAdjustSharpness",
    "RandomAutocontrast",
    "RandomEqualize",
    "RandomPosterize",
    "RandomSolarize",
]


class Tonal(Transform):
    """Base class of transforms with a number and a probability, shown as torchvision does."""

    number: str
    p: float

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.number}={getattr(self, self.number)},p={self.p})"


class RandomPosterize(Tonal):
    """Keeps only the highest bits of each value with probability `p`."""

    number: str = "bits"
    bits: int

    def __init__(self, bits: int, p: float = 0.5):
        self.bits, self.p = bits, p

    def __call__(self, img: F.Image) -> F.Image:
        return tones.posterize(img, self.bits) if chance() < self.p else img


class RandomSolarize(Tonal):
    """Inverts values of at least a threshold with probability `p`."""

    number: str = "threshold"
    threshold: float

    def __init__(self, threshold: float, p: float = 0.5):
        self.threshold, self.p = threshold, p

    def __call__(self, img: F.Image) -> F.Image:
        return tones.solarize(img, self.threshold) if chance() < self.p else img


class RandomAdjustSharpness(Tonal):
    """Changes the sharpness with probability `p`; see `functional.adjust_sharpness`."""

    number: str = "sharpness_factor"
    sharpness_factor: float

    def __init__(self, sharpness_factor: float, p: float = 0.5):
        self.sharpness_factor, self.p = sharpness_factor, p

    def __call__(self, img: F.Image) -> F.Image:
        return tones.adjust_sharpness(img, self.sharpness_factor) if chance() < self.p else img


class RandomAutocontrast(Transform):
    """Stretches the contrast with probability `p`."""

    shown: tuple[str, ...] = ("p",)

    def __init__(self, p: float = 0.5):
        self.p = p

    def __call__(self, img: F.Image) -> F.Image:
        return tones.autocontrast(img) if chance() < self.p else img


class RandomEqualize(RandomAutocontrast):
    """Equalizes the values with probability `p`."""

    def __call__(self, img: F.Image) -> F.Image:
        return tones.equalize(img) if chance() < self.p else img


class LinearTransformation(Transform):
    """Multiplies a flattened tensor, minus a mean, by a square matrix: whitening, for example."""

    transformation_matrix: Tensor
    mean_vector: Tensor

    def __init__(self, transformation_matrix: Tensor, mean_vector: Tensor):
        rows, columns = transformation_matrix.shape
        if rows != columns:
            raise ValueError(f"transformation_matrix should be square. Got {[rows, columns]} rectangular matrix.")
        if mean_vector.shape[0] != rows:
            raise ValueError(
                f"mean_vector should have the same length {mean_vector.shape[0]} as any one of the dimensions of the "
                f"transformation_matrix [{[rows, columns]}]"
            )
        self.transformation_matrix, self.mean_vector = transformation_matrix, mean_vector

    def __call__(self, tensor: Tensor) -> Tensor:
        flat = tensor.reshape(-1, self.mean_vector.shape[0]) - self.mean_vector
        return flat.mm(self.transformation_matrix).reshape(tensor.shape)

    def __repr__(self) -> str:
        shown: list[Any] = [self.transformation_matrix.tolist(), self.mean_vector.tolist()]
        return f"LinearTransformation(transformation_matrix={shown[0]}, mean_vector={shown[1]})"
