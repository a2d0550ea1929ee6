"""Converting between MindSpore's tensors and rushlight's: arguments are unwrapped, results wrapped."""

import functools
from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.core.above import above
from rushlight.interop.mindspore.common.dtype import Type
from rushlight.interop.mindspore.common.tensor import Tensor


@above
def unwrapped(value: Any) -> Any:
    """A value with MindSpore's tensors and types replaced by rushlight's, also inside tuples, lists and slices."""
    if isinstance(value, Tensor):
        return value._value
    if isinstance(value, Type):
        return value.native
    if isinstance(value, slice):
        return slice(unwrapped(value.start), unwrapped(value.stop), unwrapped(value.step))
    return type(value)(map(unwrapped, value)) if type(value) in (tuple, list) else value


def wrapped(value: Any) -> Any:
    """A value with rushlight's tensors replaced by MindSpore's; sequences of them become tuples."""
    if isinstance(value, torch.Tensor):
        return Tensor._of(value)
    if isinstance(value, (tuple, list)):
        return tuple(map(wrapped, value))
    return value


def lifted(function: Callable[..., Any], name: str | None = None) -> Callable[..., Any]:
    """Makes a rushlight function accept and return MindSpore's tensors."""

    @functools.wraps(function, updated=())
    def on_tensors(*args: Any, **kwargs: Any) -> Any:
        return wrapped(function(*map(unwrapped, args), **{key: unwrapped(value) for key, value in kwargs.items()}))

    on_tensors.__name__ = on_tensors.__qualname__ = name or function.__name__
    on_tensors.__doc__ = f"`{function.__name__}` of rushlight, under MindSpore's name and on its tensors."
    return on_tensors
