"""Tensors given for numbers: PyTorch takes those without dimensions and without a gradient, as the numbers they are."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from inspect import CO_VARARGS, get_annotations, signature
from operator import attrgetter
from os import path
from types import UnionType
from typing import Any, get_args, get_origin

from rushlight.core.graph import TensorBase
from rushlight.refusals.signatures import Parameter, misfit, signatures_of
from rushlight.tensors import Tensor

NUMBERS = (bool, int, float, complex)
LISTS = (tuple, list, Sequence)
OTHERS = (Tensor, TensorBase, Any, object)  # what an annotation has where a tensor belongs too


def numbers_of(function: Callable[..., Any]) -> tuple[tuple[bool, ...], frozenset[str]]:
    """Which positional parameters of a function are for numbers, not for tensors, and the names of all that are.

    A function that passes its arguments on to another has that one as its attribute `passes_to`.
    """
    function = vars(function).get("passes_to", function)
    code = unwrapped(function).__code__
    names = {
        name for name, kind in get_annotations(function, eval_str=True).items() if name != "return" and is_number(kind)
    }
    positional = code.co_varnames[: code.co_argcount]
    if code.co_flags & CO_VARARGS:  # numbers one by one, of which the first tells
        positional += (code.co_varnames[code.co_argcount + code.co_kwonlyargcount],)
    return tuple(name in names for name in positional), frozenset(names)


def unwrapped(function: Any) -> Any:
    """The function that has the parameters of a wrapped one."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


@cache
def is_number(annotation: Any) -> bool:
    """Whether a parameter takes numbers, or lists of them, and no tensors."""
    kinds = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    items = [item for kind in kinds for item in (get_args(kind) if get_origin(kind) in LISTS else (kind,))]
    return any(item in NUMBERS for item in items) and not any(item in OTHERS for item in items)


def as_numbers(place: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call with numbers for the tensors that stand for them.

    TypeError, in PyTorch's words, for a tensor that cannot. Where no signature is known, PyTorch's function is written
    in Python: what it gives to operators is in `wrappers.txt`, and everything else may be a tensor.
    """
    first = int(place.startswith("Tensor."))
    signatures = signatures_of(place)
    if not signatures:
        return of_wrapper(place, args, kwargs)
    if (said := misfit(place, args[first:], kwargs)) is not None:
        raise TypeError(said)
    chosen = next(s for s in signatures if s.misfit(args[first:], kwargs) is None)
    parameters = chosen.parameters
    if chosen.spreads(args[first:]):  # sizes, or dimensions, one by one
        return (*args[:first], as_number(args[first:], parameters[0].kind)), kwargs
    kinds = {p.name: p.kind for p in parameters}
    numbers = [as_number(value, p.kind) for value, p in zip(args[first:], parameters, strict=False)]
    given = {name: as_number(value, kinds.get(name, "")) for name, value in kwargs.items()}
    return (*args[:first], *numbers, *args[first + len(numbers) :]), given


def as_number(value: Any, kind: str) -> Any:
    """The number that a tensor stands for, where a parameter is not of tensors; any other argument as it is."""
    if "Tensor" not in kind and type(value) in (list, tuple):
        return type(value)(as_number(item, kind) for item in value)
    return value if "Tensor" in kind or not isinstance(value, TensorBase) else value.item()


def of_wrapper(place: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The same for a function that PyTorch writes in Python."""
    words = wrappers().get(place)
    if words is None:
        return args, kwargs
    names = signature(attrgetter(place.lstrip("."))(import_module("rushlight"))).parameters
    numbers = [number_for(words.get(name), value) for name, value in zip(names, args, strict=False)]
    return tuple(numbers), {name: number_for(words.get(name), value) for name, value in kwargs.items()}


def number_for(words: str | None, value: Any) -> Any:
    """The number that a tensor stands for; TypeError with the words, which end with the kind of number, if for none."""
    listed = type(value) in (list, tuple) and any(isinstance(item, TensorBase) for item in value)
    if words is None or not (listed or isinstance(value, TensorBase)):
        return value
    argument, _, kind = words.partition(" must be ")
    parameter = Parameter(kind, "", False, False)
    if not parameter.takes("", value):
        raise TypeError(f"{argument} {parameter.refusal(value)}")
    return as_number(value, kind)


@cache
def wrappers() -> dict[str, dict[str, str]]:
    """For functions that PyTorch writes in Python: how what is no number is refused, by the names of parameters."""
    found: dict[str, dict[str, str]] = {}
    with open(path.join(path.dirname(__file__), "wrappers.txt")) as file:
        for line in file.read().splitlines():
            place, parameter, words = line.split(" ", 2)
            found.setdefault(place, {})[parameter] = words
    return found
