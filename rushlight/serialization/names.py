"""The names that files may contain, and those that users allow in addition."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.nn import functional
from rushlight.nn.modules.places import MOVED

__all__ = ["add_safe_globals", "clear_safe_globals", "get_safe_globals", "safe_globals"]

Allowed = Callable[..., Any] | tuple[Callable[..., Any], str]
UNSAFE = (
    "Weights only load failed. Unsupported global: GLOBAL {0} was not an allowed global by default: it is none of the "
    "types that are safe to load, tensors, parameters, and Python's own containers and numbers. If you trust the "
    "file, load it with weights_only=False, or allow the type with torch.serialization.add_safe_globals([{0}])."
)
TOP_LEVEL = (
    "rushlight.devices",
    "rushlight.dtypes",
    "rushlight.layouts",
    "rushlight.linalg.toplevel",
    "rushlight.machine.threads",
    "rushlight.size",
    "rushlight.tensors",
)
FUNCTIONS = ("rushlight.ops.", "rushlight.nn.functional.")
PACKAGES = (  # each is one module in PyTorch
    "rushlight.distributions.kl",
    "rushlight.distributions.transforms",
    "rushlight.func",
    "rushlight.linalg",
    "rushlight.optim.lr_scheduler",
    "rushlight.sparse",
)
ELSEWHERE = {  # where PyTorch has what is in a file of ours
    "rushlight.autograd.differentiate": "rushlight.autograd",
    "rushlight.autograd.function_node": "rushlight.autograd.function",
    "rushlight.autograd.profiler.regions": "rushlight.autograd.profiler",
    "rushlight.core.hooks": "rushlight.utils.hooks",
    "rushlight.distributions.matrix_constraints": "rushlight.distributions.constraints",
    "rushlight.fx.codegen": "rushlight.fx.graph",
    "rushlight.fx.wrapping": "rushlight.fx._symbolic_trace",
    "rushlight.nn.modules.base.backward_hook": "rushlight.utils.hooks",
    "rushlight.random.generator": "rushlight._C",
    "rushlight.utils.data.collate": "rushlight.utils.data._utils.collate",
    "rushlight.utils.data.worker": "rushlight.utils.data._utils.worker",
    "rushlight.utils.selective_checkpoint": "rushlight.utils.checkpoint",
}

_allowed: set[Allowed] = set()


def ours(module: str) -> str:
    """rushlight's module for a module of PyTorch's."""
    return module.replace("torch", "rushlight", 1) if module.partition(".")[0] == "torch" else module


def theirs(module: str, name: str) -> str:
    """PyTorch's module for a name in a module of rushlight's: some of these belong to `torch` itself.

    >>> theirs("rushlight.nn.modules.attention", "MultiheadAttention"), theirs("rushlight.size", "Size")
    ('torch.nn.modules.activation', 'torch')
    """
    if module in TOP_LEVEL:
        return "torch"
    module = MOVED.get((module, name)) or ELSEWHERE.get(module, module)
    if module.startswith(FUNCTIONS):  # a function of `torch.nn.functional`, or else of `torch` itself
        module = "rushlight.nn.functional" if hasattr(functional, name) else "rushlight"
    package = next((package for package in PACKAGES if module.startswith(f"{package}.")), module)
    return package.replace("rushlight", "torch", 1)


def allowed_names() -> dict[str, Callable[..., Any]]:
    """The objects that users allow, by their full names in files."""
    found = {}
    for item in _allowed:
        function, full = item if isinstance(item, tuple) else (item, f"{item.__module__}.{item.__qualname__}")
        module, _, name = full.rpartition(".")
        found[f"{theirs(module, name)}.{name}"] = function
    return found


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Allows `load` to load these classes and functions; a pair gives an object with its full name in files.

    >>> import fractions, rushlight as torch
    >>> torch.serialization.add_safe_globals([fractions.Fraction])
    >>> torch.serialization.get_safe_globals()
    [<class 'fractions.Fraction'>]
    >>> torch.serialization.clear_safe_globals()
    """
    for item in safe_globals:
        if isinstance(item, tuple) and len(item) != 2:
            raise ValueError(
                f"Expected tuple of length 2 (global, str of callable full path), but got tuple of length: {len(item)}"
            )
        if isinstance(item, tuple) and not isinstance(item[1], str):
            raise TypeError(f"Expected second item in tuple to be str of callable full path, but got: {type(item[1])}")
    _allowed.update(safe_globals)


def get_safe_globals() -> list[Any]:
    """The objects that `add_safe_globals` has allowed."""
    return list(_allowed)


def clear_safe_globals() -> None:
    """Removes all that `add_safe_globals` has allowed."""
    _allowed.clear()


@contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """Allows classes and functions inside a `with` block."""
    before = set(_allowed)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _allowed.clear()
        _allowed.update(before)
