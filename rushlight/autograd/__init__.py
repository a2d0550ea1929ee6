"""Automatic differentiation: `backward`, `grad`, grad modes, custom functions, hooks on saved tensors, anomaly mode.

Forward mode, `functional`, the profiler and `explain` are loaded when they are first used.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any

from rushlight.absent.misses import no_such_name as _no_such_name
from rushlight.autograd import graph
from rushlight.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from rushlight.autograd.differentiate import backward, grad
from rushlight.autograd.function import Function
from rushlight.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from rushlight.autograd.gradcheck import gradcheck, gradgradcheck
from rushlight.autograd.variable import Variable

if _TYPE_CHECKING:
    from rushlight.autograd import forward_ad, functional

__all__ = [
    "Function",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_multithreading_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


def __getattr__(name: str) -> Any:
    """Loads a submodule or name at its first use; AttributeError for an unknown name."""
    if name in ("forward_ad", "functional", "profiler", "profiler_util"):
        return _import_module(f"rushlight.autograd.{name}")
    if name == "explain":
        return _import_module("rushlight.explain").explain
    raise _no_such_name("rushlight.autograd", name)
