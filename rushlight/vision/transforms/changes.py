"""The basic transforms as classes, under torchvision's names."""
# ruff: noqa: D102 (to call a transform does what its class says)

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.ops.randomness.random_tensors import rand, randint
from rushlight.tensors import Tensor
from rushlight.vision.transforms import basics as F
from rushlight.vision.transforms.transform import Transform

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
    """Converts an image to a tensor of (channels, height, width), as `functional.to_tensor` does."""

    def __call__(self, pic: F.Image) -> Tensor:
        return F.to_tensor(pic)

    def __repr__(self) -> str:
        return "ToTensor()"


class Normalize(Transform):
    """Subtracts the mean and divides by the standard deviation of each channel; see `functional.normalize`."""

    shown: tuple[str, ...] = ("mean", "std")

    mean: Sequence[float]
    std: Sequence[float]
    inplace: bool

    def __init__(self, mean: Sequence[float], std: Sequence[float], inplace: bool = False):
        self.mean, self.std, self.inplace = mean, std, inplace

    def forward(self, tensor: Tensor) -> Tensor:
        return F.normalize(tensor, self.mean, self.std, self.inplace)


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


class Pad(Transform):
    """Pads an image; see `functional.pad`."""

    shown: tuple[str, ...] = ("padding", "fill", "padding_mode")

    padding: int | Sequence[int]
    fill: float
    padding_mode: str

    def __init__(self, padding: int | Sequence[int], fill: float = 0, padding_mode: str = "constant"):
        self.padding, self.fill, self.padding_mode = padding, fill, padding_mode

    def forward(self, img: F.Image) -> F.Image:
        return F.pad(img, self.padding, self.fill, self.padding_mode)


class CenterCrop(Transform):
    """Crops the center of an image."""

    shown: tuple[str, ...] = ("size",)

    def __init__(self, size: int | Sequence[int]):
        self.size: tuple[int, int] = F.pair(size)

    def forward(self, img: F.Image) -> F.Image:
        return F.center_crop(img, self.size)


class RandomCrop(Transform):
    """Crops a rectangle at a random position, optionally after padding. ValueError if it does not fit."""

    shown: tuple[str, ...] = ("size", "padding")

    padding: int | Sequence[int] | None

    size: tuple[int, int]
    fill: float
    padding_mode: str

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill: float = 0,
        padding_mode: str = "constant",
    ):
        self.size, self.padding, self.pad_if_needed = F.pair(size), padding, pad_if_needed
        self.fill, self.padding_mode = fill, padding_mode

    @staticmethod
    def get_params(img: F.Image, output_size: Sequence[int]) -> tuple[int, int, int, int]:
        """The top, left, height and width of a rectangle of a given height and width at a random position."""
        (wide, high), (height, width) = F.get_image_size(img), output_size
        if height > high or width > wide:
            raise ValueError(
                f"Required crop size {tuple(output_size)} is larger than input image size {(high, wide)}: make it "
                "smaller, or give pad_if_needed=True."
            )
        if (high, wide) == (height, width):
            return 0, 0, height, width
        top = int(randint(0, high - height + 1, size=(1,)))
        return top, int(randint(0, wide - width + 1, size=(1,))), height, width

    def forward(self, img: F.Image) -> F.Image:
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        if self.pad_if_needed:
            for side in (0, 1):  # to the left and right, then above and below
                lacking = max(self.size[1 - side] - F.get_image_size(img)[side], 0)
                if lacking:
                    img = F.pad(img, [lacking, 0] if side == 0 else [0, lacking], self.fill, self.padding_mode)
        return F.crop(img, *self.get_params(img, self.size))


class RandomHorizontalFlip(Transform):
    """Flips an image left to right with probability `p`."""

    shown: tuple[str, ...] = ("p",)

    def __init__(self, p: float = 0.5):
        self.p = p

    def forward(self, img: F.Image) -> F.Image:
        return F.hflip(img) if float(rand(1)) < self.p else img


class RandomVerticalFlip(RandomHorizontalFlip):
    """Flips an image top to bottom with probability `p`."""

    def forward(self, img: F.Image) -> F.Image:
        return F.vflip(img) if float(rand(1)) < self.p else img
