"""Registering operators, which gives them a function, a method and an in-place variant.

A general operator is a function on arrays, registered together with its gradient formulas:

    @operator(input=lambda grad, n: np.roll(grad, -n))
    def _roll(input, n):
        return np.roll(input, n)

`unary` and `binary` register an elementwise operator in a line. `method` makes a public function a method of Tensor
too, `in_place` adds its in-place variant, with an underscore.
"""

import functools
import inspect
from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import FunctionType
from typing import Any, NoReturn, Protocol, TypeVar

import numpy as np

from rushlight import dtypes
from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.arithmetic import fill
from rushlight.core.entries import OPTIONS
from rushlight.core.functions import of_operands, of_tensor
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.inplace import change, change_binary, computed_over
from rushlight.core.kinds import is_half
from rushlight.core.operators import Operator
from rushlight.core.operators import binary as call_binary
from rushlight.ops.arguments.promotion import NUMBERS
from rushlight.ops.out import IN_STEP, check_out_first, write_out
from rushlight.ops.protocol import UFUNCS
from rushlight.refusals.signatures import TENSORS_OF_NUMBERS, misfit
from rushlight.tensors import Tensor, foreign

TABLE: dict[str, Operator] = {}
Function = TypeVar("Function", bound=Callable[..., Any])


