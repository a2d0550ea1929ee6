"""The elementary functions: exponentials, logarithms, roots, trigonometric and hyperbolic functions."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.inplace import change
from rushlight.dtypes import arithmetic, floating
from rushlight.ops.arguments.promotion import is_complex, only, real
from rushlight.ops.derivatives import recurrences
from rushlight.ops.derivatives.series import recurrence
from rushlight.ops.elementwise.selection import _where, ratio, side
from rushlight.ops.table import TABLE, Binary, Unary, alias, binary, method, unary
from rushlight.tensors import Tensor

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "deg2rad",
    "exp",
    "exp2",
    "expm1",
    "hypot",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "positive",
    "rad2deg",
    "reciprocal",
    "rsqrt",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
]

LOG2, LOG10 = math.log(2), math.log(10)
SINC_TERMS = 9  # terms of the series of sin(x) / x, enough for |x| < π / 4 up to the fourth derivative
SINC_SLOPES = [(-1) ** k * 2 * k / math.factorial(2 * k + 1) for k in range(1, SINC_TERMS + 1)]  # of its derivative

# exponentials and logarithms

exp: Unary = unary(
    "exp",
    np.exp,
    lambda grad, result: grad * result,
    """e to the power of each element.

    >>> import rushlight as torch
    >>> torch.exp(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 2.7183])
    """,
    series=recurrence(recurrences.exponential),
)
exp2: Unary = unary(
    "exp2",
    lambda x: np.exp(x * LOG2) if x.dtype.kind == "c" else np.exp2(x),
    lambda grad, result: grad * result * LOG2,
    """2 to the power of each element.

    >>> import rushlight as torch
    >>> torch.exp2(torch.tensor([0.0, 3.0]))
    tensor([1., 8.])
    """,
)
expm1: Unary = unary(
    "expm1",
    np.expm1,
    lambda grad, result: grad * (result + 1),
    """`exp(x) - 1` of each element, accurate near 0.

    >>> import rushlight as torch
    >>> torch.expm1(torch.tensor([0.0, 1e-8]))
    tensor([0.0000e+00, 1.0000e-08])
    """,
    series=recurrence(recurrences.exponential_below_one),
)
log: Unary = unary(
    "log",
    np.log,
    lambda grad, input: grad / input,
    """The natural logarithm of each element.

    >>> import rushlight as torch
    >>> torch.log(torch.tensor([1.0, 10.0]))
    tensor([0.0000, 2.3026])
    """,
    series=recurrence(recurrences.logarithm),
)
log1p: Unary = unary(
    "log1p",
    np.log1p,
    lambda grad, input: grad / (input + 1),
    """`log(1 + x)` of each element, accurate near 0.

    >>> import rushlight as torch
    >>> torch.log1p(torch.tensor([0.0, 1e-8]))
    tensor([0.0000e+00, 1.0000e-08])
    """,
    series=recurrence(recurrences.logarithm_above_one),
)
log2: Unary = unary(
    "log2",
    np.log2,
    lambda grad, input: grad / (input * LOG2),
    """The logarithm to base 2 of each element.

    >>> import rushlight as torch
    >>> torch.log2(torch.tensor([1.0, 8.0]))
    tensor([0., 3.])
    """,
)
log10: Unary = unary(
    "log10",
    np.log10,
    lambda grad, input: grad / (input * LOG10),
    """The logarithm to base 10 of each element.

    >>> import rushlight as torch
    >>> torch.log10(torch.tensor([2.0, 5.0]))
    tensor([0.3010, 0.6990])
    """,
)

# roots and powers

sqrt: Unary = unary(
    "sqrt",
    np.sqrt,
    lambda grad, result: grad / (2 * result),
    """The square root of each element.

    >>> import rushlight as torch
    >>> torch.sqrt(torch.tensor([4.0, 2.0]))
    tensor([2.0000, 1.4142])
    """,
    series=recurrence(recurrences.root),
)


def inverse(x: Any) -> Any:
    """1 / x; for a complex 0 the real part is infinite, as in PyTorch."""
    result = np.reciprocal(x)
    if getattr(getattr(x, "dtype", None), "kind", "") != "c":
        return result
    return np.where(x == 0, np.array(complex(np.inf, np.nan), x.dtype), result)


rsqrt: Unary = unary(
    "rsqrt",
    lambda x: inverse(np.sqrt(x)),
    lambda grad, result: -0.5 * grad * result**3,
    """1 / sqrt(x) of each element.

    >>> import rushlight as torch
    >>> torch.rsqrt(torch.tensor([4.0, 16.0]))
    tensor([0.5000, 0.2500])
    """,
)
reciprocal: Unary = unary(
    "reciprocal",
    inverse,
    lambda grad, result: -grad * result * result,
    """1 / x of each element.

    >>> import rushlight as torch
    >>> torch.reciprocal(torch.tensor([2.0, -4.0]))
    tensor([ 0.5000, -0.2500])
    """,
    series=recurrence(recurrences.reciprocal),
)
square: Unary = unary(
    "square",
    np.square,
    lambda grad, input: grad * (2 * input),
    """The square of each element.

    >>> import rushlight as torch
    >>> torch.square(torch.tensor([-1.5, 3.0]))
    tensor([2.2500, 9.0000])
    """,
    promote=lambda x: arithmetic(x, 2)[0],
    node="PowBackward0",
    series=recurrence(recurrences.square),
)
abs: Unary = unary(
    "abs",
    np.absolute,
    lambda grad, input: grad * side(input),
    """The absolute value of each element; its derivative at 0 is 0.

    >>> import rushlight as torch
    >>> torch.abs(torch.tensor([-1.5, 0.0, 2.0]))
    tensor([1.5000, 0.0000, 2.0000])
    """,
    promote=only("iufc", "abs_cpu"),
    holomorphic=False,
    one_byte=True,
    inplace=False,
)


@method
def abs_(self: Tensor) -> Tensor:
    """`abs`, in place. RuntimeError for complex numbers, since their absolute values are real.

    >>> import rushlight as torch
    >>> torch.tensor([-1.0, 2.0]).abs_()
    tensor([1., 2.])
    """
    if is_complex(self):
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    return change(self, abs)


# trigonometric functions

sin: Unary = unary(
    "sin",
    np.sin,
    lambda grad, input: grad * np.cos(input),
    """The sine of each element, in radians.

    >>> import rushlight as torch
    >>> torch.sin(torch.tensor([0.0, 1.5708]))
    tensor([0., 1.])
    """,
    series=recurrence(recurrences.sine),
)
cos: Unary = unary(
    "cos",
    np.cos,
    lambda grad, input: -grad * np.sin(input),
    """The cosine of each element, in radians.

    >>> import rushlight as torch
    >>> torch.cos(torch.tensor([0.0, 3.14159]))
    tensor([ 1., -1.])
    """,
    series=recurrence(recurrences.cosine),
)
tan: Unary = unary(
    "tan",
    np.tan,
    lambda grad, result: grad * (1 + result * result),
    """The tangent of each element, in radians.

    >>> import rushlight as torch
    >>> torch.tan(torch.tensor([0.0, 0.7854]))
    tensor([0.0000, 1.0000])
    """,
    series=recurrence(recurrences.tangent(1)),
)
asin: Unary = unary(
    "asin",
    np.arcsin,
    lambda grad, input: grad / np.sqrt(1 - input * input),
    """The inverse sine of each element.

    >>> import rushlight as torch
    >>> torch.asin(torch.tensor([0.0, 0.5, 1.0]))
    tensor([0.0000, 0.5236, 1.5708])
    """,
)
acos: Unary = unary(
    "acos",
    np.arccos,
    lambda grad, input: -grad / np.sqrt(1 - input * input),
    """The inverse cosine of each element.

    >>> import rushlight as torch
    >>> torch.acos(torch.tensor([1.0, 0.0, -1.0]))
    tensor([0.0000, 1.5708, 3.1416])
    """,
)
atan: Unary = unary(
    "atan",
    np.arctan,
    lambda grad, input: grad / (input * input + 1),
    """The inverse tangent of each element.

    >>> import rushlight as torch
    >>> torch.atan(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7854])
    """,
)


def times(factor: Any) -> Callable[..., Any]:
    """Multiplies by a factor, which is not rounded to half precision first."""
    return lambda x: x * factor if x.dtype.itemsize > 2 else (x * np.float32(factor)).astype(x.dtype)


deg2rad: Unary = unary(
    "deg2rad",
    times(math.pi / 180),
    lambda grad: grad * (math.pi / 180),
    """Converts degrees to radians.

    >>> import rushlight as torch
    >>> torch.deg2rad(torch.tensor([30.0, 90.0]))
    tensor([0.5236, 1.5708])
    """,
    promote=real("deg2rad is not supported for complex tensors.", floating),
)
rad2deg: Unary = unary(
    "rad2deg",
    times(180 / math.pi),
    lambda grad: grad * (180 / math.pi),
    """Converts radians to degrees.

    >>> import rushlight as torch
    >>> torch.rad2deg(torch.tensor([0.5, 1.0]))
    tensor([28.6479, 57.2958])
    """,
    promote=real("rad2deg is not supported for complex tensors.", floating),
)

# hyperbolic functions

sinh: Unary = unary(
    "sinh",
    np.sinh,
    lambda grad, input: grad * np.cosh(input),
    """The hyperbolic sine of each element.

    >>> import rushlight as torch
    >>> torch.sinh(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 1.1752])
    """,
    series=recurrence(recurrences.hyperbolic_sine),
)
cosh: Unary = unary(
    "cosh",
    np.cosh,
    lambda grad, input: grad * np.sinh(input),
    """The hyperbolic cosine of each element.

    >>> import rushlight as torch
    >>> torch.cosh(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 1.5431])
    """,
    series=recurrence(recurrences.hyperbolic_cosine),
)
tanh: Unary = unary(
    "tanh",
    np.tanh,
    lambda grad, result: grad * (1 - result * result),
    """The hyperbolic tangent of each element.

    >>> import rushlight as torch
    >>> torch.tanh(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """,
    series=recurrence(recurrences.tangent(-1)),
)
asinh: Unary = unary(
    "asinh",
    np.arcsinh,
    lambda grad, input: grad / np.sqrt(input * input + 1),
    """The inverse hyperbolic sine of each element.

    >>> import rushlight as torch
    >>> torch.asinh(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8814])
    """,
)
acosh: Unary = unary(
    "acosh",
    np.arccosh,
    lambda grad, input: grad / acosh_slope(input),
    """The inverse hyperbolic cosine of each element.

    >>> import rushlight as torch
    >>> torch.acosh(torch.tensor([1.0, 2.0]))
    tensor([0.0000, 1.3170])
    """,
)
atanh: Unary = unary(
    "atanh",
    np.arctanh,
    lambda grad, input: grad / (1 - input * input),
    """The inverse hyperbolic tangent of each element.

    >>> import rushlight as torch
    >>> torch.atanh(torch.tensor([0.0, 0.5]))
    tensor([0.0000, 0.5493])
    """,
)


def acosh_slope(x: Array) -> Array:
    """1 / (derivative of `acosh`), on the right branch for complex numbers."""
    return np.sqrt(x + 1) * np.sqrt(x - 1) if is_complex(x) else np.sqrt(x * x - 1)


def sine_cardinal(x: Array) -> Array:
    """sin(πx) / πx, and 1 at 0."""
    y = np.pi * x
    return np.where(y == 0, 1, np.sin(y) / y).astype(x.dtype, copy=False)


def sinc_cotangent(grad: Array, input: Array) -> Array:
    """The derivative (cos πx - sinc x) / x; near 0, where that is inaccurate, the first terms of its series."""
    near = np.abs(input) < 0.25
    x = _where(near, np.ones_like(input), np.pi * input)
    y = _where(near, np.pi * input, np.zeros_like(input))
    square, series = y * y, SINC_SLOPES[-1]
    for factor in SINC_SLOPES[-2::-1]:
        series = series * square + factor
    return grad * (np.pi * _where(near, series * y, (np.cos(x) - np.sin(x) / x) / x))


sinc: Unary = unary(
    "sinc",
    sine_cardinal,
    sinc_cotangent,
    """`sin(πx) / πx` of each element, and 1 for 0.

    >>> import rushlight as torch
    >>> torch.sinc(torch.tensor([0.0, 0.5, 1.0]))
    tensor([ 1.0000e+00,  6.3662e-01, -2.7828e-08])
    """,
    slopes={"input": "elementwise, grad last"},
)

# functions of two tensors

atan2: Binary = binary(
    "atan2",
    np.arctan2,
    lambda grad, input, other: angle_cotangent(grad, other, input, other),
    lambda grad, input, other: angle_cotangent(grad, -input, input, other),
    """The angle of the point (other, input), from -π to π; the derivative at (0, 0) is 0.

    >>> import rushlight as torch
    >>> torch.atan2(torch.tensor([1.0, -1.0]), torch.tensor([1.0, 0.0]))
    tensor([ 0.7854, -1.5708])
    """,
    promote=only("f", "atan2_cpu", floating),
    numbers="",
    slopes={"input": "elementwise, other before input", "other": "elementwise of tensors"},
)


def angle_cotangent(grad: Array, side: Array, y: Array, x: Array) -> Array:
    """`grad * side / (x² + y²)`, 0 at the origin."""
    return grad * ratio(side, x * x + y * y)


hypot: Binary = binary(
    "hypot",
    np.hypot,
    lambda grad, input, result: grad * (input / result),
    lambda grad, other, result: grad * (other / result),
    """The length of the vectors (input, other).

    >>> import rushlight as torch
    >>> torch.hypot(torch.tensor([3.0]), torch.tensor([4.0]))
    tensor([5.])
    """,
    promote=only("f", "hypot_cpu"),
    numbers="",
)


def log_of_sum(x: Any, y: Any) -> Any:
    """log(exp(x) + exp(y)) without overflow; for complex numbers, the larger real part is factored out."""
    if x.dtype.kind != "c":
        return np.logaddexp(x, y)
    first = x.real >= y.real
    high, low = np.where(first, x, y), np.where(first, y, x)
    result = high + np.log1p(np.exp(low - high))
    both = np.isinf(x.real) & (x.real == y.real)
    return np.where(both, np.where(x.real < 0, low, np.log(np.exp(x) + np.exp(y))), result) if np.any(both) else result


logaddexp: Binary = binary(
    "logaddexp",
    log_of_sum,
    lambda grad, input, other: grad * TABLE["sigmoid"](input - other),
    lambda grad, input, other: grad * TABLE["sigmoid"](other - input),
    """`log(exp(input) + exp(other))`, without overflow.

    >>> import rushlight as torch
    >>> torch.logaddexp(torch.tensor([1000.0]), torch.tensor([1000.0]))
    tensor([1000.6932])
    """,
    promote=only("fc", "logaddexp_cpu"),
    inplace=False,
    numbers="",
    slopes={"input": "elementwise, other before input", "other": "elementwise of tensors"},
)
logaddexp2: Binary = binary(
    "logaddexp2",
    np.logaddexp2,
    lambda grad, input, other: grad * TABLE["sigmoid"]((input - other) * LOG2),
    lambda grad, input, other: grad * TABLE["sigmoid"]((other - input) * LOG2),
    """`log2(2**input + 2**other)`, without overflow.

    >>> import rushlight as torch
    >>> torch.logaddexp2(torch.tensor([1.0, 1000.0]), torch.tensor([1.0, 1000.0]))
    tensor([   2., 1001.])
    """,
    promote=only("f", "logaddexp2_cpu"),
    inplace=False,
    numbers="",
)


@method
def positive(input: Tensor) -> Tensor:
    """The tensor itself. RuntimeError for bools.

    >>> import rushlight as torch
    >>> torch.positive(torch.tensor([1, -2]))
    tensor([ 1, -2])
    """
    if input._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


Tensor.__pos__ = positive
Tensor.__abs__ = abs
absolute: Unary = alias("absolute", abs)
arccos: Unary = alias("arccos", acos)
arccosh: Unary = alias("arccosh", acosh)
arcsin: Unary = alias("arcsin", asin)
arcsinh: Unary = alias("arcsinh", asinh)
arctan: Unary = alias("arctan", atan)
arctan2: Binary = alias("arctan2", atan2)
arctanh: Unary = alias("arctanh", atanh)
