"""Automatic differentiation: `backward`, `grad`, grad modes."""

from rushlight.autograd import graph
from rushlight.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from rushlight.autograd.differentiate import backward, grad
from rushlight.autograd.function import Function
from rushlight.autograd.grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled

__all__ = ["Function", "backward", "enable_grad", "grad", "is_grad_enabled", "no_grad", "set_grad_enabled"]
