"""The pointwise activations. All of them are in `nn.functional`; `__all__` lists those that are also in `torch`."""

from rushlight.ops.activation.exponential import celu, celu_, elu, elu_, selu, selu_
from rushlight.ops.activation.gated import gelu, glu, mish, silu
from rushlight.ops.activation.logistic import logit, logit_, logsigmoid, sigmoid, sigmoid_, softplus
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

__all__ = [
    "celu",
    "celu_",
    "hardshrink",
    "logit",
    "logit_",
    "prelu",
    "relu",
    "relu_",
    "rrelu",
    "rrelu_",
    "selu",
    "selu_",
    "sigmoid",
    "sigmoid_",
    "threshold",
    "threshold_",
]
