"""Losses that compare input and target element by element."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import grown
from rushlight.core.batching import by
from rushlight.core.errors import larger_result, lower_result
from rushlight.core.fusion import fused
from rushlight.core.graph import TensorBase, unbroadcast
from rushlight.core.inplace import rank
from rushlight.core.interpreters import rely_on
from rushlight.core.kinds import kind_of
from rushlight.core.lines import warn
from rushlight.dtypes import TYPE_NAMES, result_type
from rushlight.kernels.logistic import softplus
from rushlight.kernels.reductions import total
from rushlight.nn.functional.reductions import reduced, reduction_of
from rushlight.ops.activation.logistic import logistic_of, logsigmoid
from rushlight.ops.arguments.promotion import only
from rushlight.ops.elementwise.special_functions import xlogy
from rushlight.ops.reductions.reduction import averaged
from rushlight.ops.shapes.broadcasting import broadcast_shapes, broadcast_tensors, common_shape
from rushlight.ops.table import operator, refuse
from rushlight.tensors import Tensor

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "gaussian_nll_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "mse_loss",
    "poisson_nll_loss",
    "smooth_l1_loss",
    "soft_margin_loss",
]


def loss_operator(
    name: str,
    node: str,
    kernel: str,
    loss: Callable[..., Any],
    slope: Callable[..., Any],
    target_slope: Callable[..., Any] | None = None,
    slopes: str = "",
    layout: str = "",
) -> Any:
    """Registers a loss of two arrays and a parameter, including its reduction.

    `slope` is the derivative with respect to the input; that of the target is `target_slope`, or minus `slope`.
    `slopes` is the memory layout of both in PyTorch, `layout` that of the losses.
    """

    loss = fused(loss)

    @fused
    def along_slope(input: Array, target: Array, parameter: Any, grad: Array) -> Array:
        return grad * slope(input, target, parameter)

    def forward(input: Array, target: Array, parameter: float, reduction: str) -> Array:
        values = loss(input, target, parameter)
        if reduction == "none":
            return values
        if reduction == "mean" and values.dtype == np.float16:
            return averaged(values, tuple(range(values.ndim)), False)
        return total(values) / values.size if reduction == "mean" else total(values)

    def cotangents(
        grad: Array, input: Array, target: Array, parameter: float, reduction: str, needs: Sequence[bool]
    ) -> list[Array | None]:
        if reduction == "mean":
            shape = np.broadcast_shapes(input.shape, target.shape)
            grad = (grad / math.prod(shape)).reshape((1,) * len(shape))  # an array: what divides one gives a number
        along: Array = along_slope(input, target, parameter, grad) if needs[0] or target_slope is None else None
        across = None
        if needs[1]:
            across = -along if target_slope is None else grad * target_slope(input, target, parameter)
        return [summed_to_shape(along, input.shape), summed_to_shape(across, target.shape)]

    def batch(n: int, input: Array, target: Array, parameter: float, reduction: str) -> Array:
        ndim = max(input.ndim, target.ndim) - n
        values = loss(grown(input, n, ndim), grown(target, n, ndim), parameter)
        found = values if reduction == "none" else np.add.reduce(values, axis=tuple(range(n, n + ndim)))
        return found / math.prod(values.shape[n:]) if reduction == "mean" else found

    return operator(
        name=name,
        node=node,
        joint=cotangents,
        inputs=("input", "target"),
        promote=only("f", kernel),
        broadcasts=True,
        layout=layout,
        batch=by(batch),
        slopes={"input": slopes, "target": slopes} if slopes else {},
    )(forward)


def summed_to_shape(cotangent: Array, shape: Sequence[int]) -> Array:
    """The gradient of an operand that was broadcast, summed to its own shape."""
    return None if cotangent is None else unbroadcast(cotangent, shape)


def smooth_l1(input: Array, target: Array, beta: Any) -> Any:
    """A parabola for differences within `beta`, linear outside."""
    z = np.abs(input - target)
    return np.where(z < beta, z * z * (0.5 / beta), z - 0.5 * beta)


def smooth_l1_slope(input: Array, target: Array, beta: Any) -> Array:
    """The derivative of `smooth_l1` with respect to the input; NaN for NaN."""
    z = input - target
    return np.where(np.abs(z) >= beta, np.sign(z), z / beta)


def huber(input: Array, target: Array, delta: Any) -> Any:
    """A parabola for differences within `delta`, linear outside."""
    z = np.abs(input - target)
    return np.where(z <= delta, 0.5 * z * z, delta * (z - 0.5 * delta))


def huber_slope(input: Array, target: Array, delta: Any) -> Array:
    """The derivative of `huber` with respect to the input; NaN for NaN."""
    z = input - target
    return np.where(np.abs(z) > delta, delta * np.sign(z), z)


def entropy(input: Array, target: Array, _: Any) -> Array:
    """The cross entropy of probabilities, with logarithms of at least -100."""
    return (target - 1) * np.maximum(np.log1p(-input), -100) - target * np.maximum(np.log(input), -100)


def entropy_slope(input: Array, target: Array, _: Any) -> Array:
    """The derivative of `entropy` with respect to the input, bounded as in PyTorch."""
    return (input - target) / np.maximum((1 - input) * input, 1e-12)


_mse_loss = loss_operator(
    "mse_loss",
    "MseLossBackward0",
    "mse_cpu",
    lambda input, target, _: np.square(input - target),
    lambda input, target, _: (input - target) * 2,
    slopes="contiguous",
)
_smooth_l1_loss = loss_operator(
    "smooth_l1_loss", "SmoothL1LossBackward0", "smooth_l1_cpu", smooth_l1, smooth_l1_slope, slopes="contiguous"
)
_huber_loss = loss_operator("huber_loss", "HuberLossBackward0", "huber_cpu", huber, huber_slope, slopes="contiguous")
_binary_cross_entropy = loss_operator(
    "binary_cross_entropy",
    "BinaryCrossEntropyBackward0",
    "binary_cross_entropy",
    entropy,
    entropy_slope,
    lambda input, target, _: np.log1p(-input) - np.log(input),
)
_cross_entropy_of_logits = loss_operator(
    "binary_cross_entropy_with_logits",
    "BinaryCrossEntropyWithLogitsBackward0",
    "log_sigmoid_cpu",
    lambda input, target, _: softplus(input) - input * target,
    lambda input, target, _: logistic_of(input) - target,
    lambda input, target, _: -input,
    layout="elementwise, last first",
    slopes="elementwise, grad last",
)
_soft_margin_loss = loss_operator(
    "soft_margin_loss",
    "SoftMarginLossBackward0",
    "soft_margin_loss",
    lambda input, target, _: softplus(-input * target),
    lambda input, target, _: -target * logistic_of(-input * target),
    lambda input, target, _: -input * logistic_of(-input * target),
)


def keep_shape(input: Tensor, other: Tensor) -> None:
    """Raises RuntimeError if broadcasting with `other` would change the input's shape."""
    shape = common_shape(input._array.shape, other._array.shape)
    if shape != input._array.shape:
        raise larger_result(input._array.shape, shape)


