"""Policies of augmentation: random sequences of changes, drawn from PyTorch's stream."""
# ruff: noqa: D102 (to call a transform does what its class says)

import math
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from rushlight.distributions.dirichlet import Dirichlet
from rushlight.ops.making.from_data import tensor as make_tensor
from rushlight.ops.making.ranges import linspace
from rushlight.ops.randomness.random_tensors import rand, randint
from rushlight.tensors import Tensor
from rushlight.vision.transforms import basics as F
from rushlight.vision.transforms import pixels, tones, turning
from rushlight.vision.transforms.pixel_changes import below
from rushlight.vision.transforms.policies import POLICIES
from rushlight.vision.transforms.sizes import InterpolationMode
from rushlight.vision.transforms.transform import Transform

__all__ = ["AugMix", "AutoAugment", "AutoAugmentPolicy", "RandAugment", "TrivialAugmentWide"]

Space = dict[str, tuple[list[float], bool]]  # the magnitudes of each change, and whether they have signs


class AutoAugmentPolicy(Enum):
    """The policies that were learned from a dataset each."""

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


def sheared(across: bool) -> Callable[..., Any]:
    """A change that shears an image along x or y, by the tangent of an angle."""

    def change(img: F.Image, magnitude: float, mode: Any, fill: Any) -> F.Image:
        angle = math.degrees(math.atan(magnitude))
        return turning.affine(img, 0.0, [0, 0], 1.0, [angle, 0.0] if across else [0.0, angle], mode, fill, [0, 0])

    return change


def moved(across: bool) -> Callable[..., Any]:
    """A change that moves an image along x or y, by a number of pixels."""

    def change(img: F.Image, magnitude: float, mode: Any, fill: Any) -> F.Image:
        far = int(magnitude)
        return turning.affine(img, 0.0, [far, 0] if across else [0, far], 1.0, [0.0, 0.0], mode, fill)

    return change


def plain(function: Callable[..., Any], strength: Callable[[float], Any] | None = None) -> Callable[..., Any]:
    """A change of values: a function of the image, and of the magnitude where there is a `strength`."""
    if strength is None:
        return lambda img, magnitude, mode, fill: function(img)
    return lambda img, magnitude, mode, fill: function(img, strength(magnitude))


CHANGES: dict[str, Callable[..., Any]] = {
    "Identity": lambda img, magnitude, mode, fill: img,
    "ShearX": sheared(True),
    "ShearY": sheared(False),
    "TranslateX": moved(True),
    "TranslateY": moved(False),
    "Rotate": lambda img, magnitude, mode, fill: turning.rotate(img, magnitude, mode, fill=fill),
    "Brightness": plain(pixels.adjust_brightness, lambda m: 1.0 + m),
    "Color": plain(pixels.adjust_saturation, lambda m: 1.0 + m),
    "Contrast": plain(pixels.adjust_contrast, lambda m: 1.0 + m),
    "Sharpness": plain(tones.adjust_sharpness, lambda m: 1.0 + m),
    "Posterize": plain(tones.posterize, int),
    "Solarize": plain(tones.solarize, float),
    "AutoContrast": plain(tones.autocontrast),
    "Equalize": plain(tones.equalize),
    "Invert": plain(pixels.invert),
}


def evenly(low: float, high: float, count: int) -> list[float]:
    """Evenly spaced numbers of the default dtype."""
    return linspace(low, high, count).tolist()


def space(bins: int, far: Any, shear: float, turn: float, strength: float, bits: tuple[int, int]) -> Space:
    """The magnitudes of all changes: `far` are the largest movements, `bits` the most and how many fewer."""
    kept = bits[0] - (np.arange(bins, dtype=np.float32) / np.float32((bins - 1) / bits[1])).round()
    return {
        "Identity": ([], False),
        "ShearX": (evenly(0.0, shear, bins), True),
        "ShearY": (evenly(0.0, shear, bins), True),
        "TranslateX": (evenly(0.0, far[0], bins), True),
        "TranslateY": (evenly(0.0, far[1], bins), True),
        "Rotate": (evenly(0.0, turn, bins), True),
        "Brightness": (evenly(0.0, strength, bins), True),
        "Color": (evenly(0.0, strength, bins), True),
        "Contrast": (evenly(0.0, strength, bins), True),
        "Sharpness": (evenly(0.0, strength, bins), True),
        "Posterize": (kept.tolist(), False),
        "Solarize": (evenly(255.0, 0.0, bins), False),
        "AutoContrast": ([], False),
        "Equalize": ([], False),
    }


def drawn(changes: Space, place: Callable[[int], int]) -> tuple[str, float]:
    """A random change; `place` chooses among its magnitudes, and the sign is random."""
    name = list(changes)[below(len(changes))]
    magnitudes, signed = changes[name]
    magnitude = magnitudes[place(len(magnitudes))] if magnitudes else 0.0
    return name, -magnitude if signed and int(randint(2, (1,))) else magnitude


class Augmentation(Transform):
    """Base class of the policies, with the interpolation and filling of changes that move places."""

    interpolation: Any

    def __init__(self, interpolation: Any, fill: Any):
        self.interpolation, self.fill = interpolation, fill

    def changed(self, img: F.Image, name: str, magnitude: float) -> F.Image:
        """An image after the named change."""
        return CHANGES[name](img, magnitude, self.interpolation, self.fill)


