"""Connectionist temporal classification: the loss of Graves et al. (2006) for sequences without an alignment."""

from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.interpreters import rely_on
from rushlight.nn.functional.reductions import reduction_of
from rushlight.ops.elementwise.elementary import logaddexp
from rushlight.ops.elementwise.selection import where
from rushlight.ops.shapes.joining import cat
from rushlight.refusals.numbers import as_numbers
from rushlight.tensors import Tensor

__all__ = ["ctc_loss"]

IMPOSSIBLE = -1e30  # the logarithm of probability 0; finite, so that its gradient is 0 and not NaN


def lengths_of(name: str, lengths: Any, samples: Any) -> Any:
    """Lengths, given as a tensor or as numbers, as an array with one for each sample."""
    array = lengths._array if isinstance(lengths, Tensor) else np.asarray(lengths)
    rely_on(np.array_equal, array, array.copy())  # they decide about shapes
    if array.dtype.kind not in "iu":
        raise RuntimeError(f"{name} must be integral")
    array = array.reshape(-1).astype(np.int64)
    if len(array) != samples:
        raise RuntimeError(f"{name} must be of size batch_size")
    return array


def rows_of(targets: Any, lengths: Any) -> Any:
    """The target sequences as rows (N, longest), from rows or from a concatenation."""
    longest = max(lengths, default=0)
    labels = targets._array.astype(np.int64)
    rows = len(lengths) if labels.ndim == 2 else lengths.sum()
    if len(labels) != rows:
        raise other_size(f"size {rows}", labels, 0)
    if labels.ndim == 2:
        if labels.shape[1] < longest:
            raise other_size(f"size at least {longest}", labels, 1)
        return labels[:, :longest]
    rows = np.zeros((len(lengths), longest), np.int64)
    rows[np.arange(longest) < lengths[:, None]] = labels
    return rows


def other_size(wanted: Any, labels: Any, dim: int) -> Any:
    """The error for targets of the wrong size."""
    return RuntimeError(
        f"Expected tensor to have {wanted} at dimension {dim}, but got size {labels.shape[dim]} for argument #2 "
        "'targets' (while checking arguments for ctc_loss_allocate_outputs)"
    )


def check_dims(log_probs: Any, targets: Any, blank: Any) -> None:
    """Raises PyTorch's errors for wrong numbers of dimensions, and for a blank out of range."""
    place = "(while checking arguments for ctc_loss_allocate_outputs)"
    if 0 in log_probs.shape:
        raise RuntimeError("log_probs tensor must not be empty")
    if log_probs.ndim != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {log_probs.ndim}-dimensional tensor for argument #1 'log_probs' "
            f"{place}"
        )
    if targets.ndim not in (1, 2):
        raise RuntimeError(
            f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor for argument #2 'targets' {place}"
        )
    if not 0 <= blank < log_probs.shape[2]:
        raise RuntimeError("blank must be in label range")


def with_blanks(rows: Any, blank: Any) -> Any:
    """The labels with blanks before, between and after them, and where the blank in between may be skipped."""
    labels = np.full((len(rows), 2 * rows.shape[1] + 1), blank)
    labels[:, 1::2] = rows
    skips = np.zeros(labels.shape, bool)
    skips[:, 3::2] = labels[:, 3::2] != labels[:, 1:-2:2]
    return labels, skips


def shifted(alpha: Any, steps: Any) -> Any:
    """Log probabilities moved by some states; the states filled in have probability 0."""
    gap = new_tensor(np.full((alpha.shape[0], min(steps, alpha.shape[1])), IMPOSSIBLE, alpha._array.dtype))
    return cat([gap, alpha[:, : max(alpha.shape[1] - steps, 0)]], 1)


