"""Modes that override every call while they are active."""

from typing import Any

from rushlight.overrides.calls import Entered

__all__ = ["BaseTorchFunctionMode", "TorchFunctionMode"]


class TorchFunctionMode(Entered):
    """A context in which its `__torch_function__(func, types, args, kwargs)` is called instead of each function.

    While it runs the mode itself is inactive, so that it can call functions; outer modes still see those calls.

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
        """Handles a call; subclasses override it."""
        raise NotImplementedError

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> "TorchFunctionMode":
        """The older form of `cls(...)`: a mode to be entered."""
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that calls each function unchanged."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Calls the function."""
        return func(*args, **kwargs or {})