def broadcast(input: Tensor, target: Tensor) -> tuple[Tensor, ...]:
    """Input and target broadcast to one shape, with PyTorch's warning if they differ in shape."""
    if input._array.shape != target._array.shape:
        warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). "
            "This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
        )
        return broadcast_tensors(input, target)
    return input, target


def weigh(loss: Any, weight: Array, input: Array, reduction: str) -> Any:
    """A loss with a weight for each element; the mean is weighted."""
    if weight._array.shape != input._array.shape:
        raise ValueError("Weights and input must have the same size.")
    loss = loss * weight
    return loss.sum() / weight.sum() if reduction == "mean" else reduced(loss, reduction)


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The squared differences: their mean, their sum, or each (`reduction="none"`), times `weight` if given.

    Shapes that differ are broadcast, with a UserWarning; NotImplementedError for integers and complex numbers.

    >>> import rushlight as torch
    >>> torch.nn.functional.mse_loss(torch.tensor([1.0, 3.0]), torch.tensor([1.0, 1.0]))
    tensor(2.)
    """
    input, target = broadcast(input, target)
    reduction = reduction_of(reduction, size_average, reduce)
    if weight is None:
        return _mse_loss(input, target, None, reduction)
    return weigh(_mse_loss(input, target, None, "none"), weight, input, reduction)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The absolute differences: their mean, their sum, or each, times `weight` if given; see `mse_loss`.

    >>> import rushlight as torch
    >>> torch.nn.functional.l1_loss(torch.tensor([1.0, 3.0]), torch.tensor([1.0, 1.0]))
    tensor(1.)
    """
    input, target = broadcast(input, target)
    reduction = reduction_of(reduction, size_average, reduce)
    loss = (input - target).abs()
    return reduced(loss, reduction) if weight is None else weigh(loss, weight, input, reduction)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """For differences z: z**2 / (2 * beta) where |z| < beta, else |z| - beta / 2. RuntimeError for a negative beta.

    >>> import rushlight as torch
    >>> torch.nn.functional.smooth_l1_loss(torch.tensor([0.5, 3.0]), torch.zeros(2), reduction="none")
    tensor([0.1250, 2.5000])
    """
    input, target = broadcast(input, target)
    reduction = reduction_of(reduction, size_average, reduce)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return reduced((input - target).abs(), reduction)
    return _smooth_l1_loss(input, target, beta, reduction)


