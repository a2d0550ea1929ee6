"""Batch normalization, and instance normalization, which does the same for each sample."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.aliases import Array
from rushlight.core.batched import Batched
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.inplace import is_batched, write
from rushlight.core.interpreters import noted
from rushlight.core.kinds import is_half, kind_of
from rushlight.kernels import normalization as kernels
from rushlight.nn.functional.batching import as_channels
from rushlight.nn.functional.standardization import standardized, standardized_cotangent
from rushlight.ops.out import takes_out
from rushlight.ops.table import operator, refuse
from rushlight.tensors import Tensor

__all__ = ["batch_norm", "instance_norm", "native_batch_norm"]


def batch_norm_cotangents(
    grads: Any, input: Array, weight: Any, eps: float, result1: Array, result2: Array
) -> Sequence[Array]:
    """The gradients of input, weight and bias; for double backward they are composed of differentiable operators."""
    grad = grads[0]
    if not isinstance(grad, TensorBase):
        return kernels.standardized_cotangents(grad, input, weight, result1, result2)
    axes = (0, *range(2, input.ndim))
    normal, invstd = standardized(input, axes, eps)
    direction = grad if weight is None else grad * column(weight, input.ndim)
    input_grad = standardized_cotangent(direction, normal, invstd, axes)
    return [input_grad, np.add.reduce(grad * normal, axis=axes), np.add.reduce(grad, axis=axes)]


def scaled_cotangents(
    grad: Any, input: Array, weight: Array, mean: Array, invstd: Array, needs: Sequence[bool]
) -> list[Array]:
    """The gradients of input, weight and bias if mean and variance are given, and so are constants."""
    scale = invstd if weight is None else invstd * weight
    input_grad = grad * column(scale, input.ndim) if needs[0] else None
    if not isinstance(grad, TensorBase):
        affine = kernels.affine_cotangents(grad, input, mean, invstd) if needs[1] or needs[2] else (None, None)
        return [input_grad, *affine]
    axes = (0, *range(2, input.ndim))
    normal = (input - column(mean, input.ndim)) * column(invstd, input.ndim)
    return [input_grad, np.add.reduce(grad * normal, axis=axes), np.add.reduce(grad, axis=axes)]


def column(values: Array, ndim: int) -> Array:
    """A value for each channel, reshaped to broadcast along the second dimension."""
    return np.reshape(values, (-1, *(1,) * (ndim - 2)))


@operator(
    kernel=True,
    saved_as={"input": "input"},
    aten=("batch_norm", "native_batch_norm"),
    layout="channels last",
    batch=as_channels,
    joint=batch_norm_cotangents,
    inputs=("input", "weight", "bias"),
    node="NativeBatchNormBackward0",
    nondifferentiable=(1, 2, 3),
)
def _batch_norm(input: Array, weight: Array | None, bias: Array | None, eps: float) -> tuple[Array, ...]:
    """The result, and the statistics of the batch: mean, 1 / standard deviation, variance."""
    return kernels.standardized(input, weight, bias, eps)


@operator(
    kernel=True,
    saved_as={"input": "input"},
    aten=("batch_norm", "native_batch_norm"),
    layout="channels last",
    batch=as_channels,
    joint=scaled_cotangents,
    inputs=("input", "weight", "bias"),
    node="NativeBatchNormBackward0",
)
def _batch_norm_scaled(input: Array, weight: Array | None, bias: Array | None, mean: Array, invstd: Array) -> Array:
    """The result with a given mean and 1 / standard deviation."""
    scale = invstd if weight is None else invstd * weight
    shift = -mean * scale if bias is None else bias - mean * scale
    return kernels.scaled(input, scale, shift)


def check_channel_operands(
    input: Any,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Any,
    training: bool,
) -> None:
    """Raises PyTorch's errors for operands that do not match."""
    if not isinstance(input, Tensor):
        refuse("batch_norm", "input", 1, input)
    x = input._array
    if kind_of(x.dtype) != "f":
        raise NotImplementedError(f"\"batch_norm\" not implemented for '{dtypes.TYPE_NAMES[input.dtype]}'")
    channels = x.shape[1] if x.ndim > 1 else 0
    operands = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    for name, operand in operands.items():
        if operand is None:
            if "running" in name and not training:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
            continue
        if operand._array.size != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {operand._array.size}")
        if "running" in name and operand._array.ndim != 1:
            raise RuntimeError(f"TensorAccessor expected 1 dims but tensor has {operand._array.ndim}: {name}")
        if operand._array.dtype != x.dtype and not (is_half(x.dtype) and operand._array.dtype == np.float32):
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
        if "running" in name and operand.requires_grad:
            raise RuntimeError(
                f"The function 'native_batch_norm' is not differentiable with respect to argument '{name}'. "
                "This input cannot have requires_grad True."
            )


