"""The names of PyTorch's compiler that programs call directly: functions run as they are, as with `torch.compile`."""

from collections.abc import Callable
from typing import Any, NoReturn

from rushlight._dynamo import config
from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.compiler import (
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    list_backends,
    reset,
    set_stance,
    substitute_in_graph,
)
from rushlight.tensors import Tensor

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "config",
    "disable",
    "disallow_in_graph",
    "export",
    "forbid_in_graph",
    "graph_break",
    "is_compiling",
    "is_dynamo_disable_recursive",
    "list_backends",
    "mark_dynamic",
    "mark_static",
    "mark_static_address",
    "maybe_mark_dynamic",
    "nonstrict_trace",
    "optimize",
    "optimize_assert",
    "register_backend",
    "reset",
    "run",
    "set_stance",
    "substitute_in_graph",
]

disallow_in_graph = forbid_in_graph = allow_in_graph


def optimize(backend: str | Callable[..., Any] = "inductor", **options: Any) -> Callable[..., Any]:
    """A decorator that gives back its function or module; `torch.compile` in its older form."""
    return lambda function: function


optimize_assert = optimize


def run(fn: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The function itself."""
    return (lambda function: function) if fn is None else fn


def nonstrict_trace(traceable_fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself."""
    return traceable_fn


def register_backend(
    compiler_fn: Callable[..., Any] | None = None, name: str | None = None, tags: tuple[Any, ...] = ()
) -> Callable[..., Any]:
    """The compiler itself, as a decorator with or without options: it is never called."""
    return (lambda function: function) if compiler_fn is None else compiler_fn


def export(f: Callable[..., Any], *args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError: `torch.fx.symbolic_trace` gives the graph of a module."""
    raise NotImplementedError(
        "rushlight compiles nothing, so it has no program to export: torch.fx.symbolic_trace gives a module's graph."
    )


def graph_break(msg: str = "") -> None:
    """Asks the compiler to begin a new graph here: there is none."""


def is_dynamo_disable_recursive(method: Callable[..., Any]) -> bool | None:
    """Whether `disable` holds for what the function calls: None, as nothing is marked."""
    return None


def mark_dynamic(
    t: Tensor,
    index: Any,
    *,
    hint_override: int | None = None,
    min: int | None = None,
    max: int | None = None,
    specialize_on: list[Any] | None = None,
) -> None:
    """Tells the compiler that a size changes from call to call: here each call may have its own."""


def maybe_mark_dynamic(t: Tensor, index: Any) -> None:
    """As `mark_dynamic`."""


def mark_static(t: Any, index: Any = None) -> None:
    """Tells the compiler that a size is always the same: nothing depends on it."""


def mark_static_address(t: Any, guard: bool = False) -> None:
    """Tells the compiler that a tensor always lies in the same memory: nothing depends on it."""


_explain_misses(globals())
