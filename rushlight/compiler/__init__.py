"""`torch.compile`: calls of a function are recorded as programs, which later calls replay.

`program` has the data structure. The `recorder`, an interpreter, records a call (`calls`, `memories`, `differentiable`,
`watching`) as a `recording`; `arguments` and `surroundings` decide whether another call is like it; `checking` compares
call and replay, and `compiled` decides at each call what to do. `guards`, `replaying` and `nodes` run at each call, and
are compiled; `explanation` reports what was recorded.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from types import SimpleNamespace
from typing import Any
from weakref import WeakSet

import numpy as np

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.compiler.compiled import Compiled
from rushlight.compiler.explanation import explain
from rushlight.compiler.modules import OptimizedModule
from rushlight.compiler.switches import (
    allow_in_graph,
    disable,
    is_compiling,
    is_dynamo_compiling,
    set_stance,
)
from rushlight.core.above import above
from rushlight.nn.modules.module import Module
from rushlight.ops.making.from_data import as_tensor
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_map

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "config",
    "cudagraph_mark_step_begin",
    "disable",
    "explain",
    "get_default_backend",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "nested_compile_region",
    "reset",
    "set_default_backend",
    "set_stance",
    "substitute_in_graph",
    "wrap_numpy",
]

config: SimpleNamespace = SimpleNamespace()  # options of compilation: can be set and read, without effect
_backend: str | Callable[..., Any] = "inductor"


BACKENDS = ("walker", "llvm", "eager")
OTHERS = ("inductor", "aot_eager", "cudagraphs", "onnxrt", "openxla", "tvm")  # PyTorch's own: they mean the default
MODES = (None, "default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")
_made: WeakSet[Compiled] = WeakSet()


@above
def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
) -> Callable[..., Any]:
    """Compiles a function or module: its calls are recorded, and replayed with the same results.

    The first call runs normally and is recorded, with its backward passes, in-place changes, random numbers and steps
    of optimizers. A later call that is like it (in the structure of its arguments, their shapes and dtypes, and
    everything that the function reads from outside) replays the recording; any other is recorded too, up to eight
    recordings. What cannot be replayed runs normally, with a warning that says why; with `fullgraph` it raises
    RuntimeError. A function whose replay is slower than the call runs normally too.

    `backend` is "walker" (the default), "llvm" or "eager" (NumPy, step by step); PyTorch's names, and those of `mode`,
    mean the default. `dynamic` has no effect: each shape has its own recording. Of `options` only "timed" (True) is
    used: False replays even if that is slower. RuntimeError for an unknown name.

    >>> import rushlight as torch
    >>> @torch.compile
    ... def double(x):
    ...     return 2 * x
    >>> double(torch.ones(2))
    tensor([2., 2.])
    """
    if mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(map(str, MODES[1:]))}")
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if isinstance(backend, str) and backend not in BACKENDS + OTHERS:
        raise RuntimeError(f"Invalid backend: {backend!r}. It is one of {', '.join(BACKENDS + OTHERS)}.")
    if model is None:
        return lambda function: compile(
            function, fullgraph=fullgraph, backend=backend, mode=mode, options=options, disable=disable
        )
    if not callable(model):
        raise RuntimeError(f"Unexpected type: {type(model).__name__} cannot be compiled: pass a function or a module.")
    if disable or isinstance(model, (Compiled, OptimizedModule)):
        return model
    if isinstance(model, Module):
        return OptimizedModule(model, compile(model.__call__, fullgraph=fullgraph, backend=backend, options=options))
    chosen = backend if backend in BACKENDS else "walker"
    timed = (options or {}).get("timed", chosen != "eager")
    compiled = Compiled(model, fullgraph, str(chosen), timed)
    _made.add(compiled)
    return compiled


def reset() -> None:
    """Deletes all recordings of all compiled functions."""
    for compiled in list(_made):
        compiled.reset()


def is_exporting() -> bool:
    """Whether a program is being exported: always False."""
    return False


def assume_constant_result(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function: it is called each time."""
    return fn


def nested_compile_region(fn: Callable[..., Any] | None = None, **options: Any) -> Callable[..., Any]:
    """Returns the function, whatever the options."""
    return (lambda function: function) if fn is None else fn


def substitute_in_graph(
    original_fn: Callable[..., Any],
    *,
    can_constant_fold_through: bool = False,
    skip_signature_check: bool = False,
    is_embedded_type: bool = False,
) -> Callable[..., Any]:
    """A decorator that returns its function: PyTorch's compiler would use it in place of the original."""
    return lambda function: function


def list_backends(exclude_tags: Sequence[str] = ("debug", "experimental")) -> list[str]:
    """The names of backends.

    >>> import rushlight as torch
    >>> torch.compiler.list_backends()
    ['walker', 'llvm', 'eager']
    """
    return list(BACKENDS)


def set_default_backend(backend: str | Callable[..., Any] | None) -> None:
    """Sets the backend to use if none is named; None for PyTorch's default. Without effect."""
    global _backend
    _backend = "inductor" if backend is None else backend


def get_default_backend() -> str | Callable[..., Any]:
    """The backend set by `set_default_backend`."""
    return _backend


def cudagraph_mark_step_begin() -> None:
    """Does nothing: there are no CUDA graphs."""


def wrap_numpy(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function of tensors from one of NumPy arrays; its arrays are returned as tensors.

    >>> import numpy as np, rushlight as torch
    >>> torch.compiler.wrap_numpy(np.cumsum)(torch.tensor([1, 2, 3]))
    tensor([1, 3, 6])
    """

    @wraps(fn)
    def called(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = tree_map(lambda v: v.numpy() if isinstance(v, Tensor) else v, (args, kwargs))
        return tree_map(lambda v: as_tensor(v) if isinstance(v, (np.ndarray, np.generic)) else v, fn(*args, **kwargs))

    return called


_explain_misses(globals())
