"""Activations, losses, convolution, pooling and normalization, with MindSpore's parameters."""

from typing import Any

import rushlight as torch
from rushlight.interop.mindspore.common.lifting import lifted, unwrapped, wrapped
from rushlight.interop.mindspore.common.tensor import Tensor
from rushlight.nn import functional as F

SAME = [
    "adaptive_avg_pool2d",
    "celu",
    "cosine_similarity",
    "elu",
    "glu",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "huber_loss",
    "logsigmoid",
    "mish",
    "pixel_shuffle",
    "prelu",
    "relu",
    "relu6",
    "selu",
    "silu",
    "softplus",
    "softshrink",
    "softsign",
    "tanhshrink",
]

for _name in SAME:
    globals()[_name] = lifted(getattr(F, _name))

__all__ = [
    *SAME,
    "avg_pool2d",
    "bias_add",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "conv2d",
    "cross_entropy",
    "dense",
    "dropout",
    "gelu",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "log_softmax",
    "max_pool2d",
    "mse_loss",
    "nll_loss",
    "smooth_l1_loss",
    "softmax",
]

Pair = int | tuple[int, ...]


def softmax(input: Tensor, axis: int = -1) -> Tensor:
    """The softmax along an axis.

    >>> import rushlight.interop.mindspore as ms
    >>> print(ms.ops.softmax(ms.Tensor([0.0, 0.0])))
    [0.5 0.5]
    """
    return wrapped(F.softmax(input._value, axis))


def log_softmax(logits: Tensor, axis: int = -1) -> Tensor:
    """The logarithm of `softmax`."""
    return wrapped(F.log_softmax(logits._value, axis))


def leaky_relu(input: Tensor, alpha: float = 0.2) -> Tensor:
    """x where it is positive, else alpha * x."""
    return wrapped(F.leaky_relu(input._value, alpha))


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x Φ(x), or with `approximate="tanh"` its approximation."""
    return wrapped(F.gelu(input._value, approximate=approximate))


def dropout(input: Tensor, p: float = 0.5, training: bool = True, seed: int | None = None) -> Tensor:
    """In training, sets elements to zero with probability p, and divides the others by 1 - p.

    `seed` is not supported.
    """
    if seed is not None:
        raise NotImplementedError("dropout: seed is not served; use mindspore.set_seed.")
    return wrapped(F.dropout(input._value, p, training))


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The cross entropy of logits with classes, or with probabilities."""
    labels = target._value if target._value.is_floating_point() else target._value.to(torch.int64)
    return wrapped(
        F.cross_entropy(
            input._value,
            labels,
            unwrapped(weight),
            ignore_index=ignore_index,
            reduction=reduction,
            label_smoothing=label_smoothing,
        )
    )


