"""Compilation: MindSpore compiles the functions that are marked, rushlight runs them as they are."""

from collections.abc import Callable
from typing import Any

__all__ = ["jit", "jit_class", "ms_class", "ms_function", "mutable"]


def jit(fn: Callable[..., Any] | None = None, **options: Any) -> Callable[..., Any]:
    """The function itself, whatever the options: they tell MindSpore's compiler how to compile, never what to compute.

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
    """The class itself."""
    return cls


ms_class = jit_class


def mutable(input_data: Any, dynamic_len: bool = False) -> Any:
    """The value itself: MindSpore's compiler would take it for a constant otherwise, and here nothing is one."""
    return input_data
