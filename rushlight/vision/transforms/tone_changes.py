"""Transforms that change tones at random, drawn from PyTorch's stream, and a linear one."""
# ruff: noqa: D102 (to call a transform does what its class says)

from typing import Any

from rushlight.tensors import Tensor
from rushlight.vision.transforms import basics as F
from rushlight.vision.transforms import tones
from rushlight.vision.transforms.pixel_changes import Sometimes
from rushlight.vision.transforms.transform import Transform

__all__ = [
    "LinearTransformation",
    "RandomAdjustSharpness",
    "RandomAutocontrast",
    "RandomEqualize",
    "RandomPosterize",
    "RandomSolarize",
]


class Tonal(Sometimes):
    """Base class of transforms with a number and a probability, shown as torchvision does."""

    number: str

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.number}={getattr(self, self.number)},p={self.p})"


class RandomPosterize(Tonal):
    """Keeps only the highest bits of each value with probability `p`."""

    number: str = "bits"

    def __init__(self, bits: int, p: float = 0.5):
        super().__init__(p)
        self.bits = bits

    def change(self, img: F.Image) -> F.Image:
        return tones.posterize(img, self.bits)


class RandomSolarize(Tonal):
    """Inverts values of at least a threshold with probability `p`."""

    number: str = "threshold"

    def __init__(self, threshold: float, p: float = 0.5):
        super().__init__(p)
        self.threshold = threshold

    def change(self, img: F.Image) -> F.Image:
        return tones.solarize(img, self.threshold)


class RandomAdjustSharpness(Tonal):
    """Changes the sharpness with probability `p`; see `functional.adjust_sharpness`."""

    number: str = "sharpness_factor"

    def __init__(self, sharpness_factor: float, p: float = 0.5):
        super().__init__(p)
        self.sharpness_factor = sharpness_factor

    def change(self, img: F.Image) -> F.Image:
        return tones.adjust_sharpness(img, self.sharpness_factor)


class RandomAutocontrast(Sometimes):
    """Stretches the contrast with probability `p`."""

    def change(self, img: F.Image) -> F.Image:
        return tones.autocontrast(img)


class RandomEqualize(Sometimes):
    """Equalizes the values with probability `p`."""

    def change(self, img: F.Image) -> F.Image:
        return tones.equalize(img)


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

    def forward(self, tensor: Tensor) -> Tensor:
        flat = tensor.reshape(-1, self.mean_vector.shape[0]) - self.mean_vector
        return flat.mm(self.transformation_matrix).reshape(tensor.shape)

    def __repr__(self) -> str:
        shown: list[Any] = [self.transformation_matrix.tolist(), self.mean_vector.tolist()]
        return f"LinearTransformation(transformation_matrix={shown[0]}, mean_vector={shown[1]})"
