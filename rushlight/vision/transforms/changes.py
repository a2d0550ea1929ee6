"""The basic transforms as classes, under torchvision's names."""
# ruff: noqa: D102 (to call a transform does what its class says)

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.ops.randomness.random_tensors import rand, randint
from rushlight.tensors import Tensor
from rushlight.vision.transforms import basics as F

__all__ = [
    "CenterCrop",
    "Compose",
    "Lambda",
    "Normalize",
    "Pad",
    "RandomCrop",
    "RandomHorizontalFlip",
    "RandomVerticalFlip",
    "ToTensor",
]


class Compose:
    """Applies several transforms in sequence.

    >>> from rushlight.vision import transforms
    >>> transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1307,), (0.3081,))])
    Compose(
        ToTensor()
        Normalize(mean=(0.1307,), std=(0.3081,))
    )
    """

    def __init__(self, transforms: Sequence[Callable[..., Any]]):
        self.transforms = transforms

    def __call__(self, img: Any) -> Any:
        for transform in self.transforms:
            img = transform(img)
        return img

    def __repr__(self) -> str:
        return "\n    ".join(["Compose(", *map(repr, self.transforms)]) + "\n)"


class ToTensor:
    """Converts an image to a tensor of (channels, height, width), uint8 to float32; see `functional.to_tensor`."""

    def __call__(self, pic: F.Image) -> Tensor:
        return F.to_tensor(pic)

    def __repr__(self) -> str:
        return "ToTensor()"


class Normalize:
    """Subtracts the mean and divides by the standard deviation of each channel; see `functional.normalize`."""

    mean: Sequence[float]
    std: Sequence[float]
    inplace: bool

    def __init__(self, mean: Sequence[float], std: Sequence[float], inplace: bool = False):
        self.mean, self.std, self.inplace = mean, std, inplace

    def __call__(self, tensor: Tensor) -> Tensor:
        return F.normalize(tensor, self.mean, self.std, self.inplace)

    def __repr__(self) -> str:
        return f"Normalize(mean={self.mean}, std={self.std})"


class Lambda:
    """Applies a function as a transform."""

    def __init__(self, lambd: Callable[..., Any]):
        if not callable(lambd):
            raise TypeError(f"Argument lambd should be callable, got {type(lambd).__name__!r}")
        self.lambd = lambd

    def __call__(self, img: Any) -> Any:
        return self.lambd(img)

    def __repr__(self) -> str:
        return "Lambda()"


class Pad:
    """Pads an image; see `functional.pad`."""

    padding: int | Sequence[int]
    fill: float
    padding_mode: str

    def __init__(self, padding: int | Sequence[int], fill: float = 0, padding_mode: str = "constant"):
        self.padding, self.fill, self.padding_mode = padding, fill, padding_mode

    def __call__(self, img: F.Image) -> F.Image:
        return F.pad(img, self.padding, self.fill, self.padding_mode)

    def __repr__(self) -> str:
        return f"Pad(padding={self.padding}, fill={self.fill}, padding_mode={self.padding_mode})"


class CenterCrop:
    """Crops the center of an image."""

    def __init__(self, size: int | Sequence[int]):
        self.size: tuple[int, int] = F.pair(size)

    def __call__(self, img: F.Image) -> F.Image:
        return F.center_crop(img, self.size)

    def __repr__(self) -> str:
        return f"CenterCrop(size={self.size})"


class RandomCrop:
    """Crops a rectangle at a random position, optionally after padding. ValueError if it does not fit."""

    padding: int | Sequence[int] | None

    size: tuple[int, int]

    def __init__(self, size: int | Sequence[int], padding: int | Sequence[int] | None = None):
        self.size, self.padding = F.pair(size), padding

    def __call__(self, img: F.Image) -> F.Image:
        if self.padding is not None:
            img = F.pad(img, self.padding)
        (wide, high), (height, width) = F.get_image_size(img), self.size
        if height > high or width > wide:
            raise ValueError(f"Required crop size {self.size} is larger than input image size {(high, wide)}")
        if (high, wide) == self.size:
            return img
        top = int(randint(0, high - height + 1, size=(1,)))
        left = int(randint(0, wide - width + 1, size=(1,)))
        return F.crop(img, top, left, height, width)

    def __repr__(self) -> str:
        return f"RandomCrop(size={self.size}, padding={self.padding})"


class RandomHorizontalFlip:
    """Flips an image left to right with probability `p`."""

    def __init__(self, p: float = 0.5):
        self.p = p

    def __call__(self, img: F.Image) -> F.Image:
        return F.hflip(img) if float(rand(1)) < self.p else img

    def __repr__(self) -> str:
        return f"RandomHorizontalFlip(p={self.p})"


class RandomVerticalFlip(RandomHorizontalFlip):
    """Flips an image top to bottom with probability `p`."""

    def __call__(self, img: F.Image) -> F.Image:
        return F.vflip(img) if float(rand(1)) < self.p else img

    def __repr__(self) -> str:
        return f"RandomVerticalFlip(p={self.p})"
