"""Dropout of elements and of whole channels, with the same masks as PyTorch after the same seed."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight import random
from rushlight.core.aliases import Array
from rushlight.core.batching import elementwise
from rushlight.core.graph import new_tensor
from rushlight.core.lines import warn
from rushlight.dtypes import get_default_dtype
from rushlight.ops.shapes.broadcasting import broadcast_tensors
from rushlight.ops.table import operator
from rushlight.random import distributions
from rushlight.random.placement import drawn_like
from rushlight.tensors import Tensor

__all__ = [
    "alpha_dropout",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "feature_alpha_dropout",
    "native_dropout",
    "native_dropout_backward",
]

ALPHA = 1.7580993408473766  # minus SELU's limit at -inf; dropped elements of `alpha_dropout` become its negative


def check_probability(p: float) -> None:
    """Raises PyTorch's ValueError for a number that is not a probability."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def per_element(input: Tensor) -> None:
    """None: one random number for each element, in the order of a copy of the input."""


def per_channel(input: Tensor) -> tuple[int, ...]:
    """The shape of a mask with one number for each channel of each sample."""
    shape = input._array.shape
    if len(shape) < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return (*shape[:2], *(1,) * (len(shape) - 2))


def per_channel_of_sample(input: Array) -> Any:
    """The shape of a mask with one number for each channel of a single sample (C, ...)."""
    shape = input._array.shape
    if not shape:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return (shape[0], *(1,) * (len(shape) - 1))


def drawn_as_copied(input: Tensor, shape: Sequence[int] | None, draw: Any, p: float) -> Array:
    """Random numbers of a shape; if it is None, one for each element, in the order of a copy of the input."""
    array = input._array
    if shape is None and not input._unsettled:
        return drawn_like(array, draw, random.default_generator, p)
    return draw(random.default_generator, array.shape if shape is None else shape, array.dtype, p)


def dropped(input: Tensor, shape: Callable[..., Any], p: float, training: bool, inplace: bool) -> Tensor:
    """The input times a random mask; `shape` returns the mask's shape for the input."""
    if not training or p == 0 or not input._array.size:
        return input
    mask = new_tensor(drawn_as_copied(input, shape(input), distributions.dropout_mask, p))
    return input.mul_(mask) if inplace else input * mask


def alpha_dropped(input: Tensor, shape: Callable[..., Any], p: float, training: bool, inplace: bool) -> Tensor:
    """Alpha dropout: dropped elements become SELU's lowest value; the result is scaled to keep mean and variance."""
    if not training or p == 0 or not input._array.size:
        return input
    if p == 1:
        return input.mul_(0) if inplace else input * 0
    kept = new_tensor(drawn_as_copied(input, shape(input), distributions.bernoulli, 1 - p))
    scale = 1 / math.sqrt((ALPHA * ALPHA * p + 1) * (1 - p))
    shift = (kept - 1) * (ALPHA * scale) + ALPHA * scale * p
    mask = kept * scale
    return input.mul_(mask).add_(shift) if inplace else input * mask + shift


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Sets elements to zero with probability `p`, and divides the others by 1 - p; without `training`, does nothing.

    ValueError if `p` is not a probability; RuntimeError for integers.
    Hinton et al., "Improving neural networks by preventing co-adaptation", 2012.

    >>> import rushlight as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.nn.functional.dropout(torch.ones(6))
    tensor([0., 0., 2., 0., 0., 0.])
    """
    check_probability(p)
    return dropped(input, per_element, p, training, inplace)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of (N, C, L) or (C, L).

    >>> import rushlight as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.nn.functional.dropout1d(torch.ones(3, 2))
    tensor([[0., 0.],
            [0., 0.],
            [2., 2.]])
    """
    check_probability(p)
    ndim = input.ndim
    if ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Note that dropout1d exists to provide "
            "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch "
            "dimension (i.e. 2D or 3D inputs)."
        )
    return dropped(input, per_channel if ndim == 3 else per_channel_of_sample, p, training, inplace)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of (N, C, H, W), or, with a warning, of (N, C, L).

    >>> import rushlight as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.nn.functional.dropout2d(torch.ones(1, 3, 1, 2)).flatten()
    tensor([0., 0., 0., 0., 2., 2.])
    """
    check_probability(p)
    ndim = input.ndim
    if ndim not in (3, 4):
        warn_of_dimensions("dropout2d", ndim, 2, "3D or 4D")
    if ndim == 3:
        warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is "
            "desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change "
            "in a future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To "
            "maintain the 1D channel-wise dropout behavior, please switch to using dropout1d instead.",
        )
    return dropped(input, per_channel, p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of (N, C, D, H, W) or (C, D, H, W).

    >>> import rushlight as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.nn.functional.dropout3d(torch.ones(3, 1, 1, 2)).flatten()
    tensor([0., 0., 0., 0., 2., 2.])
    """
    check_probability(p)
    ndim = input.ndim
    if ndim not in (4, 5):
        warn_of_dimensions("dropout3d", ndim, 3, "4D or 5D")
    return dropped(input, per_channel if ndim == 5 else per_channel_of_sample, p, training, inplace)


