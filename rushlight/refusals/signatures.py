"""PyTorch's signatures, and its errors for arguments that fit none of them. Read only after a call has failed."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from os import path
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.graph import TensorBase
from rushlight.devices import device
from rushlight.dtypes import dtype
from rushlight.layouts import layout, memory_format

NUMBERS = (int, float, complex, np.number, np.bool_)
TYPES: dict[str, Any] = {
    "bool": (bool, np.bool_),
    "str": str,
    "torch.dtype": (dtype, type),
    "torch.layout": layout,
    "torch.device": (device, str, int),
    "torch.memory_format": memory_format,
    "Generator": object,
}
TENSORS_OF_NUMBERS = {
    "add",
    "add_",
    "sub",
    "sub_",
    "subtract",
    "subtract_",
    "mul",
    "mul_",
    "multiply",
    "multiply_",
    "div",
    "div_",
    "div_floor",
    "div_trunc",
    "divide",
    "divide_",
    "true_divide",
    "true_divide_",
    "floor_divide",
    "floor_divide_",
    "copy_",
}
NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "x1": "input", "x2": "other", "a": "input"}
HOMES = {  # functions that stand elsewhere in PyTorch
    f"nn.functional.{name}": f".{name}"
    for name in (
        "grid_sampler",
        "grid_sampler_2d",
        "grid_sampler_3d",
        "native_batch_norm",
        "native_dropout",
        "native_group_norm",
        "native_layer_norm",
    )
}
SIZES = re.compile(r"(?<=ints)\[\d+\]")  # of lists for which one number can be given
ALIEN = "expected Tensor as element"
CLASSES = ("dtype", "device", "layout", "memory_format")


class Parameter(NamedTuple):
    """A parameter of a signature."""

    kind: str
    name: str
    optional: bool
    keyword_only: bool

    def takes(self, function: str, value: Any) -> bool:
        """Whether an argument is of the parameter's type."""
        kind = self.kind.removesuffix("?")
        if value is None:
            return self.optional or self.kind != kind
        if kind == "Tensor" and function in TENSORS_OF_NUMBERS and isinstance(value, NUMBERS):
            return True
        if kind.startswith("tuple of "):
            item = SIZES.sub("", kind).removeprefix("tuple of ").removesuffix("s")
            if isinstance(value, (tuple, list)):
                return not value or item == "Tensor" or is_a(item, value[0]) or is_one_integer(value[0], "iub")
            return kind.endswith("]") and (is_a(item, value) or is_one_integer(value, "iub"))
        return is_a(kind, value)

    def alien(self, value: Any) -> tuple[int, str] | None:
        """The place and the type of the first member of a list of tensors that is no tensor."""
        if not self.kind.startswith("tuple of Tensor") or not isinstance(value, (tuple, list)):
            return None
        return next(
            ((i, type(item).__name__) for i, item in enumerate(value) if not isinstance(item, TensorBase)), None
        )

    def refusal(self, value: Any) -> str:
        """The message for an argument of another type."""
        kind = SIZES.sub("", self.kind.removesuffix("?").replace("SymInt", "int"))
        if kind.startswith("tuple of ") and isinstance(value, (tuple, list)):
            return f"must be {kind}, but found element of type {type_name(value[0])} at pos 0"
        return f"must be {kind}, not {type_name(value)}"


class Signature(NamedTuple):
    """A signature: the function's name in errors, its parameters, and its text in error messages."""

    function: str
    parameters: tuple[Parameter, ...]
    text: str

    def misfit(self, args: Sequence[Any], kwargs: dict[str, Any]) -> str | None:
        """Why arguments do not fit the signature; None if they do."""
        positional = [p for p in self.parameters if not p.keyword_only]
        names = {p.name for p in self.parameters}
        kwargs = {k if k in names else NUMPY_NAMES.get(k, k): value for k, value in kwargs.items()}
        spread = self.spreads(args)
        if len(args) > len(positional) and not spread:
            least = sum(not p.optional for p in positional)
            most = len(positional)
            takes = f"{most}" if least == most else f"from {least} to {most}"
            plural = "s" * (most != 1)
            return f"{self.function}() takes {takes} positional argument{plural} but {len(args)} were given"
        missing = []
        for i, parameter in enumerate(self.parameters):
            is_positional = i < len(positional) and i < len(args)
            if is_positional and parameter.name in kwargs:
                return f"{self.function}() got multiple values for argument '{parameter.name}'"
            if not is_positional and parameter.name not in kwargs:
                if not parameter.optional:
                    missing.append(f'"{parameter.name}"')
                continue
            value = args[i] if is_positional else kwargs[parameter.name]
            if spread and is_positional:
                wrong = next(((k, v) for k, v in enumerate(args, 1) if not is_a("SymInt", v)), None)
                if wrong is not None:
                    return (
                        f"{self.function}(): argument '{parameter.name}' failed to unpack the object at pos {wrong[0]} "
                        f'with error "type must be tuple of ints,but got {type_name(wrong[1])}"'
                    )
                continue
            several = parameter.name == "out" and isinstance(value, (tuple, list))
            if not several and (alien := parameter.alien(value)):
                return f"{ALIEN} {alien[0]} in argument {i}, but got {alien[1]}"
            if not several and not parameter.takes(self.function, value):
                place = f" (position {i + 1})" if is_positional else ""
                return f"{self.function}(): argument '{parameter.name}'{place} {parameter.refusal(value)}"
        if missing:
            return (
                f"{self.function}() missing {len(missing)} required positional argument"
                f"{'s' * (len(missing) == 1)}: {', '.join(missing)}"
            )
        unknown = next((name for name in kwargs if name not in names and name != "requires_grad"), None)
        return None if unknown is None else f"{self.function}() got an unexpected keyword argument '{unknown}'"

    def spreads(self, args: Sequence[Any]) -> bool:
        """Whether sizes are given one by one instead of as a tuple."""
        positional = [p for p in self.parameters if not p.keyword_only]
        alone = len(positional) == 1 and positional[0].kind.startswith("tuple of ints")
        return alone and len(args) > 0 and (is_a("int", args[0]) or is_one_integer(args[0], "iub"))

    def may_take(self, count: int) -> bool:
        """Whether the signature accepts a number of positional arguments."""
        return sum(not p.optional for p in self.parameters) <= count <= len(self.parameters)


