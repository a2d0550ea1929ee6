"""Boxes in images, given by their corners (x1, y1, x2, y2): areas, overlaps, non-maximum suppression."""

import numpy as np

from rushlight.core.graph import new_tensor
from rushlight.ops.shapes.joining import cat, stack
from rushlight.tensors import Tensor

__all__ = [
    "batched_nms",
    "box_area",
    "box_convert",
    "box_iou",
    "clip_boxes_to_image",
    "generalized_box_iou",
    "nms",
    "remove_small_boxes",
]


def box_area(boxes: Tensor) -> Tensor:
    """The areas of boxes (n, 4)."""
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def overlaps(boxes1: Tensor, boxes2: Tensor) -> tuple[Tensor, Tensor]:
    """The areas of intersection and union of each of `boxes1` with each of `boxes2`."""
    low = boxes1[:, None, :2].maximum(boxes2[:, :2])
    high = boxes1[:, None, 2:].minimum(boxes2[:, 2:])
    sides = (high - low).clamp(min=0)
    common = sides[:, :, 0] * sides[:, :, 1]
    return common, box_area(boxes1)[:, None] + box_area(boxes2) - common


def box_iou(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """Intersection over union of each pair of boxes (n, 4) and (m, 4): (n, m).

    >>> import rushlight as torch
    >>> from rushlight.vision.ops import box_iou
    >>> box_iou(torch.tensor([[0.0, 0, 2, 2]]), torch.tensor([[1.0, 0, 3, 2]]))
    tensor([[0.3333]])
    """
    common, both = overlaps(boxes1, boxes2)
    return common / both


def generalized_box_iou(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """`box_iou` minus the part of the smallest enclosing box that neither covers (H. Rezatofighi et al., 2019)."""
    common, both = overlaps(boxes1, boxes2)
    low = boxes1[:, None, :2].minimum(boxes2[:, :2])
    high = boxes1[:, None, 2:].maximum(boxes2[:, 2:])
    sides = (high - low).clamp(min=0)
    around = sides[:, :, 0] * sides[:, :, 1]
    return common / both - (around - both) / around


def nms(boxes: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """Non-maximum suppression: the indices of boxes, by descending score, without those that overlap a better one.

    Two boxes overlap if their IoU exceeds the threshold.

    >>> import rushlight as torch
    >>> from rushlight.vision.ops import nms
    >>> nms(torch.tensor([[0.0, 0, 2, 2], [0, 0, 2, 2.1], [5, 5, 6, 6]]), torch.tensor([0.5, 0.9, 0.1]), 0.5)
    tensor([1, 2])
    """
    if boxes.dim() != 2 or boxes.shape[1] != 4:
        raise RuntimeError(f"boxes should be a 2d tensor with 4 elements in dimension 1, got {list(boxes.shape)}")
    if scores.shape != boxes.shape[:1]:
        raise RuntimeError("boxes and scores should have same number of elements in dimension 0")
    order = np.argsort(-scores.detach()._settled(), kind="stable")
    corners = boxes.detach()._settled()
    areas = (corners[:, 2] - corners[:, 0]) * (corners[:, 3] - corners[:, 1])
    kept = []
    while order.size:
        best, rest = order[0], order[1:]
        kept.append(best)
        low = np.maximum(corners[best, :2], corners[rest, :2])
        high = np.minimum(corners[best, 2:], corners[rest, 2:])
        common = np.prod(np.maximum(high - low, 0), axis=1)
        order = rest[~(common / (areas[best] + areas[rest] - common) > iou_threshold)]
    return new_tensor(np.array(kept, np.int64))


def batched_nms(boxes: Tensor, scores: Tensor, idxs: Tensor, iou_threshold: float) -> Tensor:
    """`nms` within each of the classes in `idxs`; the indices are by descending score over all classes."""
    if not boxes.numel():
        return new_tensor(np.zeros(0, np.int64))
    offsets = idxs.to(boxes.dtype) * (boxes.max() + 1)
    return nms(boxes + offsets[:, None], scores, iou_threshold)


def remove_small_boxes(boxes: Tensor, min_size: float) -> Tensor:
    """The indices of boxes whose width and height are at least `min_size`."""
    wide, high = boxes[:, 2] - boxes[:, 0] >= min_size, boxes[:, 3] - boxes[:, 1] >= min_size
    return (wide & high).nonzero()[:, 0]


def clip_boxes_to_image(boxes: Tensor, size: tuple[int, int]) -> Tensor:
    """Boxes clipped to an image of the given height and width."""
    height, width = size
    x, y = boxes[..., 0::2].clamp(min=0, max=width), boxes[..., 1::2].clamp(min=0, max=height)
    return stack((x, y), dim=boxes.dim()).reshape(boxes.shape)


def box_convert(boxes: Tensor, in_fmt: str, out_fmt: str) -> Tensor:
    """Converts boxes between "xyxy" (corners), "xywh" (corner and size) and "cxcywh" (center and size)."""
    for form in (in_fmt, out_fmt):
        if form not in ("xyxy", "xywh", "cxcywh"):
            raise ValueError(f"Unsupported Bounding Box Conversions for given in_fmt {in_fmt} and out_fmt {out_fmt}")
    first, second = boxes[..., :2], boxes[..., 2:]
    if in_fmt == "cxcywh":
        first, second = first - 0.5 * second, first + 0.5 * second
    elif in_fmt == "xywh":
        second = first + second
    if out_fmt == "cxcywh":
        first, second = (first + second) / 2, second - first
    elif out_fmt == "xywh":
        second = second - first
    return cat((first, second), -1)
