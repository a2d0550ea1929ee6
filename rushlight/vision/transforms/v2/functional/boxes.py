"""Functions of boxes, and how functions that move the pixels of an image change the boxes in it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.graph import new_tensor
from rushlight.ops.making.from_data import tensor
from rushlight.ops.shapes.joining import cat, stack
from rushlight.tensors import Tensor
from rushlight.vision.transforms.sizes import size_of_resized
from rushlight.vision.transforms.turning import inverse, room
from rushlight.vision.transforms.warping import coefficients
from rushlight.vision.tv_tensors.boxes import (
    BoundingBoxes,
    BoundingBoxFormat,
    clamped,
    converted,
    corners_of,
    rule,
    rule_of_corners,
)
from rushlight.vision.tv_tensors.kinds import wrap

__all__ = ["clamp_bounding_boxes", "convert_bounding_box_format", "sanitize_bounding_boxes"]

Size = tuple[int, int]
XYXY = BoundingBoxFormat.XYXY


def convert_bounding_box_format(
    inpt: Tensor, old_format: Any = None, new_format: Any = None, inplace: bool = False
) -> Any:
    """Boxes in another format; of a plain tensor the old format has to be given."""
    if new_format is None:
        raise TypeError("convert_bounding_box_format() missing 1 required argument: 'new_format'")
    new = BoundingBoxFormat.of(new_format)
    if isinstance(inpt, BoundingBoxes):
        if old_format is not None:
            raise ValueError("For bounding box tv_tensor inputs, `old_format` must not be passed.")
        return wrap(converted(inpt.as_subclass(Tensor), inpt.format, new), like=inpt, format=new)
    if old_format is None:
        raise ValueError("For pure tensor inputs, `old_format` has to be passed.")
    found = converted(inpt, BoundingBoxFormat.of(old_format), new)
    return inpt.copy_(found) if inplace else found


def clamp_bounding_boxes(
    inpt: Tensor, format: Any = None, canvas_size: Size | None = None, clamping_mode: str | None = "auto"
) -> Any:
    """Boxes cut at the edges of their image; of a plain tensor the format and the image's size have to be given."""
    if isinstance(inpt, BoundingBoxes):
        if format is not None or canvas_size is not None:
            raise ValueError("For bounding box tv_tensor inputs, `format` and `canvas_size` must not be passed.")
        mode = inpt.clamping_mode if clamping_mode == "auto" else clamping_mode
        return wrap(cut(inpt.as_subclass(Tensor), inpt.format, inpt.canvas_size, mode), like=inpt)
    if format is None or canvas_size is None or clamping_mode == "auto":
        raise ValueError("For pure tensor inputs, `format`, `canvas_size` and `clamping_mode` have to be passed.")
    return cut(inpt, BoundingBoxFormat.of(format), canvas_size, clamping_mode)


def cut(boxes: Tensor, format: BoundingBoxFormat, canvas_size: Size, mode: str | None) -> Tensor:
    """Boxes of a format, cut at the edges of their image."""
    corners = clamped(corners_of(boxes, format), canvas_size, mode)
    return converted(corners, XYXY, format).to(boxes.dtype)


