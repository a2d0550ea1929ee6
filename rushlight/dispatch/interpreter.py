"""Interpreters for modes and classes with `__torch_dispatch__`: they pass each call on as PyTorch's dispatcher does.

What a mode or class returns has no history: it computes below autograd. The call is recorded afterwards, as one of the
operator that was called, with the returned tensors as its result.
"""

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.above import ABOVE, above
from rushlight.core.arrays import is_array
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.interpreters import STACK, Interpreter
from rushlight.core.operators import Operator
from rushlight.core.placing import tensors_of
from rushlight.core.recording import needed, recording
from rushlight.dispatch.carried import Carried, array_of
from rushlight.dispatch.changes import overload_of_change
from rushlight.dispatch.compositions import COMPOSITIONS
from rushlight.dispatch.factories import OF_DATA, factory_call, lifted, makes_tensors, with_gradients
from rushlight.dispatch.recorded import is_usual, recorded
from rushlight.dispatch.renderings import rendering_of
from rushlight.ops.aten_namespace import aten
from rushlight.ops.overloads import OpOverload
from rushlight.overrides.calls import flat_values
from rushlight.tensors import Tensor, dispatches

__all__ = ["OfMode", "ask_class", "count_object", "modes_here", "without_classes"]


class Here(threading.local):
    """State of a thread: whether classes are skipped."""

    without_classes = False


HERE = Here()


@contextmanager
def without_classes() -> Iterator[None]:
    """A context in which no class is asked."""
    before, HERE.without_classes = HERE.without_classes, True
    try:
        yield
    finally:
        HERE.without_classes = before


