"""The arguments that a function is differentiated by, and checks of its outputs."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from rushlight.core.advice import advised
from rushlight.core.graph import TensorBase
from rushlight.core.modes import CURRENT, Setting
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_leaves

Argnums = int | tuple[int, ...]


def beyond_inference(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates what differentiates: inference mode, in which nothing is recorded, counts as `no_grad`."""

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        modes = CURRENT.get()
        if not modes.inference:
            return function(*args, **kwargs)
        with Setting(CURRENT, modes.replace(grad=False, inference=False)):
            return function(*args, **kwargs)

    return called


def chosen(args: tuple[Any, ...], argnums: Argnums) -> Any:
    """The arguments at some positions: one for an integer, a tuple for a tuple. RuntimeError if out of range."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if isinstance(argnums, int):
        return args[from_the_front(argnums, len(args))]
    if not argnums:
        raise RuntimeError("argnums must be non-empty")
    places = [from_the_front(n, len(args)) for n in argnums]
    if len(set(places)) < len(places):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return tuple([args[n] for n in places])


def from_the_front(argnum: int, n: int) -> int:
    """A position among `n` arguments; a negative one counts from the end."""
    if not isinstance(argnum, int):
        raise RuntimeError(f"argnum must be int, got: {type(argnum)}")
    if not -n <= argnum < n:
        raise RuntimeError(f"Got argnum={argnum}, but only {n} positional inputs")
    return argnum % n


def replaced(args: tuple[Any, ...], new: Any, argnums: Argnums) -> tuple[Any, ...]:
    """The arguments with those at some positions replaced."""
    result = list(args)
    for n, value in ((argnums, new),) if isinstance(argnums, int) else zip(argnums, new, strict=True):
        result[n] = value
    return tuple(result)


def with_aux(output: Any, has_aux: bool, api: str) -> tuple[Any, Any]:
    """What a function returned, as (output, aux)."""
    if not has_aux:
        return output, None
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return output


def check_outputs(outputs: list[Any], api: str) -> None:
    """RuntimeError if a function returns nothing, or something that is not a tensor."""
    if not outputs or (len(outputs) == 1 and outputs[0] is None):
        raise RuntimeError(f"{api}: Expected f to be a function that has non-empty output (got output = {outputs})")
    for output in outputs:
        if not isinstance(output, TensorBase):
            raise RuntimeError(
                advised(f"{api}: expected f(*primals) to return only tensors, got unsupported type {type(output)}")
            )


def check_real(api: str, values: Any, what: str) -> None:
    """RuntimeError if one of the inputs or outputs is complex."""
    for value in tree_leaves(values):
        if isinstance(value, Tensor) and value.is_complex():
            raise RuntimeError(
                f"{api}: Expected all {what} to be real but received complex tensor at flattened {what[:-1]} idx: "
                f"{next(i for i, v in enumerate(tree_leaves(values)) if v is value)}"
            )
