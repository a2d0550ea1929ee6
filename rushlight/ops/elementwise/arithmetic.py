"""Arithmetic of tensors and numbers: addition, subtraction, multiplication, division."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.core.inplace import change, change_binary, computed_over
from rushlight.core.kinds import is_half, kind_of
from rushlight.core.narrow import in_steps, unchanged
from rushlight.core.operators import Operator
from rushlight.dtypes import arithmetic, floating
from rushlight.ops.arguments.promotion import no_zero, only, rounding
from rushlight.ops.derivatives import recurrences
from rushlight.ops.derivatives.events import Event, of_elements
from rushlight.ops.derivatives.series import recurrence
from rushlight.ops.out import write_out
from rushlight.ops.table import (
    TABLE,
    Binary,
    Unary,
    alias,
    binary,
    first_tensor,
    method,
    operator,
    refuse_operands,
    unary,
    with_public_name,
)
from rushlight.tensors import Tensor

__all__ = ["add", "div", "divide", "mul", "multiply", "neg", "negative", "rsub", "sub", "subtract", "true_divide"]

Operand = Tensor | int | float | complex


@dtypes.keeping("iufc")
def no_booleans(*operands: Array) -> Array | tuple[Array, ...]:
    """Type promotion of subtraction, which PyTorch does not have for bools."""
    check_no_booleans(*operands)
    return arithmetic(*operands)


def check_no_booleans(*operands: Any) -> None:
    """Raises PyTorch's errors if an operand of a subtraction is bool."""
    booleans = [is_boolean(operand) for operand in operands if isinstance(operand, dtypes.OPERANDS)]
    if booleans == [True, True]:
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    if True in booleans:
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )


def is_boolean(operand: Any) -> bool:
    """Whether a tensor, an array or a number is bool."""
    if isinstance(operand, TensorBase):
        return operand._array.dtype.kind == "b"
    return isinstance(operand, (bool, np.bool_)) or (isinstance(operand, np.ndarray) and operand.dtype.kind == "b")


@dtypes.keeping("iufc")
def no_boolean(operand: Tensor) -> Array:
    """Type promotion of negation, which PyTorch does not have for bools."""
    if operand._array.dtype == bool:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )
    return arithmetic(operand)


