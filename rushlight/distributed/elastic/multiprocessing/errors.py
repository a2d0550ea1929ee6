"""`record`: marks the main function of a process."""

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["record"]

F = TypeVar("F", bound=Callable[..., Any])


def record(fn: F, error_handler: object = None) -> F:
    """Returns the function: an exception in it is always shown with its traceback and ends all processes.

    >>> from rushlight.distributed.elastic.multiprocessing.errors import record
    >>> record(abs) is abs
    True
    """
    return fn