class AutoAugment(Augmentation):
    """Two changes by one of the 25 rules of a learned policy (E. Cubuk et al., 2019)."""

    shown: tuple[str, ...] = ("policy", "fill")

    policy: AutoAugmentPolicy

    def __init__(
        self,
        policy: AutoAugmentPolicy = AutoAugmentPolicy.IMAGENET,
        interpolation: Any = InterpolationMode.NEAREST,
        fill: Any = None,
    ):
        super().__init__(interpolation, fill)
        self.policy = AutoAugmentPolicy(policy)
        self.policies = POLICIES[self.policy.value]

    @staticmethod
    def get_params(transform_num: int) -> tuple[int, Tensor, Tensor]:
        """A random rule, and for its two changes chances and signs."""
        return below(transform_num), rand(2), randint(2, (2,))

    def forward(self, img: F.Image) -> F.Image:
        number, chances, signs = self.get_params(len(self.policies))
        _, high, wide = F.get_dimensions(img)
        changes = space(10, (150.0 / 331.0 * wide, 150.0 / 331.0 * high), 0.3, 30.0, 0.9, (8, 4))
        for k, (name, probability, place) in enumerate(self.policies[number]):
            if float(chances[k]) <= np.float32(probability):
                magnitudes, signed = changes.get(name, ([], False))
                magnitude = 0.0 if place is None else magnitudes[place]
                img = self.changed(img, name, -magnitude if signed and not int(signs[k]) else magnitude)
        return img


class RandAugment(Augmentation):
    """Several random changes, all of one magnitude (E. Cubuk et al., 2020)."""

    shown: tuple[str, ...] = ("num_ops", "magnitude", "num_magnitude_bins", "interpolation", "fill")

    num_ops: int
    magnitude: int
    num_magnitude_bins: int

    def __init__(
        self,
        num_ops: int = 2,
        magnitude: int = 9,
        num_magnitude_bins: int = 31,
        interpolation: Any = InterpolationMode.NEAREST,
        fill: Any = None,
    ):
        super().__init__(interpolation, fill)
        self.num_ops, self.magnitude, self.num_magnitude_bins = num_ops, magnitude, num_magnitude_bins

    def forward(self, img: F.Image) -> F.Image:
        _, high, wide = F.get_dimensions(img)
        far = 150.0 / 331.0 * wide, 150.0 / 331.0 * high
        changes = space(self.num_magnitude_bins, far, 0.3, 30.0, 0.9, (8, 4))
        for _ in range(self.num_ops):
            img = self.changed(img, *drawn(changes, lambda count: self.magnitude))
        return img


class TrivialAugmentWide(Augmentation):
    """One random change of a random magnitude (S. Müller and F. Hutter, 2021)."""

    shown: tuple[str, ...] = ("num_magnitude_bins", "interpolation", "fill")

    num_magnitude_bins: int

    def __init__(self, num_magnitude_bins: int = 31, interpolation: Any = InterpolationMode.NEAREST, fill: Any = None):
        super().__init__(interpolation, fill)
        self.num_magnitude_bins = num_magnitude_bins

    def forward(self, img: F.Image) -> F.Image:
        changes = space(self.num_magnitude_bins, (32.0, 32.0), 0.99, 135.0, 0.99, (8, 6))
        return self.changed(img, *drawn(changes, below))


class AugMix(Augmentation):
    """A random mixture of an image and of chains of changes (D. Hendrycks et al., 2020)."""

    shown: tuple[str, ...] = (
        *("severity", "mixture_width", "chain_depth", "alpha", "all_ops"),
        *("interpolation", "fill"),
    )

    severity: int
    mixture_width: int
    chain_depth: int
    alpha: float
    all_ops: bool

    def __init__(
        self,
        severity: int = 3,
        mixture_width: int = 3,
        chain_depth: int = -1,
        alpha: float = 1.0,
        all_ops: bool = True,
        interpolation: Any = InterpolationMode.BILINEAR,
        fill: Any = None,
    ):
        super().__init__(interpolation, fill)
        if not 1 <= severity <= 10:
            raise ValueError(f"The severity must be between [1, 10]. Got {severity} instead.")
        self.severity, self.mixture_width, self.chain_depth = severity, mixture_width, chain_depth
        self.alpha, self.all_ops = alpha, all_ops

    def space(self, wide: int, high: int) -> Space:
        """The changes in torchvision's order: those of brightness, contrast, color and sharpness are the last ones."""
        changes = space(10, (wide / 3.0, high / 3.0), 0.3, 30.0, 0.9, (4, 4))
        tonal = {name: changes.pop(name) for name in ("Brightness", "Color", "Contrast", "Sharpness")}
        del changes["Identity"]
        return {**changes, **tonal} if self.all_ops else changes

    def forward(self, orig_img: F.Image) -> F.Image:
        whole, back = pixels.planes(orig_img)
        if not isinstance(orig_img, Tensor):
            back = pixels.to_pil_image
        changes = self.space(*F.get_image_size(whole))
        batch = whole.reshape(*[1] * max(4 - whole.dim(), 0), *whole.shape)
        count = len(batch)
        shares = self.shares(count, 2)
        weights = self.shares(count, self.mixture_width) * shares[:, 1:]
        lined = (count, *[1] * (batch.dim() - 1))
        mix = shares[:, 0].reshape(lined) * batch
        for k in range(self.mixture_width):
            depth = self.chain_depth if self.chain_depth > 0 else int(randint(1, 4, (1,)))
            changed = batch
            for _ in range(depth):
                changed = self.changed(changed, *drawn(changes, lambda n: below(self.severity)))
            mix = mix + weights[:, k].reshape(lined) * changed
        return back(mix.reshape(whole.shape).to(whole.dtype))

    def shares(self, count: int, parts: int) -> Tensor:
        """Random shares of a number of parts, which add up to 1."""
        return Dirichlet(make_tensor([self.alpha] * parts).expand(count, -1)).sample()
