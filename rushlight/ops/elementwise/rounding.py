"""Rounding, remainders, signs, and the mantissa and exponent of floating-point numbers."""

import math
from typing import Any

import numpy as np

from rushlight import return_types
from rushlight.core.aliases import Array
from rushlight.core.batching import elementwise
from rushlight.core.fusion import fused
from rushlight.core.graph import TensorBase
from rushlight.core.kinds import LARGEST, kind_of
from rushlight.core.operators import Operator
from rushlight.core.operators import binary as call_binary
from rushlight.dtypes import arithmetic, floating
from rushlight.kernels.casts import converted
from rushlight.ops.arguments.promotion import is_complex, missing, no_zero, only, real, rounding
from rushlight.ops.elementwise.arithmetic import floored
from rushlight.ops.elementwise.logic import of_integers
from rushlight.ops.elementwise.selection import _keep, ratio, times_each
from rushlight.ops.out import write_out
from rushlight.ops.table import (
    TABLE,
    Binary,
    Unary,
    alias,
    binary,
    in_place,
    method,
    no_derivative,
    operator,
    refuse,
    unary,
)
from rushlight.tensors import Tensor

__all__ = [
    "ceil",
    "copysign",
    "fix",
    "floor",
    "floor_divide",
    "fmod",
    "frac",
    "frexp",
    "gcd",
    "lcm",
    "ldexp",
    "nan_to_num",
    "nextafter",
    "remainder",
    "round",
    "sgn",
    "sign",
    "trunc",
]

# to integers


def rounding_function(name: str, ufunc: Any, doc: str, complex_error: bool = True) -> Unary:
    """Registers a rounding function, whose derivative is zero; integers are returned unchanged."""
    promote = only("iufc", f"{name}_vml_cpu")
    if complex_error:
        promote = real(f"{name} is not supported for complex inputs", promote, NotImplementedError)
    return unary(name, ufunc, lambda grad: np.zeros_like(grad), doc, promote=promote)


ceil: Unary = rounding_function(
    "ceil",
    np.ceil,
    """Each element rounded up to an integer.

    >>> import rushlight as torch
    >>> torch.ceil(torch.tensor([1.2, -1.2]))
    tensor([ 2., -1.])
    """,
)
floor: Unary = rounding_function(
    "floor",
    np.floor,
    """Each element rounded down to an integer.

    >>> import rushlight as torch
    >>> torch.floor(torch.tensor([1.2, -1.2]))
    tensor([ 1., -2.])
    """,
)
trunc: Unary = rounding_function(
    "trunc",
    np.trunc,
    """Each element rounded towards zero.

    >>> import rushlight as torch
    >>> torch.trunc(torch.tensor([1.7, -1.7]))
    tensor([ 1., -1.])
    """,
)
frac: Unary = unary(
    "frac",
    lambda x: x - np.trunc(x),
    lambda grad: grad,
    """The fraction of each element, with its sign.

    >>> import rushlight as torch
    >>> torch.frac(torch.tensor([1.25, -1.25]))
    tensor([ 0.2500, -0.2500])
    """,
    promote=only("f", "frac_cpu"),
)
fix: Unary = alias("fix", trunc)


def rounded(x: Array, decimals: Any) -> Any:
    """`x` rounded to a number of decimals; halves go to the even neighbour."""
    if decimals == 0:
        return np.rint(x) if kind_of(x.dtype) == "f" else x.copy()
    scale = math.pow(10, abs(decimals))
    return np.rint(x * scale) / scale if decimals > 0 else np.rint(x / scale) * scale


@operator(input=lambda grad: np.zeros_like(grad), promote=only("iuf", "round_vml_cpu"), broadcasts=True)
def _round(input: Array, decimals: int) -> Array:
    return rounded(input, decimals)


@operator(
    aten="round",
    input=lambda grad: np.zeros_like(grad),
    node="RoundBackward1",
    promote=only("f", "round_cpu"),
    broadcasts=True,
)
def _round_decimals(input: Array, decimals: int) -> Array:
    return rounded(input, decimals)


