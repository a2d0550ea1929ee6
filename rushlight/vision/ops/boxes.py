"""Boxes in images, given by their corners (x1, y1, x2, y2): areas, overlaps, non-maximum suppression."""

import math

import numpy as np

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.graph import new_tensor
from rushlight.ops.shapes.joining import cat, stack
from rushlight.tensors import Tensor

__all__ = [
    "batched_nms",
    "box_area",
    "box_convert",
    "box_iou",
    "clip_boxes_to_image",
    "complete_box_iou",
    "distance_box_iou",
    "generalized_box_iou",
    "masks_to_boxes",
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


def apart(boxes1: Tensor, boxes2: Tensor, eps: float) -> Tensor:
    """The squared distances of the boxes' middles, as parts of the squared diagonals of the boxes around both."""
    sides = boxes1[..., 2:].maximum(boxes2[..., 2:]) - boxes1[..., :2].minimum(boxes2[..., :2])
    middles = (boxes1[..., :2] + boxes1[..., 2:]) / 2 - (boxes2[..., :2] + boxes2[..., 2:]) / 2
    return middles.square().sum(-1) / (sides.clamp(min=0).square().sum(-1) + eps)


def unlike(boxes1: Tensor, boxes2: Tensor, iou: Tensor, eps: float) -> Tensor:
    """How much the shapes of boxes differ, weighted by how well they overlap."""
    wide1, high1 = (boxes1[..., 2:] - boxes1[..., :2]).unbind(-1)
    wide2, high2 = (boxes2[..., 2:] - boxes2[..., :2]).unbind(-1)
    angles = ((wide1 / high1).atan() - (wide2 / high2).atan()).square() * (4 / math.pi**2)
    with no_grad():
        weight = angles / (1 - iou + angles + eps)
    return weight * angles


def distance_box_iou(boxes1: Tensor, boxes2: Tensor, eps: float = 1e-7) -> Tensor:
    """`box_iou` minus a measure of the distance of the boxes' middles (Z. Zheng et al., 2020)."""
    return box_iou(boxes1, boxes2) - apart(boxes1[:, None], boxes2, eps)


def complete_box_iou(boxes1: Tensor, boxes2: Tensor, eps: float = 1e-7) -> Tensor:
    """`distance_box_iou` minus a measure of how the boxes' shapes differ (Z. Zheng et al., 2020)."""
    iou = box_iou(boxes1, boxes2)
    return iou - apart(boxes1[:, None], boxes2, eps) - unlike(boxes1[:, None], boxes2, iou, eps)


def masks_to_boxes(masks: Tensor) -> Tensor:
    """The boxes around masks (n, height, width): (n, 4); zeros for empty masks.

    >>> import rushlight as torch
    >>> from rushlight.vision.ops import masks_to_boxes
    >>> masks_to_boxes(torch.tensor([[[0, 1, 1], [0, 0, 1]]]))
    tensor([[1., 0., 2., 1.]])
    """
    found = []
    for mask in masks.detach()._settled():
        rows, columns = np.nonzero(mask)
        found.append([columns.min(), rows.min(), columns.max(), rows.max()] if rows.size else [0] * 4)
    return new_tensor(np.array(found, np.float32).reshape(-1, 4))


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
