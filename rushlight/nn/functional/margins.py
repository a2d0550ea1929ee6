"""The operators of `multi_margin_loss` and `multilabel_margin_loss`.

A slack is max(0, margin - input[y] + input[j]) for a true class y and another class j. As in PyTorch, NaN counts as a
slack of 0, and a slack of exactly 0 has no gradient.
"""

from collections.abc import Iterator
from types import ModuleType

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import leading
from rushlight.kernels.compiled import load
from rushlight.ops.picking.gather import _gather
from rushlight.ops.table import operator

fast: ModuleType | None = load("margins")
BLOCK = 1 << 20  # pairs of classes to process at a time


def slacks(input: Array, classes: Array, margin: float) -> tuple[Array, Array]:
    """The slacks of each row, 0 for the true class y itself; and the mask of the true classes."""
    place = classes[..., None]
    own = place == np.arange(input.shape[-1])
    return np.where(own, 0, np.fmax(input + (margin - _gather(input, input.ndim - 1, place)), 0)), own


def are_listed(labels: np.ndarray, n: int) -> bool:
    """Whether all labels are from -1 to n - 1."""
    if fast is not None and fast.are_listed(labels, n):
        return True
    return not labels.size or bool(labels.min() >= -1 and labels.max() < n)


def put_together(losses: Array, factor: float | None) -> Array:
    """The sum of the losses of rows times a factor; each loss without one."""
    return losses if factor is None else (np.add.reduce(losses, -1) * factor).astype(losses.dtype, copy=False)


def taken_apart(grad: Array, factor: float | None) -> Array:
    """The cotangent of the losses of rows, with a dimension for classes."""
    return grad[..., None] if factor is None else (grad * factor)[..., None, None]


def multi_margin_cotangent(
    grad: Array, input: Array, classes: Array, p: int, margin: float, factor: float | None
) -> Array:
    """The gradient: each score gets the derivative of its slack, the true class minus the sum of these."""
    grad = taken_apart(grad, factor)
    if fast is not None and (found := fast.margins(input, classes, p == 2, margin, True)) is not None:
        return found * grad
    slack, own = slacks(input, classes, margin)
    slope = slack > 0 if p == 1 else 2 * slack
    share = grad / input.shape[-1] * slope
    return np.where(own, -np.add.reduce(share, axis=-1, keepdims=True), share)


@operator(batch=leading, aten="multi_margin_loss", node="MultiMarginLossBackward0", input=multi_margin_cotangent)
def _multi_margin(input: Array, classes: Array, p: int, margin: float, factor: float | None) -> Array:
    """The sum of the slacks (or of their squares) of each row, divided by the number of classes."""
    if fast is not None and (found := fast.margins(input, classes, p == 2, margin, False, factor)) is not None:
        return found
    slack, _ = slacks(input, classes, margin)
    return put_together(np.add.reduce(slack if p == 1 else slack * slack, -1) / input.shape[-1], factor)


def pairs(input: np.ndarray, labels: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Blocks of rows (n, C): their slice, and 1 - input[y] + input[j] for all listed classes y and all classes j.

    If j is listed too, and at the unused end of a shorter list, the values are -inf.
    """
    n, classes = input.shape
    listed = np.logical_and.accumulate(labels >= 0, 1)
    length = int(listed.sum(1).max(initial=0))
    places = np.where(listed, labels, classes)[:, :length]
    scores = np.empty((n, classes + 1), input.dtype)
    scores[:, :classes], scores[:, classes] = input, np.inf
    rows = np.arange(n)[:, None]
    picked = scores[rows, places]
    scores[rows, places] = -np.inf
    step = max(1, BLOCK // max(1, length * classes))
    for start in range(0, n, step):
        part = slice(start, start + step)
        yield part, (1 - picked[part])[:, :, None] + scores[part, None, :classes]


@operator(batch=leading, aten=())
def _multilabel_slopes(input: Array, labels: Array) -> Array:
    """The gradient: for each score, the number of pairs with positive slack, divided by the number of classes.

    A pair counts -1 for its listed class and +1 for the other class.
    """
    if fast is not None and (found := fast.margins(input, labels, False, 1, True)) is not None:
        return found
    shape, classes = input.shape, input.shape[-1]
    input, labels = input.reshape(-1, classes), labels.reshape(-1, classes)
    slopes = np.zeros((len(input), classes + 1), input.dtype)
    for rows, slack in pairs(input, labels):
        reaches = slack > 0
        slopes[rows, :classes] = np.add.reduce(reaches, 1)
        places = labels[rows, : slack.shape[1]]
        np.add.at(
            slopes, (np.arange(rows.start, len(places) + rows.start)[:, None], places), -np.add.reduce(reaches, 2)
        )
    return (slopes[:, :classes] / classes).reshape(shape)


@operator(
    batch=leading,
    aten="multilabel_margin_loss",
    node="MultilabelMarginLossBackward0",
    input=lambda grad, input, labels, factor: taken_apart(grad, factor) * _multilabel_slopes(input, labels),
)
def _multilabel_margin(input: Array, labels: Array, factor: float | None) -> Array:
    """The sum of the slacks of each row, divided by the number of classes."""
    if fast is not None and (found := fast.margins(input, labels, False, 1, False, factor)) is not None:
        return found
    shape, classes = input.shape, input.shape[-1]
    input, labels = input.reshape(-1, classes), labels.reshape(-1, classes)
    result = np.zeros(len(input), input.dtype)
    for rows, slack in pairs(input, labels):
        result[rows] = np.add.reduce(np.fmax(slack, 0, out=slack), (1, 2))
    return put_together((result / classes).reshape(shape[:-1]), factor)
