"""Transforms that warp images at random, drawn from PyTorch's stream."""
# ruff: noqa: D102 (to call a transform does what its class says)

from collections.abc import Sequence
from typing import Any

from rushlight.ops.randomness.random_tensors import rand, randint
from rushlight.ops.shapes.joining import cat
from rushlight.tensors import Tensor
from rushlight.vision.transforms import basics as F
from rushlight.vision.transforms import warping
from rushlight.vision.transforms.pixel_changes import chance
from rushlight.vision.transforms.sizes import InterpolationMode, gaussian_blur
from rushlight.vision.transforms.transform import Transform

__all__ = ["ElasticTransform", "RandomPerspective"]


class RandomPerspective(Transform):
    """Moves the corners of an image towards its middle with probability `p`, by up to `distortion_scale` halves."""

    shown: tuple[str, ...] = ("p",)

    distortion_scale: float
    p: float
    interpolation: Any
    fill: Any

    def __init__(
        self,
        distortion_scale: float = 0.5,
        p: float = 0.5,
        interpolation: Any = InterpolationMode.BILINEAR,
        fill: Any = 0,
    ):
        self.distortion_scale, self.p, self.interpolation, self.fill = distortion_scale, p, interpolation, fill

    def forward(self, img: F.Image) -> F.Image:
        if chance() >= self.p:
            return img
        width, height = F.get_image_size(img)
        starts, ends = self.get_params(width, height, self.distortion_scale)
        return warping.perspective(img, starts, ends, self.interpolation, self.fill)

    @staticmethod
    def get_params(width: int, height: int, distortion_scale: float) -> tuple[list[list[int]], list[list[int]]]:
        """The corners of an image, and random corners inside of it."""
        across, down = (int(distortion_scale * (size // 2)) for size in (width, height))
        left, right = (0, across + 1), (width - across - 1, width)
        top, bottom = (0, down + 1), (height - down - 1, height)
        ends = [
            [int(randint(low, high, size=(1,))) for low, high in corner]
            for corner in ((left, top), (right, top), (right, bottom), (left, bottom))
        ]
        return [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], ends


class ElasticTransform(Transform):
    """Moves each place of an image by itself: by random numbers times `alpha`, blurred with width `sigma`."""

    shown: tuple[str, ...] = ("alpha", "sigma", "interpolation", "fill")

    interpolation: Any

    def __init__(
        self, alpha: Any = 50.0, sigma: Any = 5.0, interpolation: Any = InterpolationMode.BILINEAR, fill: Any = 0
    ):
        self.alpha, self.sigma = two_numbers(alpha), two_numbers(sigma)
        self.interpolation = interpolation
        self.fill: list[float] = [float(value) for value in ([fill] if isinstance(fill, (int, float)) else fill)]

    @staticmethod
    def get_params(alpha: Sequence[float], sigma: Sequence[float], size: Sequence[int]) -> Tensor:
        """Random displacements for a height and width: (1, height, width, 2)."""
        moved = []
        for most, width, length in zip(alpha, sigma, reversed(size), strict=True):
            noise = rand(1, 1, *size) * 2 - 1
            if width > 0.0:
                kernel = int(8 * width + 1) // 2 * 2 + 1
                noise = gaussian_blur(noise, [kernel, kernel], list(sigma))
            moved.append(noise * most / length)
        return cat(moved, 1).permute(0, 2, 3, 1)

    def forward(self, tensor: F.Image) -> F.Image:
        size = F.get_dimensions(tensor)[1:]
        places = self.get_params(self.alpha, self.sigma, size)
        return warping.elastic_transform(tensor, places, self.interpolation, self.fill)


def two_numbers(value: Any) -> list[float]:
    """A number for each direction; one is used for both."""
    values = list(value) if isinstance(value, Sequence) else [float(value)]
    return values * 2 if len(values) == 1 else values
