"""`functionalize`, which rushlight does not have."""

from collections.abc import Callable

__all__ = ["functionalize"]


def functionalize(func: Callable, *, remove: str = "mutations") -> Callable:
    """Raises NotImplementedError: nothing in rushlight needs a function without changes in place.

    `grad`, `vjp`, `jvp` and `vmap` take functions that change tensors in place as they are.

    >>> import rushlight as torch
    >>> torch.func.functionalize(torch.sin)
    Traceback (most recent call last):
        ...
    NotImplementedError: functionalize is not available in rushlight, ...
    """
    raise NotImplementedError(
        "functionalize is not available in rushlight, which has no compiler that could need it: grad, vjp, jvp and "
        "vmap take functions that change tensors in place as they are."
    )