BATCHED_INPUT = (
    "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in place, "
    "were not batched. If you are using a module and do not need eval mode, please set `track_running_stats` to be "
    "False; or use GroupNorm, which normalizes each example by itself."
)


move: Callable[..., Any] = noted(kernels.move, changes=(0,))


@noted
def known_moments(running_mean: Array, running_var: Array, eps: float) -> Array | tuple[Array, ...]:
    """The running mean and 1 / running standard deviation, to normalize with."""
    return running_mean.copy(), 1 / np.sqrt(running_var + eps)


def update(running: Tensor | None, value: Array, momentum: float, factor: float = 1.0) -> None:
    """Updates a running statistic, in place: (1 - momentum) * running + momentum * value * factor."""
    if running is not None:
        if type(value) is Batched and type(running._array) is not Batched:
            raise RuntimeError(BATCHED_INPUT)
        if type(running._array) is Batched:
            write(running, running._array * (1 - momentum) + value * (momentum * factor))
        else:
            move(running._array, value, momentum, factor)
            running._bump()


def normalize_batch(
    input: Tensor,
    running_mean: Any,
    running_var: Any,
    weight: Any,
    bias: Any,
    training: bool,
    momentum: float,
    eps: float,
) -> Any:
    """The normalized input, and the mean and 1 / standard deviation that were used."""
    if not training:
        mean, invstd = known_moments(running_mean._array, running_var._array, eps)
        return _batch_norm_scaled(input, weight, bias, mean, invstd), mean, invstd
    if is_batched(weight) or is_batched(bias):
        result, mean, invstd, variance = _batch_norm(input, None, None, eps)  # independent of weight and bias
        result = result if weight is None else result * weight.reshape(-1, *(1,) * (input.dim() - 2))
        result = result if bias is None else result + bias.reshape(-1, *(1,) * (input.dim() - 2))
    else:
        result, mean, invstd, variance = _batch_norm(input, weight, bias, eps)
    count = input._array.size // input._array.shape[1]
    if count:
        update(running_mean, mean._array, momentum)
        update(running_var, variance._array, momentum, count / (count - 1) if count > 1 else math.nan)
    return result, mean._array, invstd._array


def of_nothing(input: Array, weight: Array, bias: Any) -> Any:
    """The result for an input without elements: a copy that keeps `weight` and `bias` in the graph."""
    result = input.clone() if weight is None else input * weight.select(0, 0)
    return result if bias is None else result + bias.select(0, 0)


