"""The dispatcher's names for in-place changes: `aten.add_.Tensor` for `x += y`."""

from typing import Any

from rushlight.autograd.profiler.recording import name_of
from rushlight.dispatch.renderings import ALWAYS_TENSOR, is_tensor
from rushlight.ops.aten_namespace import aten, function_of
from rushlight.ops.overloads import OpOverload, recorded

__all__ = ["overload_of_change"]


def overload_of_change(function: Any, tensor: Any, args: tuple[Any, ...]) -> OpOverload | None:
    """The overload for an in-place change of a tensor by a function or operator; None if there is none."""
    plain = name_of(function, (tensor, *args)).removeprefix("aten::")
    overloads = recorded().get(f"{plain}_", [])
    if not args:
        wanted = "default"
    elif is_tensor(args[0]) or plain in ALWAYS_TENSOR:
        wanted = "Tensor" if "Tensor" in overloads else "default"
    else:
        wanted = "Scalar" if "Scalar" in overloads else "default"
    if wanted not in overloads or len(args) > 1 or function_of(f"{plain}_") is None:
        return None
    return getattr(getattr(aten, f"{plain}_"), wanted)
