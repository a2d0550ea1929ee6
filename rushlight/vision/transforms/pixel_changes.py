"""Transforms of sizes and pixel values, some of them random, which use PyTorch's random number stream."""
# ruff: noqa: D102 (to call a transform does what its class says)

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.graph import new_tensor
from rushlight.ops.making.creation import empty
from rushlight.ops.making.from_data import tensor as make_tensor
from rushlight.ops.randomness.random_tensors import rand, randint, randperm
from rushlight.tensors import Tensor
from rushlight.vision.transforms import basics as F
from rushlight.vision.transforms import pixels, sizes
from rushlight.vision.transforms.sizes import InterpolationMode
from rushlight.vision.transforms.transform import Transform

__all__ = [
    "ColorJitter",
    "ConvertImageDtype",
    "FiveCrop",
    "GaussianBlur",
    "Grayscale",
    "PILToTensor",
    "RandomApply",
    "RandomChoice",
    "RandomErasing",
    "RandomGrayscale",
    "RandomInvert",
    "RandomOrder",
    "RandomResizedCrop",
    "Resize",
    "TenCrop",
    "ToPILImage",
]


def uniform(low: float, high: float) -> float:
    """A random number from `low` to `high`."""
    return empty(1).uniform_(low, high).item()


def chance() -> float:
    """A random number from 0 to 1."""
    return float(rand(1))


def below(n: int) -> int:
    """A random integer from 0 to `n - 1`."""
    return int(randint(0, n, size=(1,)))


class Sometimes(Transform):
    """Base class of transforms that `change` an image with probability `p`."""

    shown: tuple[str, ...] = ("p",)

    def __init__(self, p: float = 0.5):
        self.p = p

    def change(self, img: F.Image) -> F.Image:
        raise NotImplementedError

    def forward(self, img: F.Image) -> F.Image:
        return self.change(img) if chance() < self.p else img


class Resize(Transform):
    """Resizes an image; see `functional.resize`."""

    size: int | Sequence[int]
    interpolation: Any
    max_size: int | None
    antialias: bool | None

    def __init__(
        self,
        size: int | Sequence[int],
        interpolation: Any = InterpolationMode.BILINEAR,
        max_size: int | None = None,
        antialias: bool | None = True,
    ):
        self.size, self.interpolation, self.max_size, self.antialias = size, interpolation, max_size, antialias

    def forward(self, img: F.Image) -> F.Image:
        return sizes.resize(img, self.size, self.interpolation, self.max_size, self.antialias)

    def __repr__(self) -> str:
        mode = getattr(self.interpolation, "value", self.interpolation)
        return f"Resize(size={self.size}, interpolation={mode}, max_size={self.max_size}, antialias={self.antialias})"


class ToPILImage(Transform):
    """Converts an image to a PIL image."""

    def __init__(self, mode: str | None = None):
        self.mode = mode

    def forward(self, pic: F.Image) -> Any:
        return pixels.to_pil_image(pic, self.mode)


class PILToTensor(Transform):
    """Converts an image to a tensor, with unchanged values."""

    def forward(self, pic: F.Image) -> Tensor:
        return pixels.pil_to_tensor(pic)


class ConvertImageDtype(Transform):
    """Converts a tensor to another dtype and scales its values."""

    def __init__(self, dtype: dtypes.dtype):
        self.dtype = dtype

    def forward(self, image: Tensor) -> Tensor:
        return pixels.convert_image_dtype(image, self.dtype)


class Grayscale(Transform):
    """Converts an image to gray."""

    shown: tuple[str, ...] = ("num_output_channels",)

    def __init__(self, num_output_channels: int = 1):
        self.num_output_channels = num_output_channels

    def forward(self, img: F.Image) -> F.Image:
        return pixels.rgb_to_grayscale(img, self.num_output_channels)


class RandomGrayscale(Sometimes):
    """Converts an image to gray with probability `p`; the number of channels stays."""

    def __init__(self, p: float = 0.1):
        super().__init__(p)

    def change(self, img: F.Image) -> F.Image:
        channels = img.shape[-3] if isinstance(img, Tensor) else 3 if F.as_array(img).ndim == 3 else 1
        return pixels.rgb_to_grayscale(img, channels)


class RandomInvert(Sometimes):
    """Inverts the colors of an image with probability `p`."""

    def change(self, img: F.Image) -> F.Image:
        return pixels.invert(img)


