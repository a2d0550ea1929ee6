"""Losses with a margin between scores, distances or similarities."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.interpreters import rely_on
from rushlight.dtypes import TYPE_NAMES
from rushlight.kernels.accumulate import are_indices
from rushlight.kernels.entropy import are_classes
from rushlight.nn.functional.distance import pairwise_distance
from rushlight.nn.functional.margins import _multi_margin, _multilabel_margin, are_listed
from rushlight.nn.functional.reductions import factor_of, reduced, reduction_of
from rushlight.ops.activation.logistic import logsigmoid
from rushlight.ops.elementwise.selection import minimum, where
from rushlight.ops.making.creation import full_like
from rushlight.ops.table import refuse
from rushlight.tensors import Tensor

__all__ = [
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`input` where the target is 1, max(0, margin - input) where it is -1.

    >>> import rushlight as torch
    >>> torch.nn.functional.hinge_embedding_loss(torch.tensor([0.5, 0.2]), torch.tensor([1, -1]), reduction="none")
    tensor([0.5000, 0.8000])
    """
    if not isinstance(target, TensorBase):
        return refuse("hinge_embedding_loss", "target", 2, target)
    reduction = reduction_of(reduction, size_average, reduce)
    hinge = ((margin if input.is_floating_point() else full_like(input, margin)) - input).clamp_min(0)
    return reduced(where(target != 1, hinge, 0) + where(target != -1, input, 0), reduction)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, margin - target * (input1 - input2)): target 1 means that the first input should be larger, -1 the second.

    RuntimeError for inputs with different numbers of dimensions.

    >>> import rushlight as torch
    >>> torch.nn.functional.margin_ranking_loss(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1.0]))
    tensor(2.)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return reduced((-target * (input1 - input2) + float(margin)).clamp_min(0), reduction)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1, of the angle between rows (N, D) or (D).

    RuntimeError for inputs whose dimensions do not match the target's.

    >>> import rushlight as torch
    >>> x, y = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 2.0]])
    >>> torch.nn.functional.cosine_embedding_loss(x, y, torch.tensor([1]))
    tensor(1.)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if not input1.ndim == input2.ndim == target.ndim + 1:
        raise RuntimeError(
            f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    cosine = similarity_of_rows(input1, input2)
    apart = where(target == -1, (cosine - margin).clamp_min(0), 0.0)
    return reduced(where(target == 1, 1 - cosine, 0.0) + apart, reduction)


def similarity_of_rows(input1: Tensor, input2: Tensor) -> Tensor:
    """The cosine of the angle between rows; as in PyTorch, epsilon is added to the squared norms here."""
    eps = 1e-12
    norms = ((input1 * input1).sum(-1) + eps) * ((input2 * input2).sum(-1) + eps)
    return (input1 * input2).sum(-1) / norms.sqrt()


def check_triplet(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float) -> None:
    """Raises PyTorch's errors for a margin that is not positive, and for different numbers of dimensions."""
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-06,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, margin + d(anchor, positive) - d(anchor, negative)) for `pairwise_distance` d.

    With `swap`, d(positive, negative) is used if it is smaller than d(anchor, negative). ValueError for a margin that
    is not positive, RuntimeError for tensors with different numbers of dimensions.
    Balntas et al., "Learning shallow convolutional feature descriptors with triplet losses", 2016, for the swap.

    >>> import rushlight as torch
    >>> a, p, n = torch.zeros(1, 2), torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 2.0]])
    >>> torch.nn.functional.triplet_margin_loss(a, p, n)
    tensor(4.0000)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    return triplet(anchor, positive, negative, lambda x, y: pairwise_distance(x, y, p, eps), margin, swap, reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with any distance function of two tensors.

    >>> import rushlight as torch
    >>> a, p, n = torch.zeros(1, 2), torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 2.0]])
    >>> taxi = lambda x, y: (x - y).abs().sum(-1)
    >>> torch.nn.functional.triplet_margin_with_distance_loss(a, p, n, distance_function=taxi)
    tensor(6.)
    """
    reduction = reduction_of(reduction)
    return triplet(anchor, positive, negative, distance_function or pairwise_distance, margin, swap, reduction)


def triplet(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    distance: Callable[..., Any],
    margin: float,
    swap: bool,
    reduction: str,
) -> Tensor:
    """The triplet loss with a given distance function."""
    check_triplet(anchor, positive, negative, margin)
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduced((margin + near - far).clamp_min(0), reduction)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The sum over wrong classes j of max(0, margin - input[y] + input[j]) ** p, divided by C, of (N, C) or (C).

    `weight` (C) has a factor for each class. ValueError if p is not 1 or 2; RuntimeError for shapes that do not match,
    and for a class out of range.

    >>> import rushlight as torch
    >>> torch.nn.functional.multi_margin_loss(torch.tensor([[0.1, 0.2, 0.4, 0.8]]), torch.tensor([3]))
    tensor(0.3250)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    x, found = input._array, target._array
    if weight is None and x.ndim == 2 and are_classes(x, found):
        rely_on(are_indices, found, x.shape[1])
        return _multi_margin(input, target, p, margin, factor_of(reduction, len(x)))
    scores = input if input.ndim == 2 else input.reshape(1, -1)
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    check_scores(input, scores)
    classes = checked_classes(input, scores, target)
    if weight is not None and weight.shape != scores.shape[1:]:
        raise RuntimeError(f"inconsistent weight size, expected {scores.shape[1]} but got {list(weight.shape)}")
    if classes.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {TYPE_NAMES[target.dtype]}")
    if not are_indices(classes, scores.shape[1]):
        raise RuntimeError("target out of range")
    loss = _multi_margin(scores, new_tensor(classes), p, margin, None)
    loss = loss if weight is None else loss * weight.index_select(0, new_tensor(classes))
    return reduced(loss if target.ndim else loss.squeeze(0), reduction)


def check_scores(input: Tensor, scores: Tensor) -> None:
    """Raises PyTorch's error for scores without classes, or with too many dimensions."""
    if input.ndim > 2 or scores._array.shape[1] == 0:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(input.shape)}"
        )


