"""The names of PyTorch's compiler that programs call directly: functions run unchanged, as with `torch.compile`."""

from collections.abc import Callable
from typing import Any, NoReturn

from rushlight._dynamo import config, eval_frame, exc
from rushlight._dynamo.eval_frame import OptimizedModule
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
from rushlight.compiler import explain as _explain
from rushlight.tensors import Tensor

__all__ = [
    "OptimizedModule",
    "allow_in_graph",
    "assume_constant_result",
    "config",
    "disable",
    "disallow_in_graph",
    "eval_frame",
    "exc",
    "explain",
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
    """An older form of `torch.compile`: a decorator that returns its function or module unchanged."""
    return lambda function: function


optimize_assert = optimize


def run(fn: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The function, unchanged."""
    return (lambda function: function) if fn is None else fn


def nonstrict_trace(traceable_fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function, unchanged."""
    return traceable_fn


def register_backend(
    compiler_fn: Callable[..., Any] | None = None, name: str | None = None, tags: tuple[Any, ...] = ()
) -> Callable[..., Any]:
    """The compiler, as a decorator with or without options: it is returned and never called."""
    return (lambda function: function) if compiler_fn is None else compiler_fn


def explain(f: Callable[..., Any], *extra_args: Any, **extra_kwargs: Any) -> Any:
    """As `torch.compiler.explain`; with the arguments of a call also the older form, which gives the report at once.

    >>> import rushlight as torch
    >>> told = torch._dynamo.explain(lambda x: x.sin() * 2)(torch.ones(3))
    >>> told.graph_count, told.graph_break_count, told.op_count
    (1, 0, 2)
    """
    explained = _explain(f)
    return explained(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else explained


def export(f: Callable[..., Any], *args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError: `torch.fx.symbolic_trace` gives the graph of a module."""
    raise NotImplementedError(
        "rushlight compiles nothing, so it has no program to export: torch.fx.symbolic_trace gives a module's graph."
    )


def graph_break(msg: str = "") -> None:
    """Does nothing: PyTorch's compiler would start a new graph here."""


def is_dynamo_disable_recursive(method: Callable[..., Any]) -> bool | None:
    """Whether `disable` applies to called functions too: always None, as nothing is marked."""
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
    """Does nothing: PyTorch's compiler would treat the size as variable; here sizes may always vary."""


def maybe_mark_dynamic(t: Tensor, index: Any) -> None:
    """Does nothing, as `mark_dynamic`."""


def mark_static(t: Any, index: Any = None) -> None:
    """Does nothing: PyTorch's compiler would treat the size as constant."""


def mark_static_address(t: Any, guard: bool = False) -> None:
    """Does nothing: PyTorch's compiler would treat the tensor's address as constant."""


_explain_misses(globals())
