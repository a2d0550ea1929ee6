"""Piecewise activations: made of straight lines or with sharp bends."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.fusion import fused
from rushlight.core.inplace import change
from rushlight.core.kinds import kind_of
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES
from rushlight.kernels.selection import bounded, drop
from rushlight.ops.activation.forms import floats, tied, variant
from rushlight.ops.arguments.promotion import only
from rushlight.ops.elementwise.selection import _drop, _keep, _where
from rushlight.ops.out import write_out
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = [
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "relu6",
    "softshrink",
    "softsign",
    "tanhshrink",
]


@operator(
    saved_as={"low": "min_val", "high": "max_val"},
    input=lambda grad, input, low, high: tied(_drop((input <= low) | (input >= high), grad), input),
    promote=only("iuf", "hardtanh_cpu"),
    slopes={"input": "elementwise of tensors"},
    broadcasts=True,
)
def _hardtanh(input: Array, low: float, high: float) -> Array:
    return bounded(input, low, high)


def check_hardtanh(input: Array, low: Any) -> None:
    """Raises PyTorch's errors for dtypes and bounds that `hardtanh` does not support."""
    dtype = input._array.dtype
    if dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    if dtype.kind == "u" and int(low) < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Each element clamped to [min_val, max_val]. Elements at a bound or beyond get no gradient.

    ValueError if `min_val` is greater than `max_val`.

    >>> import rushlight as torch
    >>> torch.nn.functional.hardtanh(torch.tensor([-2.0, 0.5]))
    tensor([-1.0000,  0.5000])
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if inplace:
        return change(input, hardtanh, min_val, max_val)
    dtype = input._array.dtype
    if kind_of(dtype) != "f":
        check_hardtanh(input, min_val)
        min_val, max_val = int(min_val), int(max_val)
    return _hardtanh(input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element clamped to [0, 6].

    >>> import rushlight as torch
    >>> torch.nn.functional.relu6(torch.tensor([-1.0, 2.0, 8.0]))
    tensor([0., 2., 6.])
    """
    return hardtanh(input, 0, 6, inplace)


@operator(
    input=lambda grad, input: tied(_keep((input > -3) & (input < 3), grad / 6), input),
    promote=floats("hardsigmoid_cpu"),
    slopes={"input": "elementwise of tensors"},
    broadcasts=True,
)
def _hardsigmoid(input: Array) -> Array:
    return bounded(input + 3, 0, 6) / 6


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """`relu6(x + 3) / 6`: a piecewise linear sigmoid.

    >>> import rushlight as torch
    >>> torch.nn.functional.hardsigmoid(torch.tensor([-4.0, 0.0, 1.5]))
    tensor([0.0000, 0.5000, 0.7500])
    """
    return change(input, hardsigmoid) if inplace else _hardsigmoid(input)


@fused
def hardswish_cotangent(grad: Array, input: Array) -> Array:
    """The gradient of `hardswish`: `x / 3 + 1/2` between -3 and 3, 0 below, 1 above."""
    return _drop(input <= -3, _where(input < 3, grad * (input / 3 + 0.5), grad))


@operator(
    input=hardswish_cotangent,
    promote=floats("hardswish_cpu"),
    slopes={"input": "elementwise of tensors"},
    broadcasts=True,
)
@fused
def _hardswish(input: Array) -> Array:
    return input * bounded(input + 3, 0, 6) / 6


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """`x * relu6(x + 3) / 6`. Howard et al., https://arxiv.org/abs/1905.02244.

    >>> import rushlight as torch
    >>> torch.nn.functional.hardswish(torch.tensor([-4.0, 0.0, 3.0]))
    tensor([-0.,  0.,  3.])
    """
    return change(input, hardswish) if inplace else _hardswish(input)


def within(x: Array, bound: float) -> Array:
    """True where `|x| <= bound`."""
    return (x >= -bound) & (x <= bound)


@operator(
    input=lambda grad, input, lambd: tied(_drop(within(input, lambd), grad), input),
    promote=floats("hardshrink_cpu"),
    slopes={"input": "elementwise of tensors"},
    broadcasts=True,
)
def _hardshrink(input: Array, lambd: float) -> Array:
    return drop(within(input, lambd), input)


@method
def hardshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """`x` where `|x| > lambd`, 0 elsewhere.

    >>> import rushlight as torch
    >>> torch.hardshrink(torch.tensor([-1.0, 0.25]))
    tensor([-1.,  0.])
    """
    if out is not None:
        return write_out("hardshrink", out, hardshrink(input, lambd), input)
    return _hardshrink(input, lambd)


@operator(
    input=lambda grad, input, lambd: tied(_drop(within(input, lambd), grad), input),
    promote=floats("softshrink_check"),
    slopes={"input": "elementwise of tensors"},
    broadcasts=True,
)
def _softshrink(input: Array, lambd: float) -> Array:
    return input - bounded(input, -lambd, lambd)


def softshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """`x - lambd` where `x > lambd`, `x + lambd` where `x < -lambd`, 0 elsewhere.

    RuntimeError for a negative `lambd`.

    >>> import rushlight as torch
    >>> torch.nn.functional.softshrink(torch.tensor([-1.0, 0.25]))
    tensor([-0.5000,  0.0000])
    """
    if out is not None:
        return write_out("softshrink", out, softshrink(input, lambd), input)
    if lambd < 0:
        name, limit = TYPE_NAMES[FROM_NUMPY[input._array.dtype]], float(np.finfo(np.float32).max)
        raise RuntimeError(f"lambda must be in range [0, {limit:.6g}] for input dtype {name}, but found {lambd}")
    return _softshrink(input, lambd)


def tanhshrink(input: Tensor) -> Tensor:
    """`x - tanh(x)`.

    >>> import rushlight as torch
    >>> torch.nn.functional.tanhshrink(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.2384])
    """
    return input - input.tanh()


def softsign(input: Tensor) -> Tensor:
    """`x / (1 + |x|)`.

    >>> import rushlight as torch
    >>> torch.nn.functional.softsign(torch.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """
    return input / (input.abs() + 1)


hardtanh_: Callable[..., Any] = variant(hardtanh)