class FiveCrop(Transform):
    """Crops the four corners and the center of an image."""

    shown: tuple[str, ...] = ("size",)

    def __init__(self, size: int | Sequence[int]):
        self.size: tuple[int, int] = F.pair(size)

    def forward(self, img: F.Image) -> tuple[Any, ...]:
        return sizes.five_crop(img, self.size)


class TenCrop(FiveCrop):
    """Crops the four corners and the center of an image and of the flipped image."""

    vertical_flip: bool

    shown: tuple[str, ...] = ("size", "vertical_flip")

    def __init__(self, size: int | Sequence[int], vertical_flip: bool = False):
        super().__init__(size)
        self.vertical_flip = vertical_flip

    def forward(self, img: F.Image) -> tuple[Any, ...]:
        return sizes.ten_crop(img, self.size, self.vertical_flip)


class RandomResizedCrop(Transform):
    """Crops a random rectangle, of random area and aspect ratio, and resizes it."""

    size: tuple[int, int]
    interpolation: Any
    antialias: bool | None

    scale: tuple[float, float]
    ratio: tuple[float, float]

    def __init__(
        self,
        size: int | Sequence[int],
        scale: tuple[float, float] = (0.08, 1.0),
        ratio: tuple[float, float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: Any = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ):
        self.size, self.scale, self.ratio = F.pair(size), scale, ratio
        self.interpolation, self.antialias = interpolation, antialias

    @staticmethod
    def get_params(img: F.Image, scale: Sequence[float], ratio: Sequence[float]) -> tuple[int, int, int, int]:
        """The top, left, height and width of a random rectangle."""
        wide, high = F.get_image_size(img)
        low, top = make_tensor(ratio).log().tolist()
        for _ in range(10):
            area = wide * high * uniform(scale[0], scale[1])
            shape = empty(1).uniform_(low, top).exp().item()
            width, height = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
            if 0 < width <= wide and 0 < height <= high:
                row = below(high - height + 1)
                return row, below(wide - width + 1), height, width
        width, height = wide, high
        if wide / high < min(ratio):
            height = round(wide / min(ratio))
        elif wide / high > max(ratio):
            width = round(high * max(ratio))
        return (high - height) // 2, (wide - width) // 2, height, width

    def forward(self, img: F.Image) -> F.Image:
        where = self.get_params(img, self.scale, self.ratio)
        return sizes.resized_crop(img, *where, self.size, self.interpolation, self.antialias)

    def __repr__(self) -> str:
        mode = getattr(self.interpolation, "value", self.interpolation)
        scale, ratio = (tuple(round(v, 4) for v in values) for values in (self.scale, self.ratio))
        return (
            f"RandomResizedCrop(size={self.size}, scale={scale}, ratio={ratio}, interpolation={mode}, "
            f"antialias={self.antialias})"
        )


class ColorJitter(Transform):
    """Changes brightness, contrast, saturation and hue by random factors, in random order."""

    brightness: tuple[float, float] | None
    contrast: tuple[float, float] | None
    saturation: tuple[float, float] | None
    hue: tuple[float, float] | None

    shown: tuple[str, ...] = ("brightness", "contrast", "saturation", "hue")

    def __init__(self, brightness: Any = 0, contrast: Any = 0, saturation: Any = 0, hue: Any = 0):
        self.brightness, self.contrast = self.span(brightness), self.span(contrast)
        self.saturation, self.hue = self.span(saturation), self.span(hue, 0.0)
        if self.hue is not None and not -0.5 <= self.hue[0] <= self.hue[1] <= 0.5:
            raise ValueError(f"hue values should be between (-0.5, 0.5), but got {hue}.")

    @staticmethod
    def span(value: Any, center: float = 1.0) -> tuple[float, float] | None:
        """The range of factors around `center` for a value; None for no change."""
        if isinstance(value, (int, float)):
            if value < 0:
                raise ValueError("If a single number, it must be non negative.")
            value = (max(center - value, 0.0) if center else -value, center + value)
        low, high = (float(v) for v in value)
        return None if low == high == center else (low, high)

    @staticmethod
    def get_params(*spans: Sequence[float] | None) -> tuple[Tensor, *tuple[float | None, ...]]:
        """A random order, and a random factor from each range: of brightness, contrast, saturation and hue."""
        return randperm(4), *(None if span is None else uniform(*span) for span in spans)

    def forward(self, img: F.Image) -> F.Image:
        order, *factors = self.get_params(self.brightness, self.contrast, self.saturation, self.hue)
        changes = (pixels.adjust_brightness, pixels.adjust_contrast, pixels.adjust_saturation, pixels.adjust_hue)
        for k in order.tolist():
            if factors[k] is not None:
                img = changes[k](img, factors[k])
        return img


class RandomErasing(Transform):
    """Sets a random rectangle of a tensor to a value, or with `value="random"` to noise, with probability `p`."""

    scale: tuple[float, float]
    ratio: tuple[float, float]

    p: float
    value: Any
    inplace: bool

    shown: tuple[str, ...] = ("p", "scale", "ratio", "value", "inplace")

    def __init__(
        self,
        p: float = 0.5,
        scale: tuple[float, float] = (0.02, 0.33),
        ratio: tuple[float, float] = (0.3, 3.3),
        value: Any = 0,
        inplace: bool = False,
    ):
        self.p, self.scale, self.ratio, self.value, self.inplace = p, scale, ratio, value, inplace

    def forward(self, img: Tensor) -> Tensor:
        if chance() >= self.p:
            return img
        channels, high, wide = img.shape[-3:]
        low, top = make_tensor(self.ratio).log().tolist()
        for _ in range(10):
            area = high * wide * uniform(self.scale[0], self.scale[1])
            shape = empty(1).uniform_(low, top).exp().item()
            height, width = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
            if height < high and width < wide:
                filling = self.filling(channels, height, width)
                row = below(high - height + 1)
                column = below(wide - width + 1)
                return pixels.erase(img, row, column, height, width, filling, self.inplace)
        return img

    def filling(self, channels: int, height: int, width: int) -> Tensor:
        """The values for the rectangle."""
        if self.value == "random":
            return empty(channels, height, width, dtype=dtypes.float32).normal_()
        values = self.value if isinstance(self.value, (tuple, list)) else [self.value]
        return new_tensor(np.array(values, np.float32)[:, None, None])


class GaussianBlur(Transform):
    """Blurs an image with a random standard deviation."""

    shown: tuple[str, ...] = ("kernel_size", "sigma")

    def __init__(self, kernel_size: int | Sequence[int], sigma: Any = (0.1, 2.0)):
        self.kernel_size: tuple[int, int] = F.pair(kernel_size)
        self.sigma: tuple[int | float, int | float] | tuple[Any, ...] = (
            (sigma, sigma) if isinstance(sigma, (int, float)) else tuple(sigma)
        )

    @staticmethod
    def get_params(sigma_min: float, sigma_max: float) -> float:
        """A random standard deviation."""
        return uniform(sigma_min, sigma_max)

    def forward(self, img: F.Image) -> F.Image:
        width = self.get_params(*self.sigma)
        return sizes.gaussian_blur(img, self.kernel_size, [width, width])


class RandomApply(Transform):
    """Applies all of several transforms with probability `p`."""

    transforms: Sequence[Callable[..., Any]]

    p: float

    def __init__(self, transforms: Sequence[Callable[..., Any]], p: float = 0.5):
        self.transforms, self.p = transforms, p

    def forward(self, img: Any) -> Any:
        if self.p < chance():
            return img
        for transform in self.transforms:
            img = transform(img)
        return img

    def __repr__(self) -> str:
        return "\n    ".join(["RandomApply(", f"p={self.p}", *map(repr, self.transforms)]) + "\n)"


class RandomChoice(Transform):
    """Applies one of several transforms, chosen at random."""

    transforms: Sequence[Callable[..., Any]]

    p: Sequence[float] | None

    def __init__(self, transforms: Sequence[Callable[..., Any]], p: Sequence[float] | None = None):
        self.transforms, self.p = transforms, p

    def forward(self, *args: Any) -> Any:
        return random.choices(self.transforms, weights=self.p)[0](*args)


class RandomOrder(Transform):
    """Applies several transforms in random order."""

    def __init__(self, transforms: Sequence[Callable[..., Any]]):
        self.transforms = transforms

    def forward(self, img: Any) -> Any:
        order = list(range(len(self.transforms)))
        random.shuffle(order)
        for i in order:
            img = self.transforms[i](img)
        return img
