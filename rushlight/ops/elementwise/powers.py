"""Powers, with special cases for integers, bools and complex numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.core.inplace import change, change_binary
from rushlight.dtypes import TYPE_NAMES, arithmetic, complex128, float64
from rushlight.ops.arguments.promotion import NUMBERS, is_complex, missing, refused, rounding
from rushlight.ops.changes.filling import checked_number
from rushlight.ops.derivatives import recurrences
from rushlight.ops.derivatives.series import recurrence
from rushlight.ops.elementwise.elementary import inverse
from rushlight.ops.out import write_out
from rushlight.ops.table import TABLE, as_method, binary, method, refuse
from rushlight.tensors import Tensor

__all__ = ["float_power", "pow"]

Operand = Tensor | int | float | complex
SHORT_CUTS: dict[float, Callable[..., Any]] = {  # PyTorch's, for complex bases
    0.5: np.sqrt,
    -0.5: lambda x: inverse(np.sqrt(x)),
    1: np.positive,
    -1: inverse,
    2: np.square,
    -2: lambda x: inverse(np.square(x)),
    3: lambda x: np.square(x) * x,
}


def power_cotangent(grad: Array, input: Array, exponent: Array) -> Array:
    """The gradient of the base; 0 where the exponent is 0, even if the base is 0 or NaN."""
    is_number = isinstance(exponent, NUMBERS)
    if is_number and exponent == 0.5:
        return grad * (0.5 * np.reciprocal(np.sqrt(input)))  # PyTorch's, also at -0
    if is_number:
        return np.zeros_like(input) if exponent == 0 else grad * (exponent * input ** (exponent - 1))
    constant = (exponent == 0) & ~(np.abs(input) > 0)
    base = np.where(constant, np.ones_like(input), input)
    return np.where(constant, np.zeros_like(grad), grad * (exponent * base ** (exponent - 1)))


def exponent_cotangent(grad: Array, input: Array, other: Array, result: Array) -> Array:
    """The gradient of the exponent; 0 for a base of 0 and a positive exponent, where 0 * log 0 would be NaN."""
    at_zero = (input == 0) & (np.real(other) >= 0)
    return grad * np.where(
        at_zero, np.zeros_like(result), result * np.log(np.where(at_zero, np.ones_like(result), input))
    )


def exponent_cotangent_of_number(grad: Array, input: Array, other: Array, result: Array) -> Array:
    """`exponent_cotangent` for a number as base: real powers of 0 are 0 or 1 where the exponent is at least 0."""
    at_zero = (input == 0) & (other.real >= 0 if is_complex(other) else result <= 1)
    return grad * (result * np.where(at_zero, 0, np.log(input)))


def bases_and_exponents(input: Tensor, exponent: Tensor | float) -> tuple[Array, ...]:
    """Type promotion of powers; RuntimeError for integers to a number that is negative or too large."""
    arrays = arithmetic(input, exponent)
    if arrays is NotImplemented or arrays[0].dtype.kind not in "biu":
        return arrays
    if arrays[0].dtype.kind == "b":
        raise refused(missing("pow", arrays[0].dtype), arrays)
    if isinstance(exponent, TensorBase):
        return without_fractions(*arrays)
    if exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    checked_number(exponent, arrays[0].dtype)
    return arrays


def without_fractions(x: Array, y: Array) -> tuple[Array, ...]:
    """Integer operands without negative exponents: there, the base becomes the power, truncated to an integer."""
    negative = y < 0
    if isinstance(y, np.ndarray) and not np.any(negative):
        return x, y
    powers = np.where((x == 1) | ((x == -1) & (y & 1 == 0)), 1, np.where(x == -1, -1, 0)).astype(x.dtype)
    return np.where(negative, powers, x), np.where(negative, 1, y)


def is_infinite(x: Array) -> Array:
    """Whether the real or imaginary part of each complex number is infinite."""
    return np.isinf(x.real) | np.isinf(x.imag)


def direction(x: Array) -> Any:
    """The real and imaginary parts of complex numbers; those of infinite numbers become the direction: 0, 1 or -1."""
    infinite = is_infinite(x)
    return [np.where(infinite, np.copysign(np.isinf(p), p), np.nan_to_num(p, nan=0.0)) for p in (x.real, x.imag)]


def product_in_c(x: Array, y: Array) -> Array:
    """The product of complex numbers by C's rules: products with infinity are infinite, while NumPy's are NaN."""
    product = x * y
    lost = np.isnan(product.real) & np.isnan(product.imag) & (is_infinite(x) | is_infinite(y))
    if not np.any(lost):
        return product
    (a, b), (c, d) = direction(x), direction(y)
    parts = np.stack([a * c - b * d, a * d + b * c], -1) * np.inf
    return np.where(lost, parts.astype(product.real.dtype).view(product.dtype)[..., 0], product)


def powers(x: Any, y: Array) -> Any:
    """`x**y`; for complex numbers exp(y log x), as in C, except that x**0 and 1**y are 1."""
    if not isinstance(x, np.ndarray) or x.dtype.kind != "c":
        return x**y
    return np.where((y == 0) | (x == 1), np.ones_like(x), np.exp(product_in_c(y, np.log(x))))


def powers_by_number(x: Array, y: Array) -> Array:
    """Each element to the power of a number."""
    if not isinstance(x, np.ndarray) or x.dtype.kind != "c":
        return x**y
    short_cut = SHORT_CUTS.get(y.item()) if np.ndim(y) == 0 else None
    return powers(x, y) if short_cut is None else short_cut(x)


_pow = binary(
    "pow",
    powers_by_number,
    lambda grad, input, other: power_cotangent(grad, input, other),
    promote=rounding(bases_and_exponents),
    layout="elementwise of tensors",
    methods=False,
    series=recurrence(recurrences.power),
    saved_as={"other": "exponent"},
)
_pow_tensor = binary(
    "pow_tensor",
    powers,
    lambda grad, input, other, result: power_cotangent(grad, input, other),
    exponent_cotangent,
    promote=rounding(bases_and_exponents),
    node="PowBackward1",
    base_node="PowBackward2",
    aten="pow",
    saved_as={"other": "exponent"},
    methods=False,
    numbers="either",
    base_options={
        "layout": "contiguous",
        "slopes": {"other": "elementwise, result before other"},
        "other": exponent_cotangent_of_number,
    },
    slopes={"input": "elementwise, other first"},
)


@method
def pow(input: Operand, exponent: Operand, *, out: Tensor | None = None) -> Tensor:
    """`input**exponent`, element by element; either may be a number.

    RuntimeError for integers to the power of a negative number. With negative exponents in an integer tensor, the
    result
    is 0, except for bases of 1 and -1.

    >>> import rushlight as torch
    >>> torch.pow(torch.tensor([1.0, 2.0, 3.0]), 2), torch.pow(2, torch.tensor([1.0, 2.0]))
    (tensor([1., 4., 9.]), tensor([2., 4.]))
    """
    if of_bools(input, exponent):
        return input.bitwise_or(not exponent, out=out)  # type: ignore[union-attr, call-overload]  # it is a tensor
    return (_pow_tensor if isinstance(exponent, TensorBase) else _pow)(input, exponent, out=out)


@method
def pow_(self: Tensor, exponent: Operand) -> Tensor:
    """`pow`, in place."""
    if of_bools(self, exponent):
        return self.bitwise_or_(not exponent)
    return change_binary(TABLE["pow_tensor" if isinstance(exponent, TensorBase) else "pow"], self, exponent)


def of_bools(base: Any, exponent: Any) -> bool:
    """Whether a bool tensor is raised to a Python bool: that is allowed, while powers of two bool tensors are not."""
    return type(exponent) is bool and isinstance(base, TensorBase) and base._array.dtype == bool


@method
def float_power(
    input: Tensor | float | complex, exponent: Tensor | float | complex, *, out: Tensor | None = None
) -> Tensor:
    """`pow` computed in float64, or in complex128 where an operand is complex.

    >>> import rushlight as torch
    >>> torch.float_power(torch.tensor([2, 3]), -1)
    tensor([0.5000, 0.3333], dtype=torch.float64)
    """
    if not isinstance(input, TensorBase) and not isinstance(exponent, TensorBase):
        return refuse("float_power", "input", 1, input)
    complex_operand = any(is_complex(value) for value in (input, exponent))
    dtype = complex128 if complex_operand else float64
    base, power = (x.to(dtype) if isinstance(x, TensorBase) else x for x in (input, exponent))
    if not isinstance(base, TensorBase):
        base = complex(base) if complex_operand else float(base)  # type: ignore[arg-type]  # no complex number here
    result = pow(base, power)
    return result if out is None else write_out("float_power", out, result, input, exponent)


def float_power_(self: Tensor, exponent: Tensor | float | complex) -> Tensor:
    """`float_power`, in place. RuntimeError unless the tensor has the result's dtype, float64 or complex128."""
    dtype = complex128 if is_complex(self) or is_complex(exponent) else float64
    if self.dtype is not dtype:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {TYPE_NAMES[self.dtype]} but the operation's result requires "
            f"dtype {TYPE_NAMES[dtype]}. Convert it with .to() first, or use float_power."
        )
    return change(self, float_power, exponent)


method(float_power_)
Tensor.__pow__ = as_method(pow, "__pow__")
Tensor.__rpow__ = lambda self, other: pow(other, self)
Tensor.__ipow__ = Tensor.pow_
