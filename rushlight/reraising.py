"""Exceptions of other threads and processes, raised again in this one."""

import sys
import traceback
from collections.abc import Callable
from typing import Any

__all__ = ["ExceptionWrapper", "KeyErrorMessage"]


class KeyErrorMessage(str):
    """A string that KeyError, which shows the `repr` of its key, shows unquoted."""

    __slots__ = ()
    __repr__ = str.__str__


class ExceptionWrapper:
    """An exception of another thread or process, with its traceback as text.

    >>> try:
    ...     1 / 0
    ... except ZeroDivisionError:
    ...     wrapper = ExceptionWrapper(where="in worker 3")
    >>> wrapper.reraise()
    Traceback (most recent call last):
    ...
    ZeroDivisionError: Caught ZeroDivisionError in worker 3.
    Original Traceback (most recent call last):
    ...
    """

    def __init__(self, exc_info: Any = None, where: str = "in background"):
        exc_info = sys.exc_info() if exc_info is None else exc_info
        self.exc_type: Callable[..., BaseException] = exc_info[0]
        self.exc_msg: str = "".join(traceback.format_exception(*exc_info))
        self.where = where

    def reraise(self) -> None:
        """Raises an exception of the same type; RuntimeError if that type does not take a message."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if getattr(self.exc_type, "message", None):
            raise self.exc_type(message=message)
        try:
            error = self.exc_type(KeyErrorMessage(message) if self.exc_type is KeyError else message)
        except Exception:
            error = RuntimeError(message)
        raise error from None
