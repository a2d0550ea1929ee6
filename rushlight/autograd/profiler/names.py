"""The names of a call's events in PyTorch's profiler, and the shapes of its arguments."""

from typing import Any

from rushlight.core.graph import TensorBase
from rushlight.ops.derivatives.events import Event


def events_of_call(op: Any, args: Any) -> list[Event]:
    """The names of a call's events, outermost first, as `aten::...`; those that PyTorch lacks have our own names."""
    if not op.aten:
        return [Event(f"rushlight::{op.name}", args)]
    if callable(op.aten):
        found = op.aten(*args)
    else:
        *outer, last = op.aten
        found = [*(Event(name, args) for name in outer), Event(last, args, op.flops)]
    return [Event(f"aten::{name}", values, flops) for name, values, flops in found]


def array_of(value: Any) -> Any:
    """The array of a tensor, or the array itself."""
    return value._array if isinstance(value, TensorBase) else value


def shapes_of(args: Any) -> list[list[int]]:
    """The shape of each argument that has one; an empty list for any other, also for a list of tensors."""
    return [list(getattr(array_of(arg), "shape", ())) for arg in args]
