"""Compilation: MindSpore compiles marked functions, rushlight runs them as Python."""

from collections.abc import Callable
from typing import Any

__all__ = ["jit", "jit_class", "ms_class", "ms_function", "mutable"]


def jit(fn: Callable[..., Any] | None = None, **options: Any) -> Callable[..., Any]:
    """Returns the function, whatever the options: these affect how MindSpore compiles, never what is computed.

    >>> import rushlight.interop.mindspore as ms
    >>> @ms.jit
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    return (lambda function: function) if fn is None else fn


ms_function = jit


def jit_class(cls: type) -> type:
    """Returns the class."""
    return cls


ms_class = jit_class


def mutable(input_data: Any, dynamic_len: bool = False) -> Any:
    """Returns the value: MindSpore's compiler would otherwise treat it as a constant, which does not happen here."""
    return input_data
