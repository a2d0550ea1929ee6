"""Switches of the compiler: stances, disabled functions, and queries."""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import wraps
from typing import Any

from rushlight.core.interpreters import writer
from rushlight.core.modes import Setting

INSIDE = ContextVar("rushlight_compiling", default=False)  # whether a compiled function is being recorded
DISABLED = ContextVar("rushlight_disabled", default=False)  # whether compiled functions run normally
STANCES = (
    "default",
    "eager_then_compile",
    "aot_eager_then_compile",
    "force_eager",
    "eager_on_recompile",
    "fail_on_recompile",
)


class Stance:
    """The stance of all compiled functions: `name` is one of `STANCES`."""

    name = "default"


STANCE = Stance()


class set_stance:
    """Sets when compiled functions are recorded and replayed: at once, in a context, or for a decorated function.

    "force_eager" runs them normally; "eager_on_recompile" replays existing recordings and makes no more;
    "fail_on_recompile" raises RuntimeError for a call without a recording. The others mean the default.

    RuntimeError for a stance that PyTorch does not know.

    >>> import rushlight as torch
    >>> with torch.compiler.set_stance("force_eager"):
    ...     torch.compile(lambda x: 2 * x)(torch.ones(2))
    tensor([2., 2.])
    """

    def __init__(
        self,
        stance: str = "default",
        *,
        skip_guard_eval_unsafe: bool = False,
        force_backend: str | Callable[..., Any] | None = None,
    ):
        if stance not in STANCES:
            raise RuntimeError(f"invalid torch.compile stance '{stance}': it is one of {', '.join(STANCES)}.")
        self.stance = stance
        self.outside: str = STANCE.name
        STANCE.name = stance

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """Decorates a function to be called in this stance."""
        STANCE.name = self.outside

        @wraps(fn)
        def called(*args: Any, **kwargs: Any) -> Any:
            with set_stance(self.stance):
                return fn(*args, **kwargs)

        return called

    def __enter__(self) -> None:
        """Sets this stance."""
        STANCE.name = self.stance

    def __exit__(self, *exception: object) -> None:
        """Restores the former stance."""
        STANCE.name = self.outside


def disable(
    fn: Callable[..., Any] | None = None, recursive: bool = True, *, reason: str | None = None
) -> Callable[..., Any]:
    """Excludes a function from compiled ones: a function that calls it runs normally.

    With `recursive`, compiled functions that it calls run normally too.

    >>> import rushlight as torch
    >>> @torch.compiler.disable
    ... def show(x):
    ...     print(x.sum().item())
    >>> show(torch.ones(2))
    2.0
    """
    if fn is None:
        return lambda function: disable(function, recursive, reason=reason)
    function = getattr(fn, "uncompiled", fn)

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        writes = writer()
        if writes is not None:
            writes.give_up(reason or f"{getattr(function, '__qualname__', 'a function')} is kept out by disable()")
        if not recursive:
            return function(*args, **kwargs)
        with Setting(DISABLED, True):
            return function(*args, **kwargs)

    return called


def is_compiling() -> bool:
    """Whether a compiled function is being recorded, or called to make its recording."""
    return INSIDE.get()


def is_dynamo_compiling() -> bool:
    """Whether a compiled function is being recorded."""
    return INSIDE.get()


def allow_in_graph(fn: Callable[..., Any] | Sequence[Callable[..., Any]]) -> Any:
    """Returns the function, or list of functions: what they do is recorded. AssertionError for anything else."""
    if isinstance(fn, (list, tuple)):
        return [allow_in_graph(item) for item in fn]
    assert callable(fn), "allow_in_graph expects a callable"
    return fn
