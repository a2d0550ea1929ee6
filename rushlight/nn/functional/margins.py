"""Margins between the scores of a row, as operators: how far those of other classes reach beyond those of its own.

As in PyTorch, a slack that is not a number counts for nothing, and one of exactly 0 has no gradient.
"""

from collections.abc import Iterator

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import leading
from rushlight.ops.picking.gather import _gather
from rushlight.ops.table import operator

BLOCK = 1 << 20  # pairs of scores that are compared at a time


def slacks(input: Array, classes: Array, margin: float) -> tuple[Array, Array]:
    """max(0, margin - input[y] + input[j]) of rows, 0 for the class y itself, and where that is."""
    place = classes[..., None]
    own = place == np.arange(input.shape[-1])
    return np.where(own, 0, np.fmax(input + (margin - _gather(input, input.ndim - 1, place)), 0)), own


def multi_margin_cotangent(grad: Array, input: Array, classes: Array, p: int, margin: float) -> Array:
    """Each score pushes as far as it has slack, and the score of the class is pushed the other way by all of them."""
    slack, own = slacks(input, classes, margin)
    slope = slack > 0 if p == 1 else 2 * slack
    share = (grad / input.shape[-1])[..., None] * slope
    return np.where(own, -np.add.reduce(share, axis=-1, keepdims=True), share)


@operator(batch=leading, aten="multi_margin_loss", node="MultiMarginLossBackward0", input=multi_margin_cotangent)
def _multi_margin(input, classes, p, margin):
    """The mean over classes of the slacks of each row, or of their squares."""
    slack, _ = slacks(input, classes, margin)
    return np.add.reduce(slack if p == 1 else slack * slack, -1) / input.shape[-1]


def pairs(input: np.ndarray, labels: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Blocks of rows (n, C), each with 1 - input[y] + input[j] for all listed classes y and all other classes j.

    Where a list is shorter than others, and where j is listed itself, these are not above 0.
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
def _multilabel_slopes(input, labels):
    """How often each score is in a pair with slack: counted down for a listed class, up for another; over classes."""
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
    input=lambda grad, input, labels: grad[..., None] * _multilabel_slopes(input, labels),
)
def _multilabel_margin(input, labels):
    """The sum of the slacks of each row, over classes."""
    shape, classes = input.shape, input.shape[-1]
    input, labels = input.reshape(-1, classes), labels.reshape(-1, classes)
    result = np.zeros(len(input), input.dtype)
    for rows, slack in pairs(input, labels):
        result[rows] = np.add.reduce(np.fmax(slack, 0, out=slack), (1, 2))
    return (result / classes).reshape(shape[:-1])
