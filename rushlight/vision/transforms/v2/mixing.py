"""Transforms of batches that mix each image, and its label, with those of its neighbor."""

import math
from collections.abc import Callable
from typing import Any

from rushlight.distributions.beta import Beta
from rushlight.nn.functional import one_hot
from rushlight.ops.making.from_data import tensor
from rushlight.ops.randomness.random_tensors import randint
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_flatten, tree_unflatten
from rushlight.vision.transforms.v2.base import Transform
from rushlight.vision.transforms.v2.samples import IMAGES, changing, refuse, whole
from rushlight.vision.tv_tensors.boxes import BoundingBoxes
from rushlight.vision.tv_tensors.kinds import Mask

__all__ = ["CutMix", "MixUp"]


def second(inputs: Any) -> Any:
    """The labels, unless told otherwise: the second of the inputs."""
    if isinstance(inputs, (tuple, list)) and len(inputs) > 1:
        return inputs[1]
    raise ValueError("The labels are the second input: give images and labels, or labels_getter=.")


class Mixing(Transform):
    """Base class: labels become probabilities of classes, mixed as the images are."""

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        num_classes: int | None = None,
        labels_getter: Callable[[Any], Any] | str | None = "default",
    ):
        super().__init__()
        self.alpha, self.num_classes = float(alpha), num_classes
        self._dist: Beta = Beta(tensor([self.alpha]), tensor([self.alpha]))
        self._labels_of: Callable[[Any], Any] = labels_getter if callable(labels_getter) else second

    def forward(self, *inputs: Any) -> Any:
        """The inputs, with images and labels mixed."""
        given = whole(inputs)
        flat, structure = tree_flatten(given)
        refuse(flat, (BoundingBoxes, Mask), f"{type(self).__name__}()")
        labels = self._labels_of(given)
        self.check_labels(labels)
        place = next(k for k, one in enumerate(flat) if one is labels)
        chosen = [k for k in changing(flat, IMAGES) if k != place]
        params = self.make_params([flat[k] for k in chosen])
        for k in chosen:
            if not isinstance(flat[k], Tensor):
                raise ValueError(f"{type(self).__name__}() does not support PIL images: it takes batches of tensors.")
            if flat[k].ndim != 4:
                raise ValueError(f"Expected a batched input with 4 dims, but got {flat[k].ndim} dimensions instead.")
            flat[k] = self.transform(flat[k], params)
        flat[place] = self.mixed_labels(labels, params["share"])
        return tree_unflatten(flat, structure)

    def check_labels(self, labels: Any) -> None:
        """Raises ValueError for labels of another kind, or without `num_classes` where that is needed."""
        if not isinstance(labels, Tensor):
            raise ValueError(f"The labels must be a tensor, but got {type(labels)} instead.")
        if labels.ndim not in (1, 2):
            raise ValueError(
                "labels should be index based with shape (batch_size,) or probability based with shape (batch_size, "
                f"num_classes), but got a tensor of shape {labels.shape} instead."
            )
        if labels.ndim == 1 and self.num_classes is None:
            raise ValueError("num_classes must be passed if the labels are index-based (1D)")

    def mixed_labels(self, labels: Tensor, share: float) -> Tensor:
        """The probabilities of classes, of which `share` are the image's own."""
        known = one_hot(labels, num_classes=self.num_classes or -1) if labels.ndim == 1 else labels
        known = known if known.is_floating_point() else known.float()
        return known.roll(1, 0).mul_(1.0 - share).add_(known.mul(share))


class MixUp(Mixing):
    """Averages images with a random weight (H. Zhang et al., 2018)."""

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        """The weight of an image itself."""
        return {"share": float(self._dist.sample(()))}

    def transform(self, inpt: Tensor, params: dict[str, Any]) -> Tensor:
        """The mixed images."""
        return inpt.roll(1, 0).mul_(1.0 - params["share"]).add_(inpt.mul(params["share"]))


class CutMix(Mixing):
    """Replaces a random rectangle of each image (S. Yun et al., 2019)."""

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        """The rectangle, and the part of an image that stays."""
        part = float(self._dist.sample(()))
        high, wide = flat_inputs[0].shape[-2:]
        x, y = int(randint(wide, size=(1,))), int(randint(high, size=(1,)))
        half = 0.5 * math.sqrt(1.0 - part)
        across, down = int(half * wide), int(half * high)
        left, top, right, bottom = max(x - across, 0), max(y - down, 0), min(x + across, wide), min(y + down, high)
        share = 1.0 - (right - left) * (bottom - top) / (wide * high)
        return {"box": (slice(top, bottom), slice(left, right)), "share": share}

    def transform(self, inpt: Tensor, params: dict[str, Any]) -> Tensor:
        """The images with their rectangles replaced."""
        key = (..., *params["box"])
        output = inpt.clone()
        output[key] = inpt.roll(1, 0)[key]
        return output