def checked_classes(input: Tensor, scores: Tensor, target: Tensor) -> Array:
    """The classes as a one-dimensional array; raises PyTorch's errors if their number does not match the scores."""
    samples = scores._array.shape[0]
    found = target._array.reshape(-1)
    if target.ndim > 1 or found.size != samples:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size [{samples}], but got {list(target.shape)}. Input has shape "
            f"{list(input.shape)}."
        )
    return found


def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """The sum of max(0, 1 - input[y] + input[j]) over true classes y and others j, divided by C, of (N, C) or (C).

    `target`, of the input's shape, lists the true classes; -1 ends the list. RuntimeError for another shape, and for a
    class out of range.

    >>> import rushlight as torch
    >>> x, y = torch.tensor([[0.1, 0.2, 0.4, 0.8]]), torch.tensor([[3, 0, -1, 1]])
    >>> torch.nn.functional.multilabel_margin_loss(x, y)
    tensor(0.8500)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    x, listed = input._array, target._array
    if x.ndim == 2 and x.size and x.shape == listed.shape and are_listed(listed, x.shape[1]):
        rely_on(are_listed, listed, x.shape[1])
        return _multilabel_margin(input, target, factor_of(reduction, len(x)))
    scores = input if input.ndim == 2 else input.reshape(1, -1)
    check_scores(input, scores)
    alike = target.shape == input.shape if input.ndim == 2 else target.ndim < 2 and target.numel() == input.numel()
    if not alike:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}")
    labels = target._array.reshape(scores.shape)
    if not are_listed(labels, scores.shape[1]):
        raise RuntimeError("argument #2 'target' is out of range")
    loss = _multilabel_margin(scores, new_tensor(labels), None)
    return reduced(loss if input.ndim == 2 else loss.squeeze(0), reduction)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over classes of the cross entropy of `sigmoid(input)` (..., C) with targets of 0 and 1, times `weight`.

    >>> import rushlight as torch
    >>> torch.nn.functional.multilabel_soft_margin_loss(torch.tensor([[0.0, 2.0]]), torch.tensor([[1.0, 0.0]]))
    tensor(1.4100)
    """
    if size_average is None and reduce is None and reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not valid")
    reduction = reduction_of(reduction, size_average, reduce)
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    loss = loss if weight is None else loss * weight
    return reduced(loss.sum(-1) / input.shape[-1], reduction)
