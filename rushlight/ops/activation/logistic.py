"""The sigmoid function, its inverse (`logit`), its logarithm (`logsigmoid`) and its integral (`softplus`)."""

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import elementwise
from rushlight.core.fusion import fused
from rushlight.dtypes import floating
from rushlight.kernels.logistic import logistic
from rushlight.kernels.logistic import softplus as stable_softplus
from rushlight.kernels.selection import select
from rushlight.ops.activation.forms import floats
from rushlight.ops.arguments.promotion import only
from rushlight.ops.derivatives import recurrences
from rushlight.ops.derivatives.series import recurrence
from rushlight.ops.derivatives.tangents import symmetric
from rushlight.ops.elementwise.selection import _keep, _where
from rushlight.ops.out import write_out
from rushlight.ops.table import TABLE, Unary, in_place, method, operator, unary
from rushlight.tensors import Tensor

__all__ = [
    "logistic_of",
    "logit",
    "logit_",
    "logsigmoid",
    "sigmoid",
    "sigmoid_",
    "softplus",
    "stable_softplus_of",
]

sigmoid: Unary = unary(
    "sigmoid",
    logistic,
    lambda grad, result: grad * ((1 - result) * result),
    """The sigmoid `1 / (1 + exp(-x))` of each element.

    >>> import rushlight as torch
    >>> torch.sigmoid(torch.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """,
    series=recurrence(recurrences.sigmoid),
)
sigmoid_ = Tensor.sigmoid_
logistic_of = TABLE["sigmoid"]  # for use in gradient formulas


def logit_cotangent(grad: Array, input: Array, eps: float | None) -> Array:
    """`grad / (x * (1 - x))`; outside [eps, 1 - eps] it is 0, and without `eps` it is NaN outside [0, 1]."""
    low, high = (0.0, 1.0) if eps is None else (eps, 1 - eps)
    inside = (input >= low) & (input <= high)
    slope = grad / (input * (1 - input))
    return _keep(inside, slope) if eps is not None else _where(inside, slope, np.zeros_like(slope) * np.nan)


@operator(input=logit_cotangent, promote=only("f", "logit_cpu", floating), broadcasts=True)
def _logit(input: Array, eps: float | None) -> Array:
    x = input if eps is None else input.clip(eps, 1 - eps)
    return np.log(x / (1 - x))


@in_place
@method
def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the sigmoid, `log(x / (1 - x))`, with x clamped to [eps, 1 - eps] first if `eps` is given.

    >>> import rushlight as torch
    >>> torch.logit(torch.tensor([0.5, 0.8808]))
    tensor([0.0000, 2.0000])
    """
    result = _logit(input, eps)
    return result if out is None else write_out("logit", out, result, input)


logit_ = Tensor.logit_


@operator(
    name="log_sigmoid",
    input=lambda grad, input: grad * logistic_of(-input),
    promote=floats("log_sigmoid_cpu"),
    layout="contiguous",
    slopes={"input": "like first"},
    broadcasts=True,
)
def _logsigmoid(input: Array) -> Array:
    return -stable_softplus(-input)


def logsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sigmoid, computed without overflow.

    >>> import rushlight as torch
    >>> torch.nn.functional.logsigmoid(torch.tensor([0.0, -200.0]))
    tensor([  -0.6931, -200.0000])
    """
    if out is not None:
        return write_out("log_sigmoid", out, logsigmoid(input), input)
    return _logsigmoid(input)


@operator(
    input=lambda grad, input, beta, threshold: _where(input * beta > threshold, grad, grad * logistic_of(input * beta)),
    promote=floats("softplus_cpu"),
    slopes={"input": "elementwise of tensors"},
    broadcasts=True,
)
@fused
def _softplus(input: Array, beta: float, threshold: float) -> Array:
    scaled = input * beta
    return select(scaled > threshold, input, stable_softplus(scaled) / beta)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0, *, out: Tensor | None = None) -> Tensor:
    """`log(1 + exp(beta * x)) / beta`, a smooth `relu`; x itself where `beta * x` is above `threshold`.

    >>> import rushlight as torch
    >>> torch.nn.functional.softplus(torch.tensor([0.0, 30.0]))
    tensor([ 0.6931, 30.0000])
    """
    if out is not None:
        return write_out("softplus", out, softplus(input, beta, threshold), input)
    return _softplus(input, beta, threshold)


@operator(
    aten=(),
    name="stable_softplus",
    batch=elementwise,
    tangent=symmetric,
    input=lambda grad, input: grad * logistic_of(input),
)
def stable_softplus_of(input: Array) -> Array:
    """`softplus` without a threshold, for use in gradient formulas."""
    return stable_softplus(input)
