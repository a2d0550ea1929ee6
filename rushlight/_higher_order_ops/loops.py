"""`while_loop`: repeats a function as long as a condition holds."""

from collections.abc import Callable
from typing import Any

from rushlight.utils._pytree import tree_structure

__all__ = ["while_loop"]


def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any) -> Any:
    """Replaces the carried values by `body_fn(*values)` as long as `cond_fn(*values)` is true, and returns them.

    RuntimeError if `body_fn` returns another structure of values than it is given.

    >>> import rushlight as torch
    >>> torch.while_loop(lambda n, x: n < 3, lambda n, x: (n + 1, x * 2), (torch.tensor(0), torch.ones(2)))
    (tensor(3), tensor([8., 8.]))
    """
    values = tuple(carried_inputs)
    while cond_fn(*values):
        found = body_fn(*values)
        found = tuple(found) if isinstance(found, (tuple, list)) else (found,)
        if tree_structure(found) != tree_structure(values):
            raise RuntimeError(
                f"body_fn should return as it is given, a tuple of {len(values)} values, but it returned {found}: "
                "return each carried value, also those that stay as they are."
            )
        values = found
    return values