@in_place
@method
def round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """Each element rounded to an integer or to `decimals` decimals; halves go to the even neighbour.

    >>> import rushlight as torch
    >>> torch.round(torch.tensor([0.5, 1.5, 2.7])), torch.round(torch.tensor([0.126]), decimals=2)
    (tensor([0., 2., 3.]), tensor([0.1300]))
    """
    if not isinstance(input, TensorBase):
        return refuse("round", "input", 1, input)
    result = _round_decimals(input, decimals) if decimals else _round(input, 0)
    return result if out is None else write_out("round", out, result, input)


# quotients and remainders


def remainders(name: str, ufunc: Any, quotient: Any, doc: str, numbers: str = "other") -> Any:
    """Registers `input - other * quotient(input, other)` and returns its public function."""
    return binary(
        name,
        ufunc,
        lambda grad: grad,
        lambda grad, input, other: -grad * quotient(input, other),
        doc,
        promote=rounding(no_zero(only("iuf", f"{name}_cpu"))),
        node=f"{name.capitalize()}Backward1",
        number_node=f"{name.capitalize()}Backward0",
        base_node=f"{name.capitalize()}Backward1" if numbers == "either" else "",
        numbers=numbers,
    )


fmod: Any = remainders(
    "fmod",
    np.fmod,
    TABLE["div_trunc"],
    """The remainder of a division that is rounded towards zero: it has the sign of `input`.

    >>> import rushlight as torch
    >>> torch.fmod(torch.tensor([-3.0, 3.0]), 2)
    tensor([-1.,  1.])
    """,
)


def rounded_down(x: Array, y: Array) -> Any:
    """The remainder of floor division; a remainder of 0 has the sign of `x`."""
    result = np.remainder(x, y)
    return np.where(result == 0, x * 0, result) if kind_of(result.dtype) == "f" else result


remainder: Any = remainders(
    "remainder",
    rounded_down,
    TABLE["div_floor"],
    """The remainder of a division that is rounded down, as Python's `%`: it has the sign of `other`.

    RuntimeError where integers are divided by 0.

    >>> import rushlight as torch
    >>> torch.remainder(torch.tensor([-3.0, 3.0]), 2), 7 % torch.tensor([4, -4])
    (tensor([1., 1.]), tensor([ 3, -1]))
    """,
    numbers="either",
)
floor_divide: Binary = binary(
    "floor_divide",
    floored,
    no_derivative("floor_divide"),
    no_derivative("floor_divide"),
    """The quotient rounded down, as Python's `//`. Not differentiable; `div(rounding_mode="floor")` is.

    >>> import rushlight as torch
    >>> torch.floor_divide(torch.tensor([7, -7]), 2)
    tensor([ 3, -4])
    """,
    node="NotImplemented",
    number_node="NotImplemented",
    base_node="NotImplemented",
    promote=no_zero(only("iuf", "div_floor_cpu")),
    converts=True,
    numbers="either",
)


def overload(name: str, other: Any) -> Operator:
    """The operator of a name for a tensor or for a number as the other operand."""
    return TABLE[name if isinstance(other, TensorBase) else f"{name}_number"]


Tensor.__mod__ = lambda self, other: call_binary(overload("remainder", other), self, other)
Tensor.__rmod__ = lambda self, other: remainder(other, self)
Tensor.__imod__ = Tensor.remainder_
Tensor.__floordiv__ = lambda self, other: call_binary(overload("floor_divide", other), self, other)
Tensor.__rfloordiv__ = lambda self, other: floor_divide(other, self)
Tensor.__ifloordiv__ = Tensor.floor_divide_

gcd: Binary = binary(
    "gcd",
    of_integers(np.gcd, "gcd_cpu"),
    doc="""The greatest common divisor of two integers.

    >>> import rushlight as torch
    >>> torch.gcd(torch.tensor([12, 7]), torch.tensor([18, 3]))
    tensor([6, 1])
    """,
    promote=only("iu", "gcd_cpu"),
    numbers="",
)
lcm: Binary = binary(
    "lcm",
    of_integers(np.lcm, "lcm_cpu"),
    doc="""The least common multiple of two integers.

    >>> import rushlight as torch
    >>> torch.lcm(torch.tensor([4, 7]), torch.tensor([6, 3]))
    tensor([12, 21])
    """,
    promote=only("iu", "lcm_cpu"),
    numbers="",
)

