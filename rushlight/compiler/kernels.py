"""Operators with kernels of their own, which are faster than their steps: programs call them and their derivatives."""

from typing import Any

DERIVATIVE = "derivative of "
KERNELS = {
    "softmax",
    "log_softmax",
    "softmax_cotangent",
    "log_softmax_cotangent",
    "layer_norm",
    "group_norm",
    "batch_norm",
    "batch_norm_scaled",
    "gelu",
    "cross_entropy",
    "cumsum",
    "cumprod",
    "logcumsumexp",
    "convolution",
}


def has_kernel(function: Any) -> bool:
    """Whether an operator, or the function of a derivative, has a kernel."""
    return getattr(function, "name", "").removeprefix(DERIVATIVE) in KERNELS
