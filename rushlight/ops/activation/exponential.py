"""Exponential linear units: positive elements stay as they are, negative ones level off exponentially."""

from collections.abc import Callable

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.fusion import fused
from rushlight.core.inplace import change
from rushlight.kernels.selection import select
from rushlight.ops.activation.forms import floats, variant
from rushlight.ops.elementwise.selection import _keep, _where
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["celu", "celu_", "elu", "elu_", "selu", "selu_"]


@fused
def elu_cotangent(grad: Array, input: Array, alpha: float, scale: float, rate: float) -> Array:
    """The gradient of `elu`. Only exponentials of negative numbers are taken, so nothing overflows."""
    slope = (alpha * scale * rate) * np.exp(_keep(input < 0, input) * rate)
    return grad * _where(input <= 0, slope, scale)


@fused
def elu_forward(input: Array, alpha: float, scale: float, rate: float) -> Array:
    """`scale * x` where x is positive, `scale * alpha * (exp(rate * x) - 1)` elsewhere."""
    negative = np.expm1(np.minimum(input, 0) * rate)
    negative *= alpha * scale
    return select(input > 0, input * scale, negative)


_elu = operator(name="elu", input=elu_cotangent, promote=floats("elu_cpu"), broadcasts=True)(elu_forward)
_celu = operator(name="celu", input=elu_cotangent, promote=floats("elu_cpu"), broadcasts=True)(elu_forward)
SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`x` where x is positive, `alpha * (exp(x) - 1)` elsewhere. Clevert et al., https://arxiv.org/abs/1511.07289.

    >>> import rushlight as torch
    >>> torch.nn.functional.elu(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return change(input, elu, alpha) if inplace else _elu(input, alpha, 1.0, 1.0)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """`elu` with fixed scale and alpha, for self-normalizing networks.

    Klambauer et al., https://arxiv.org/abs/1706.02515.

    >>> import rushlight as torch
    >>> torch.selu(torch.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """
    return change(input, selu) if inplace else _elu(input, SELU_ALPHA, SELU_SCALE, 1.0)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`x` where x is positive, `alpha * (exp(x / alpha) - 1)` elsewhere. Barron, https://arxiv.org/abs/1704.07483.

    >>> import rushlight as torch
    >>> torch.celu(torch.tensor([-1.0, 2.0]), alpha=2.0)
    tensor([-0.7869,  2.0000])
    """
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return change(input, celu, alpha) if inplace else _celu(input, alpha, 1.0, 1 / alpha)


celu_: Callable[..., Tensor] = variant(celu)
elu_: Callable[..., Tensor] = variant(elu)
selu_: Callable[..., Tensor] = variant(selu)
