"""The calls of PyTorch's dispatcher for calls of operators: an overload of `torch.ops.aten`, and its arguments.

A rendering is a function of the call's arguments, entered under the operator's name; arguments with default values are
left out, as in PyTorch. An elementwise operator of one or two operands needs none. An operator without a rendering, or
with arguments that aten does not take, has its own name: `rushlight.NAME.default`.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from rushlight import dtypes
from rushlight.core.graph import TensorBase
from rushlight.ops.aten_namespace import aten
from rushlight.ops.overloads import OpOverload

__all__ = ["RENDERINGS", "Rendering", "dtype_given", "is_tensor", "renders", "trimmed", "with_defaults"]


class Rendering(NamedTuple):
    """An overload and its arguments; `pick` selects the operator's result from that of the overload."""

    overload: OpOverload
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = MappingProxyType({})
    pick: Callable[..., Any] | None = None


RENDERINGS: dict[str, Callable[..., Rendering | None]] = {}


def renders(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enters a function as the rendering of the named operators."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        RENDERINGS.update(dict.fromkeys(names, function))
        return function

    return enter


def trimmed(args: tuple[Any, ...], *defaults: Any) -> tuple[Any, ...]:
    """The arguments without trailing ones that have their default values."""
    kept = list(args)
    for default in reversed(defaults):
        if kept[-1] is not default and kept[-1] != default:
            break
        kept.pop()
    return tuple(kept)


def dtype_given(dtype: Any, input: Any) -> dict[str, Any]:
    """The `dtype` keyword, if it differs from the input's dtype."""
    if dtype is None or np.dtype(dtype) == input._array.dtype:
        return {}
    return {"dtype": dtypes.FROM_NUMPY[np.dtype(dtype)]}


def is_tensor(value: Any) -> bool:
    """Whether an operand is a tensor, or an array that stands for one."""
    return isinstance(value, TensorBase) or hasattr(value, "shape")


def with_defaults(name: str, *defaults: Any) -> None:
    """Enters an operator that has aten's arguments, with the default values of the last ones."""
    overload = getattr(aten, name).default
    RENDERINGS[name] = lambda *args: Rendering(overload, trimmed(args, *defaults))
