"""Wraps public functions so that wrong arguments are refused in PyTorch's words, after a call has failed."""

import re
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from inspect import signature
from operator import attrgetter
from types import FunctionType
from typing import Any

from rushlight.core.above import ABOVE
from rushlight.core.advice import with_advice
from rushlight.core.complaints import translated
from rushlight.core.graph import TensorBase
from rushlight.core.guards import is_compiled, with_errors_of
from rushlight.core.inplace import without_history
from rushlight.ops.out import check_out_first
from rushlight.refusals.dtypes import with_known_types
from rushlight.refusals.numbers import as_numbers, numbers_of
from rushlight.refusals.signatures import misfit
from rushlight.tensors import Tensor, foreign

# Functions so fast that a wrapper would cost too much: they refuse wrong arguments themselves. Methods likewise.
QUICK = frozenset({"addmm", "bmm", "dot", "linear", "matmul", "mean", "mm", "mv", "relu", "sum"})
QUICK_METHODS = QUICK | {
    "backward",
    "clone",
    "contiguous",
    "detach",
    "expand",
    "numpy",
    "permute",
    "reshape",
    "size",
    "softmax",
    "t",
    "transpose",
    "unsqueeze",
    "view",
}


def guard(namespace: dict[Any, Any], home: str = "") -> None:
    """Wraps each public function of a module; `home` is the module's name in PyTorch."""
    for name, function in list(namespace.items()):
        if is_ours(name, function):
            called = with_known_types(function, f"{home}.{name}")
            if (name not in QUICK or is_compiled(function)) and not hasattr(function, "refuses"):
                called = guarded(called, f"{home}.{name}")
            if called is not function:
                namespace[name] = called
                called.__module__, called.__qualname__ = namespace["__name__"], name


def guard_methods(cls: type, names: Iterable[str] | None = None) -> None:
    """Wraps each method of a class that is an operator too, or the methods of the given names."""
    for name in list(vars(cls)) if names is None else names:
        function = vars(cls)[name]
        refusing_at = getattr(function, "refuses", None)
        if callable(refusing_at):
            setattr(cls, name, with_known_types(refusing_at("Tensor"), f"Tensor.{name}"))
        elif (name not in QUICK_METHODS or is_compiled(function)) and is_ours(name, function) and refusing_at is None:
            setattr(cls, name, guarded(with_known_types(function, f"Tensor.{name}"), f"Tensor.{name}"))


def is_ours(name: str, function: Callable[..., Any]) -> bool:
    """Whether a name belongs to a public function of rushlight; those of elementwise operators have `again`."""
    is_python = type(function) is FunctionType or is_compiled(function)
    return (is_python or hasattr(function, "again")) and name[:1] != "_" and function.__module__.startswith("rushlight")


def guarded(function: Callable[..., Any], place: str) -> Callable[..., Any]:
    """The function, with PyTorch's errors, and callable in PyTorch's other forms."""
    return with_errors_of(refusal, other_form, has_foreign, numbers_of, as_numbers, function, place)


def has_foreign(args: Any, kwargs: dict[str, Any]) -> bool:
    """Whether an argument, or an item of a list or tuple, is not a tensor and has `__torch_function__`."""
    values = (*args, *kwargs.values())
    return foreign(values) or any(foreign(value) for value in values if type(value) in (list, tuple))


def other_form(
    place: str, args: Any, kwargs: dict[str, Any], error: Exception
) -> tuple[tuple[Any, ...], dict[Any, Any]] | None:
    """The arguments of a failed call in a form that the function accepts; None if there is none."""
    form: tuple[tuple[Any, ...], dict[Any, Any]] | None = ABOVE.other_form(place, args, kwargs, error)
    return form


def refusal(place: str, args: Any, kwargs: dict[str, Any], error: Exception) -> Exception:
    """The error to raise for a call that failed, with advice."""
    return with_advice(put_right(place, args, kwargs, error))