def likelihoods(log_probs: Any, labels: Any, skips: Any, input_lengths: Any, target_lengths: Any) -> Any:
    """The log probabilities of the sequences: the forward variables of the paper, for all samples and states."""
    samples, states = labels.shape
    index = np.broadcast_to(labels, (log_probs.shape[0], samples, states))
    emitted = log_probs.gather(2, new_tensor(np.ascontiguousarray(index)))
    first = np.arange(states) < np.where(target_lengths, 2, 1)[:, None]
    alpha = where(new_tensor(first), emitted[0], IMPOSSIBLE)
    nothing_read = np.where(np.arange(states) == 0, 0, IMPOSSIBLE).astype(alpha._array.dtype)
    alpha = where(new_tensor(input_lengths[:, None] > 0), alpha, new_tensor(nothing_read))
    may_skip = new_tensor(skips)
    for t in range(1, log_probs.shape[0]):
        reached = logaddexp(alpha, shifted(alpha, 1))
        reached = logaddexp(reached, where(may_skip, shifted(alpha, 2), IMPOSSIBLE))
        alpha = where(new_tensor(t < input_lengths[:, None]), reached + emitted[t], alpha)
    last = new_tensor(2 * target_lengths[:, None])
    before = new_tensor(np.maximum(2 * target_lengths - 1, 0)[:, None])
    ends = where(new_tensor(target_lengths[:, None] > 0), alpha.gather(1, before), IMPOSSIBLE)
    return logaddexp(alpha.gather(1, last), ends).squeeze(1)


def check_lengths(steps: Any, input_lengths: Any, target_lengths: Any) -> None:
    """Raises PyTorch's errors for lengths that do not match."""
    if len(input_lengths) and input_lengths.max() > steps:
        raise RuntimeError(
            f"Expected input_lengths to have value at most {steps}, but got value {input_lengths.max()} "
            "(while checking arguments for ctc_loss_allocate_outputs)"
        )
    for name, lengths in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if (lengths < 0).any():
            raise RuntimeError(f"Expected {name} to have value at least 0, but got value {lengths.min()}")


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | tuple[int, ...],
    target_lengths: Tensor | tuple[int, ...],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """The negative log probability of target sequences, over all alignments, given log probabilities (T, N, C).

    `targets` is (N, S), or all sequences concatenated; without N, `log_probs` is (T, C). For the mean, losses are
    divided by the lengths of their targets. A sequence too long for its input has an infinite loss, which
    `zero_infinity` makes 0. RuntimeError for lengths that do not match. As in PyTorch, the gradient for `log_probs` is
    that with respect to the input of `log_softmax`, whose backward pass leaves it unchanged.

    >>> import rushlight as torch
    >>> log_probs = torch.full((2, 1, 2), 0.5).log()
    >>> torch.nn.functional.ctc_loss(log_probs, torch.tensor([[1]]), torch.tensor([2]), torch.tensor([1]))
    tensor(0.2877)
    """
    reduction = reduction_of(reduction)
    if isinstance(blank, TensorBase):
        *_, blank = as_numbers(".ctc_loss", (log_probs, targets, input_lengths, target_lengths, blank), {})[0]
    if log_probs.ndim != 3:
        batch = log_probs.unsqueeze(1)
        check_dims(batch, targets, blank)
        loss = ctc_loss(batch, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)
        return loss.squeeze(0) if reduction == "none" else loss
    check_dims(log_probs, targets, blank)
    samples = log_probs.shape[1]
    input_lengths = lengths_of("input_lengths", input_lengths, samples)
    target_lengths = lengths_of("target_lengths", target_lengths, samples)
    rows = rows_of(targets, target_lengths)
    check_lengths(log_probs.shape[0], input_lengths, target_lengths)
    labels, skips = with_blanks(rows, blank)
    logarithms = likelihoods(log_probs, labels, skips, input_lengths, target_lengths)
    loss = own_softmax(log_probs, input_lengths) - logarithms
    impossible = new_tensor(logarithms._array < IMPOSSIBLE / 2)
    loss = where(impossible, 0.0 if zero_infinity else np.inf, loss)
    if reduction == "mean":
        return (loss / new_tensor(np.maximum(target_lengths, 1).astype(loss._array.dtype))).mean()
    return loss.sum() if reduction == "sum" else loss


def own_softmax(log_probs: Any, input_lengths: Any) -> Any:
    """Zero for each sample, with the gradient exp(log_probs).

    PyTorch's gradient has this term, which the backward pass of `log_softmax` removes again.
    """
    used = np.arange(log_probs.shape[0])[:, None, None] < input_lengths[:, None]
    total = (log_probs.exp() * new_tensor(used.astype(log_probs._array.dtype))).sum((0, 2))
    return total - total.detach()
