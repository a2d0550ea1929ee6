"""Transforms that rotate, move, scale and shear images by random amounts, drawn from PyTorch's stream."""
# ruff: noqa: D102 (to call a transform does what its class says)

from collections.abc import Sequence
from typing import Any

from rushlight.vision.transforms import basics as F
from rushlight.vision.transforms import turning
from rushlight.vision.transforms.pixel_changes import uniform
from rushlight.vision.transforms.sizes import InterpolationMode
from rushlight.vision.transforms.transform import Transform

__all__ = ["RandomAffine", "RandomRotation"]


def around_zero(value: Any) -> list[float]:
    """The range of a value; one number is its bound in both directions."""
    return [float(bound) for bound in ((-value, value) if isinstance(value, (int, float)) else value)]


class RandomRotation(Transform):
    """Rotates an image by a random angle in degrees."""

    interpolation: Any

    expand: bool
    center: Any
    fill: Any

    def __init__(
        self,
        degrees: Any,
        interpolation: Any = InterpolationMode.NEAREST,
        expand: bool = False,
        center: Any = None,
        fill: Any = 0,
    ):
        self.degrees = around_zero(degrees)
        self.interpolation, self.expand, self.center, self.fill = interpolation, expand, center, fill

    @staticmethod
    def get_params(degrees: Sequence[float]) -> float:
        """A random angle from a range."""
        return uniform(*degrees)

    def forward(self, img: F.Image) -> F.Image:
        angle = self.get_params(self.degrees)
        return turning.rotate(img, angle, self.interpolation, self.expand, self.center, self.fill)

    def __repr__(self) -> str:
        mode = self.interpolation.value
        shown = f"degrees={self.degrees}, interpolation={mode}, expand={self.expand}, fill={self.fill}"
        return f"RandomRotation({shown})"


class RandomAffine(Transform):
    """Rotates, moves, scales and shears an image by random amounts; the middle, or a `center`, stays.

    `translate` are the largest parts of the width and height to move by, `scale` and `shear` are ranges; shears are in
    degrees, along x, or with four numbers along x and y.
    """

    interpolation: Any
    fill: Any
    center: Any

    shown: tuple[str, ...] = ("degrees", "translate", "scale", "shear")

    def __init__(
        self,
        degrees: Any,
        translate: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        shear: Any = None,
        interpolation: Any = InterpolationMode.NEAREST,
        fill: Any = 0,
        center: Any = None,
    ):
        self.degrees = around_zero(degrees)
        self.translate, self.scale = translate, scale
        self.shear = None if shear is None else around_zero(shear)
        self.interpolation, self.fill, self.center = interpolation, fill, center

    def forward(self, img: F.Image) -> F.Image:
        size = F.get_image_size(img)
        angle, moved, scale, shear = self.get_params(self.degrees, self.translate, self.scale, self.shear, size)
        return turning.affine(img, angle, moved, scale, shear, self.interpolation, self.fill, self.center)

    @staticmethod
    def get_params(
        degrees: Sequence[float],
        translate: Sequence[float] | None,
        scale_ranges: Sequence[float] | None,
        shears: Sequence[float] | None,
        img_size: Sequence[int],
    ) -> tuple[float, tuple[int, int], float, tuple[float, float]]:
        """An angle, numbers of pixels to move by, a scale and shears, for an image of a width and height."""
        angle = uniform(*degrees)
        most = [float(part * length) for part, length in zip(translate or (0.0, 0.0), img_size, strict=True)]
        right, down = (round(uniform(-far, far)) if translate else 0 for far in most)
        scale = 1.0 if scale_ranges is None else uniform(*scale_ranges)
        spans = () if shears is None else (shears[:2], shears[2:])
        across, along = (*(uniform(*span) if span else 0.0 for span in spans), 0.0, 0.0)[:2]
        return angle, (right, down), scale, (across, along)
