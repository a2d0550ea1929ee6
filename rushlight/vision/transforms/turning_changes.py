"""Transforms that rotate, move, scale and shear images by random amounts, drawn from PyTorch's stream."""
# ruff: noqa: D102 (to call a transform does what its class says)

from collections.abc import Sequence
from typing import Any

from rushlight.vision.transforms import basics as F
from rushlight.vision.transforms import turning
from rushlight.vision.transforms.pixel_changes import Transform, uniform
from rushlight.vision.transforms.sizes import InterpolationMode

__all__ = ["RandomAffine", "RandomRotation"]


def around_zero(value: Any) -> tuple[float, ...]:
    """The range of a value; one number is its bound in both directions."""
    return (-value, value) if isinstance(value, (int, float)) else tuple(value)


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

    def __call__(self, img: F.Image) -> F.Image:
        angle = uniform(float(self.degrees[0]), float(self.degrees[1]))
        return turning.rotate(img, angle, self.interpolation, self.expand, self.center, self.fill)

    def __repr__(self) -> str:
        mode = self.interpolation.value
        shown = f"degrees={list(self.degrees)}, interpolation={mode}, expand={self.expand}, fill={self.fill}"
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

    def __call__(self, img: F.Image) -> F.Image:
        angle, moved, scale, shear = self.drawn(F.get_image_size(img))
        return turning.affine(img, angle, moved, scale, shear, self.interpolation, self.fill, self.center)

    def drawn(self, size: Sequence[int]) -> tuple[float, tuple[int, int], float, tuple[float, float]]:
        """An angle, numbers of pixels to move by, a scale and shears, for an image of a width and height."""
        angle = uniform(float(self.degrees[0]), float(self.degrees[1]))
        parts = self.translate or (0.0, 0.0)
        most = [float(part * length) for part, length in zip(parts, size, strict=True)]
        right, down = (round(uniform(-far, far)) if self.translate else 0 for far in most)
        scale = 1.0 if self.scale is None else uniform(*self.scale)
        spans = () if self.shear is None else (self.shear[:2], self.shear[2:])
        across, along = (*(uniform(*span) if span else 0.0 for span in spans), 0.0, 0.0)[:2]
        return angle, (right, down), scale, (across, along)
