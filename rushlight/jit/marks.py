"""Annotations of types and functions for PyTorch's compiler, which have no effect here."""

import builtins
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import UnionType
from typing import Any, Final, NamedTuple, Union, get_args, get_origin

__all__ = [
    "Attribute",
    "Final",
    "_overload",
    "_overload_method",
    "annotate",
    "enable_onednn_fusion",
    "export",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "onednn_fusion_enabled",
    "optimized_execution",
    "script_if_tracing",
    "script_method",
    "set_fusion_strategy",
    "strict_fusion",
    "unused",
]

_strategy: list[tuple[str, int]] = [("STATIC", 2), ("DYNAMIC", 10)]
_onednn = False


class Attribute(NamedTuple):
    """A value with the type that the compiler should assume."""

    value: Any
    type: Any


def _overload(func: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function: an overload declares types for the compiler; the last function of its name is called."""
    return func


_overload_method = _overload


def annotate(the_type: Any, the_value: Any) -> Any:
    """Returns the value: the type is a note for the compiler.

    >>> import rushlight as torch
    >>> torch.jit.annotate(list[int], [])
    []
    """
    return the_value


def export(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the method: all methods can be called."""
    return fn


def ignore(drop: bool | Callable[..., Any] = False, **kwargs: Any) -> Callable[..., Any]:
    """Returns the function, as a decorator with or without options: nothing is compiled."""
    return drop if callable(drop) else lambda fn: fn


def unused(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function."""
    return fn


def interface(obj: type) -> type:
    """Returns the class. RuntimeError for an object that is not a class."""
    if not is_of(obj, type):
        raise RuntimeError("interface must be applied to a class")
    return obj


def script_method(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the method."""
    return fn


def script_if_tracing(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function."""
    return fn


def is_scripting() -> bool:
    """Whether compiled code is running: always False."""
    return False


def is_tracing() -> bool:
    """Whether a trace is being recorded: always False, as `trace` records none."""
    return False


def isinstance(obj: Any, target_type: Any) -> bool:
    """Whether an object is of a type, which may include the types of elements: `list[int]`, `Dict[str, Tensor]`.

    >>> import rushlight as torch
    >>> torch.jit.isinstance([1, 2], list[int]), torch.jit.isinstance([1, "a"], list[int])
    (True, False)
    """
    if type(target_type) is tuple:
        return any(isinstance(obj, kind) for kind in target_type)
    origin, inner = get_origin(target_type), get_args(target_type)
    if origin is None:
        return is_of(obj, target_type)
    if origin in (Union, UnionType):
        return any(isinstance(obj, kind) for kind in inner)
    if not is_of(obj, origin):
        return False
    if origin is dict:
        return all(isinstance(k, inner[0]) and isinstance(v, inner[1]) for k, v in obj.items())
    if origin is tuple:
        kinds = [inner[0]] * len(obj) if inner[-1] is ... else inner
        return len(kinds) == len(obj) and all(isinstance(v, kind) for v, kind in zip(obj, kinds, strict=True))
    return all(isinstance(value, inner[0]) for value in obj)


def is_of(obj: Any, kind: Any) -> bool:
    """Python's own `isinstance`; None stands for its type, Any for every type."""
    return kind is Any or builtins.isinstance(obj, type(None) if kind is None else kind)


@contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """A context without effect: nothing is compiled."""
    yield


@contextmanager
def strict_fusion() -> Iterator[None]:
    """A context without effect: nothing is fused."""
    yield


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Stores how a compiler should fuse, and returns the former value; without effect."""
    global _strategy
    before, _strategy = _strategy, list(strategy)
    return before


def enable_onednn_fusion(enabled: bool) -> None:
    """Stores whether a compiler should use oneDNN; without effect."""
    global _onednn
    _onednn = bool(enabled)


def onednn_fusion_enabled() -> bool:
    """The value that `enable_onednn_fusion` stored."""
    return _onednn
