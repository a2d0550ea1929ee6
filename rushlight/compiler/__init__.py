"""Compilation: PyTorch compiles the functions and modules that are marked, rushlight runs them as they are."""

from collections.abc import Callable, Sequence
from functools import wraps
from types import SimpleNamespace
from typing import Any

from rushlight.missing import explain_misses as _explain_misses

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "config", "cudagraph_mark_step_begin", "disable",
    "get_default_backend", "is_compiling", "is_dynamo_compiling", "is_exporting", "list_backends",
    "nested_compile_region", "reset", "set_default_backend", "set_stance", "substitute_in_graph", "wrap_numpy",
]  # fmt: skip

config = SimpleNamespace()  # options of compilation: they can be set and read, and decide nothing
_backend: str | Callable = "inductor"


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


def is_dynamo_compiling() -> bool:
    """Whether a compiler is at work: none is."""
    return False


def is_exporting() -> bool:
    """Whether a program is being exported: none is."""
    return False


def allow_in_graph(fn: Callable | Sequence[Callable]) -> Any:
    """The function, or the list of functions, itself. AssertionError for anything else."""
    if isinstance(fn, (list, tuple)):
        return [allow_in_graph(item) for item in fn]
    assert callable(fn), "allow_in_graph expects a callable"
    return fn


def assume_constant_result(fn: Callable) -> Callable:
    """The function itself: it is called each time."""
    return fn


def nested_compile_region(fn: Callable | None = None, **options: Any) -> Callable:
    """The function itself, whatever the options."""
    return (lambda function: function) if fn is None else fn


def substitute_in_graph(original_fn: Callable, *, can_constant_fold_through: bool = False,
                        skip_signature_check: bool = False, is_embedded_type: bool = False) -> Callable:  # fmt: skip
    """A decorator that gives back its function: PyTorch's compiler would take it in the place of the original."""
    return lambda function: function


class set_stance:
    """Says when the compiler should compile: a call, a context or a decorator, which changes nothing.

    RuntimeError for a stance that PyTorch does not know.
    """

    STANCES = (
        "default", "eager_then_compile", "aot_eager_then_compile", "force_eager", "eager_on_recompile",
        "fail_on_recompile",
    )  # fmt: skip

    def __init__(self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False,
                 force_backend: str | Callable | None = None):  # fmt: skip
        if stance not in self.STANCES:
            raise RuntimeError(f"invalid torch.compile stance '{stance}': it is one of {', '.join(self.STANCES)}.")
        self.stance = stance

    def __call__(self, fn: Callable) -> Callable:
        """The function itself."""
        return fn

    def __enter__(self) -> None:
        """Nothing changes."""

    def __exit__(self, *exception: object) -> None:
        """Nothing was changed."""


def list_backends(exclude_tags: Sequence[str] = ("debug", "experimental")) -> list[str]:
    """The names of compilers: there are none."""
    return []


def set_default_backend(backend: str | Callable | None) -> None:
    """Notes the compiler to take where none is named; None for PyTorch's own."""
    global _backend
    _backend = "inductor" if backend is None else backend


def get_default_backend() -> str | Callable:
    """What `set_default_backend` noted."""
    return _backend


def reset() -> None:
    """Forgets what was compiled: nothing was."""


def cudagraph_mark_step_begin() -> None:
    """Tells CUDA graphs that a step begins: there are none."""


def wrap_numpy(fn: Callable) -> Callable:
    """A function of tensors that calls a function of NumPy arrays, and gives back tensors for its arrays.

    >>> import numpy as np, rushlight as torch
    >>> torch.compiler.wrap_numpy(np.cumsum)(torch.tensor([1, 2, 3]))
    tensor([1, 3, 6])
    """
    from numpy import generic, ndarray

    from rushlight.ops.from_data import as_tensor
    from rushlight.tensors import Tensor
    from rushlight.utils.pytree import tree_map

    @wraps(fn)
    def called(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = tree_map(lambda v: v.numpy() if isinstance(v, Tensor) else v, (args, kwargs))
        return tree_map(lambda v: as_tensor(v) if isinstance(v, (ndarray, generic)) else v, fn(*args, **kwargs))

    return called


_explain_misses(globals())
