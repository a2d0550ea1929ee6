"""What each operation needs: the value of a context variable, the next sequence number, a new object for its result.

This is the Python version: where the core is compiled, `context.pyx` replaces it.
"""

from contextvars import ContextVar
from itertools import count
from typing import Any

NUMBERS = count(1)


def value_of(variable: ContextVar[Any]) -> Any:
    """The value of a context variable that has a default."""
    return variable.get()


def next_number() -> int:
    """The sequence number for the next node: the backward pass runs the node with the highest number first."""
    return next(NUMBERS)


def last_number() -> int:
    """The sequence number of the node that was recorded last."""
    return int(repr(NUMBERS).strip("count()")) - 1  # from Python 3.14 on a counter cannot be pickled


def made_by(base: Any, cls: type) -> Any:
    """A new object of class `cls`, made by `base.__new__` even where `base` was replaced in its module since."""
    return base.__new__(cls)
