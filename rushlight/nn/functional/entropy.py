"""Cross entropy of logits, and negative log likelihood of log probabilities."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.aliases import Array
from rushlight.core.batched import values
from rushlight.core.batching import by
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.interpreters import noted, rely_on
from rushlight.core.kinds import kind_of
from rushlight.kernels import entropy as kernels
from rushlight.kernels.accumulate import are_indices
from rushlight.nn.functional.reductions import reduced, reduction_of
from rushlight.ops.arguments.dims import size_of
from rushlight.ops.picking.gather import _gather, _put_back
from rushlight.ops.reductions.softmax import _softmax
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["cross_entropy", "nll_loss"]


def scored_cotangent(grads: Sequence[Array], input: Array, target: Array, factor: float, result1: Array) -> Array:
    """`(softmax - one_hot) * grad`; for double backward, softmax is recomputed from the input."""
    grad = grads[0] * factor
    if not isinstance(grad, TensorBase):
        return kernels.cross_entropy_cotangent(grad, input, target, result1)
    one_hot = np.expand_dims(target, 1) == new_tensor(np.arange(input.shape[1]))
    return (_softmax(input, 1, input._array.dtype) - one_hot.to(input.dtype)) * grad


@operator(
    kernel=True,
    aten="cross_entropy_loss",
    node="NllLossBackward0",
    input=scored_cotangent,
    nondifferentiable=(1,),
    batch=by(lambda n, input, target, factor: kernels.cross_entropy(input, target, factor)),
)
def _cross_entropy(input: Array, target: Array, factor: float) -> tuple[Array, ...]:
    """The sum of the losses of rows of logits, times `factor`; and each row's maximum and log-sum-exp without it."""
    return kernels.cross_entropy(input, target, factor)


def picked_cotangent(grad: Any, input_shape: Any, target: Array, factor: float) -> Array:
    """The gradient of the log probabilities: `grad * factor` at the target classes, 0 elsewhere."""
    if not isinstance(grad, TensorBase):
        return kernels.put(grad, factor, target, input_shape)
    coefficients = new_tensor(np.full(target.shape, factor, grad._array.dtype))
    return _put_back(np.expand_dims(coefficients * grad, 1), 1, np.expand_dims(target, 1), input_shape)


def sum_operator(kind: str, node: str) -> Any:
    """Registers the sum of the log probabilities of the target classes, times a factor."""

    def forward(input: Array, target: Array, factor: float) -> Array:
        return kernels.pick(input, target, factor)

    def batch(n: int, input: Array, target: Array, factor: float) -> Array:
        return kernels.pick(input, target, factor, n)

    names = ("nll_loss_nd", f"nll_loss{kind}")
    return operator(name=f"nll_sum{kind}", node=node, aten=names, input=picked_cotangent, batch=by(batch))(forward)


_nll_sum = sum_operator("", "NllLossBackward0")
_nll_sum2d = sum_operator("2d", "NllLoss2DBackward0")


def nll_operator(name: str, node: str) -> Any:
    """Registers the negative log likelihood loss: linear in its input, with a coefficient for each target.

    Without coefficients there is no reduction, and all of them are 1.
    """

    def cotangent(grad: Array, input_shape: tuple[int, ...], target: Array, coefficients: Array | None) -> Array:
        each = -grad if coefficients is None else -coefficients * grad
        return _put_back(np.expand_dims(each, 1), 1, np.expand_dims(target, 1), input_shape)

    def forward(input: Array, target: Array, coefficients: Array | None, reduction: str) -> Array:
        picked = _gather.forward(input, 1, target[:, None])[:, 0]
        if coefficients is None:
            return np.negative(picked)
        losses = np.where(coefficients == 0, 0, -picked * coefficients).astype(input.dtype, copy=False)
        if reduction == "none":
            return losses
        empty = reduction == "mean" and not coefficients.any()
        return input.dtype.type(np.nan) if empty else np.add.reduce(losses, axis=None)

    def batch(n: int, input: Array, target: Array, coefficients: Array | None, reduction: str) -> Array:
        picked = np.take_along_axis(input, np.expand_dims(target, n + 1), n + 1).squeeze(n + 1)
        if coefficients is None:
            return np.negative(picked)
        losses = np.where(coefficients == 0, 0, -picked * coefficients).astype(input.dtype, copy=False)
        if reduction == "none":
            return losses
        dims = tuple(range(n, losses.ndim))
        total = np.add.reduce(losses, axis=dims)
        return np.where(coefficients.any(dims), total, np.nan).astype(input.dtype) if reduction == "mean" else total

    return operator(name=name, node=node, aten=("nll_loss_nd", name), input=cotangent, batch=by(batch))(forward)


