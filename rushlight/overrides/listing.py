"""The functions that can be overridden, and their names."""

import inspect
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any

from rushlight.core.above import above
from rushlight.core.graph import FIELDS
from rushlight.overrides.switches import KEPT_METHODS, PLACES, UNTOUCHED
from rushlight.tensors import Tensor

__all__ = [
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "is_tensor_method_or_property",
    "plain_name",
    "resolve_name",
]


SHOWN = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__repr__", "__format__"}


@cache
def homes() -> dict[str, Any]:
    """The modules, and the class, whose functions can be overridden, by their names in PyTorch."""
    places = {f"torch.{place}".rstrip("."): import_module(f"rushlight.{place}".rstrip(".")) for place in PLACES}
    return {**places, "torch.functional": import_module("rushlight.functional"), "torch.Tensor": Tensor}


def is_function(value: Any) -> bool:
    """Whether a value is a function of rushlight, compiled or not."""
    return callable(value) and not inspect.isclass(value) and hasattr(value, "__name__")


def functions(place: str, home: Any) -> dict[str, Any]:
    """The functions of a module or class that can be overridden, by name; for a property its getter."""
    found: dict[str, Any] = {}
    for name in dir(home):
        if (name[:1] == "_" and (home is not Tensor or name[:2] != "__")) or name in UNTOUCHED | KEPT_METHODS:
            continue
        if home is Tensor and name in FIELDS | set(dir(object)) - SHOWN:
            continue
        value = inspect.getattr_static(home, name) if home is Tensor else getattr(home, name)
        if type(value).__name__ in ("property", "getset_descriptor"):
            found[name] = value.__get__
        elif is_function(value) and (home is Tensor or str(value.__module__).startswith("rushlight")):
            found[name] = value
    return found


@cache
def names() -> dict[Callable[..., Any], str]:
    """The name of each function that can be overridden: its first place, or that in `torch.nn.functional`."""
    found: dict[Callable[..., Any], str] = {}
    for place, home in homes().items():
        for name, function in functions(place, home).items():
            reads = type(function).__name__ == "method-wrapper"
            of_network = place == "torch.nn.functional" and str(function.__module__).startswith("rushlight.nn")
            if of_network or function not in found:
                found[function] = f"{place}.{name}.__get__" if reads else f"{place}.{name}"
    return found


@above
def resolve_name(f: Callable[..., Any]) -> str | None:
    """The public name of a function, such as `torch.Tensor.add`; None for a function that is not PyTorch's.

    >>> import rushlight as torch
    >>> resolve_name(torch.exp), resolve_name(torch.Tensor.exp)
    ('torch.exp', 'torch.Tensor.exp')
    """
    if isinstance(f, str):
        return f
    try:
        if f not in names():  # names may have been listed while functions were wrapped by `explain`
            names.cache_clear()
        return names().get(f)
    except TypeError:  # an object without hash is not a function
        return None


def plain_name(function: Callable[..., Any]) -> str:
    """The last part of a public function's name, or the name of the property that it reads."""
    name = (resolve_name(function) or "").removesuffix(".__get__").rpartition(".")[2]
    return name or getattr(function, "__name__", str(function))


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """The functions for which `__torch_function__` is called, by their module or class.

    >>> import rushlight as torch
    >>> torch.exp in get_overridable_functions()[torch]
    True
    """
    return {home: list(functions(place, home).values()) for place, home in homes().items()}


def get_ignored_functions() -> set[Callable[..., Any]]:
    """The public functions for which `__torch_function__` is never called."""
    return {getattr(homes()["torch"], name) for name in UNTOUCHED if hasattr(homes()["torch"], name)}


def get_testing_overrides() -> dict[Callable[..., Any], Callable[..., Any]]:
    """For each function that can be overridden, one with the same parameters that returns -1.

    >>> import rushlight as torch
    >>> get_testing_overrides()[torch.exp](torch.ones(2))
    -1
    """

    def stand_in(function: Callable[..., Any]) -> Callable[..., int]:
        def answer(*args: Any, **kwargs: Any) -> int:
            return -1

        with suppress(TypeError, ValueError):
            answer.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
        return answer

    return {function: stand_in(function) for function in names()}


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Whether a function is a method of Tensor, or the getter of one of its properties."""
    return (resolve_name(func) or "").startswith("torch.Tensor.") or getattr(func, "__name__", "") == "__get__"
