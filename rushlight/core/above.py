"""Functions that lower files call in higher ones: each registers itself when its file is loaded.

So imports run one way, and the compiled core can still reach what it rarely needs: `ABOVE.settle(tensor)`.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

__all__ = ["ABOVE", "above"]

ABOVE = SimpleNamespace()


def above(function: Callable[..., Any]) -> Any:
    """Registers a function, under its name, for the files below its own.

    RuntimeError for a second function of that name.
    """
    if function.__name__ in ABOVE.__dict__:
        raise RuntimeError(f"There are two functions named {function.__name__} for files below.")
    setattr(ABOVE, function.__name__, function)
    return function
