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
TOP_LEVEL = ("rushlight.dtypes", "rushlight.size", "rushlight.devices", "rushlight.tensors", "rushlight.layouts")
FUNCTIONS = ("rushlight.ops.", "rushlight.nn.functional.")
GENERATOR = ("rushlight.random.generator", "Generator")
SCHEDULES = "rushlight.optim.lr_scheduler."

_allowed: set[Allowed] = set()


def ours(module: str) -> str:
    """rushlight's module for a module of PyTorch's."""
    return module.replace("torch", "rushlight", 1) if module.partition(".")[0] == "torch" else module


def theirs(module: str, name: str) -> str:
    """PyTorch's module for a name in a module of rushlight's: some of these belong to `torch` itself.

    >>> theirs("rushlight.nn.modules.attention", "MultiheadAttention"), theirs("rushlight.size", "Size")
    ('torch.nn.modules.activation', 'torch')
    """
    module = "torch._C" if (module, name) == GENERATOR else MOVED.get((module, name), module)
    if module.startswith(SCHEDULES):
        module = SCHEDULES.rstrip(".")
    if module.startswith(FUNCTIONS):  # a function of `torch.nn.functional`, or else of `torch` itself
        module = "rushlight.nn.functional" if hasattr(functional, name) else "rushlight"
    return "torch" if module in TOP_LEVEL else module.replace("rushlight", "torch", 1)


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