def binary_cross_entropy(
    logits: Tensor, labels: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """The binary cross entropy of probabilities (MindSpore calls them logits) with labels."""
    return wrapped(F.binary_cross_entropy(logits._value, labels._value, unwrapped(weight), reduction=reduction))


def binary_cross_entropy_with_logits(
    logits: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The binary cross entropy of the sigmoid of logits with labels."""
    return wrapped(
        F.binary_cross_entropy_with_logits(
            logits._value, label._value, unwrapped(weight), pos_weight=unwrapped(pos_weight), reduction=reduction
        )
    )


def nll_loss(
    inputs: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The negative log likelihood of the classes. For label smoothing see `cross_entropy`."""
    if label_smoothing:
        raise NotImplementedError("nll_loss: label_smoothing is not served; use cross_entropy, which has it.")
    labels = target._value.to(torch.int64)
    return wrapped(F.nll_loss(inputs._value, labels, unwrapped(weight), ignore_index=ignore_index, reduction=reduction))


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The squared error, reduced; by default to the mean."""
    return wrapped(F.mse_loss(input._value, target._value, reduction=reduction))


def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The absolute error, reduced; by default to the mean."""
    return wrapped(F.l1_loss(input._value, target._value, reduction=reduction))


def kl_div(logits: Tensor, labels: Tensor, reduction: str = "mean") -> Tensor:
    """The Kullback-Leibler divergence, from log probabilities and target probabilities."""
    return wrapped(F.kl_div(logits._value, labels._value, reduction=reduction))


def smooth_l1_loss(input: Tensor, target: Tensor, beta: float = 1.0, reduction: str = "none") -> Tensor:
    """error² / (2 beta) where the absolute error is below `beta`, else the absolute error minus beta / 2."""
    return wrapped(F.smooth_l1_loss(input._value, target._value, reduction=reduction, beta=beta))


def dense(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x Wᵀ + b."""
    return wrapped(F.linear(input._value, weight._value, unwrapped(bias)))


def bias_add(input_x: Tensor, bias: Tensor) -> Tensor:
    """Adds a bias to each channel (dimension 1)."""
    return wrapped(input_x._value + bias._value.reshape(-1, *(1,) * (input_x.ndim - 2)))


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Pair = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Tensor:
    """2-d convolution.

    `pad_mode`: "valid" pads nothing, "same" so that the output has size ceil(size / stride), "pad" by `padding`: one
    number, two for rows and columns, or four for top, bottom, left and right.

    >>> import rushlight.interop.mindspore as ms
    >>> ms.ops.conv2d(ms.ops.ones((10, 32, 32, 32)), ms.ops.ones((32, 32, 3, 3))).shape
    (10, 32, 30, 30)
    """
    kernel = tuple(weight.shape[2:])
    padded = padded_for(input._value, kernel, pair(stride), pair(dilation), pad_mode, padding)
    return wrapped(F.conv2d(padded, weight._value, unwrapped(bias), pair(stride), 0, pair(dilation), groups))


def padded_for(
    value: Any, kernel: Any, stride: Any, dilation: Any, pad_mode: Any, padding: Any, fill: Any = 0.0
) -> Any:
    """An image padded as a kernel requires."""
    pad_mode = pad_mode.lower()
    if pad_mode not in ("valid", "same", "pad"):
        raise ValueError(f"The 'pad_mode' must be 'valid', 'same' or 'pad', but got {pad_mode!r}.")
    if pad_mode == "pad":
        borders = four(padding)
    elif padding not in (0, (0, 0), (0, 0, 0, 0)):
        raise ValueError(f"The 'padding' must be zero when 'pad_mode' is '{pad_mode}', but got {padding!r}.")
    elif pad_mode == "valid":
        return value
    else:
        pads = map(same_padding, value.shape[2:], kernel, stride, dilation)
        borders = tuple(border for pad in pads for border in (pad // 2, pad - pad // 2))
    top, bottom, left, right = borders
    return F.pad(value, (left, right, top, bottom), value=fill) if any(borders) else value


def same_padding(size: Any, kernel: Any, stride: Any, dilation: Any) -> Any:
    """The padding for which the output has size ceil(size / stride)."""
    return max((-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)


def pair(numbers: Pair) -> tuple[int, ...]:
    """One or two numbers as a pair."""
    return (numbers, numbers) if isinstance(numbers, int) else tuple(numbers)


def four(padding: Any) -> tuple[int, ...]:
    """The padding at top, bottom, left and right."""
    if isinstance(padding, int):
        return (padding,) * 4
    if len(padding) == 2:
        return (padding[0],) * 2 + (padding[1],) * 2
    return tuple(padding)


def max_pool2d(
    x: Tensor,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    dilation: Pair = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Any:
    """The largest value in each window; with `return_indices` (values, indices)."""
    step = stride or kernel_size
    return wrapped(F.max_pool2d(x._value, kernel_size, step, padding, dilation, ceil_mode, return_indices))


def avg_pool2d(
    input_x: Tensor,
    kernel_size: Pair = 1,
    stride: Pair = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Tensor:
    """The mean of each window."""
    divisor = divisor_override or None
    return wrapped(F.avg_pool2d(input_x._value, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor))


def layer_norm(
    input: Tensor,
    normalized_shape: tuple[int, ...],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalizes the last dimensions to mean 0 and variance 1, then applies a scale and a shift."""
    return wrapped(F.layer_norm(input._value, normalized_shape, unwrapped(weight), unwrapped(bias), eps))
