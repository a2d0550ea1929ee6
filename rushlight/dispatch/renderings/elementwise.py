"""Renderings of elementwise operators: most need none of their own."""

from typing import Any

from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.dispatch.renderings.table import Rendering, is_tensor, renders, trimmed, with_defaults
from rushlight.ops.aten_namespace import aten
from rushlight.ops.overloads import recorded

__all__ = ["ALWAYS_TENSOR", "elementwise_rendering"]

ALWAYS_TENSOR = frozenset(["add", "sub", "mul", "div"])  # their `Tensor` overload takes numbers too
OTHERWISE_NAMED = {"relu": "relu"}  # where the profiler shows an inner event instead


def elementwise_rendering(op: Any, args: tuple[Any, ...]) -> Rendering | None:
    """The rendering of an elementwise operator of one or two operands."""
    name = OTHERWISE_NAMED.get(op.name) or (op.name if callable(op.aten) else op.aten[-1] if op.aten else "")
    overloads = recorded().get(name, [])
    if op.promote is None or not overloads or len(args) > 2:
        return None
    if len(args) == 1 or "Tensor" not in overloads:
        return Rendering(getattr(aten, name).default, args) if "default" in overloads and is_plain(args) else None
    if name in ALWAYS_TENSOR or is_tensor(args[1]):
        return Rendering(getattr(aten, name).Tensor, args)
    return Rendering(getattr(aten, name).Scalar, args) if "Scalar" in overloads else None


def is_plain(args: tuple[Any, ...]) -> bool:
    """Whether the first operand is a tensor."""
    return isinstance(args[0], TensorBase)


@renders("pow", "pow_tensor")
def power(input: Array, other: Array) -> Rendering:
    overload = aten.pow.Tensor_Tensor if is_tensor(other) else aten.pow.Tensor_Scalar
    return Rendering(overload, (input, other))


@renders("rsub")
def from_number(input: Array, other: Array) -> Rendering:
    return Rendering(aten.rsub.Tensor if is_tensor(other) else aten.rsub.Scalar, (input, other))


@renders("add_scaled")
def add_scaled(input: Array, other: Array, alpha: float) -> Rendering:
    return Rendering(aten.add.Tensor, (input, other), {"alpha": alpha})


@renders("sub_scaled")
def sub_scaled(input: Array, other: Array, alpha: float) -> Rendering:
    return Rendering(aten.sub.Tensor, (input, other), {"alpha": alpha})


@renders("div_floor")
def div_floor(input: Array, other: Array) -> Rendering:
    return Rendering(aten.div.Tensor_mode, (input, other), {"rounding_mode": "floor"})


@renders("div_trunc")
def div_trunc(input: Array, other: Array) -> Rendering:
    return Rendering(aten.div.Tensor_mode, (input, other), {"rounding_mode": "trunc"})


@renders("clamp")
def clamp(input: Array, low: Any, high: Any) -> Rendering:
    return Rendering(aten.clamp.default, trimmed((input, low, high), None))


@renders("clamp_tensors")
def clamp_tensors(input: Array, low: Any, high: Any) -> Rendering:
    return Rendering(aten.clamp.Tensor, (input, low, high))


@renders("where")
def where(condition: Array, input: Array, other: Array) -> Rendering:
    overload = "ScalarOther" if not is_tensor(other) else "ScalarSelf" if not is_tensor(input) else "self"
    return Rendering(getattr(aten.where, overload), (condition, input, other))


@renders("lerp", "lerp_tensor")
def lerp(input: Array, end: Array, weight: Array) -> Rendering:
    return Rendering(aten.lerp.Tensor if is_tensor(weight) else aten.lerp.Scalar, (input, end, weight))


@renders("addcmul")
def addcmul(input: Array, first: Array, second: Array, value: Any) -> Rendering:
    return Rendering(aten.addcmul.default, (input, first, second), {} if value == 1 else {"value": value})


@renders("addcdiv")
def addcdiv(input: Array, first: Array, second: Array, value: Any) -> Rendering:
    return Rendering(aten.addcdiv.default, (input, first, second), {} if value == 1 else {"value": value})


@renders("round", "round_decimals")
def round_to(input: Array, decimals: int) -> Rendering:
    if decimals == 0:
        return Rendering(aten.round.default, (input,))
    return Rendering(aten.round.decimals, (input,), {"decimals": decimals})


@renders("elu", "celu")
def elu(input: Array, alpha: float, scale: float, rate: float) -> Rendering | None:
    return Rendering(aten.elu.default, (input, alpha)) if scale == rate == 1 else None


@renders("gelu")
def gelu(input: Array, approximate: str) -> Rendering:
    return Rendering(aten.gelu.default, (input,), {} if approximate == "none" else {"approximate": approximate})


with_defaults("softplus", 1.0, 20.0)
with_defaults("leaky_relu", 0.01)
with_defaults("hardtanh")
with_defaults("threshold")
with_defaults("glu", -1)
with_defaults("hardshrink", 0.5)
with_defaults("softshrink", 0.5)
with_defaults("logit", None)
with_defaults("nan_to_num", None, None, None)
with_defaults("native_dropout_backward")
