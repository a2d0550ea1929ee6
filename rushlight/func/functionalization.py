"""`functionalize`: a function without changes in place, as its caller sees it."""

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["functionalize"]

REMOVED = ("mutations", "mutations_and_views")


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """A function that gives what `func` gives, and leaves its arguments as `func` leaves them.

    PyTorch takes changes in place (and with "mutations_and_views" views) out of what its compiler sees of a function;
    results and arguments stay the same. Here there is no such compiler, and `grad`, `vjp`, `jvp` and `vmap` take
    functions that change tensors in place as they are: the function is called. RuntimeError for another `remove`.

    >>> import rushlight as torch
    >>> torch.func.functionalize(lambda x: x.clone().mul_(2))(torch.ones(2))
    tensor([2., 2.])
    """
    if remove not in REMOVED:
        raise RuntimeError(
            "functionalize(func, *, remove='...'): received invalid argument for remove. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced "
            "with their out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be "
            f"replaced with their non-aliasing counterparts, {{view}}_copy.\n received remove='{remove}'"
        )

    @functools.wraps(func)
    def called(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    return called
