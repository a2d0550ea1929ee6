"""What files below call of files above them: each of these functions enters itself when its file is loaded.

So imports run one way, and the compiled core reaches what it needs seldom: `ABOVE.settle(tensor)`.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

__all__ = ["ABOVE", "above"]

ABOVE = SimpleNamespace()


def above(function: Callable[..., Any]) -> Any:
    """Enters a function, under its name, for files below the one that it stands in. RuntimeError for a second one."""
    if function.__name__ in ABOVE.__dict__:
        raise RuntimeError(f"There are two functions named {function.__name__} for files below.")
    setattr(ABOVE, function.__name__, function)
    return function