@above
def call_without_classes(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """Calls a function while no class is asked."""
    with without_classes():
        return function(*args, **kwargs)


def as_wrapped(value: Any) -> Any:
    """An argument as a class gets it: wrappers in place of their arrays, tensors in place of other arrays."""
    if type(value) in (tuple, list):
        return type(value)(as_wrapped(item) for item in value)
    array = value._array if isinstance(value, TensorBase) else value
    if type(array) is Carried:
        array.look_again()
        return value if isinstance(value, array.cls) else array.object()
    if isinstance(value, TensorBase) or not isinstance(value, np.ndarray):
        return value
    return new_tensor(value)


def asking(values: list[Any]) -> list[type]:
    """The classes of some values that have `__torch_dispatch__`, subclasses before their bases."""
    found: list[type] = []
    for cls in dict.fromkeys(type(value) for value in values):
        if isinstance(cls, type) and issubclass(cls, Tensor) and dispatches(cls):
            place = next((i for i, other in enumerate(found) if issubclass(cls, other)), len(found))
            found.insert(place, cls)
    return found


@above
def ask_class(func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
    """The result of a call by the classes of its arguments. TypeError if each returns `NotImplemented`."""
    kwargs = kwargs or {}
    types = asking(flat_values(args, kwargs))
    for cls in types:
        result = cls.__torch_dispatch__(func, tuple(types), args, kwargs)  # type: ignore[attr-defined]
        if result is not NotImplemented:
            return result
    raise TypeError(
        f"Multiple dispatch failed for 'torch.ops.{func}'; all __torch_dispatch__ handlers returned NotImplemented: "
        f"{', '.join(cls.__name__ for cls in types)}. Give a result for this function, or none of these objects."
    )


class Dispatcher(Interpreter):
    """The common base of the interpreters for modes and classes."""

    takes_over = True

    def ask(self, func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call by the mode or the classes."""
        raise NotImplementedError

    def call(self, op: Operator, args: tuple[Any, ...], below: Callable[..., Any]) -> Any:
        """Handles a call as one of the dispatcher's, or as several if PyTorch makes several."""
        compose = COMPOSITIONS.get(op.name)
        result = compose(*args) if compose is not None else None
        if result is not None:
            return result
        func, inputs, options, pick = rendering_of(op, args)
        inputs, kwargs = as_wrapped(inputs), dict(options)
        if not is_usual(args):  # batched: the inner operators are recorded
            result = self.ask(func, inputs, kwargs)
            return result if pick is None else pick(result)
        with no_grad():
            result = self.ask(func, inputs, kwargs)
        return recorded(op, args, result if pick is None else pick(result), recording() and needed(op, args))

    def change(self, make: Callable[..., Any], function: Any, tensor: Any, args: tuple[Any, ...]) -> Any:
        """Handles an in-place change as the dispatcher's, if it has it; else by the calls that it consists of."""
        if not self.concerns(None, (tensor, *args)):
            return make()
        func = overload_of_change(function, tensor, args)
        carried = type(tensor._array) is Carried
        if func is None or (carried and recording() and tensor.requires_grad):
            return make()
        self.ask(func, as_wrapped((tensor, *args)), {})
        return tensor


class OfMode(Dispatcher):
    """The interpreter of a mode, in the thread that entered it. The mode's own calls are not passed to it."""

    thread: int
    inside: bool

    def __init__(self, mode: Any) -> None:
        self.mode, self.thread, self.inside = mode, threading.get_ident(), False
        self.asked = self.made

    def concerns(self, op: Any, args: tuple[Any, ...]) -> bool:
        """Every call in its thread except the mode's own."""
        return not self.inside and threading.get_ident() == self.thread

    def made(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any] | None:
        """The tensor that a factory function makes, in a tuple, if this is the innermost mode; else None."""
        if not makes_tensors(function) or self is not next(reversed(modes_here()), None):
            return None
        call = self.left(lifted if function.__name__ in OF_DATA else factory_call, function, args, kwargs)
        if call is None:
            return None
        with no_grad():
            return (with_gradients(self.ask(*call), kwargs),)

    def left(self, function: Callable[..., Any], *args: Any) -> Any:
        """Calls a function while the mode is inactive."""
        self.inside = True
        try:
            return function(*args)
        finally:
            self.inside = False

    def ask(self, func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The mode's result of a call; if it returns `NotImplemented`, that of the classes."""
        types = tuple(asking(flat_values(args, kwargs)))
        self.inside = True
        try:
            result = self.mode.__torch_dispatch__(func, types, args, kwargs)
            if result is NotImplemented:
                result = ask_class(func, args, kwargs) if types else NotImplemented
        finally:
            self.inside = False
        if result is NotImplemented:
            raise TypeError(
                f"Multiple dispatch failed for 'torch.ops.{func}'; all __torch_dispatch__ handlers returned "
                f"NotImplemented: mode object {self.mode}. Call the function in the mode: return func(*args, **kwargs)."
            )
        return result


def modes_here() -> list[OfMode]:
    """The interpreters of the active modes of this thread, the innermost last."""
    return [one for one in STACK.interpreters if isinstance(one, OfMode) and one.concerns(None, ())]


class OfClasses(Dispatcher):
    """The interpreter for objects whose class has `__torch_dispatch__`: the lowest on the stack while any exist."""

    number: int = 0

    def count(self, value: Any) -> None:
        """Counts an object, or its array, for as long as it exists."""
        if self.number == 0:
            STACK.enter(self, lowest=True)
        self.number += 1
        weakref.finalize(value, self.one_less).atexit = False

    def one_less(self) -> None:
        """Called when an object is deleted."""
        self.number -= 1
        if self.number == 0:
            STACK.leave(self)

    def concerns(self, op: Any, args: tuple[Any, ...]) -> bool:
        """Calls with such an object among the arguments."""
        return not HERE.without_classes and any(
            type(value._array) is Carried or dispatches(type(value)) for value in tensors_of(args)
        )

    def ask(self, func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The classes' result of a call."""
        return ask_class(func, args, kwargs)


CLASSES = OfClasses()


@above
def count_object(value: Any) -> None:
    """Has the classes asked for as long as an object of one of them, or its array, exists."""
    CLASSES.count(value)


@above
def function_on_wrappers(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """NumPy's functions on arrays of wrappers: calls the tensors' functions on the wrappers."""
    as_tensors = tuple(new_tensor(arg) if is_array(arg) else arg for arg in args)
    if function is np.copyto:
        ask_class(aten.copy_.default, as_wrapped(as_tensors[:2]))
        return None
    if function in (np.ones_like, np.zeros_like):
        result = ask_class(getattr(aten, function.__name__).default, as_wrapped(as_tensors[:1]))
    else:
        result = ABOVE.function_on_tensors(function, as_tensors, kwargs)
    return array_of(result) if isinstance(result, TensorBase) else result