def check_held(input: Array, target: Array) -> Any:
    """The common dtype of two operands; PyTorch's error if a loss of the input's dtype cannot hold it."""
    wide = result_type(input, target)
    if rank(wide._numpy) > rank(input.dtype._numpy):
        raise lower_result(wide._numpy, input.dtype._numpy)
    return wide


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """For differences z: z**2 / 2 where |z| <= delta, else delta * (|z| - delta / 2); times `weight` if given.

    RuntimeError if delta is not positive.

    >>> import rushlight as torch
    >>> torch.nn.functional.huber_loss(torch.tensor([0.5, 3.0]), torch.zeros(2), reduction="none")
    tensor([0.1250, 2.5000])
    """
    input, target = broadcast(input, target)
    reduction = reduction_of(reduction)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    if input.dtype is not target.dtype:
        wide = check_held(input, target)
        return huber_loss(input.to(wide), target.to(wide), reduction, delta, weight).to(input.dtype)
    if weight is None:
        return _huber_loss(input, target, delta, reduction)
    if weight._array.shape != input._array.shape:
        raise ValueError("Weights and input must have the same size.")
    return reduced(_huber_loss(input, target, delta, "none") * weight, reduction)


def are_probabilities(array: Array) -> bool:
    """Whether all elements are from 0 to 1."""
    return ((array >= 0) & (array <= 1)).all()


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The cross entropy of probabilities `input` with targets in [0, 1]; logarithms are at least -100.

    ValueError for shapes that differ, RuntimeError for inputs outside [0, 1].

    >>> import rushlight as torch
    >>> torch.nn.functional.binary_cross_entropy(torch.tensor([0.5, 0.9]), torch.tensor([1.0, 1.0]))
    tensor(0.3993)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    x, y = input._array, target._array
    if x.shape != y.shape:
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if x.dtype != y.dtype:
        raise RuntimeError(f"Found dtype {TYPE_NAMES[target.dtype]} but expected {TYPE_NAMES[input.dtype]}")
    for name, values in (("input", x), ("target", y)):
        if not are_probabilities(values):
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
        rely_on(are_probabilities, values)
    if weight is None:
        return _binary_cross_entropy(input, target, None, reduction)
    broadcast_shapes(target._array.shape, weight._array.shape)
    keep_shape(input, weight)
    return reduced((_binary_cross_entropy(input, target, None, "none") * weight).to(input.dtype), reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of `sigmoid(input)`, without overflow. `pos_weight` multiplies the positive targets' loss.

    ValueError for shapes that differ.

    >>> import rushlight as torch
    >>> torch.nn.functional.binary_cross_entropy_with_logits(torch.tensor([0.0, 200.0]), torch.tensor([1.0, 0.0]))
    tensor(100.3466)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if input._array.shape != target._array.shape:
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    if weight is None and pos_weight is None:
        return _cross_entropy_of_logits(input, target, None, reduction)
    if pos_weight is None:
        loss = _cross_entropy_of_logits(input, target, None, "none")
    else:
        keep_shape(input, pos_weight)
        loss = (1 - target) * input - (1 + (pos_weight - 1) * target) * logsigmoid(input)
    if weight is not None:
        keep_shape(input, weight)
        loss = loss * weight
    return reduced(loss.to(target.dtype), reduction)


def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """log(1 + exp(-target * input)), for targets of 1 and -1.

    >>> import rushlight as torch
    >>> torch.nn.functional.soft_margin_loss(torch.tensor([0.0, 2.0]), torch.tensor([1.0, -1.0]))
    tensor(1.4100)
    """
    keep_shape(input, target)
    reduction = reduction_of(reduction, size_average, reduce)
    if kind_of(input._array.dtype) == "f":
        return _soft_margin_loss(input, target, None, reduction)
    values = (-target * input).exp().log1p()
    if not input.is_complex():
        raise lower_result(values._array.dtype, input._array.dtype)
    return reduced(values, reduction)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """The Kullback-Leibler divergence of log probabilities `input` from probabilities (or their logarithms) `target`.

    `reduction="batchmean"` divides by the batch size, as in the definition; "mean", with a warning, by the number of
    elements. RuntimeError for integers.

    >>> import rushlight as torch
    >>> p, q = torch.tensor([[0.5, 0.5]]), torch.tensor([[0.9, 0.1]])
    >>> torch.nn.functional.kl_div(q.log(), p, reduction="batchmean")
    tensor(0.5108)
    """
    if size_average is None and reduce is None and reduction == "mean":
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the "
            "same as 'batchmean' in the next major release.",
        )
    by_batch = reduction == "batchmean"
    reduction = reduction_of("sum" if by_batch else reduction, size_average, reduce)
    if not isinstance(target, TensorBase):
        return refuse("kl_div", "target", 2, target)
    if kind_of(input._array.dtype) != "f":
        raise RuntimeError("kl_div: Integral inputs not supported.")
    loss = target.exp() * (target - input) if log_target else xlogy(target, target) - target * input
    loss = reduced(loss, reduction)
    return loss / input.shape[0] if by_batch and input.ndim else loss


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-08,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The negative log likelihood of counts `target` under Poisson distributions of rate exp(input), or `input`.

    With `log_input=False`, the rate is `input`, and `eps` is added to it in the logarithm. `full` adds Stirling's
    approximation of log(target!) for targets above 1.

    >>> import rushlight as torch
    >>> torch.nn.functional.poisson_nll_loss(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]))
    tensor(0.8591)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if not isinstance(target, TensorBase):
        return refuse("poisson_nll_loss", "target", 2, target)
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return reduced(loss, reduction)


