"""Rectifiers: positive elements stay as they are, negative ones become 0 or are scaled down."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import Batched
from rushlight.core.fusion import fused
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.inplace import change
from rushlight.core.interpreters import noted
from rushlight.core.kinds import kind_of
from rushlight.core.operators import unary as call_unary
from rushlight.dtypes import TYPE_NAMES
from rushlight.kernels.selection import bound, bounded, select
from rushlight.ops.activation.forms import floats, tied, variant
from rushlight.ops.arguments.mismatch import ABSENT, not_tensors, quick
from rushlight.ops.arguments.promotion import common, only
from rushlight.ops.elementwise.selection import _drop, _where
from rushlight.ops.table import TABLE, method, operator, unary
from rushlight.random import Generator, default_generator
from rushlight.tensors import Tensor

__all__ = [
    "leaky_relu",
    "leaky_relu_",
    "prelu",
    "relu",
    "relu_",
    "rrelu",
    "rrelu_",
    "threshold",
    "threshold_",
]


def relu_cotangent(grad: Array, result: Array) -> Array:
    """`grad` where the result is positive, 0 elsewhere."""
    return tied(_drop(result <= 0, grad), result)


unary(
    "relu",
    lambda x: bounded(x, 0, None),
    relu_cotangent,
    inplace=False,
    aten=("relu", "clamp_min"),
    promote=lambda x: rectified(x),
)


def rectified(input: Array) -> Any:
    """Type promotion of `relu`: integers stay integers."""
    kind = kind_of(input._array.dtype)
    if kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    if kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    return input._array


@method
@quick
def relu(input: Tensor = ABSENT, inplace: bool = False, **named: Any) -> Tensor:
    """`max(x, 0)` of each element; the derivative at 0 is 0.

    >>> import rushlight as torch
    >>> torch.relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    if named or not isinstance(input, TensorBase):
        return not_tensors(relu, {**named, "inplace": inplace}, input=input)
    return change(input, relu) if inplace else call_unary(TABLE["relu"], input)


def leaky(x: Array, slope: Any) -> Any:
    """`x` where it is positive, `slope * x` elsewhere."""
    return np.maximum(x, slope * x) if 0 < slope <= 1 else select(x > 0, x, slope * x)


@operator(
    saved_as={"slope": "negative_slope"},
    input=lambda grad, input, slope: tied(_where(input > 0, grad, grad * slope), input),
    promote=floats("leaky_relu_cpu"),
    broadcasts=True,
)
def _leaky_relu(input: Array, slope: float) -> Array:
    return leaky(input, slope)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """`x` where x is positive, `negative_slope * x` elsewhere.

    >>> import rushlight as torch
    >>> torch.nn.functional.leaky_relu(torch.tensor([-1.0, 2.0]))
    tensor([-0.0100,  2.0000])
    """
    return change(input, leaky_relu, negative_slope) if inplace else _leaky_relu(input, negative_slope)


@operator(
    input=lambda grad, input, weight: _where(input > 0, grad, grad * weight),
    weight=lambda grad, input: _drop(input > 0, grad * input),
    node="PreluKernelBackward0",
    promote=only("f", "prelu_cpu", common),
    broadcasts=True,
)
def _prelu(input: Array, weight: Array) -> Array:
    return select(input > 0, input, weight * input)


@method
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """`x` where x is positive, `weight * x` elsewhere; `weight` has one element, or one for each channel (dimension 1).

    RuntimeError if `weight` has another number of elements.

    >>> import rushlight as torch
    >>> torch.prelu(torch.tensor([-1.0, 2.0]), torch.tensor([0.25]))
    tensor([-0.2500,  2.0000])
    """
    shape, count = input._array.shape, weight._array.size
    if input._array.dtype != weight._array.dtype:
        types = f"{TYPE_NAMES[input.dtype]} and {TYPE_NAMES[weight.dtype]}"
        raise RuntimeError(f"prelu: Type promoting not supported. Got {types}")
    if count != 1:
        channels = shape[1] if len(shape) > 1 else 1
        if not shape:
            raise RuntimeError("Not allow zero-dim input tensor.")
        if channels != count:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{count} and channel size = {channels}."
            )
    if weight.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}")
    ndim = len(shape)
    return _prelu(input, weight.reshape((count,) + (1,) * (ndim - 2) if ndim > 1 else (1,) * ndim))


@operator(
    input=lambda grad, input, noise: tied(grad * noise, input),
    node="RreluWithNoiseBackward0",
    promote=floats("rrelu_with_noise_out_cpu"),
    layout="contiguous",
    broadcasts=True,
)
def _rrelu(input: Array, noise: Array) -> Array:
    return input * noise


def rrelu(
    input: Tensor,
    lower: float = 1 / 8,
    upper: float = 1 / 3,
    training: bool = False,
    inplace: bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """`x` where x is positive, `slope * x` elsewhere; in training, the slope is random for each element, else the mean.

    Xu et al., https://arxiv.org/abs/1505.00853.

    >>> import rushlight as torch
    >>> torch.rrelu(torch.tensor([-24.0, 2.0]))
    tensor([-5.5000,  2.0000])
    """
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    if inplace:
        return change(input, rrelu, lower, upper, training, generator=generator)
    x = input._array
    if not training:
        return _rrelu(input, new_tensor(mean_slopes(x, lower, upper)))
    if type(x) is Batched:
        raise RuntimeError(
            "vmap: rrelu in training draws as many numbers as there are negative elements, which differs between the "
            "examples: call it outside of vmap."
        )
    return _rrelu(input, new_tensor(random_slopes(x, lower, upper, generator or default_generator)))


@fused
def mean(array: Array, lower: float, upper: float) -> Array:
    """The slopes outside of training: 1 for positive elements, else the mean of the two bounds."""
    return np.where(array > 0, array.dtype.type(1), array.dtype.type((lower + upper) / 2))


def drawn(array: Array, lower: float, upper: float, generator: Generator) -> Array:
    """The slopes in training: 1 for positive elements, else uniform random numbers, in PyTorch's order."""
    negative = array <= 0
    slopes = np.ones_like(array)
    with generator.lock:
        slopes[negative] = generator.uniform64(int(negative.sum())) * (upper - lower) + lower
    return slopes


mean_slopes, random_slopes = noted(mean), noted(drawn, draws=True)


@operator(
    input=lambda grad, input, threshold: tied(_drop(input <= threshold, grad), input),
    promote=only("iuf", "threshold_cpu"),
    broadcasts=True,
)
def _threshold(input: Array, threshold: float, value: float) -> Array:
    return np.where(input <= threshold, value, input).astype(input.dtype, copy=False)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """`x` where x is above the threshold, `value` elsewhere.

    >>> import rushlight as torch
    >>> torch.threshold(torch.tensor([0.5, 2.0]), 1, -5)
    tensor([-5.,  2.])
    """
    return change(input, _threshold, threshold, value) if inplace else _threshold(input, threshold, value)


relu_: Callable[..., Tensor] = variant(relu, lambda array: bound(array, 0, None))
leaky_relu_: Callable[..., Tensor] = variant(leaky_relu)
rrelu_: Callable[..., Tensor] = variant(rrelu)
threshold_: Callable[..., Tensor] = variant(threshold)
Tensor.relu_ = relu_
