"""Boxes in an image, with its size, and how changes of the image change them."""

from collections.abc import Callable, Sequence
from enum import Enum
from functools import wraps
from typing import Any, Self

from rushlight.ops.shapes.joining import cat
from rushlight.tensors import Tensor
from rushlight.vision.tv_tensors.kinds import TVTensor

__all__ = ["BoundingBoxFormat", "BoundingBoxes", "clamped", "converted", "corners_of", "rule", "rule_of_corners"]

Change = Callable[..., tuple[Tensor, tuple[int, int]]]

RULES: dict[str, Change] = {}  # how a function, by its name, changes boxes


class BoundingBoxFormat(Enum):
    """What the numbers of a box are: two corners, a corner and sizes, or the center and sizes."""

    XYXY = "XYXY"
    XYWH = "XYWH"
    CXCYWH = "CXCYWH"

    @classmethod
    def of(cls, format: Any) -> "BoundingBoxFormat":
        """The format of a name. ValueError for an unknown one."""
        if isinstance(format, str) and format.upper() not in cls.__members__:
            raise ValueError(f"The format of boxes is one of {', '.join(cls.__members__)}, not {format}.")
        return cls[format.upper()] if isinstance(format, str) else format


class BoundingBoxes(TVTensor):
    """Boxes (n, 4) in an image of `canvas_size` (height, width).

    With a `clamping_mode` of None, they may reach out of the image after a change; else they are cut.

    >>> from rushlight.vision.tv_tensors import BoundingBoxes
    >>> boxes = BoundingBoxes([1.0, 2.0, 3.0, 4.0], format="XYXY", canvas_size=(10, 20))
    >>> boxes.shape, boxes.format.value, boxes.clone().canvas_size
    (torch.Size([1, 4]), 'XYXY', (10, 20))
    """

    format: BoundingBoxFormat
    canvas_size: tuple[int, int]
    clamping_mode: str | None

    def __new__(
        cls,
        data: Any,
        *,
        format: BoundingBoxFormat | str,
        canvas_size: tuple[int, int],
        clamping_mode: str | None = "soft",
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool | None = None,
    ) -> Self:
        """Boxes of a format in an image of a size."""
        boxes = super().__new__(cls, data, dtype=dtype, device=device, requires_grad=requires_grad)
        return boxes._told(format, canvas_size, clamping_mode)

    def _told(self, format: BoundingBoxFormat | str, canvas_size: Sequence[int], clamping_mode: str | None) -> Self:
        """The boxes, with their attributes set."""
        if clamping_mode not in (None, "hard", "soft"):
            raise ValueError(f"clamping_mode must be None, hard or soft, got {clamping_mode}.")
        self.format, self.clamping_mode = BoundingBoxFormat.of(format), clamping_mode
        self.canvas_size = (canvas_size[0], canvas_size[1])
        return self

    @classmethod
    def checked(cls, tensor: Tensor) -> Tensor:
        """The tensor, with a dimension for boxes."""
        if tensor.ndim not in (1, 2):
            raise ValueError(f"Expected a 1D or 2D tensor, got {tensor.ndim}D: boxes are (n, 4).")
        return tensor.unsqueeze(0) if tensor.ndim == 1 else tensor

    @classmethod
    def wrap(cls, tensor: Tensor, like: Any, **attributes: Any) -> Self:
        """A tensor as boxes, with the attributes of others unless given."""
        told = {name: getattr(like, name) for name in ("format", "canvas_size", "clamping_mode")} | attributes
        return cls.of(cls.checked(tensor))._told(**told)

    def changed_by(self, function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        """The boxes changed as a function changes their image. TypeError for one that has no rule."""
        change = RULES.get(function.__name__)
        if change is None:
            raise TypeError(f"The function {function.__name__} does not change boxes: give it the image alone.")
        found, size = change(self, *args, **kwargs)
        return type(self).wrap(found.to(self.dtype), self, canvas_size=size)

    def __repr__(self) -> str:
        told = f"format={self.format}, canvas_size={self.canvas_size}, clamping_mode={self.clamping_mode}"
        return f"{Tensor.__repr__(self)[:-1]}, {told})"


def rule(change: Change) -> Change:
    """Registers how the function of this name changes boxes: the new ones, alike, and their image's size."""
    RULES[change.__name__] = change
    return change


def rule_of_corners(change: Change) -> Change:
    """Registers a change of corners and the size of their image. The changed boxes are cut at the image's edges."""

    @wraps(change)
    def changed(boxes: BoundingBoxes, *args: Any, **kwargs: Any) -> tuple[Tensor, tuple[int, int]]:
        corners = corners_of(boxes.as_subclass(Tensor), boxes.format)
        found, size = change(corners, boxes.canvas_size, *args, **kwargs)
        return converted(clamped(found, size, boxes.clamping_mode), BoundingBoxFormat.XYXY, boxes.format), size

    return rule(changed)


def converted(boxes: Tensor, old: BoundingBoxFormat, new: BoundingBoxFormat) -> Tensor:
    """Boxes (..., 4) of one format in another. Halves of integers are rounded as torchvision does.

    The corners around an integer center are rounded towards zero, a center down.
    """
    if old is new:
        return boxes
    if old is BoundingBoxFormat.CXCYWH:
        corner = boxes[..., :2] - boxes[..., 2:] / 2
        corners = cat([corner, corner + boxes[..., 2:]], -1).to(boxes.dtype)
        return converted(corners, BoundingBoxFormat.XYXY, new)
    corner, last = boxes[..., :2], boxes[..., 2:]
    size = last - corner if old is BoundingBoxFormat.XYXY else last
    if new is BoundingBoxFormat.XYXY:
        return cat([corner, corner + size], -1)
    if new is BoundingBoxFormat.XYWH:
        return cat([corner, size], -1)
    rounding = None if boxes.is_floating_point() else "floor"
    return cat([(2 * corner + size).div(2, rounding_mode=rounding), size], -1)


def corners_of(boxes: Tensor, format: BoundingBoxFormat) -> Tensor:
    """The corners of boxes, as floating-point numbers."""
    return converted(boxes if boxes.is_floating_point() else boxes.float(), format, BoundingBoxFormat.XYXY)


def clamped(corners: Tensor, canvas_size: Sequence[int], mode: str | None) -> Tensor:
    """Boxes, given by their corners, cut at the edges of their image; unchanged if the mode is None."""
    if mode is None:
        return corners
    across, down = corners[..., 0::2].clamp(0, canvas_size[1]), corners[..., 1::2].clamp(0, canvas_size[0])
    return cat([across[..., :1], down[..., :1], across[..., 1:], down[..., 1:]], -1)