def misfit(place: str, args: Any, kwargs: dict[str, Any]) -> str | None:
    """PyTorch's message for arguments that fit no signature of a function; None if they fit one, or none is known."""
    signatures = signatures_of(place)
    if not signatures:
        return None
    reasons = [signature.misfit(args, kwargs) for signature in signatures]
    for reason in reasons:  # a member of a list is an error whatever follows
        if reason is None or reason.startswith(ALIEN):
            return reason
    if len(signatures) == 1:
        return reasons[0]
    plausible = [i for i, signature in enumerate(signatures) if signature.may_take(len(args) + len(kwargs))]
    if len(plausible) == 1:
        return reasons[plausible[0]]
    named = [f"{name}={type_name(a)}" for name, a in kwargs.items()]
    given = ", ".join([type_name(a) for a in args] + named if args else [*named, ""])  # as PyTorch joins them
    listed = "".join(f"\n * {signature.text}" for signature in signatures)
    return (
        f"{signatures[0].function}() received an invalid combination of arguments - got ({given}), but expected one of:"
        + listed
    )


@cache
def takes_out(place: str) -> bool:
    """Whether PyTorch's function takes `out=`, in one of its forms at least, or none of them is known."""
    signatures = signatures_of(place)
    return not signatures or any(p.name == "out" for s in signatures for p in s.parameters)


def is_a(kind: str, value: Any) -> bool:
    """Whether a value is of a type, as signatures name it."""
    if kind == "Tensor":
        return isinstance(value, TensorBase)
    if kind == "SymInt":
        return is_a("int", value) or is_one_integer(value, "iu")
    if kind in ("int", "float", "Number") and isinstance(value, TensorBase):
        return value._array.ndim == 0 and not value.requires_grad and (kind != "int" or value._array.dtype.kind in "iu")
    if kind == "int":
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if kind == "float":
        return isinstance(value, (int, float, np.floating, np.integer))
    if kind in ("Number", "Scalar"):
        return isinstance(value, NUMBERS)
    return isinstance(value, TYPES[kind]) if kind in TYPES else True


def is_one_integer(value: Any, kinds: str) -> bool:
    """Whether a value is a tensor of one element whose dtype is of some kinds; its dimensions do not matter."""
    return isinstance(value, TensorBase) and value._array.size == 1 and value._array.dtype.kind in kinds


def type_name(value: Any) -> str:
    """The type of an argument in error messages."""
    if isinstance(value, (tuple, list)) and value:
        close = (", " if len(value) > 1 else ",") if isinstance(value, tuple) else ", "
        items = ", ".join(type_name(v) for v in value)
        return f"{type(value).__name__} of ({items}{close.strip() * (len(value) == 1 and isinstance(value, tuple))})"
    name = type(value).__name__
    return f"torch.{name}" if name in CLASSES else name


def signatures_of(place: str) -> list[Signature]:
    """The signatures of a function; none where PyTorch's is written in Python."""
    return recorded().get(HOMES.get(place, place), [])


@cache
def recorded() -> dict[str, list[Signature]]:
    """The signatures of all functions, by place and name: `.roll`, `linalg.solve`, `Tensor.roll`."""
    found: dict[str, list[Signature]] = {}
    with open(path.join(path.dirname(__file__), "signatures.txt")) as file:
        lines = file.read().splitlines()
    for line in lines:
        place, _, rest = line.partition(" ")
        function, _, text = rest.partition("(")
        shown = (
            f"({SIZES.sub('', text).replace('?', '').replace('SymInt', 'int')}"  # nor do errors tell what may be None
        )
        found.setdefault(place, []).append(Signature(function, tuple(parameters(text[:-1])), shown))
    return found


def parameters(text: str) -> Iterator[Any]:
    """The parameters in a signature's text."""
    keyword_only = False
    for item in words_between_commas(text):
        if item == "*":
            keyword_only = True
            continue
        declared, _, default = item.partition(" = ")
        kind, _, name = declared.rpartition(" ")
        yield Parameter(kind + "?" * (default == "None"), name, bool(default), keyword_only)


def words_between_commas(text: str) -> list[str]:
    """The parts of a text between commas that are not in brackets."""
    items, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "[({") - (letter in "])}")
        if letter == "," and not depth:
            items.append(text[start:i])
            start = i + 1
    return [item.strip() for item in [*items, text[start:]] if item.strip()]
