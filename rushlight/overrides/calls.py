"""Who takes a call over: modes, and classes that define `__torch_function__`, in the order that PyTorch asks them."""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rushlight.core.above import ABOVE
from rushlight.tensors import Tensor, takes_over

NOBODY = object()  # what `taken` gives where the function itself is to be called


class Here(threading.local):
    """What is so in a thread: the modes that are entered, the innermost last, and what is switched off."""

    def __init__(self):
        self.modes: list[Any] = []
        self.without_classes = False
        self.without_modes = False


HERE = Here()


class Without:
    """A context in which classes, and with `modes` modes too, take no calls over."""

    modes = False

    def __enter__(self) -> None:
        self.before: tuple[bool, bool] = HERE.without_classes, HERE.without_modes
        HERE.without_classes, HERE.without_modes = True, HERE.without_modes or self.modes

    def __exit__(self, *exception: object) -> None:
        HERE.without_classes, HERE.without_modes = self.before


def overriding(values: Iterable[Any]) -> list[Any]:
    """The first of each class that takes calls over, subclasses before the classes that they come from."""
    found: list[Any] = []
    for value in values:
        cls = type(value)
        if takes_over(cls) and all(cls is not type(other) for other in found):
            place = next((i for i, other in enumerate(found) if issubclass(cls, type(other))), len(found))
            found.insert(place, value)
    return found


def given(args: Any, kwargs: dict[str, Any]) -> list[Any]:
    """The values of arguments, those in lists and tuples too."""
    values: list[Any] = []
    for value in (*args, *kwargs.values()):
        if type(value) is tuple or type(value) is list:
            values += value
        else:
            values.append(value)
    return values


def taken(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """What a mode or a class makes of a call that concerns it; NOBODY where there is none."""
    here = HERE
    modes = not here.without_modes and here.modes
    found = [] if here.without_classes else overriding(given(args, kwargs))
    return handle(function, found, args, kwargs) if modes or found else NOBODY


def handle(function: Callable[..., Any], found: list[Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Asks the innermost mode, then the classes of some objects. TypeError where each says `NotImplemented`."""
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
    """That nobody has an implementation of a function."""
    name = ABOVE.resolve_name(function) or getattr(function, "__qualname__", str(function))
    text = f"no implementation found for '{name}' on types that implement __torch_function__: {list(types)}"
    return text if mode is None else f"{text} nor in mode {mode}"


def usual(cls: type, function: Callable[..., Any], types: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What a subclass of Tensor does that does not say: the call as ever, with results of the class."""
    if not all(issubclass(cls, other) for other in types):
        return NotImplemented
    with Without():
        result = function(*args, **kwargs or {})
        return result if function in KEPT else of_class(result, cls)


KEPT = {Tensor._base.__get__, Tensor.grad.__get__}  # type: ignore[attr-defined, union-attr]  # what no subclass is made of


def of_class(result: Any, cls: type) -> Any:
    """A result, whose tensors, in tuples and lists too, become ones of a class."""
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, (tuple, list)):
        items = [of_class(item, cls) for item in result]
        made_of_fields = isinstance(result, tuple) and hasattr(result, "_make")
        return type(result)(*items) if made_of_fields else type(result)(items)
    return result
