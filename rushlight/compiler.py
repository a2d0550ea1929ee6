"""Compilation: PyTorch compiles the functions and modules that are marked, rushlight runs them as they are."""

from collections.abc import Callable
from typing import Any

__all__ = ["compile", "disable", "is_compiling"]


def compile(model: Callable | None = None, **options: Any) -> Callable:
    """The function or module itself, whatever the options: they say how to compile, never what to compute.

    >>> import rushlight as torch
    >>> @torch.compile(mode="reduce-overhead")
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    return (lambda function: function) if model is None else model


def disable(fn: Callable | None = None, recursive: bool = True, *, reason: str | None = None) -> Callable:
    """The function itself: nothing would compile it."""
    return (lambda function: function) if fn is None else fn


def is_compiling() -> bool:
    """Whether a compiler is at work: none is."""
    return False