# signs


def one_zero(grad: Array) -> Any:
    """A zero in place of each number, which share their memory; zeros like an array that is not NumPy's."""
    shape: Any = grad.shape  # what takes arrays in parts, or records steps, knows none
    if isinstance(grad, Tensor) and type(grad._array) is np.ndarray:
        return grad.new_zeros(()).expand(shape)
    return np.broadcast_to(np.zeros((), grad.dtype), shape) if type(grad) is np.ndarray else np.zeros_like(grad)


def sgn_cotangent(grad: Array, input: Array, result: Array) -> Any:
    """The gradient of `sgn`: one 0 repeated for real numbers; for complex ones that of `x / |x|`, taken as 0 at 0."""
    if not is_complex(input):
        return one_zero(grad)
    return ratio(grad - result * result * np.conjugate(grad), 2 * np.absolute(input))


def signs(x: Array) -> Any:
    """The sign of each number, 0 for NaN; for complex numbers x / |x|, NaN for infinite ones."""
    if x.dtype.kind == "b":
        return x.copy()
    if x.dtype.kind == "c":
        size = np.absolute(x)
        return np.divide(x, size, out=np.zeros_like(x), where=size != 0)
    return np.sign(x) if kind_of(x.dtype) != "f" else np.where(np.isnan(x), x.dtype.type(0), np.sign(x))


sign: Unary = unary(
    "sign",
    signs,
    lambda grad: np.zeros_like(grad),
    """The sign of each element: -1, 0 or 1.

    >>> import rushlight as torch
    >>> torch.sign(torch.tensor([-2.0, 0.0, 3.0]))
    tensor([-1.,  0.,  1.])
    """,
    promote=real(
        "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.",
        error=NotImplementedError,
    ),
)
sgn: Unary = unary(
    "sgn",
    signs,
    sgn_cotangent,
    """The sign of each element; of complex ones the direction, of length 1 or 0.

    >>> import rushlight as torch
    >>> torch.sgn(torch.tensor([3.0+4.0j, 0.0]))
    tensor([0.6000+0.8000j, 0.0000+0.0000j])
    """,
    promote=arithmetic,
    holomorphic=False,
)


def copysign_cotangent(grad: Array, input: Array, result: Array) -> Array:
    """`grad` where the sign was kept, `-grad` where it changed; 0 at 0."""
    return grad * ratio(result, input)


copysign: Binary = binary(
    "copysign",
    lambda x, y: np.copysign(np.absolute(x), y),  # two steps, of which a loop is made
    copysign_cotangent,
    lambda grad: np.zeros_like(grad),
    """The absolute value of `input` with the sign of `other`.

    >>> import rushlight as torch
    >>> torch.copysign(torch.tensor([1.0, -2.0]), -0.0)
    tensor([-1., -2.])
    """,
    promote=only("f", "copysign_cpu", floating),
    number_node="CopysignBackward1",
)

# mantissas and exponents

nextafter: Binary = binary(
    "nextafter",
    np.nextafter,
    lambda grad, input, other: _keep(input != other, grad),
    lambda grad: np.zeros_like(grad),
    """The next floating-point number after `input` towards `other`. The gradient goes to `input` where it changes.

    >>> import rushlight as torch
    >>> torch.nextafter(torch.tensor([1.0]), torch.tensor([2.0]))
    tensor([1.0000])
    """,
    promote=rounding(only("f", "nextafter_cpu")),
    converts=True,
    numbers="",
)


EXTREMES = (np.minimum, np.maximum)


@fused
def times_power(x: Array, exponent: Array) -> Array:
    """x * 2**exponent, where the power alone is in range."""
    return x * np.exp2(exponent)


power_of_two = fused(lambda x: np.exp2(x))


def times_power_in_range(x: Array, exponent: Array) -> Array:
    """`times_power`; the powers of fewer exponents than elements are not computed anew for each element."""
    return times_each(x, power_of_two(exponent)) if exponent.size < x.size else times_power(x, exponent)


