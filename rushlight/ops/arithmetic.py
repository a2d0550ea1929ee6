"""Arithmetic of tensors and numbers: sums, products, quotients, powers."""

import operator as python

import numpy as np

from rushlight.core import arithmetic as slots
from rushlight.core.graph import TensorBase
from rushlight.dtypes import arithmetic, floating
from rushlight.ops.table import TABLE, alias, binary, change, method, named, operator, refuse, unary, write_out
from rushlight.tensors import Tensor

__all__ = ["add", "div", "divide", "mul", "multiply", "neg", "negative", "pow", "rsub", "sub", "subtract",
           "true_divide"]  # fmt: skip

Operand = Tensor | int | float | complex


def no_booleans(*operands):
    """Arithmetic's promotion, for subtraction: PyTorch has none of two bool tensors."""
    arrays = arithmetic(*operands)
    if arrays is not NotImplemented and arrays[0].dtype == bool:
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. If you are trying to invert a "
            "mask, use the `~` or `logical_not()` operator instead."
        )
    return arrays


def no_boolean(operand):
    """Arithmetic's promotion, for negation: PyTorch has none of bools."""
    if operand._array.dtype == bool:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )
    return arithmetic(operand)


_add = binary("add", np.add, lambda grad: grad, lambda grad: grad)
_sub = binary("sub", np.subtract, lambda grad: grad, lambda grad: -grad, promote=no_booleans)
_rsub = binary("rsub", lambda x, y: y - x, lambda grad: -grad, lambda grad: grad, promote=no_booleans,
               node="RsubBackward1")  # fmt: skip
mul = binary(
    "mul", np.multiply, lambda grad, other: grad * other, lambda grad, input: grad * input,
    """The product of two tensors, or of a tensor and a number, element by element, with broadcasting.

    >>> import rushlight as torch
    >>> torch.mul(torch.tensor([1.0, 2.0]), 3)
    tensor([3., 6.])
    """,
)  # fmt: skip
_div = binary(
    "div", np.divide, lambda grad, other: grad / other, lambda grad, input, other: -grad * ((input / other) / other),
    promote=floating,
)  # fmt: skip
neg = unary("neg", np.negative, lambda grad: -grad, "Minus each element.", promote=no_boolean)


@operator(input=lambda grad: grad, other=lambda grad, alpha: grad * alpha, name="add_scaled", node="AddBackward0",
          promote=arithmetic, broadcasts=True)  # fmt: skip
def _add_scaled(input, other, alpha):
    return input + alpha * other