def sanitize_bounding_boxes(
    bounding_boxes: Tensor,
    format: Any = None,
    canvas_size: Size | None = None,
    min_size: float = 1.0,
    min_area: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """The boxes that lie in their image and are neither too narrow nor too small, and which of all these are."""
    if isinstance(bounding_boxes, BoundingBoxes):
        valid = are_valid(bounding_boxes, min_size, min_area)
        return wrap(bounding_boxes[valid], like=bounding_boxes), valid
    if format is None or canvas_size is None:
        raise ValueError("format and canvas_size cannot be None if bounding_boxes is not a tv_tensors.BoundingBoxes.")
    valid = are_valid(BoundingBoxes(bounding_boxes, format=format, canvas_size=canvas_size), min_size, min_area)
    return bounding_boxes[valid], valid


def are_valid(boxes: BoundingBoxes, min_size: float, min_area: float) -> Tensor:
    """Which boxes lie in their image and are large enough."""
    corners = converted(boxes.as_subclass(Tensor), boxes.format, XYXY)
    size = corners[:, 2:] - corners[:, :2]
    high, wide = boxes.canvas_size
    inside = (corners >= 0).all(-1) & (corners <= new_tensor(np.array([wide, high, wide, high]))).all(-1)
    return inside & (size >= min_size).all(-1) & (size[:, 0] * size[:, 1] >= min_area)


def mirrored(boxes: BoundingBoxes, way: int) -> tuple[Tensor, Size]:
    """Boxes mirrored along a direction: 0 is left to right, 1 top to bottom. Those outside of the image stay so."""
    numbers, length = list(boxes.as_subclass(Tensor).unbind(-1)), boxes.canvas_size[1 - way]
    first, last = numbers[way], numbers[way + 2]
    if boxes.format is XYXY:
        numbers[way], numbers[way + 2] = length - last, length - first
    else:
        numbers[way] = length - (first if boxes.format is BoundingBoxFormat.CXCYWH else first + last)
    return stack(numbers, -1), boxes.canvas_size


@rule
def hflip(boxes: BoundingBoxes) -> tuple[Tensor, Size]:
    """Boxes flipped left to right."""
    return mirrored(boxes, 0)


@rule
def vflip(boxes: BoundingBoxes) -> tuple[Tensor, Size]:
    """Boxes flipped top to bottom."""
    return mirrored(boxes, 1)


def shifted(boxes: Tensor, right: float, down: float) -> Tensor:
    """Boxes moved by whole pixels."""
    return boxes + new_tensor(np.array([right, down, right, down], boxes._array.dtype))


@rule_of_corners
def crop(boxes: Tensor, size: Size, top: int, left: int, height: int, width: int) -> tuple[Tensor, Size]:
    """Boxes as seen in a rectangle of the image."""
    return shifted(boxes, -left, -top), (height, width)


@rule_of_corners
def pad(
    boxes: Tensor, size: Size, padding: int | Sequence[int], fill: Any = 0, padding_mode: str = "constant"
) -> tuple[Tensor, Size]:
    """Boxes in the image with its padding."""
    if padding_mode != "constant":
        raise ValueError(f"Padding mode '{padding_mode}' is not supported with bounding boxes: only constant is.")
    sides = [padding] * 4 if isinstance(padding, int) else list(padding) * (4 // len(padding))
    left, top, right, bottom = sides
    return shifted(boxes, left, top), (size[0] + top + bottom, size[1] + left + right)


@rule
def resize(
    boxes: BoundingBoxes,
    size: int | Sequence[int],
    interpolation: Any = None,
    max_size: int | None = None,
    antialias: bool | None = True,
) -> tuple[Tensor, Size]:
    """Boxes in the resized image. Those outside of it stay so."""
    high, wide = boxes.canvas_size
    height, width = size_of_resized(wide, high, size, max_size)
    return boxes.as_subclass(Tensor) * tensor([width / wide, height / high] * 2), (height, width)


def moved(boxes: Tensor, matrix: Any) -> Tensor:
    """The smallest boxes around boxes whose corners are moved by a matrix (3, 3)."""
    x1, y1, x2, y2 = boxes.split(1, -1)
    rows = [cat([x, y, x * 0 + 1], -1) for x, y in ((x1, y1), (x2, y1), (x2, y2), (x1, y2))]
    points = [row @ new_tensor(np.asarray(matrix, boxes._array.dtype).T) for row in rows]
    places = [point[..., :2] / point[..., 2:] for point in points]
    low, high = places[0], places[0]
    for place in places[1:]:
        low, high = low.minimum(place), high.maximum(place)
    return cat([low, high], -1)


def forward(rows: Sequence[float]) -> Any:
    """The matrix from places in the image to places in the result, of the rows of its inverse."""
    return np.linalg.inv(np.array([*rows, 0.0, 0.0, 1.0]).reshape(3, 3))


def middle(size: Size, center: Any) -> tuple[float, float]:
    """A point, or the middle of the image."""
    return (size[1] * 0.5, size[0] * 0.5) if center is None else (center[0], center[1])


@rule_of_corners
def rotate(
    boxes: Tensor,
    size: Size,
    angle: float,
    interpolation: Any = None,
    expand: bool = False,
    center: Any = None,
    fill: Any = None,
) -> tuple[Tensor, Size]:
    """Boxes around the rotated ones."""
    matrix = forward(inverse(middle(size, center), -angle, (0, 0), 1.0, (0, 0)))
    found = moved(boxes, matrix)
    if not expand:
        return found, size
    frame = moved(new_tensor(np.array([0.0, 0.0, size[1], size[0]])), matrix)
    whole = room(inverse((0.0, 0.0), -angle, (0, 0), 1.0, (0, 0)), new_tensor(np.empty((1, *size), np.uint8)))
    return shifted(found, -float(frame[0]), -float(frame[1])), whole


@rule_of_corners
def affine(
    boxes: Tensor,
    size: Size,
    angle: float,
    translate: Sequence[int],
    scale: float,
    shear: Any,
    interpolation: Any = None,
    fill: Any = None,
    center: Any = None,
) -> tuple[Tensor, Size]:
    """Boxes around the moved ones."""
    shears = (shear, 0.0) if isinstance(shear, (int, float)) else (shear[0], shear[-1])
    return moved(boxes, forward(inverse(middle(size, center), angle, translate, scale, shears))), size


@rule
def perspective(
    boxes: BoundingBoxes, startpoints: Any, endpoints: Any, interpolation: Any = None, fill: Any = None
) -> tuple[Tensor, Size]:
    """Boxes around those seen from another point; corners of integers are rounded before."""
    seen = np.array([*coefficients(endpoints, startpoints), 1.0]).reshape(3, 3)
    corners = converted(boxes.as_subclass(Tensor), boxes.format, XYXY)
    found = clamped(moved(corners_of(corners, XYXY), seen), boxes.canvas_size, boxes.clamping_mode)
    return converted(found, XYXY, boxes.format), boxes.canvas_size
