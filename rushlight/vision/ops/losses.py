"""Losses of detectors: of boxes given by their corners (x1, y1, x2, y2), pair by pair, and of classes."""

from rushlight.nn.functional import binary_cross_entropy_with_logits
from rushlight.tensors import Tensor
from rushlight.vision.ops.boxes import apart, unlike

__all__ = ["complete_box_iou_loss", "distance_box_iou_loss", "generalized_box_iou_loss", "sigmoid_focal_loss"]


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """The losses themselves, their mean or their sum. ValueError for another reduction."""
    if reduction == "none":
        return loss
    if reduction == "mean":
        return loss.mean() if loss.numel() else 0.0 * loss.sum()
    if reduction == "sum":
        return loss.sum()
    raise ValueError(
        f"Invalid Value for arg 'reduction': '{reduction} \n Supported reduction modes: 'none', 'mean', 'sum'"
    )


def common(boxes1: Tensor, boxes2: Tensor) -> tuple[Tensor, Tensor]:
    """The areas of intersection and union of pairs of boxes."""
    sides = boxes1[..., 2:].minimum(boxes2[..., 2:]) - boxes1[..., :2].maximum(boxes2[..., :2])
    shared = sides.clamp(min=0).prod(-1)
    return shared, area(boxes1) + area(boxes2) - shared


def area(boxes: Tensor) -> Tensor:
    """The areas of boxes."""
    return (boxes[..., 2:] - boxes[..., :2]).prod(-1)


def real(boxes: Tensor) -> Tensor:
    """Boxes as floating-point numbers."""
    return boxes if boxes.is_floating_point() else boxes.float()


def generalized_box_iou_loss(boxes1: Tensor, boxes2: Tensor, reduction: str = "none", eps: float = 1e-7) -> Tensor:
    """1 minus the generalized IoU of pairs of boxes, which also falls where they do not overlap.

    >>> import rushlight as torch
    >>> from rushlight.vision.ops import generalized_box_iou_loss
    >>> generalized_box_iou_loss(torch.tensor([0.0, 0, 2, 2]), torch.tensor([1.0, 0, 3, 2]))
    tensor(0.6667)
    """
    boxes1, boxes2 = real(boxes1), real(boxes2)
    shared, both = common(boxes1, boxes2)
    around = (boxes1[..., 2:].maximum(boxes2[..., 2:]) - boxes1[..., :2].minimum(boxes2[..., :2])).prod(-1)
    return reduced(1 - (shared / (both + eps) - (around - both) / (around + eps)), reduction)


def distance_box_iou_loss(boxes1: Tensor, boxes2: Tensor, reduction: str = "none", eps: float = 1e-7) -> Tensor:
    """1 minus the IoU of pairs of boxes, plus a measure of the distance of their middles."""
    boxes1, boxes2 = real(boxes1), real(boxes2)
    shared, both = common(boxes1, boxes2)
    return reduced(1 - shared / (both + eps) + apart(boxes1, boxes2, eps), reduction)


def complete_box_iou_loss(boxes1: Tensor, boxes2: Tensor, reduction: str = "none", eps: float = 1e-7) -> Tensor:
    """`distance_box_iou_loss` plus a measure of how the boxes' shapes differ."""
    boxes1, boxes2 = real(boxes1), real(boxes2)
    shared, both = common(boxes1, boxes2)
    iou = shared / (both + eps)
    return reduced(1 - iou + apart(boxes1, boxes2, eps) + unlike(boxes1, boxes2, iou, eps), reduction)


def sigmoid_focal_loss(
    inputs: Tensor, targets: Tensor, alpha: float = 0.25, gamma: float = 2, reduction: str = "none"
) -> Tensor:
    """The cross entropy of logits, less for those that are right already (T. Lin et al., 2017).

    `alpha` is the weight of positive targets, -1 for no weights; ValueError for others outside of 0 to 1.
    """
    if not 0 <= alpha <= 1 and alpha != -1:
        raise ValueError(f"Invalid alpha value: {alpha}. alpha must be in the range [0,1] or -1 for ignore.")
    chance = inputs.sigmoid()
    right = chance * targets + (1 - chance) * (1 - targets)
    loss = binary_cross_entropy_with_logits(inputs, targets, reduction="none") * (1 - right) ** gamma
    if alpha >= 0:
        loss = (alpha * targets + (1 - alpha) * (1 - targets)) * loss
    return reduced(loss, reduction)