_nll_loss = nll_operator("nll_loss", "NllLossBackward0")
_nll_loss2d = nll_operator("nll_loss2d", "NllLoss2DBackward0")


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The cross entropy between logits and target classes.

    `input` is (N, C), (N, C, d1, ...) or (C). `target` has either class indices, in the shape of `input` without C,
    where `ignore_index` is not counted, or class probabilities, in the shape of `input`. `weight` (C) has a factor for
    each class; the mean is then weighted. `label_smoothing` mixes the targets with the uniform distribution. ValueError
    or RuntimeError for shapes and dtypes that do not match, IndexError for a class out of range.

    >>> import rushlight as torch
    >>> torch.nn.functional.cross_entropy(torch.tensor([[2.0, 0.0], [0.0, 0.0]]), torch.tensor([0, 1]))
    tensor(0.4100)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    x, classes = input._array, target._array
    simple = weight is None and not label_smoothing and reduction != "none" and ignore_index < 0
    if simple and x.ndim == 2 and kernels.are_classes(x, classes):
        rely_on(are_indices, classes, x.shape[1])
        return _cross_entropy(input, target, 1 / len(classes) if reduction == "mean" else 1)[0]
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if x.shape == classes.shape:
        check_probabilities(target, ignore_index)
        size_of(x.shape, 0 if x.ndim == 1 else 1)
    logarithms = input.log_softmax(0 if x.ndim == 1 else 1)
    if x.shape == classes.shape:
        return of_probabilities(logarithms, target, weight, reduction, label_smoothing)
    loss = nll_loss(logarithms, target, weight, ignore_index=ignore_index, reduction=reduction)
    if not label_smoothing:
        return loss
    share = label_smoothing / (x.shape[0 if x.ndim == 1 else 1] or np.nan)
    return loss * (1 - label_smoothing) + smooth(logarithms, classes, weight, ignore_index, reduction) * share


def check_probabilities(target: Tensor, ignore_index: int) -> None:
    """Raises PyTorch's errors for targets that are not class probabilities."""
    if kind_of(target._array.dtype) != "f":
        name = dtypes.TYPE_NAMES[target.dtype]
        raise RuntimeError(f"Expected floating point type for target with class probabilities, got {name}")
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")


def of_probabilities(logarithms: Tensor, target: Tensor, weight: Any, reduction: str, smoothing: float) -> Tensor:
    """The cross entropy for class probabilities as targets."""
    dim = 0 if logarithms._array.ndim == 1 else 1
    classes = logarithms._array.shape[dim]
    if smoothing:
        target = target * (1 - smoothing) + smoothing / (classes or np.nan)
    loss = -(weighted(logarithms, weight, dim) * target).sum(dim)
    return (
        loss.sum() / (logarithms._array.size / (classes or np.nan)) if reduction == "mean" else reduced(loss, reduction)
    )


def weighted(logarithms: Tensor, weight: Tensor, dim: int) -> Tensor:
    """Values times the weights of their classes."""
    if weight is None:
        return logarithms
    check_weight(logarithms, weight, dim, "cross_entropy: ")
    return logarithms * weight.reshape(-1, *(1,) * (logarithms._array.ndim - dim - 1))


def smooth(logarithms: Tensor, classes: Array, weight: Any, ignore_index: int, reduction: str) -> Tensor:
    """The loss with respect to the uniform distribution, not divided by the number of classes."""
    dim = 0 if logarithms._array.ndim == 1 else 1
    counted = classes != ignore_index
    loss = -weighted(logarithms, weight, dim).sum(dim)
    if not counted.all():
        loss = loss * new_tensor(counted.astype(loss._array.dtype))
    if reduction != "mean":
        return reduced(loss, reduction)
    if weight is None:
        return loss.sum() / new_tensor(np.add.reduce(counted.astype(loss._array.dtype), axis=None))
    weights = np.where(counted, weight_of(weight, np.where(counted, classes, 0)), weight._array.dtype.type(0))
    return loss.sum() / new_tensor(np.add.reduce(weights, axis=None))


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The negative log likelihood of the target classes, given log probabilities (N, C), (N, C, d1, ...) or (C).

    `target` has the shape of `input` without C; `ignore_index` is not counted. `weight` (C) has a factor for each
    class; the mean is then weighted. ValueError or RuntimeError for shapes that do not match, IndexError for a class
    out of range.

    >>> import rushlight as torch
    >>> torch.nn.functional.nll_loss(torch.tensor([[-0.5, -1.0], [-2.0, -0.1]]), torch.tensor([0, 1]))
    tensor(0.3000)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    x, classes = input._array, target._array
    if weight is None and ignore_index < 0 and kernels.are_classes(x, classes):
        rely_on(are_indices, classes, x.shape[1])
        if reduction == "none":
            return (_nll_loss if x.ndim == 2 else _nll_loss2d)(input, target, None, reduction)
        add_up = _nll_sum if x.ndim == 2 else _nll_sum2d
        return add_up(input, target, -1 / classes.size if reduction == "mean" else -1)
    check_classes(input, target, weight)
    if x.ndim == 1:
        input, target = input.unsqueeze(0), target.reshape(1)
        loss = nll_loss(input, target, weight, ignore_index=ignore_index, reduction=reduction)
        return loss.squeeze(0) if reduction == "none" else loss
    safe, coefficients = coefficients_of(input, classes, weight, ignore_index, reduction)
    if not x.shape[1]:  # all targets are ignored, so any class will do for them
        input = input.sum(1, keepdim=True)
    return (_nll_loss if x.ndim == 2 else _nll_loss2d)(input, safe, coefficients, reduction)


