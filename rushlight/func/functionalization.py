"""`functionalize`: removes in-place changes from what a compiler sees of a function; here it has no effect."""

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["functionalize"]

REMOVED = ("mutations", "mutations_and_views")


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """A function that does what `func` does, with the same results and the same changes of its arguments.

    PyTorch hides in-place changes (with "mutations_and_views" also views) from its compiler; results and arguments stay
    the same. rushlight has no such compiler, and `grad`, `vjp`, `jvp` and `vmap` accept functions that change tensors
    in place: so the function is just called. RuntimeError for another `remove`.

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
