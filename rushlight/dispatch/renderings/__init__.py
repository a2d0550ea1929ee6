"""Calls of operators as PyTorch's dispatcher makes them: `table` explains how they are entered, by kind of operator."""

from functools import cache
from typing import Any

from rushlight.dispatch.renderings import layers as layers
from rushlight.dispatch.renderings import reductions as reductions
from rushlight.dispatch.renderings import shapes as shapes
from rushlight.dispatch.renderings.elementwise import ALWAYS_TENSOR, elementwise_rendering
from rushlight.dispatch.renderings.table import RENDERINGS, Rendering, is_tensor
from rushlight.ops.overloads import OpOverload, OpOverloadPacket

__all__ = ["ALWAYS_TENSOR", "Rendering", "is_tensor", "rendering_of"]


def rendering_of(op: Any, args: tuple[Any, ...]) -> Rendering:
    """The rendering of a call: aten's overload and arguments, if there is one."""
    render = RENDERINGS.get(op.name)
    found = elementwise_rendering(op, args) if render is None else render(*args)
    return found or Rendering(own_overload(op), args)


@cache
def own_overload(op: Any) -> OpOverload:
    """The overload, in rushlight's namespace, of an operator that aten lacks: it takes the same arguments."""
    return OpOverload(OpOverloadPacket("rushlight", op.name, op, ["default"]), "default")
