"""Keyword arguments that PyTorch's functions of one tensor share: `out=`, and NumPy's `axis` and `keepdims`."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from rushlight.core.graph import TensorBase
from rushlight.core.guards import stands_for_number
from rushlight.core.kinds import kind_of
from rushlight.ops.arguments.promotion import missing
from rushlight.ops.out import write_out
from rushlight.ops.table import parameters
from rushlight.refusals.guard import other_form, refusal
from rushlight.refusals.numbers import as_numbers, numbers_of
from rushlight.refusals.signatures import NUMPY_NAMES, misfit, takes_out
from rushlight.tensors import foreign

SUMS = ("sum", "nansum", "nanmean", "prod", "cumsum", "cumprod")  # computed in the dtype of `out`


def keywords(function: Callable[..., Any], home: str = "") -> Callable[..., Any]:
    """Decorates a function of a tensor: adds `out=`, NumPy's argument names, and PyTorch's errors.

    `home` is "Tensor" for a method: its error messages do not count the tensor itself as an argument.
    """
    name = function.__name__
    place = f"{home}.{name}"
    own = parameters(function)
    positions, names = numbers_of(function)

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if kwargs or not args or not isinstance(args[0], TensorBase):
            return in_general(args, kwargs)
        if len(args) > 1 and stands_for_number(positions, names, args, kwargs):
            return in_general(args, kwargs)
        try:
            return function(*args)
        except Exception as error:
            raise refusal(place, args, kwargs, error) from None

    def in_general(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        out, given = None, kwargs
        if kwargs:
            kwargs = {key if key in own else NUMPY_NAMES.get(key, key): value for key, value in kwargs.items()}
            out = kwargs.pop("out", None)
            if out is not None and (home or not takes_out(place) or is_whole(args, kwargs)):
                refuse_out(args, given)
            if name in SUMS and isinstance(out, TensorBase) and kwargs.get("dtype") is None:
                kwargs["dtype"] = dtype_to_sum_in(name, args, out)
        input = args[0] if args else kwargs.get("input", called)
        if not isinstance(input, TensorBase) and input is not called:
            if foreign((input,)):
                return called(*args, **kwargs)
            wanted = TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
            raise refusal(place, args, kwargs, wanted)
        try:
            if stands_for_number(positions, names | {"dim"}, args, kwargs):  # by position, `max` takes a tensor there
                args, kwargs = as_numbers(place, args, kwargs)
            result = function(*args, **kwargs)
        except Exception as error:
            better = refusal(place, args, kwargs, error)
            again = other_form(place, args, given, better)
            if again is None:
                raise better from None
            return called(*again[0], **again[1])
        return result if out is None else write_out(name, out, result, *args, *kwargs.values())

    def refuse_out(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        wanted = misfit(place, args[bool(home) :], kwargs)
        if wanted is not None:
            raise refusal(place, args, kwargs, TypeError(wanted))

    vars(called)["refuses"] = partial(keywords, function)
    return called


def is_whole(args: Any, kwargs: dict[str, Any]) -> bool:
    """Whether a call is of all elements: in this form some functions have no `out=`."""
    return len(args) < 2 and "dim" not in kwargs


def dtype_to_sum_in(name: str, args: Any, out: TensorBase) -> Any:
    """The dtype of `out`, in which sums are computed; `nansum` of floats has no kernel for whole numbers."""
    if name.startswith("nan") and kind_of(out._array.dtype) != "f" and args and args[0].is_floating_point():
        raise missing("nansum_cpu", out._array.dtype)
    return out.dtype
