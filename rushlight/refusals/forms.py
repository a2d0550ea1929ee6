"""Other forms in which PyTorch's functions can be called: other parameter names, NumPy's numbers, deprecated orders.

They are tried only after a call has failed: if the arguments fit a signature of PyTorch's, the call is repeated.
"""

from collections.abc import Iterable
from functools import cache
from itertools import takewhile
from typing import Any

import numpy as np

from rushlight.core.above import above
from rushlight.core.graph import TensorBase
from rushlight.core.lines import warn
from rushlight.refusals.signatures import NUMPY_NAMES, Parameter, Signature, parameters, signatures_of

Call = tuple[tuple[Any, ...], dict[str, Any]]

# Deprecated argument orders: scalars come before what they multiply. For methods the first tensor is left out.
DEPRECATED = """
add(Tensor input, Number alpha, Tensor other)
addbmm(Number beta, Tensor input, Number alpha, Tensor batch1, Tensor batch2)
addbmm(Number beta, Tensor input, Tensor batch1, Tensor batch2)
addcdiv(Tensor input, Number value, Tensor tensor1, Tensor tensor2)
addcmul(Tensor input, Number value, Tensor tensor1, Tensor tensor2)
addmm(Number beta, Tensor input, Number alpha, Tensor mat1, Tensor mat2)
addmm(Number beta, Tensor input, Tensor mat1, Tensor mat2)
addmv(Number beta, Tensor input, Number alpha, Tensor mat, Tensor vec)
addmv(Number beta, Tensor input, Tensor mat, Tensor vec)
addr(Number beta, Tensor input, Number alpha, Tensor vec1, Tensor vec2)
addr(Number beta, Tensor input, Tensor vec1, Tensor vec2)
baddbmm(Number beta, Tensor input, Number alpha, Tensor batch1, Tensor batch2)
baddbmm(Number beta, Tensor input, Tensor batch1, Tensor batch2)
sub(Tensor input, Number alpha, Tensor other)
"""
NUMBERS = {"beta", "alpha", "value"}
NAMES = {  # parameter names of PyTorch's Python functions that its signatures do not have
    "Tensor.split": {"split_size": "split_size_or_sections"},
    "linalg.solve_triangular": {"input": "A"},
    ".nonzero": {"x": "input", "x1": "input", "a": "input"},
    ".swapaxes": {"axis0": "dim0", "axis1": "dim1"},
    "Tensor.swapaxes": {"axis0": "dim0", "axis1": "dim1"},
}
APART = (".asarray", ".from_numpy")  # which refuse NumPy's numbers in other words than Python's
PACKED = {".gru", ".lstm", ".rnn_relu", ".rnn_tanh"}  # which take packed data by position only