def coefficients_of(
    input: Tensor, classes: Array, weight: Tensor | None, ignore_index: int, reduction: str
) -> Array | tuple[Array, ...]:
    """The classes, with 0 for ignored ones, and the coefficient of each log probability (0 for ignored ones)."""
    safe, coefficients = count(classes, ignore_index, input._array.shape[1], input._array.dtype)
    if weight is not None:
        check_weight_type(input, weight)
        coefficients = multiply(coefficients, weight_of(weight, safe))
    return safe, share_out(coefficients) if reduction == "mean" else coefficients


def counted_classes(classes: Any, ignore_index: Any, number: Any, dtype: Any) -> Any:
    """The classes, with 0 for ignored ones, and a mask of those that count. IndexError for a class out of range."""
    if ignore_index < 0 and type(classes) is np.ndarray and are_indices(classes, number):
        return classes.copy(), np.ones(classes.shape, dtype)
    counted = classes != ignore_index
    wrong = counted & ((classes < 0) | (classes >= number))
    if wrong.any():
        raise IndexError(f"Target {values(classes)[values(wrong)][0]} is out of bounds.")
    return np.where(counted, classes, 0), counted.astype(dtype)


def shares(coefficients: Any) -> Any:
    """Coefficients divided by their sum."""
    total = np.add.reduce(coefficients, axis=None)
    return coefficients / np.where(total == 0, total.dtype.type(1), total)


count, multiply, share_out = noted(counted_classes), noted(np.multiply), noted(shares)


def weight_of(weight: Tensor, classes: Array) -> Array:
    """The weight of each class in an array of classes."""
    return weight.detach().take(new_tensor(classes))._array


def check_classes(input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    """Raises PyTorch's errors for logits, classes and weights that do not match."""
    shape, found = input._array.shape, target._array.shape
    if not shape:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if len(shape) > 1 and found[:1] != shape[:1]:
        samples = found[0] if found else 1
        raise ValueError(f"Expected input batch_size ({shape[0]}) to match target batch_size ({samples}).")
    if len(shape) <= 2:
        check_rows(input, target, weight)
    else:
        check_planes(input, target, weight)


def check_types(input: Tensor, target: Tensor) -> None:
    """Raises the errors for dtypes of logits and classes."""
    if kind_of(input._array.dtype) != "f":
        raise NotImplementedError(f"\"nll_loss_out_frame\" not implemented for '{dtypes.TYPE_NAMES[input.dtype]}'")
    if target._array.dtype not in (np.int64, np.uint8):
        name = dtypes.TYPE_NAMES[target.dtype]
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {name}")


def check_rows(input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    """Raises the errors for classes and weights that do not match logits (N, C)."""
    found = target._array.shape
    if len(found) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    check_types(input, target)
    if input._array.ndim == 1 and found and found[0] != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {found[0]}")
    if weight is not None:
        check_weight(input, weight, input._array.ndim - 1)


def check_planes(input: Array, target: Array, weight: Array) -> None:
    """Raises the errors for classes and weights that do not match logits (N, C, d1, ...)."""
    shape, found = input._array.shape, target._array.shape
    if len(shape) != 4:  # PyTorch computes it as (N, C, 1, d1 * ...)
        if found[1:] != shape[2:]:
            raise RuntimeError(f"Expected target size {[shape[0], *shape[2:]]}, got {list(found)}")
        shape = (*shape[:2], 1, prod(shape[2:])) if 0 not in shape else (*shape[:2], 0, 0)
        found = (shape[0], 1, prod(found[1:])) if 0 not in found else (shape[0], 0, 0)
    elif len(found) != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {len(found)}"
        )
    check_types(input, target)
    if weight is not None and weight._array.size != shape[1]:
        raise RuntimeError("weight tensor should be defined either for all or no classes")
    if found != (shape[0], *shape[2:]):
        raise RuntimeError(f"size mismatch (got input: {list(shape)} , target: {list(found)}")


def check_weight(input: Tensor, weight: Tensor, dim: int, place: str = "") -> None:
    """Raises PyTorch's errors for class weights that do not match the logits."""
    classes = input._array.shape[dim]
    if weight._array.shape != (classes,):
        raise RuntimeError(
            f"{place}weight tensor should be defined either for all {classes} classes or no classes but got weight "
            f"tensor of shape: {list(weight._array.shape)}"
        )
    check_weight_type(input, weight)


def check_weight_type(input: Tensor, weight: Tensor) -> None:
    """Raises RuntimeError for class weights whose dtype differs from that of the logits."""
    if weight._array.dtype != input._array.dtype:
        have, other = (dtypes.TYPE_NAMES[t.dtype] for t in (input, weight))
        raise RuntimeError(f"expected scalar type {have} but found {other}")