def has_none_negative(array: Array) -> bool:
    """Whether no element is negative."""
    return not (array < 0).any()


def variance_of(input: Tensor, var: Any) -> Tensor:
    """The variance as a tensor that broadcasts with the input. ValueError if it is negative or does not match."""
    if not isinstance(var, Tensor):
        var = input.new_ones(input.shape) * float(var)
    if not has_none_negative(var._array):
        raise ValueError("var has negative entry/entries")
    rely_on(has_none_negative, var._array)
    shape, found = input._array.shape, var._array.shape
    if found == shape:
        return var
    if found == shape[:-1]:
        return var.unsqueeze(-1)
    differing = [m for n, m in zip(shape, found, strict=False) if n != m]
    if len(shape) != len(found) or sum(differing) != 1:
        raise ValueError("var is of incorrect size")
    return var


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-06, reduction: str = "mean"
) -> Tensor:
    """The negative log likelihood of `target` under normal distributions with mean `input` and variance `var`.

    The variance has the input's shape, possibly without the last dimension or with 1 as its size; it is set to at least
    `eps`. `full` adds log(2 pi) / 2. ValueError for a negative variance, or one of another shape.

    >>> import rushlight as torch
    >>> torch.nn.functional.gaussian_nll_loss(torch.tensor([0.0]), torch.tensor([2.0]), torch.tensor([4.0]))
    tensor(1.1931)
    """
    variance = variance_of(input, var)
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not valid")
    fixed = variance.detach()
    least = eps.detach() if isinstance(eps, TensorBase) else eps
    variance = variance + (fixed.clone().clamp_(min=least) - fixed)
    loss = 0.5 * (variance.log() + (input - target) ** 2 / variance)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)