@above
def other_form(place: str, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> Call | None:
    """The arguments of a failed call in rushlight's form; None if they are in it already, or in no known form."""
    call: Call | None = None
    renamed = {NAMES.get(place, {}).get(name, name): value for name, value in kwargs.items()}
    if isinstance(error, TypeError):
        call = of_first_years(place, args, renamed) or by_signature(place, args, renamed)
    if call is None and place not in APART:
        call = tuple([in_python(v) for v in args]), {name: in_python(v) for name, v in renamed.items()}
    return None if call is None or same(call, (args, kwargs)) else call


def same(call: Call, other: Call) -> bool:
    """Whether two calls have identical arguments."""
    (args, kwargs), (others, named) = call, other
    alike = len(args) == len(others) and all(a is b for a, b in zip(args, others, strict=True))
    return alike and list(kwargs) == list(named) and all(kwargs[name] is named[name] for name in kwargs)


@cache
def deprecated() -> dict[str, list[Signature]]:
    """The deprecated signatures, by name."""
    found: dict[str, list[Signature]] = {}
    for line in DEPRECATED.split("\n")[1:-1]:
        name, _, rest = line.partition("(")
        found.setdefault(name, []).append(Signature(name, tuple(parameters(rest[:-1])), f"({rest}"))
    return found


def of_first_years(place: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    """The arguments of a call with a deprecated signature, in the present order; gives a warning."""
    home, _, name = place.rpartition(".")
    for signature in deprecated().get(name.rstrip("_"), ()):
        names = [p.name for p in signature.parameters]
        given = args
        if home == "Tensor":  # the tensor itself comes first
            position = names.index("input")
            given = (*args[1 : position + 1], args[0], *args[position + 1 :])
        by_name = {key: value for key, value in kwargs.items() if key in names[len(given) :]}
        values = {**dict(zip(names, given, strict=False)), **by_name}
        if len(given) + len(by_name) != len(names) or NUMBERS.isdisjoint(names[: len(given)]):
            continue
        if signature.misfit([values[key] for key in names], {}) is not None:
            continue
        words = f"{name}{signature.text}"
        warn(f"This overload of {name} is deprecated:\n\t{words}\nGive numbers by name.")
        numbers = {key: values[key] for key in names if key in NUMBERS}
        operands = [values[key] for key in names if key not in NUMBERS]
        return tuple(operands), {**numbers, **{key: kwargs[key] for key in kwargs if key not in by_name}}
    return None


def by_signature(place: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    """The arguments of a call that fits a signature of PyTorch's, by position as far as there are no gaps.

    A parameter that has other positions in other signatures of the function, or none, is given by name.
    """
    self, given = (args[:1], args[1:]) if place.startswith("Tensor.") else ((), args)
    signatures = signatures_of(place)
    wavering = {name for s in signatures for name, spot in spots(s) if {spot} != spots_of(name, signatures)}
    wavering = set() if place in PACKED else wavering
    for signature in signatures:
        if signature.misfit(given, kwargs) is not None:
            continue
        listed = {p.name: p for p in signature.parameters}
        values = {name if name in listed else NUMPY_NAMES.get(name, name): value for name, value in kwargs.items()}
        names = [p.name for p in signature.parameters if not p.keyword_only]
        if len(given) > len(names):  # sizes, one by one
            return (*self, tuple([as_parameter(listed[names[0]], value) for value in given])), values
        values = {**dict(zip(names, given, strict=False)), **values}
        values = {
            name: as_parameter(listed[name], value) if name in listed else value
            for name, value in values.items()
            if not (value is None and name in listed and has_default(listed[name]))
        }
        fixed = takewhile((values.keys() - wavering).__contains__, names)
        positional = [values.pop(name) for name in list(fixed)]
        return (*self, *positional), values
    return None


def spots(signature: Signature) -> list[tuple[str, int | None]]:
    """The position of each parameter; None for those that are given by name only."""
    return [(p.name, None if p.keyword_only else i) for i, p in enumerate(signature.parameters)]


def spots_of(name: str, signatures: Iterable[Signature]) -> set[int | None]:
    """The positions that a parameter has in some signatures."""
    return {spot for signature in signatures for other, spot in spots(signature) if other == name}


def has_default(parameter: Parameter) -> bool:
    """Whether None stands for the default of a parameter that is never None."""
    return parameter.optional and not parameter.kind.endswith("?")


def as_parameter(parameter: Parameter, value: Any) -> Any:
    """A value with Python's numbers where the parameter is a number, or several; tensors of one number are such too."""
    is_number = any(word in parameter.kind for word in ("int", "float", "Number", "Scalar"))
    return in_python(value, (np.generic, np.ndarray, TensorBase) if is_number else np.generic)


def in_python(value: Any, kinds: Any = np.generic) -> Any:
    """A value of some kinds as Python's number, also in a list or tuple; any other value as it is."""
    if isinstance(value, kinds) and value.ndim == 0:
        return value.item()
    if type(value) in (list, tuple) and any(isinstance(item, kinds) for item in value):
        return type(value)([in_python(item, kinds) for item in value])
    return value
