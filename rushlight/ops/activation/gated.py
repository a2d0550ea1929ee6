"""Gated activations: each element is multiplied by a smooth gate between 0 and 1."""

import math
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import leading
from rushlight.core.formulas import Formula, evaluate, evaluate_to
from rushlight.core.fusion import fused
from rushlight.core.inplace import change
from rushlight.core.tracing import for_kernel
from rushlight.kernels.compiled import load
from rushlight.kernels.logistic import logistic
from rushlight.kernels.logistic import softplus as stable_softplus
from rushlight.kernels.parts import concatenated
from rushlight.kernels.special import special
from rushlight.ops.activation.forms import floats
from rushlight.ops.activation.logistic import logistic_of, stable_softplus_of
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.arguments.promotion import only
from rushlight.ops.derivatives.unrecorded import with_kernels
from rushlight.ops.elementwise.special_functions import erf_of
from rushlight.ops.out import write_out
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["gelu", "glu", "mish", "silu"]

SQRT_HALF, DENSITY = math.sqrt(0.5), 1 / math.sqrt(2 * math.pi)
TANH_SCALE, TANH_CUBIC = math.sqrt(2 / math.pi), 0.044715
error_function = special("erf")

fast: ModuleType | None = load("gelu")


def gelu_cotangent(grad: Array, input: Array, approximate: str) -> Array:
    """The gradient of `gelu`: `Φ(x) + x φ(x)`, or the derivative of the tanh approximation."""
    if fast is not None and (values := fast.gelu_cotangent(grad, for_kernel(input), approximate == "tanh")) is not None:
        return values
    return gelu_slope(grad, input, approximate)


@fused
def gelu_slope(grad: Array, input: Array, approximate: str) -> Array:
    """The gradient of `gelu` in NumPy expressions, which work for arrays and tensors."""
    if approximate == "none":
        above = 0.5 * (1 + erf_of(input * SQRT_HALF))
        return grad * (above + input * (DENSITY * np.exp(-0.5 * (input * input))))
    square = input * input
    t = np.tanh(input * (TANH_SCALE + (TANH_SCALE * TANH_CUBIC) * square))
    inner = TANH_SCALE + (3 * TANH_SCALE * TANH_CUBIC) * square
    return grad * (0.5 * (1 + t) + 0.5 * input * (1 - t * t) * inner)


@operator(kernel=True, input=gelu_cotangent, promote=floats("GeluKernelImpl"), broadcasts=True)
def _gelu(input: Array, approximate: str) -> Array:
    if fast is not None and (values := fast.gelu(for_kernel(input), approximate == "tanh")) is not None:
        return values
    return gelu_values(input, approximate)


@fused
def gelu_values(input: Array, approximate: str) -> Any:
    """`gelu` in NumPy expressions."""
    if approximate == "tanh":
        gate = np.tanh(input * (TANH_SCALE + (TANH_SCALE * TANH_CUBIC) * (input * input)))
    else:
        gate = error_function(input * SQRT_HALF)
    return (gate + 1) * (0.5 * input)


def gelu(input: Tensor, approximate: str = "none", *, out: Tensor | None = None) -> Tensor:
    """`x * Φ(x)`, with Φ the standard normal distribution function, or its tanh approximation if `approximate="tanh"`.

    Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415. RuntimeError for another `approximate`.

    >>> import rushlight as torch
    >>> torch.nn.functional.gelu(torch.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """
    if out is not None:
        return write_out("gelu", out, gelu(input, approximate), input)
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return _gelu(input, approximate)


def silu_cotangent(grad: Array, input: Array) -> Array:
    """The gradient of `silu`: `σ(x) (1 + x (1 - σ(x)))`."""
    s = logistic_of(input)
    return grad * (s * (1 + input * (1 - s)))


@operator(input=silu_cotangent, promote=only("fc", "silu_cpu"), broadcasts=True)
def _silu(input: Array) -> Array:
    return input * logistic(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """`x * sigmoid(x)`, also known as swish.

    >>> import rushlight as torch
    >>> torch.nn.functional.silu(torch.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """
    return change(input, silu) if inplace else _silu(input)


def mish_cotangent(grad: Array, input: Array) -> Array:
    """The gradient of `mish`, `x tanh(softplus(x))`."""
    t = np.tanh(stable_softplus_of(input))
    return grad * (t + input * (logistic_of(input) * (1 - t * t)))


@operator(
    input=mish_cotangent,
    promote=floats("mish_cpu"),
    slopes={"input": "elementwise of tensors"},
    broadcasts=True,
)
def _mish(input: Array) -> Array:
    return input * np.tanh(stable_softplus(input))


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """`x * tanh(softplus(x))`. Misra, https://arxiv.org/abs/1908.08681.

    >>> import rushlight as torch
    >>> torch.nn.functional.mish(torch.tensor([-1.0, 2.0]))
    tensor([-0.3034,  1.9440])
    """
    return change(input, mish) if inplace else _mish(input)


def halves(x: Array, dim: int) -> tuple[Array, ...]:
    """The two halves of an array or tensor along a dimension."""
    before, half = (slice(None),) * dim, x.shape[dim] // 2
    return x[(*before, slice(0, half))], x[(*before, slice(half, None))]


@with_kernels
def glu_cotangent(grad: Array, input: Array, dim: int) -> Array:
    """The gradients of both halves, joined."""
    value, gate = halves(input, dim)
    if type(grad) is np.ndarray and grad.dtype is input.dtype:
        out = np.empty(input.shape, input.dtype)
        first, second = halves(out, dim)
        if evaluate_to(GATED, first, grad, gate) and evaluate_to(SLOPE_OF_GATE, second, grad, value, gate):
            return out
    return concatenated([gated(grad, gate), slope_of_gate(grad, value, gate)], dim, None)


def gated(value: Array, gate: Array) -> Array:
    """The values times the sigmoid of the gate."""
    return value * logistic_of(gate)


def slope_of_gate(grad: Array, value: Array, gate: Array) -> Array:
    """The gradient of the gate."""
    gate = logistic_of(gate)
    return grad * (value * (gate * (1 - gate)))


GATED, SLOPE_OF_GATE = Formula(gated, 2), Formula(slope_of_gate, 3)


@operator(layout="halved", batch=leading, input=glu_cotangent, promote=floats("glu_cpu"))
def _glu(input: Array, dim: int) -> Array:
    value, gate = halves(input, dim)
    return evaluate(GATED, value, gate, None, None)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of `input` along `dim` times the sigmoid of the second half.

    Dauphin et al., https://arxiv.org/abs/1612.08083.
    RuntimeError for a dimension of odd size.

    >>> import rushlight as torch
    >>> torch.nn.functional.glu(torch.tensor([1.0, 2.0, 0.0, 0.0]))
    tensor([0.5000, 1.0000])
    """
    shape = input._array.shape
    if not shape:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    dim = wrap_dim(dim, len(shape))
    if shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {shape[dim]}")
    return _glu(input, dim)