def put_right(place: str, args: Any, kwargs: dict[str, Any], error: Exception) -> Exception:
    """The error for a call that failed: PyTorch's if the arguments fit no signature, else the one that was raised."""
    if (earlier := without_history(args)) is not None:
        return earlier
    said = misfit(place, args[place.startswith("Tensor.") :], kwargs)
    if said is not None:
        return TypeError(said)
    if isinstance(error, (TypeError, AttributeError)) and (said := no_tensor_first(place, args)):
        return TypeError(said)
    if said := lacking(place, error):
        return TypeError(said)
    if isinstance(error, AttributeError):
        return not_a_tensor(place, args, kwargs, error)
    if type(error) is IndexError and str(error) == "tuple index out of range":
        return without_dimensions(args, kwargs, error)
    if isinstance(error, RuntimeError) and "out" in kwargs:
        error = check_out_first(place.rpartition(".")[2], error, kwargs["out"], args)
    found = translated(error)
    if str(found).startswith("Storage size calculation overflowed") and without_elements((*args, *kwargs.values())):
        return RuntimeError("Stride calculation overflowed: the strides of these sizes do not fit into 64 bits")
    return found


def lacking(place: str, error: Exception) -> str:
    """PyTorch's message for Python's, if a function of no recorded signature lacks arguments; "" otherwise."""
    name = place.rpartition(".")[2]
    found = re.match(rf"{name}\(\) missing (\d+) required positional arguments?: (.*)", str(error))
    if found is None or not isinstance(error, TypeError):
        return ""
    names = ", ".join(f'"{one}"' for one in re.findall(r"'(\w+)'", found[2]))
    return f"{name}() missing {found[1]} required positional argument{'s' * (found[1] == '1')}: {names}"


def without_elements(values: Sequence[Any]) -> bool:
    """Whether a size of 0 is among the arguments, or in a sequence of sizes among them."""
    return any(
        type(n) is int and n == 0 for value in values for n in (value if isinstance(value, (tuple, list)) else (value,))
    )


def no_tensor_first(place: str, args: Any) -> str:
    """The message for a first argument that is not a tensor although the function requires one; "" otherwise."""
    if not args or place.startswith("Tensor.") or isinstance(args[0], TensorBase):
        return ""
    first = next(iter(signature(attrgetter(place.lstrip("."))(import_module("rushlight"))).parameters.values()))
    if first.annotation not in (Tensor, "Tensor"):  # compiled modules keep the words
        return ""
    name, kind = place.rpartition(".")[2], type(args[0]).__name__
    return f"{name}(): argument '{first.name}' (position 1) must be Tensor, not {kind}"


def without_dimensions(args: Any, kwargs: Any, error: IndexError) -> IndexError:
    """The error for the size of a dimension of a 0-dimensional tensor; else the same error."""
    given = [value for value in (*args, *kwargs.values()) if isinstance(value, TensorBase)]
    if all(value._array.shape for value in given):
        return error
    return IndexError("Dimension specified as 0 but tensor has no dimensions: give a tensor with one at least")


def not_a_tensor(place: str, args: Any, kwargs: Any, error: AttributeError) -> Exception:
    """TypeError for the argument that lacks an attribute which only tensors have; else the same error."""
    name = place.rpartition(".")[2]
    for i, value in enumerate(args, 1):
        if value is error.obj:
            shown = f"'{parameter(place, i)}' (position {i})"
            return TypeError(f"{name}(): argument {shown} must be Tensor, not {type(value).__name__}")
    for key, value in kwargs.items():
        if value is error.obj:
            return TypeError(f"{name}(): argument '{key}' must be Tensor, not {type(value).__name__}")
    return error


def parameter(place: str, position: int) -> str:
    """The name of a public function's parameter at a position, from 1 on."""
    names = list(signature(attrgetter(place.lstrip("."))(import_module("rushlight"))).parameters)
    return names[position - 1] if position <= len(names) else f"arg{position}"
