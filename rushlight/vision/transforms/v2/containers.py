"""Transforms made of several, of samples of any structure."""

from collections.abc import Callable, Sequence
from typing import Any

from rushlight import nn
from rushlight.ops.making.from_data import tensor
from rushlight.ops.randomness.random_tensors import multinomial, rand, randperm
from rushlight.vision.transforms.v2.samples import whole

__all__ = ["Compose", "RandomApply", "RandomChoice", "RandomOrder"]


class Several(nn.Module):
    """Base class: `order` draws the transforms of a call, which are applied one after the other."""

    transforms: Sequence[Callable[..., Any]]

    def __init__(self, transforms: Sequence[Callable[..., Any]]):
        super().__init__()
        if not isinstance(transforms, Sequence) and not isinstance(transforms, nn.ModuleList):
            raise TypeError("Argument transforms should be a sequence of callables")
        if not len(transforms):
            raise ValueError("Pass at least one transform")
        self.transforms = transforms

    def order(self) -> Sequence[Callable[..., Any]]:
        """The transforms to apply."""
        return self.transforms

    def forward(self, *inputs: Any) -> Any:
        """The inputs, changed."""
        several = len(inputs) > 1
        for transform in self.order():
            found = transform(*inputs)
            inputs = found if several else (found,)
        return whole(inputs)

    def extra_repr(self) -> str:
        """The transforms, a line for each."""
        return "\n".join(f"    {transform}" for transform in self.transforms)


class Compose(Several):
    """Applies several transforms in sequence.

    >>> import rushlight as torch
    >>> from rushlight.vision.transforms import v2
    >>> from rushlight.vision.tv_tensors import BoundingBoxes
    >>> boxes = BoundingBoxes([0, 0, 2, 1], format="XYXY", canvas_size=(4, 4))
    >>> changes = v2.Compose([v2.CenterCrop(2), v2.RandomHorizontalFlip(1.0)])
    >>> image, target = changes(torch.zeros(3, 4, 4), {"boxes": boxes, "label": 5})
    >>> image.shape, target["boxes"].tolist(), target["label"]
    (torch.Size([3, 2, 2]), [[1, 0, 2, 0]], 5)
    """


class RandomApply(Several):
    """Applies all of several transforms with probability `p`."""

    def __init__(self, transforms: Sequence[Callable[..., Any]], p: float = 0.5):
        super().__init__(transforms)
        if not 0.0 <= p <= 1.0:
            raise ValueError("`p` should be a floating point value in the interval [0.0, 1.0].")
        self.p = p

    def order(self) -> Sequence[Callable[..., Any]]:
        """All transforms, or none."""
        return self.transforms if float(rand(1)) < self.p else ()


class RandomChoice(Several):
    """Applies one of several transforms, with the probabilities `p`, or equal ones."""

    def __init__(self, transforms: Sequence[Callable[..., Any]], p: Sequence[float] | None = None):
        super().__init__(transforms)
        weights = [1.0] * len(transforms) if p is None else list(p)
        if len(weights) != len(transforms):
            raise ValueError(f"Length of p doesn't match the number of transforms: {len(weights)} != {len(transforms)}")
        self.p = [weight / sum(weights) for weight in weights]

    def order(self) -> Sequence[Callable[..., Any]]:
        """One transform."""
        return (self.transforms[int(multinomial(tensor(self.p), 1))],)


class RandomOrder(Several):
    """Applies several transforms in random order."""

    def order(self) -> Sequence[Callable[..., Any]]:
        """All transforms."""
        return [self.transforms[i] for i in randperm(len(self.transforms)).tolist()]