def warn_of_dimensions(name: str, ndim: int, space: Any, expected: Any) -> None:
    """PyTorch's warning for an input with an unexpected number of dimensions."""
    warn(
        f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error in a future "
        "release. To retain the behavior and silence this warning, please use dropout instead. Note that "
        f"{name} exists to provide channel-wise dropout on inputs with {space} spatial dimensions, a channel "
        f"dimension, and an optional batch dimension (i.e. {expected} inputs).",
    )


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps mean 0 and variance 1: with probability `p`, elements become SELU's lowest value.

    ValueError if `p` is not a probability.
    Klambauer et al., "Self-normalizing neural networks", 2017.

    >>> import rushlight as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.nn.functional.alpha_dropout(torch.zeros(3), 0.5, training=True)
    tensor([-0.7792, -0.7792,  0.7792])
    """
    check_probability(p)
    return alpha_dropped(input, per_element, p, training, inplace)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels of (N, C, ...).

    >>> import rushlight as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.nn.functional.feature_alpha_dropout(torch.zeros(1, 3, 1), 0.5, training=True).flatten()
    tensor([-0.7792, -0.7792,  0.7792])
    """
    check_probability(p)
    return alpha_dropped(input, per_channel, p, training, inplace)


@operator(
    layout="elementwise",
    batch=elementwise,
    node="NativeDropoutBackward0",
    nondifferentiable=(1,),
    input=lambda grads, mask, scale: _native_dropout_backward(grads[0], mask, scale),
)
def _native_dropout(input: Array, mask: Array, scale: float) -> tuple[Array, Array]:
    return input * mask * input.dtype.type(scale), mask


@operator(
    layout="elementwise",
    batch=elementwise,
    node="NativeDropoutBackwardBackward0",
    grad_output=lambda grad, mask, scale: _native_dropout_backward(grad, mask, scale),
)
def _native_dropout_backward(grad_output: Array, mask: Array, scale: float) -> Array:
    return grad_output * mask * grad_output.dtype.type(scale)


def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """`dropout`, and the mask of the elements that are kept.

    >>> import rushlight as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.native_dropout(torch.ones(3), 0.5, True)
    (tensor([0., 0., 2.]), tensor([False, False,  True]))
    """
    if train is False:
        return input * 1, new_tensor(np.ones_like(input._settled(), bool))
    kept = drawn_as_copied(input, None, distributions.bernoulli, 1 - p)
    return _native_dropout(input, new_tensor(kept.astype(bool)), 1 / (1 - p) if p < 1 else 0)


def native_dropout_backward(grad_output: Tensor, mask: Tensor, scale: float) -> Tensor:
    """The gradient of `native_dropout`: `grad_output * mask * scale`.

    >>> import rushlight as torch
    >>> torch.nn.functional.native_dropout_backward(torch.ones(2), torch.tensor([True, False]), 2.0)
    tensor([2., 0.])
    """
    if not (grad_output.is_floating_point() or grad_output.is_complex()):
        grad_output = grad_output.to(get_default_dtype())
    grad_output, mask = broadcast_tensors(grad_output, mask)
    return _native_dropout_backward(grad_output, mask, scale)
