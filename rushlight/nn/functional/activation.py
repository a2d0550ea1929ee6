"""Activations: those of `ops.activation`, and softmax functions for which `dim` may be omitted."""

import numpy as np

from rushlight import random
from rushlight.core.graph import new_tensor
from rushlight.core.lines import warn
from rushlight.dtypes import dtype as Dtype
from rushlight.ops.activation.exponential import celu, celu_, elu, elu_, selu, selu_
from rushlight.ops.activation.gated import gelu, glu, mish, silu
from rushlight.ops.activation.logistic import logsigmoid, sigmoid, softplus
from rushlight.ops.activation.piecewise import (
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    relu6,
    softshrink,
    softsign,
    tanhshrink,
)
from rushlight.ops.activation.rectifiers import (
    leaky_relu,
    leaky_relu_,
    prelu,
    relu,
    relu_,
    rrelu,
    rrelu_,
    threshold,
    threshold_,
)
from rushlight.ops.elementwise.elementary import tanh
from rushlight.ops.reductions import softmax as plain
from rushlight.random import distributions
from rushlight.tensors import Tensor

__all__ = [
    "celu",
    "celu_",
    "elu",
    "elu_",
    "gelu",
    "glu",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "log_softmax",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rrelu",
    "rrelu_",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
]


def _get_softmax_dim(name: str, ndim: int, stacklevel: int = 3) -> int:
    """The dimension that PyTorch uses if none is given, with its warning.

    The warning is shown at the user's line, so `stacklevel` is not needed.
    """
    warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """exp(x) divided by its sum along `dim`. Without `dim`, one is chosen as in PyTorch, with a warning.

    >>> import rushlight as torch
    >>> torch.nn.functional.softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    dim = _get_softmax_dim("softmax", input.ndim) if dim is None else dim
    return plain.softmax(input, dim) if dtype is None else plain.softmax(input, dim, dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """`softmax` of `-input`.

    >>> import rushlight as torch
    >>> torch.nn.functional.softmin(torch.tensor([0.0, 1.0]), dim=0)
    tensor([0.7311, 0.2689])
    """
    dim = _get_softmax_dim("softmin", input.ndim) if dim is None else dim
    return plain.softmax(-input, dim) if dtype is None else plain.softmax(-input, dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """The logarithm of `softmax`, without overflow.

    >>> import rushlight as torch
    >>> torch.nn.functional.log_softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([-0.6931, -0.6931])
    """
    dim = _get_softmax_dim("log_softmax", input.ndim) if dim is None else dim
    return plain.log_softmax(input, dim) if dtype is None else plain.log_softmax(input, dim, dtype=dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """Samples of the Gumbel-softmax distribution of temperature `tau`; with `hard` one-hot, with the soft gradient.

    Jang, Gu and Poole, "Categorical reparameterization with Gumbel-softmax", 2017.

    >>> import rushlight as torch
    >>> torch.nn.functional.gumbel_softmax(torch.zeros(4), hard=True).sum()
    tensor(1.)
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    x = logits._array
    noise = -new_tensor(distributions.exponential(random.default_generator, x.shape, x.dtype)).log()
    soft = plain.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    values = soft.detach()
    one_hot = new_tensor(np.zeros_like(values._array)).scatter(dim, values.argmax(dim, True), 1)
    return one_hot - values + soft