def _verify_batch_size(size: Sequence[int]) -> None:
    """Raises PyTorch's ValueError if a batch has only one value for each channel."""
    if size[0] * math.prod(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def _verify_spatial_size(size: Sequence[int]) -> None:
    """Raises PyTorch's ValueError if a sample has only one value for each channel."""
    if math.prod(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {size}")


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """Normalizes each channel of (N, C, ...) to mean 0 and variance 1; then times `weight` (C) plus `bias` (C).

    With `training`, mean and variance are those of the batch, and the running ones are updated in place with `momentum`
    (the variance with the unbiased one). Without it, the running ones are used. ValueError for a single value per
    channel in training; RuntimeError for operands whose sizes or dtypes do not match.
    Ioffe and Szegedy, "Batch normalization", 2015.

    >>> import rushlight as torch
    >>> x = torch.tensor([[1.0, 10.0], [3.0, 30.0]])
    >>> torch.nn.functional.batch_norm(x, None, None, training=True)
    tensor([[-1.0000, -1.0000],
            [ 1.0000,  1.0000]])
    """
    if eps < 0 or (training and eps == 0):
        wanted = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {wanted}, but got {eps}")
    if isinstance(input, Tensor):
        size, shape = input._array.size, input._array.shape
        if size == 0:
            if training:
                _verify_batch_size(input.shape)
            return of_nothing(input, weight, bias)
        if training and not shape:
            raise IndexError("tuple index out of range: batch_norm takes an input (N, C, ...)")
        if training and size == (shape[1] if len(shape) > 1 else 1):
            _verify_batch_size(input.shape)
    check_channel_operands(input, running_mean, running_var, weight, bias, training)
    return normalize_batch(input, running_mean, running_var, weight, bias, training, momentum, eps)[0]


@takes_out
def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """`batch_norm`, with the mean and 1 / standard deviation of the batch (empty tensors without `training`).

    >>> import rushlight as torch
    >>> x = torch.tensor([[1.0, 10.0], [3.0, 30.0]])
    >>> torch.native_batch_norm(x, None, None, None, None, True, 0.1, 0.0)[1:]
    (tensor([ 2., 20.]), tensor([1.0000, 0.1000]))
    """
    if training and not input._array.size:
        raise RuntimeError(f"input tensor must have at least one element, but got input_sizes = {list(input.shape)}")
    check_channel_operands(input, running_mean, running_var, weight, bias, training)
    result, mean, invstd = normalize_batch(input, running_mean, running_var, weight, bias, training, momentum, eps)
    operands = (x for x in (weight, bias, running_mean, running_var) if x is not None)
    moments = next((x._array.dtype for x in operands), input._array.dtype)
    return result, *(new_tensor((values if training else values[:0]).astype(moments)) for values in (mean, invstd))


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """Normalizes each channel of each sample of (N, C, ...) to mean 0 and variance 1; then times `weight` plus `bias`.

    With `use_input_stats`, the running statistics are updated, with `momentum`, with the average over the samples;
    without, they are used in place of the samples' own. ValueError for a single element per channel; RuntimeError if
    running statistics are needed but missing.
    Ulyanov, Vedaldi and Lempitsky, "Instance normalization", 2016.

    >>> import rushlight as torch
    >>> torch.nn.functional.instance_norm(torch.tensor([[[1.0, 3.0], [10.0, 30.0]]]))
    tensor([[[-1.0000,  1.0000],
             [-1.0000,  1.0000]]])
    """
    shape = input.shape
    if use_input_stats:
        _verify_spatial_size(shape)
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    samples, channels, *space = shape
    operands = (running_mean, running_var, weight, bias)
    for operand in (running_mean, running_var) if use_input_stats and not channels else ():
        if operand is not None and operand._array.size:
            raise RuntimeError(
                f"shape '[{samples}, 0]' is invalid for input of size {samples * operand._array.size}: "
                "there are no channels"
            )
    mean, variance, weight, bias = (None if x is None else x.repeat(samples) for x in operands)
    channelwise = input.reshape(1, samples * channels, *space)
    result = batch_norm(channelwise, mean, variance, weight, bias, use_input_stats, momentum, eps)
    if use_input_stats:
        average_into(running_mean, mean, samples)
        average_into(running_var, variance, samples)
    return result.view(shape)


def average_into(running: Any, repeated: Any, samples: int) -> None:
    """Sets a running statistic to its average over the samples."""
    if running is not None:
        write(running, repeated.detach().reshape(samples, running._array.shape[-1]).mean(0)._array)
