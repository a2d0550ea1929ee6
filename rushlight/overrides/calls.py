"""Overriding a call: modes and classes with `__torch_function__` are asked in PyTorch's order."""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rushlight.core.above import ABOVE, above
from rushlight.dtypes import dtype
from rushlight.size import Size
from rushlight.tensors import Tensor, takes_over

ORDINARY = frozenset((Size, dtype, bool, int, float, complex, str, slice, type(None)))  # override nothing
NOBODY = object()  # `overridden_call` returns it if the function itself must be called


class Here(threading.local):
    """State of a thread: the active modes, the innermost last, and what is disabled."""

    def __init__(self) -> None:
        self.modes: list[Any] = []
        self.without_classes = False
        self.without_modes = False


HERE = Here()


class Entered:
    """A mode as a context manager: compiled, so that no signal comes between the steps."""

    def __enter__(self) -> Any:
        ABOVE.install_switches()
        HERE.modes.append(self)
        return self

    def __exit__(self, *exception: object) -> None:
        HERE.modes.pop()


class Without:
    """A context in which classes, and with `modes` modes too, are not asked."""

    modes = False

    def __enter__(self) -> None:
        self.before: tuple[bool, bool] = HERE.without_classes, HERE.without_modes
        HERE.without_classes, HERE.without_modes = True, HERE.without_modes or self.modes

    def __exit__(self, *exception: object) -> None:
        HERE.without_classes, HERE.without_modes = self.before


@above
def call_without_overrides(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Calls a function while no class is asked."""
    with Without():
        return function(*args, **kwargs)


def anyone(values: Iterable[Any]) -> bool:
    """Whether the class of a value, or of an item of a list or tuple, has `__torch_function__`: hardly ever."""
    for value in values:
        cls = type(value)
        if cls is tuple or cls is list:
            if any_takes_over(value):
                return True
        elif cls is not Tensor and cls not in ORDINARY and takes_over(cls):
            return True
    return False


def any_takes_over(items: Sequence[Any]) -> bool:
    """Whether the class of an item has `__torch_function__`; that of several items in a row is looked at once."""
    last = Tensor
    for item in items:
        if type(item) is not last:
            last = type(item)
            if last not in ORDINARY and takes_over(last):
                return True
    return False


def overriding(values: Iterable[Any]) -> list[Any]:
    """The first object of each class with `__torch_function__`, subclasses before their bases."""
    found: list[Any] = []
    for value in values:
        cls = type(value)
        if takes_over(cls) and all(cls is not type(other) for other in found):
            place = next((i for i, other in enumerate(found) if issubclass(cls, type(other))), len(found))
            found.insert(place, value)
    return found


def flat_values(args: Any, kwargs: dict[str, Any]) -> list[Any]:
    """The values of arguments, also those in lists and tuples."""
    values: list[Any] = []
    for value in (*args, *kwargs.values()):
        if type(value) is tuple or type(value) is list:
            values += value
        else:
            values.append(value)
    return values


def overridden_call(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """The result of a call by a mode or class that overrides it; NOBODY if there is none."""
    here = HERE
    classes = anyone(args) or (kwargs and anyone(kwargs.values()))
    if not classes and not here.modes:
        return NOBODY
    modes = not here.without_modes and here.modes
    found = overriding(flat_values(args, kwargs)) if classes and not here.without_classes else []
    return handle(function, found, args, kwargs) if modes or found else NOBODY


def handle(function: Callable[..., Any], found: list[Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Asks the innermost mode, then the classes of some objects. TypeError if each returns `NotImplemented`."""
    types = tuple(type(value) for value in found)
    mode = HERE.modes.pop() if HERE.modes and not HERE.without_modes else None
    if mode is not None:
        try:
            result = mode.__torch_function__(function, types, args, kwargs)
        finally:
            HERE.modes.append(mode)
        if result is not NotImplemented:
            return result
    for value in found:
        result = value.__torch_function__(function, types, args, kwargs)
        if result is not NotImplemented:
            return result
    raise TypeError(refused(function, types, mode))


def refused(function: Callable[..., Any], types: tuple[Any, ...], mode: Any) -> str:
    """The message that no implementation of a function was found."""
    name = ABOVE.resolve_name(function) or getattr(function, "__qualname__", str(function))
    text = f"no implementation found for '{name}' on types that implement __torch_function__: {list(types)}"
    return text if mode is None else f"{text} nor in mode {mode}"


@above
def default_torch_function(
    cls: type, function: Callable[..., Any], types: Any, args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """The default `__torch_function__` of a subclass of Tensor: calls the function, with results of the subclass."""
    if not all(issubclass(cls, other) for other in types):
        return NotImplemented
    with Without():
        result = function(*args, **kwargs or {})
        return result if function in KEPT else of_class(result, cls)


KEPT = {Tensor._base.__get__, Tensor.grad.__get__}  # type: ignore[union-attr]  # they keep their class


def of_class(result: Any, cls: type) -> Any:
    """A result with its tensors, also in tuples and lists, converted to a class."""
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, (tuple, list)):
        items = [of_class(item, cls) for item in result]
        made_of_fields = isinstance(result, tuple) and hasattr(result, "_make")
        return type(result)(*items) if made_of_fields else type(result)(items)
    return result
