"""Grad modes: `no_grad`, `enable_grad`, `set_grad_enabled`, `inference_mode`."""

import functools
import inspect
from collections.abc import Callable, Generator
from typing import Any, Self, TypeVar, overload

from rushlight.core.lines import warn
from rushlight.core.modes import CURRENT, Switch

__all__ = [
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_multithreading_enabled",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


F = TypeVar("F", bound=Callable[..., Any])

OF_CLASSES = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or "
    "methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` method "
    "and nothing else."
)


def is_grad_enabled() -> bool:
    """Whether operations on tensors that require grad are recorded in this thread (or asyncio task).

    >>> import rushlight as torch
    >>> torch.is_grad_enabled()
    True
    """
    return CURRENT.get().grad


class Decorator:
    """A context manager that also decorates functions and generators."""

    def clone(self) -> Any:
        """A new instance with the same options: each call of a decorated function enters its own."""
        return type(self)()

    def __call__(self, function: F) -> F:
        """Decorates a function or generator function to run in this mode."""
        if inspect.isclass(function):
            warn(OF_CLASSES, FutureWarning)
        if inspect.isgeneratorfunction(function):
            return self.wrap_generator(function)

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return wrapper  # type: ignore[return-value]  # of the same signature

    def wrap_generator(self, function: Callable[..., Any]) -> Any:
        """Decorates a generator: its code runs in this mode, the caller's code between its values in the caller's."""

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            generator = function(*args, **kwargs)
            step, value = generator.send, None
            while True:
                try:
                    with self.clone():
                        result = step(value)
                except StopIteration as stop:
                    return stop.value
                try:
                    step, value = generator.send, (yield result)
                except GeneratorExit:
                    with self.clone():
                        generator.close()
                    raise
                except BaseException as error:
                    step, value = generator.throw, error

        return wrapper


class GradMode(Switch, Decorator):
    """Sets grad mode and restores it; a context manager, and a decorator of functions and generators."""

    names: tuple[str, ...] = ("grad",)
    mode: bool

    def inside(self, modes: Any) -> Any:
        """The modes with grad mode set."""
        return modes.with_grad(self.mode)


class FixedMode(GradMode):
    """A mode without options: the class itself can be used as a decorator."""

    @overload
    def __new__(cls) -> Self: ...
    @overload
    def __new__(cls, orig_func: F) -> F: ...  # type: ignore[misc]  # the decorated function
    def __new__(cls, orig_func: Any = None) -> Any:
        """The mode, or `orig_func` decorated with it."""
        self = super().__new__(cls)
        return self if orig_func is None else self(orig_func)


class no_grad(FixedMode):
    """Operations inside are not recorded, and their results do not require grad. Also a decorator.

    >>> import rushlight as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    mode = False


class enable_grad(FixedMode):
    """Operations inside are recorded, also within `no_grad`. Also a decorator.

    >>> import rushlight as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    ...     y = x * 2
    >>> y.requires_grad
    True
    """

    mode = True


class set_grad_enabled(GradMode):
    """Sets grad mode: from the call on as a function, or inside as a context manager and decorator.

    >>> import rushlight as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.set_grad_enabled(False):
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __init__(self, mode: bool):
        self.mode = mode
        super().__enter__()

    def __enter__(self) -> None:
        CURRENT.set(CURRENT.get().with_grad(self.mode))

    def __call__(self, function: Callable[..., Any]) -> Any:
        """Decorates a function to run in this mode; the mode at the decoration is restored."""
        self.__exit__()
        return super().__call__(function)

    def clone(self) -> "set_grad_enabled":
        """A new instance with the same mode."""
        return type(self)(self.mode)


class inference_mode(Switch, Decorator):
    """Like `no_grad`, but the results are inference tensors, which can never become part of a graph.

    Also a decorator. Inference tensors may be changed in place only in inference mode, and cannot be saved for
    backward; a clone made outside is a normal tensor.

    >>> import rushlight as torch
    >>> with torch.inference_mode():
    ...     y = torch.ones(2) * 2
    >>> y.is_inference()
    True
    """

    names: tuple[str, ...] = ("grad", "inference")

    def __new__(cls, mode: bool = True) -> Any:
        """The mode, or a function decorated with it."""
        self = super().__new__(cls)
        if isinstance(mode, bool):
            return self
        self.mode = True
        return self(mode)

    def __init__(self, mode: bool = True):
        self.mode = mode

    def inside(self, modes: Any) -> Any:
        """The modes with inference mode set."""
        return modes.replace(grad=not self.mode, inference=self.mode)

    def clone(self) -> "inference_mode":
        """A new instance with the same mode."""
        return type(self)(self.mode)


def is_inference_mode_enabled() -> bool:
    """Whether this thread (or asyncio task) is in inference mode.

    >>> import rushlight as torch
    >>> torch.is_inference_mode_enabled()
    False
    """
    return CURRENT.get().inference


multithreading: list[bool] = [True]  # what `set_multithreading_enabled` has set


def is_multithreading_enabled() -> bool:
    """What `set_multithreading_enabled` has set.

    >>> import rushlight as torch
    >>> torch.autograd.is_multithreading_enabled()
    True
    """
    return multithreading[0]


class set_multithreading_enabled(Decorator):
    """A setting without effect on the CPU, as in PyTorch: a backward pass always runs in the thread that calls it.

    It holds from the call on, or within a `with` block.

    >>> import rushlight as torch
    >>> with torch.autograd.set_multithreading_enabled(False):
    ...     torch.tensor(1.0, requires_grad=True).sum().backward()
    """

    def __init__(self, mode: bool):
        self.mode, self.before = mode, multithreading[0]
        multithreading[0] = mode

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> None:
        multithreading[0] = self.before

    def clone(self) -> "set_multithreading_enabled":
        """A new instance with the same mode."""
        return type(self)(self.mode)