def times_power_of_two(x: Array, exponent: Array) -> Array:
    """x * 2**exponent, also where the power alone is out of range and real."""
    if exponent.dtype.kind == "c":
        return x * np.power(2, exponent, dtype=x.dtype)
    most = np.finfo(x.dtype).maxexp - 1  # NumPy's vector code misses 2**127 by its last digit
    bounds = type(exponent) is np.ndarray and [ufunc.reduce(exponent, None, initial=0) for ufunc in EXTREMES]
    if bounds and -most < bounds[0] and bounds[1] < most:
        return times_power_in_range(x, exponent)
    whole = np.floor(np.minimum(np.maximum(exponent, -3 * most), 3 * most))  # beyond, every product is 0 or infinite
    part = np.where(np.isinf(exponent), exponent, exponent - np.floor(exponent))
    return np.ldexp(x * np.exp2(part), whole.astype(np.int32))


def base_and_power(input: Tensor, other: Any) -> Array | tuple[Array, ...]:
    """Type promotion of `ldexp`; NotImplementedError for a float base with a bool exponent."""
    if isinstance(other, TensorBase) and other._array.dtype.kind == "b" and input._array.dtype.kind == "f":
        raise missing("ldexp_cpu_exp", other._array.dtype)
    return floating(input, other)


ldexp: Binary = binary(
    "ldexp",
    times_power_of_two,
    lambda grad, other: TABLE["ldexp"](grad, other),
    lambda grad, result: grad * result * math.log(2),
    """`input * 2**other`.

    >>> import rushlight as torch
    >>> torch.ldexp(torch.tensor([1.0]), torch.tensor([3]))
    tensor([8.])
    """,
    promote=base_and_power,
    numbers="",
)


over_real_power = fused(lambda x, exponent: x / np.exp2(exponent))


def over_power(x: Array, exponent: Array) -> Array:
    """x / 2**exponent, for an exponent of integers."""
    exponent = converted(exponent, x.dtype) if type(x) is np.ndarray else exponent.astype(x.dtype)
    return over_real_power(x, exponent)


@operator(
    layout="elementwise",
    batch=elementwise,
    input=lambda grads, result1: over_power(grads[0], result1),
    nondifferentiable=(1,),
)
def _frexp(input: Array) -> tuple[Array, Array]:
    return np.frexp(input)


@method
def frexp(input: Tensor, *, out: tuple[Tensor, Tensor] | None = None) -> return_types.frexp:
    """Splits each element into a mantissa from 1/2 to 1 and an integer exponent: `input = mantissa * 2**exponent`.

    >>> import rushlight as torch
    >>> mantissa, exponent = torch.frexp(torch.tensor([6.0]))
    >>> mantissa, exponent
    (tensor([0.7500]), tensor([3], dtype=torch.int32))
    """
    if kind_of(input._array.dtype) != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    results = _frexp(input)
    return return_types.frexp(results if out is None else write_out("frexp", out, results, input))


@operator(
    input=lambda grad, input: _keep(np.isfinite(input), grad),
    promote=arithmetic,
    slopes={"input": "elementwise of tensors"},
    broadcasts=True,
)
def _nan_to_num(input: Array, nan: Any, posinf: Any, neginf: Any) -> Array:
    if input.dtype.kind == "c":
        return np.nan_to_num(input, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)
    if kind_of(input.dtype) != "f":
        return input.copy()
    finite = np.where(input == np.inf, posinf, np.where(input == -np.inf, neginf, input))
    return np.where(np.isnan(input), nan or 0, finite)


@in_place
@method
def nan_to_num(
    input: Tensor,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Replaces NaN by `nan` (0), infinities by `posinf` and `neginf` (by default the dtype's maximum and minimum).

    >>> import rushlight as torch
    >>> torch.nan_to_num(torch.tensor([float("nan"), 1.0, float("inf")]), posinf=9.0)
    tensor([0., 1., 9.])
    """
    if kind_of(input._array.dtype) == "f":
        largest = LARGEST[input._array.dtype]
        posinf, neginf = largest if posinf is None else posinf, -largest if neginf is None else neginf
    result = _nan_to_num(input, 0.0 if nan is None else nan, posinf, neginf)
    return result if out is None else write_out("nan_to_num", out, result, input)