def with_factor(name: str, flops: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The profiler event of `add` or `sub`, whose last argument is `alpha`."""
    return lambda *args: [Event(name, (*args, None), flops)]


_add = binary(
    "add",
    np.add,
    lambda grad: grad,
    lambda grad: grad,
    promote=rounding(arithmetic),
    numbers="either",
    aten=with_factor("add", of_elements),
    slot="add",
)
_sub = binary(
    "sub",
    np.subtract,
    lambda grad: grad,
    lambda grad: -grad,
    promote=rounding(no_booleans),
    numbers="either",
    aten=with_factor("sub"),
    slot="sub",
)
_rsub = binary(
    "rsub",
    lambda x, y: y - x,
    lambda grad: -grad,
    lambda grad: grad,
    promote=rounding(no_booleans),
    number_node="RsubBackward1",
    layout="elementwise, last first",
    methods=False,
    slot="rsub",
    aten=lambda *args: [*with_factor("rsub")(*args), *with_factor("sub")(*args[::-1])],
)
mul: Binary = binary(
    "mul",
    np.multiply,
    lambda grad, other: grad * other,
    lambda grad, input: grad * input,
    """The product of two tensors, or of a tensor and a number, element by element, with broadcasting.

    >>> import rushlight as torch
    >>> torch.mul(torch.tensor([1.0, 2.0]), 3)
    tensor([3., 6.])
    """,
    numbers="either",
    flops=of_elements,
    series=recurrence(recurrences.times),
    slot="mul",
)
_div = binary(
    "div",
    np.divide,
    lambda grad, other: grad / other,
    lambda grad, input, other: -grad * ((input / other) / other),
    promote=floating,
    numbers="either",
    series=recurrence(recurrences.quotient),
    slot="div",
)
neg: Unary = unary(
    "neg",
    np.negative,
    lambda grad: -grad,
    """The negative of each element.

    >>> import rushlight as torch
    >>> torch.neg(torch.tensor([1.0, -2.0]))
    tensor([-1.,  2.])
    """,
    promote=no_boolean,
    slot="neg",
)


def with_multiple(name: str, sign: int) -> Any:
    """Registers `add` or `sub` with an `alpha`; `sign` is the sign of the other operand."""
    enter = operator(
        aten=name,
        input=lambda grad: grad,
        other=lambda grad, alpha: grad * (sign * alpha),
        name=f"{name}_scaled",
        node=f"{name.title()}Backward0",
        promote=arithmetic,
        broadcasts=True,
    )
    combine = np.add if sign == 1 else np.subtract
    return enter(lambda input, other, alpha: combine(input, factor_in(input.dtype, alpha) * other))


def factor_in(dtype: np.dtype, alpha: float) -> Any:
    """`alpha` as a number or array that does not change a result of this dtype."""
    return np.asarray(alpha).astype(dtype) if dtype.kind in "biu" else alpha


_add_scaled, _sub_scaled = with_multiple("add", 1), with_multiple("sub", -1)


def check_factor(alpha: Any, *operands: Tensor) -> None:
    """Raises PyTorch's errors for an `alpha` whose kind of dtype is higher than the result's."""
    if type(alpha) is int:
        return
    kind = kind_of(dtypes.result_dtype(*operands))
    if isinstance(alpha, bool) and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if kind in "biu" and not isinstance(alpha, int):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if kind != "c" and isinstance(alpha, complex):
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")


@method
def add(input: Operand, other: Operand, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """`input + alpha * other`, element by element, with broadcasting and type promotion.

    RuntimeError for an `alpha` whose kind of dtype is higher than the result's, such as a float with integer tensors.

    >>> import rushlight as torch
    >>> torch.add(torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0]), alpha=2)
    tensor([21., 42.])
    """
    if type(alpha) is int and alpha == 1:
        return _add(input, other, out=out)
    if not isinstance(input, dtypes.OPERANDS) or not isinstance(other, dtypes.OPERANDS):
        return refuse_operands("add", input, other)
    return call_with_multiple("add", _add_scaled, input, other, alpha, out)


def are_floats(input: Any, other: Any) -> bool:
    """Whether two operands are tensors of float32, or of float64."""
    if not isinstance(input, TensorBase) or not isinstance(other, TensorBase):
        return False
    dtype = input._array.dtype
    return dtype is other._array.dtype and dtype.char in "fd"


def call_with_multiple(name: str, entry: Any, input: Any, other: Any, alpha: float, out: Any) -> Tensor:
    """The part that `add` and `sub` with an `alpha` share."""
    if out is None and type(alpha) in (int, float) and are_floats(input, other):
        return entry(input, other, alpha)
    check_factor(alpha, input, other)
    dtype = dtypes.result_dtype(input, other)
    alpha = float(np.asarray(alpha).astype(dtype)) if is_half(dtype) else alpha
    first = input if isinstance(input, TensorBase) else first_tensor(*arithmetic(input, other))
    result = entry(first, other, alpha)
    return result if out is None else write_out(name, out, result, input, other)


@method
def sub(input: Operand, other: Operand, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """`input - alpha * other`, element by element, with broadcasting and type promotion.

    RuntimeError for bools, and for an `alpha` whose kind of dtype is higher than the result's.

    >>> import rushlight as torch
    >>> torch.sub(torch.tensor([1.0, 2.0]), 1)
    tensor([0., 1.])
    """
    if type(alpha) is int and alpha == 1:
        return _sub(input, other, out=out)
    if not isinstance(input, dtypes.OPERANDS) or not isinstance(other, dtypes.OPERANDS):
        return refuse_operands("sub", input, other)
    if not are_floats(input, other) and (is_boolean(input) or is_boolean(other)):
        no_booleans(input, other)
    return call_with_multiple("sub", _sub_scaled, input, other, alpha, out)


def rsub(input: Tensor, other: Operand, *, alpha: float = 1) -> Tensor:
    """`other - alpha * input`, element by element.

    >>> import rushlight as torch
    >>> torch.rsub(torch.tensor([1.0, 2.0]), 1)
    tensor([ 0., -1.])
    """
    if not isinstance(input, TensorBase) or (type(alpha) is int and alpha == 1):
        return _rsub(input, other)
    return sub(other, input, alpha=alpha)


@method
def div(input: Tensor, other: Operand, *, rounding_mode: str | None = None, out: Tensor | None = None) -> Tensor:
    """`input / other`, element by element: exact, or rounded towards zero (`"trunc"`) or down (`"floor"`).

    The quotient of integers has the default dtype unless it is rounded.

    >>> import rushlight as torch
    >>> torch.div(torch.tensor([7, -7]), 2), torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
    (tensor([ 3.5000, -3.5000]), tensor([ 3, -4]))
    """
    if rounding_mode is None:
        return _div(input, other, out=out)
    return ROUNDED[checked_mode(rounding_mode)](input, other, out=out)


def checked_mode(rounding_mode: str) -> str:
    """Returns `rounding_mode` if it is "trunc" or "floor"; RuntimeError for any other."""
    if rounding_mode not in ROUNDED:
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    return rounding_mode


def rounded(mode: str, forward: Callable[..., Any]) -> Callable[..., Any]:
    """Registers a rounded division, whose derivative is zero."""
    return binary(
        f"div_{mode}",
        forward,
        lambda grad: np.zeros_like(grad),
        lambda grad: np.zeros_like(grad),
        node="DivBackward2",
        aten="div",
        promote=no_zero(only("iuf", f"div_{mode}_cpu")),
        methods=False,
        converts=True,
        numbers="either",
    )


@in_steps
def floored(x: Array, y: Array, rounded: Callable[..., Any]) -> Array:
    """The quotient rounded down."""
    if rounded is unchanged:
        return np.floor_divide(x, y)
    rest = np.fmod(x, y)
    quotient = rounded(rounded(x - rest) / y)
    quotient = np.where((rest != 0) & ((y < 0) != (rest < 0)), rounded(quotient - 1), quotient)
    below = np.floor(quotient)
    below = np.where(quotient - below > 0.5, below + 1, below)
    return np.where(y == 0, x / y, np.where(quotient == 0, np.copysign(0, x / y), below))


@in_steps
def truncated(x: Array, y: Array, rounded: Callable[..., Any]) -> Array:
    """The quotient rounded towards zero; exact for integers."""
    if kind_of(x.dtype) == "f":
        return np.trunc(rounded(x / y))
    quotient = np.floor_divide(x, y)
    return quotient + ((quotient < 0) & (quotient * y != x))


ROUNDED = {"trunc": rounded("trunc", truncated), "floor": rounded("floor", floored)}


def reversed_divide(self: Tensor, other: float) -> Tensor:
    """`other / self`, as PyTorch computes it: `self.reciprocal() * other`."""
    return self.reciprocal() * other


def scaled_in_place(function: Callable[..., Any], unscaled: Callable[..., Any], scaled: Operator) -> Callable[..., Any]:
    """The in-place variant of `add` or `sub`, from those without and with `alpha`."""

    def variant(self: Tensor, other: Operand, *, alpha: float = 1) -> Tensor:
        if type(alpha) is int and alpha == 1:
            return unscaled(self, other)
        if isinstance(other, TensorBase) and computed_over(scaled, self, (other, alpha)):
            return self
        return change(self, function, other, alpha=alpha)

    return with_public_name(variant, f"{function.__name__}_", f"`{function.__name__}`, in place.")


def rounded_in_place(unrounded: Callable[..., Any]) -> Callable[..., Any]:
    """The in-place variant of `div`."""

    def variant(self: Tensor, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
        if rounding_mode is None:
            return unrounded(self, other)
        return change_binary(TABLE[f"div_{checked_mode(rounding_mode)}"], self, other)

    return with_public_name(variant, "div_", "`div`, in place.")


Tensor.add_ = Tensor.__iadd__ = scaled_in_place(add, Tensor.add_, _add_scaled)
Tensor.sub_ = Tensor.__isub__ = scaled_in_place(sub, Tensor.sub_, _sub_scaled)
Tensor.div_ = Tensor.__itruediv__ = rounded_in_place(Tensor.div_)
Tensor.__imul__ = Tensor.mul_
Tensor.__rtruediv__ = reversed_divide
multiply: Binary = alias("multiply", mul)
divide: Callable[..., Any] = alias("divide", div)
true_divide: Callable[..., Any] = alias("true_divide", div)
subtract: Callable[..., Any] = alias("subtract", sub)
negative: Unary = alias("negative", neg)