class Unary(Protocol):
    """The public function of an elementwise operator of one tensor."""

    __name__: str

    def __call__(self, input: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The operator's result, a new tensor unless `out` is given."""


class Binary(Protocol):
    """The public function of an elementwise operator of two operands, one of which may be a number."""

    __name__: str

    def __call__(self, input: Tensor | complex, other: Tensor | complex, *, out: Tensor | None = None) -> Tensor:
        """The operator's result, a new tensor unless `out` is given."""


# The signatures of the public functions of elementwise operators.
OF_TENSOR, OF_OPERANDS = (
    signature.replace(parameters=list(signature.parameters.values())[1:])  # without `self`
    for signature in (inspect.signature(Unary.__call__), inspect.signature(Binary.__call__))
)
# Where operands belong that are given by name: PyTorch's names, and NumPy's.
PLACES = {"input": 0, "x": 0, "x1": 0, "a": 0, "other": 1, "x2": 1}


def enter(name: Any, forward: Any, params: Any, formulas: Any, slot: str = "", **options: Any) -> Operator:
    """Registers an operator; `slot` is the slot of Python's arithmetic that it implements."""
    entry = TABLE[name] = Operator(name, forward, params, formulas, **options)
    if slot:
        fill(slot, entry)
    return entry


def operator(*, name: str | None = None, slot: str = "", **given: Any) -> Callable[[Callable[..., Any]], Operator]:
    """Decorates a function on arrays: registers it as the forward computation of an operator.

    A keyword that is not in `core.entries.OPTIONS` is the name of an input; its value is the gradient formula of that
    input (see `Entry` there for the parameters that a formula may have). The operator is called with all arguments by
    position: on tensors the call is recorded, on arrays it only computes.
    """
    options = {key: value for key, value in given.items() if key in OPTIONS}
    formulas = {key: value for key, value in given.items() if key not in OPTIONS}

    def decorate(forward: Callable[..., Any]) -> Operator:
        return enter(name or forward.__name__.strip("_"), forward, parameters(forward), formulas, slot, **options)

    return decorate


def parameters(forward: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's parameters, ten times faster than `inspect.signature`."""
    code = inspect.unwrap(forward).__code__
    collected = [flag for flag in (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS) if code.co_flags & flag]
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + len(collected)]


def unary(
    name: str,
    forward: Callable[..., Any],
    derivative: Callable[..., Any] | None = None,
    doc: str = "",
    *,
    promote: Callable[..., Any] = dtypes.floating,
    inplace: bool = True,
    methods: bool = True,
    **options: Any,
) -> Unary:
    """Registers an elementwise operator of one tensor and returns its public function.

    `derivative` is the gradient formula: a function of `grad` and of `input` or `result`. `methods` says whether the
    function is also a tensor method, and `inplace` whether it has an in-place variant. The other options are those of
    `core.entries`.
    """
    formulas = {} if derivative is None else {"input": derivative}
    entry = enter(name, forward, ("input",), formulas, promote=promote, broadcasts=True, **options)
    IN_STEP.add(name)

    function = announced(partial(of_tensor, entry, partial(other_form, 1)), OF_TENSOR, name, doc, methods)
    if methods and inplace:
        add_in_place(function, entry, name, doc)
    if isinstance(forward, np.ufunc):
        UFUNCS[forward] = function
    return function


def binary(
    name: str,
    forward: Callable[..., Any],
    input: Callable[..., Any] | None = None,
    other: Callable[..., Any] | None = None,
    doc: str = "",
    *,
    promote: Callable[..., Any] = dtypes.arithmetic,
    inplace: bool = True,
    node: str = "",
    number_node: str = "",
    base_node: str = "",
    base_options: dict[str, Any] | None = None,
    numbers: str = "other",
    methods: bool = True,
    slot: str = "",
    **options: Any,
) -> Binary:
    """Registers an elementwise operator of two operands and returns its public function.

    `input` and `other` are the gradient formulas: functions of `grad` and of `input`, `other` or `result`. `numbers`
    says which operand may be a number: `"other"`, `"either"`, or none. `number_node` and `base_node` are the names of
    the nodes if `other` or `input` is a number, where these have an overload of their own in PyTorch, with one edge;
    `base_options` are other options of the latter, or another formula. The rest are those of `core.entries`.
    """
    formulas = {key: formula for key, formula in (("input", input), ("other", other)) if formula is not None}
    options |= {"promote": promote, "broadcasts": True}
    params = ("input", "other")
    entry = enter(name, forward, params, formulas, node=node, operands=params, **options)
    IN_STEP.add(name)

    with_number = with_one_gradient(entry, forward, "input", number_node, options)
    of_number = with_one_gradient(entry, forward, "other", base_node, options | (base_options or {}))
    if number_node:
        TABLE[f"{name}_number"] = with_number
    if slot:
        fill(slot, with_number)  # Python's reflected operators are only called with numbers

    def number_first(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) != 2 or kwargs or isinstance(args[0], TensorBase) or numbers != "either":
            return other_form(2, function, args, kwargs)
        allowed = name in TENSORS_OF_NUMBERS or isinstance(args[1], TensorBase)
        prepared = promote(*args) if allowed else NotImplemented
        if prepared is NotImplemented:
            return other_form(2, function, args, kwargs)
        first, other = first_tensor(*prepared), args[1]
        if of_number is not entry and isinstance(other, TensorBase):
            return of_number(first, other)
        return call_binary(entry if isinstance(other, TensorBase) else with_number, first, other)

    make = partial(of_operands, entry, with_number if numbers else None, number_first)
    function = announced(make, OF_OPERANDS, name, doc, methods)
    if isinstance(forward, np.ufunc):
        UFUNCS[forward] = on_operands(entry, promote)
    if inplace and methods:
        variant = binary_in_place(name + "_", entry, with_number if numbers else None)
        setattr(Tensor, name + "_", with_public_name(variant, name + "_", doc))
    return function


def first_tensor(first: Array, other: Array) -> Tensor:
    """The first of two promoted operands, a number, as a tensor that does not change the dtype of the result."""
    alone = is_half(other.dtype) and not other.ndim
    return new_tensor(first.astype(other.dtype) if alone else first)


def with_one_gradient(
    entry: Operator, forward: Callable[..., Any], operand: str, node: str, options: dict[str, Any]
) -> Operator:
    """The overload of a binary operator whose other operand is a number; the operator itself if `node` is empty."""
    if not node:
        return entry
    others = {key: option for key, option in options.items() if key != operand}
    formulas = {operand: options.get(operand, entry.formulas[operand])}
    return Operator(entry.name, forward, entry.params, formulas, **others, node=node, operands=entry.params)


def on_operands(entry: Operator, promote: Callable[..., Any]) -> Callable[..., Any]:
    """An operator as NumPy calls it: either operand may be a number."""

    def function(x: Array, y: Array) -> Any:
        if not isinstance(x, TensorBase):
            prepared = promote(x, y)
            if prepared is NotImplemented:
                return prepared
            x = first_tensor(*prepared)
        return call_binary(entry, x, y)

    return function


def binary_in_place(name: str, entry: Operator, with_number: Operator | None) -> Callable[..., Any]:
    """The in-place variant of a binary operator, and of its overload for numbers."""

    def variant(self: Tensor, other: Any) -> Tensor:
        if isinstance(other, TensorBase):
            return change_binary(entry, self, other)
        if with_number is not None and isinstance(other, NUMBERS):
            return change_binary(with_number, self, other)
        return refuse(name, "other", 1, other)

    return variant


def no_derivative(name: str) -> Callable[..., Any]:
    """The gradient formula of an operator that has no derivative in PyTorch: raises RuntimeError when called."""

    def formula(grad: Array) -> NoReturn:
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    return formula


def announced(
    make: Callable[[], Callable[..., Any]], signature: inspect.Signature, name: str, doc: str, methods: bool
) -> Callable[..., Any]:
    """The public function of an operator, which `make` makes, and with `methods` its method."""
    function = make()
    vars(function).update(again=make, passes_switch=True, __signature__=signature)
    with_public_name(function, name, doc)
    if methods:
        vars(function)["refuses"] = True
        setattr(Tensor, name, as_method(function, name))
    return function


def add_in_place(function: Callable[..., Any], entry: Operator, name: str, doc: str) -> None:
    """Adds the in-place variant of an operator of one tensor."""

    def variant(self: Tensor, *args: Any) -> Tensor:
        return self if not args and computed_over(entry, self, ()) else change(self, function, *args)

    told = f"`{name}`, in place.{retold(doc, f'torch.{name}', f'torch.Tensor.{name}_')}"
    setattr(Tensor, name + "_", with_public_name(variant, name + "_", told))


def retold(doc: Any, name: str, other: str) -> str:
    """The example of a docstring, rewritten for a function with another name."""
    _, begin, example = doc.partition(">>>")
    return f"\n\n    {begin}{example.replace(f'{name}(', f'{other}(')}" if begin else ""


def with_public_name(function: Function, name: str, doc: str) -> Function:
    """Gives a function its public name and its documentation."""
    function.__name__ = function.__qualname__ = name
    function.__module__ = "rushlight"
    function.__doc__ = doc
    return function


def method(function: Function) -> Function:
    """Makes a public function a method of Tensor as well."""
    setattr(Tensor, function.__name__, as_method(function, function.__name__))
    return function


def as_method(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A method that calls a function; as in PyTorch, a separate object with its own name."""
    if "again" in vars(function):
        same = with_public_name(function.again(), name, function.__doc__ or "")  # type: ignore[attr-defined]
        vars(same).update(vars(function))
        same.__qualname__ = f"Tensor.{name}"
        return same
    if type(function) is not FunctionType:
        return function
    same = FunctionType(function.__code__, function.__globals__, name, function.__defaults__, function.__closure__)
    same.__dict__.update(function.__dict__)
    same.__kwdefaults__, same.__doc__, same.__module__ = function.__kwdefaults__, function.__doc__, function.__module__
    same.__annotations__, same.__qualname__ = function.__annotations__, f"Tensor.{name}"
    return same


def in_place(function: Function, at_once: Callable[..., bool] | None = None) -> Function:
    """Adds the in-place variant of a public function of a tensor.

    `at_once`, called first with the same arguments, changes the tensor without a temporary array if it can, and returns
    whether it did.
    """
    name = function.__name__ + "_"

    @functools.wraps(function, updated=())  # the attribute `refuses` belongs to the function
    def variant(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if at_once is not None and at_once(self, *args, **kwargs):
            return self
        return change(self, function, *args, **kwargs)

    variant.__name__ = variant.__qualname__ = name
    setattr(Tensor, name, variant)
    return function


def refuse(name: str, parameter: str, position: int, value: Any) -> NoReturn:
    """Raises PyTorch's TypeError for an argument that is not a tensor."""
    kind = type(value).__name__
    raise TypeError(advised(f"{name}(): argument '{parameter}' (position {position}) must be Tensor, not {kind}"))


def other_form(count: int, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls the public function of an operator with its operands by position, and writes `out`.

    `count` is how many operands there are; TypeError for others.
    """
    name = function.__name__
    operands = args if len(kwargs) == 1 and "out" in kwargs else by_position(args, kwargs)
    if len(operands) != count:
        raise TypeError(advised(misplaced(function, args, kwargs)))
    if not kwargs:
        return refuse_operands(name, *args)
    out = kwargs.get("out")
    try:
        result = function(*operands)
    except RuntimeError as error:
        raise check_out_first(name, error, out, operands) from None
    return result if out is None else write_out(name, out, result, *operands)


def by_position(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Operands in their order, those too that are given by a name of PyTorch's or NumPy's; none if a name misfits."""
    places = [place_of(name, value) for name, value in kwargs.items() if name != "out"]
    if [*range(len(args)), *sorted(places, key=str)] != list(range(len(args) + len(places))):
        return ()
    values = [value for name, value in kwargs.items() if name != "out"]
    return (*args, *[value for _, value in sorted(zip(places, values, strict=True), key=lambda pair: str(pair[0]))])


def place_of(name: str, value: Any) -> int | None:
    """The place of an operand with a name; `self` is PyTorch's name of a number that comes first."""
    is_number = not isinstance(value, TensorBase) or not value._array.ndim
    return 0 if name == "self" and is_number else PLACES.get(name)


def misplaced(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """What is wrong with the arguments of an operator's function, in PyTorch's words."""
    home, _, name = function.__qualname__.rpartition(".")
    places = [f"{home}.{name}", f"special.{name}"]
    said = next(filter(None, (misfit(place, args[bool(home) :], kwargs) for place in places)), "")
    return said or f"{name}() takes no such arguments: {len(args)} by position, {list(kwargs)} by name"


def refuse_operands(name: str, *operands: Any) -> Any:
    """Raises PyTorch's TypeError if an operand is neither a tensor nor, where allowed, a number.

    If an operand overrides functions (`__torch_function__`), it is called instead.
    """
    if foreign(operands):
        return getattr(import_module("rushlight"), name)(*operands)
    said = misfit(f".{name}", operands, {}) or misfit(f"special.{name}", operands, {})
    if said is not None:
        raise TypeError(advised(said))
    wrong = [i for i, v in enumerate(operands) if not isinstance(v, TensorBase)]
    position = next((i for i in wrong if not isinstance(operands[i], NUMBERS)), wrong[0])
    value = operands[position]
    refuse(name, ("input", "other")[position], position + 1, value)


def alias(name: str, function: Function) -> Function:
    """Another name for a public function, also as a method, and with an in-place variant if there is one."""
    setattr(Tensor, name, as_method(function, name))
    variant = getattr(Tensor, f"{function.__name__}_", None)
    if variant is not None:
        setattr(Tensor, f"{name}_", variant)
    return function