@method
def add(input: Tensor, other: Operand, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """`input + alpha * other`, element by element, with broadcasting and type promotion.

    >>> import rushlight as torch
    >>> torch.add(torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0]), alpha=2)
    tensor([21., 42.])
    """
    if alpha == 1:
        return _add(input, other, out=out)
    if not isinstance(input, TensorBase):
        return refuse("add", "input", 1, input)
    result = _add_scaled(input, other, alpha)
    return result if out is None else write_out("add", out, result, input, other)


@method
def sub(input: Tensor, other: Operand, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """`input - alpha * other`, element by element, with broadcasting and type promotion.

    >>> import rushlight as torch
    >>> torch.sub(torch.tensor([1.0, 2.0]), 1)
    tensor([0., 1.])
    """
    if alpha == 1:
        return _sub(input, other, out=out)
    return add(input, other, alpha=-alpha, out=out)


@method
def rsub(input: Tensor, other: Operand, *, alpha: float = 1) -> Tensor:
    """`other - alpha * input`, element by element.

    >>> import rushlight as torch
    >>> torch.rsub(torch.tensor([1.0, 2.0]), 1)
    tensor([ 0., -1.])
    """
    return _rsub(input if alpha == 1 else input * alpha, other)


@method
def div(input: Tensor, other: Operand, *, rounding_mode: str | None = None, out: Tensor | None = None) -> Tensor:
    """`input / other`, element by element: exact, or rounded towards zero (`"trunc"`) or down (`"floor"`).

    Integers are divided in the default dtype unless they are rounded.

    >>> import rushlight as torch
    >>> torch.div(torch.tensor([7, -7]), 2), torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
    (tensor([ 3.5000, -3.5000]), tensor([ 3, -4]))
    """
    if rounding_mode is None:
        return _div(input, other, out=out)
    if rounding_mode not in ROUNDED:
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    return ROUNDED[rounding_mode](input, other, out=out)


ROUNDED = {
    "trunc": binary("div_trunc", lambda x, y: truncated(x, y), lambda grad: grad * 0, lambda grad: grad * 0,
                    node="DivBackward1", inplace=False),
    "floor": binary("div_floor", np.floor_divide, lambda grad: grad * 0, lambda grad: grad * 0,
                    node="DivBackward1", inplace=False),
}  # fmt: skip


def truncated(x, y):
    """The quotient rounded towards zero, exact for integers."""
    if x.dtype.kind == "f":
        return np.trunc(x / y)
    quotient = np.floor_divide(x, y)
    return quotient + ((quotient < 0) & (quotient * y != x))


def power_cotangent(grad, input, exponent):
    """The cotangent of the base; 0 where the exponent is 0, also at a base of 0."""
    if not isinstance(exponent, (TensorBase, np.ndarray)):
        return np.zeros_like(input) if exponent == 0 else grad * (exponent * input ** (exponent - 1))
    return np.where(exponent == 0, np.zeros_like(grad), grad * (exponent * input ** (exponent - 1)))


def exponent_cotangent(grad, input, other, result):
    """The cotangent of the exponent; 0 at a base of 0 with a positive exponent, where 0 * log 0 would be NaN."""
    at_zero = (input == 0) & (np.real(other) >= 0)
    return grad * np.where(
        at_zero, np.zeros_like(result), result * np.log(np.where(at_zero, np.ones_like(result), input))
    )


def as_power(x, y):
    """Powers as Python's operator computes them: NumPy has short cuts there for exponents such as 2."""
    if isinstance(y, int) and y < 0 and x.dtype.kind in "iu":
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return x**y


_pow = binary("pow", as_power, lambda grad, input, other: power_cotangent(grad, input, other),
              lambda grad, input, other, result: exponent_cotangent(grad, input, other, result))  # fmt: skip
_pow_tensor = binary("pow_tensor", python.pow, TABLE["pow"].formulas["input"], TABLE["pow"].formulas["other"],
                     node="PowBackward1", inplace=False)  # fmt: skip


@method
def pow(input: Operand, exponent: Operand, *, out: Tensor | None = None) -> Tensor:
    """Each element of `input` to the power of `exponent`; either may be a number.

    >>> import rushlight as torch
    >>> torch.pow(torch.tensor([1.0, 2.0, 3.0]), 2), torch.pow(2, torch.tensor([1.0, 2.0]))
    (tensor([1., 4., 9.]), tensor([2., 4.]))
    """
    if not isinstance(input, TensorBase):
        if not isinstance(exponent, TensorBase):
            return refuse("pow", "input", 1, input)
        from rushlight.ops.creation import full_like

        base = full_like(exponent, input, dtype=None if exponent.is_floating_point() else type(input))
        return _pow_tensor(base, exponent, out=out)
    return (_pow_tensor if isinstance(exponent, TensorBase) else _pow)(input, exponent, out=out)


def reversed_divide(self, other):
    """`other / self`, as PyTorch computes it: `self.reciprocal() * other`."""
    return self.reciprocal() * other


def scaled_in_place(function, unscaled):
    """The in-place variant of `add` or `sub`: without a temporary where there is no `alpha`."""

    def variant(self, other, *, alpha=1):
        return unscaled(self, other) if alpha == 1 else change(self, function, other, alpha=alpha)

    return named(variant, f"{function.__name__}_", f"`{function.__name__}`, in place.")


def rounded_in_place(unrounded):
    """The in-place variant of `div`."""

    def variant(self, other, *, rounding_mode=None):
        return (
            unrounded(self, other) if rounding_mode is None else change(self, div, other, rounding_mode=rounding_mode)
        )

    return named(variant, "div_", "`div`, in place.")


Tensor.add_ = Tensor.__iadd__ = scaled_in_place(add, Tensor.add_)
Tensor.sub_ = Tensor.__isub__ = scaled_in_place(sub, Tensor.sub_)
Tensor.div_ = Tensor.__itruediv__ = rounded_in_place(Tensor.div_)
Tensor.__imul__ = Tensor.mul_
Tensor.__ipow__ = Tensor.pow_
Tensor.__pow__ = pow  # type: ignore[method-assign]
Tensor.__rpow__ = lambda self, other: pow(other, self)  # type: ignore[method-assign]
Tensor.__rtruediv__ = reversed_divide  # type: ignore[method-assign]
multiply = alias("multiply", mul)
divide = alias("divide", div)
true_divide = alias("true_divide", div)
subtract = alias("subtract", sub)
negative = alias("negative", neg)
slots.use(TABLE["add"], TABLE["sub"], TABLE["rsub"], TABLE["mul"], TABLE["div"], TABLE["neg"])
