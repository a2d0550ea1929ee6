"""Modes that take over every call while they are entered."""

from typing import Any

from rushlight.overrides.calls import HERE
from rushlight.overrides.switches import install

__all__ = ["BaseTorchFunctionMode", "TorchFunctionMode"]


class TorchFunctionMode:
    """A context in which its `__torch_function__(func, types, args, kwargs)` is called in place of each function.

    While it runs the mode itself is left, so that it can call functions; other modes that are entered see those calls.

    >>> import rushlight as torch
    >>> from rushlight.overrides import TorchFunctionMode, resolve_name
    >>> class Names(TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         print(resolve_name(func))
    ...         return func(*args, **(kwargs or {}))
    >>> with Names():
    ...     x = torch.exp(torch.ones(2))
    torch.ones
    torch.exp
    """

    inner: "TorchFunctionMode"

    def __init__(self) -> None:
        pass

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """What is done in place of a call; a mode says what."""
        raise NotImplementedError

    def __enter__(self) -> "TorchFunctionMode":
        install()
        HERE.modes.append(self)
        return self

    def __exit__(self, *exception: object) -> None:
        HERE.modes.pop()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> "TorchFunctionMode":
        """A mode, to be entered: the older way to write `cls(...)`."""
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that calls each function as ever."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """The call itself."""
        return func(*args, **kwargs or {})
