"""Elementwise operators and activations."""

import math
from typing import Any

import numpy as np

from rushlight.onnx.graph import Graph, element_type
from rushlight.onnx.operators.table import TRANSLATIONS, Operand, number, numbers, translates

UNARY = """
abs:Abs acos:Acos acosh:Acosh alias:Identity alias_copy:Identity array():Identity ascontiguousarray():Identity
asin:Asin asinh:Asinh atan:Atan atanh:Atanh ceil:Ceil clone:Identity copy_of():Identity cos:Cos cosh:Cosh erf:Erf
exp:Exp floor:Floor hardswish:HardSwish isinf:IsInf isnan:IsNaN log:Log mish:Mish neg:Neg own:Identity
reciprocal:Reciprocal relu:Relu round:Round sgn:Sign sigmoid:Sigmoid sign:Sign sin:Sin sinh:Sinh sqrt:Sqrt tan:Tan
tanh:Tanh
"""
BINARY = """
add:Add clamp_max_tensor:Min
clamp_min_tensor:Max div:Div eq:Equal fmax:Max fmin:Min ge:GreaterOrEqual gt:Greater le:LessOrEqual lt:Less maximum:Max
minimum:Min mul:Mul pow:Pow pow_tensor:Pow sub:Sub
"""
TRUTHS = "logical_and:And logical_not:Not logical_or:Or logical_xor:Xor"


def unary(kind: str) -> Any:
    """A translation to a node with one operand."""
    return lambda g, input, *options: g.node(kind, input)


def binary(kind: str) -> Any:
    """A translation to a node with two operands."""
    return lambda g, *operands: g.node(kind, *numbers(*operands))


def on_truths(kind: str) -> Any:
    """A translation to a node on booleans."""
    return lambda g, *operands: g.node(kind, *[truth(g, one) for one in numbers(*operands)])


def on_bits(kind: str) -> Any:
    """A translation to a node on bits, or for booleans to one on these."""

    def translate(g: Graph, *operands: Any) -> Any:
        given = numbers(*operands)
        return g.node(kind if given[0].dtype == bool else f"Bitwise{kind}", *given)

    return translate


def truth(g: Any, value: Any) -> Any:
    """A value converted to booleans."""
    return value if value.dtype == bool else g.node("Cast", value, to=element_type(bool))


for _word in UNARY.split():
    TRANSLATIONS[_word.split(":")[0]] = unary(_word.split(":")[1])
for _word in BINARY.split():
    TRANSLATIONS[_word.split(":")[0]] = binary(_word.split(":")[1])
for _word in TRUTHS.split():
    TRANSLATIONS[_word.split(":")[0]] = on_truths(_word.split(":")[1])


for _kind in ("And", "Or", "Xor", "Not"):
    TRANSLATIONS[f"bitwise_{_kind.lower()}"] = on_bits(_kind)


@translates("round_decimals")
def round_decimals(g: Graph, input: Operand, decimals: int) -> Any:
    factor = number(10.0**decimals, input)
    return g.node("Div", g.node("Round", g.node("Mul", input, factor)), factor)


@translates("add_scaled")
def add_scaled(g: Graph, input: Operand, other: Operand, alpha: float) -> Any:
    input, other = numbers(input, other)
    return g.node("Add", input, g.node("Mul", other, np.asarray(alpha, input.dtype)))


TRANSLATIONS["sub_scaled"] = lambda g, input, other, alpha: add_scaled(g, input, other, -alpha)


@translates("rsub")
def rsub(g: Graph, input: Operand, other: Operand) -> Any:
    input, other = numbers(input, other)
    return g.node("Sub", other, input)


@translates("ne")
def ne(g: Graph, input: Operand, other: Operand) -> Any:
    return g.node("Not", g.node("Equal", *numbers(input, other)))


@translates("addcmul")
def addcmul(g: Graph, input: Operand, tensor1: Operand, tensor2: Operand, value: Any) -> Any:
    product = g.node("Mul", tensor1, tensor2)
    return g.node("Add", input, g.node("Mul", product, number(value, tensor1)))


@translates("addcdiv")
def addcdiv(g: Graph, input: Operand, tensor1: Operand, tensor2: Operand, value: Any) -> Any:
    ratio = g.node("Div", tensor1, tensor2)
    return g.node("Add", input, g.node("Mul", ratio, number(value, tensor1)))


@translates("lerp", "lerp_tensor")
def lerp(g: Graph, input: Operand, end: Operand, weight: Operand) -> Any:
    return g.node("Add", input, g.node("Mul", number(weight, input), g.node("Sub", end, input)))


@translates("fmod")
def fmod(g: Graph, input: Operand, other: Operand) -> Any:
    return g.node("Mod", *numbers(input, other), fmod=1)


@translates("remainder")
def remainder(g: Graph, input: Operand, other: Operand) -> Any:
    input, other = numbers(input, other)
    if input.dtype.kind in "iu":
        return g.node("Mod", input, other)
    return g.node("Sub", input, g.node("Mul", g.node("Floor", g.node("Div", input, other)), other))


@translates("div_floor", "floor_divide")
def div_floor(g: Graph, input: Operand, other: Operand) -> Any:
    input, other = numbers(input, other)
    if input.dtype.kind in "iu":
        rest = g.node("Mod", input, other)
        return g.node("Div", g.node("Sub", input, rest), other)
    return g.node("Floor", g.node("Div", input, other))


@translates("div_trunc")
def div_trunc(g: Graph, input: Operand, other: Operand) -> Any:
    input, other = numbers(input, other)
    ratio = g.node("Div", input, other)
    return ratio if input.dtype.kind in "iu" else trunc(g, ratio)


@translates("trunc")
def trunc(g: Graph, input: Operand) -> Any:
    return g.node("Mul", g.node("Sign", input), g.node("Floor", g.node("Abs", input)))


@translates("frac")
def frac(g: Graph, input: Operand) -> Any:
    return g.node("Sub", input, trunc(g, input))


@translates("hypot")
def hypot(g: Graph, input: Operand, other: Operand) -> Any:
    input, other = numbers(input, other)
    return g.node("Sqrt", g.node("Add", g.node("Mul", input, input), g.node("Mul", other, other)))


@translates("xlogy")
def xlogy(g: Graph, input: Operand, other: Operand) -> Any:
    """Where the first operand is 0, the logarithm counts nothing unless the other is NaN."""
    input, other = numbers(input, other)
    zero, one = np.asarray(0, input.dtype), np.asarray(1, other.dtype)
    unused = g.node("And", g.node("Equal", input, zero), g.node("Not", g.node("IsNaN", other)))
    return g.node("Mul", input, g.node("Log", g.node("Where", unused, one, other)))


@translates("square")
def square(g: Graph, input: Operand) -> Any:
    return g.node("Mul", input, input)


@translates("rsqrt")
def rsqrt(g: Graph, input: Operand) -> Any:
    return g.node("Reciprocal", g.node("Sqrt", input))


@translates("exp2")
def exp2(g: Graph, input: Operand) -> Any:
    return g.node("Pow", number(2, input), input)


@translates("expm1")
def expm1(g: Graph, input: Operand) -> Any:
    return g.node("Sub", g.node("Exp", input), number(1, input))


@translates("log1p")
def log1p(g: Graph, input: Operand) -> Any:
    return g.node("Log", g.node("Add", input, number(1, input)))


@translates("log2")
def log2(g: Graph, input: Operand) -> Any:
    return g.node("Mul", g.node("Log", input), number(1 / math.log(2), input))


@translates("log10")
def log10(g: Graph, input: Operand) -> Any:
    return g.node("Mul", g.node("Log", input), number(1 / math.log(10), input))


@translates("erfc")
def erfc(g: Graph, input: Operand) -> Any:
    return g.node("Sub", number(1, input), g.node("Erf", input))


@translates("clamp", "hardtanh")
def clamp(g: Graph, input: Operand, low: Any, high: Any) -> Any:
    return g.node("Clip", input, *[None if one is None else number(one, input) for one in (low, high)])


@translates("clamp_min")
def clamp_min(g: Graph, input: Operand, low: Any) -> Any:
    return g.node("Max", input, number(low, input))


@translates("clamp_max")
def clamp_max(g: Graph, input: Operand, high: Any) -> Any:
    return g.node("Min", input, number(high, input))


@translates("clamp_tensors")
def clamp_tensors(g: Graph, input: Operand, low: Any, high: Any) -> Any:
    return g.node("Min", g.node("Max", input, low), high)


@translates("where")
def where(g: Graph, condition: Operand, input: Operand, other: Operand) -> Any:
    return g.node("Where", condition, *numbers(input, other))


@translates("masked_fill", "masked_fill_tensor")
def masked_fill(g: Graph, input: Operand, mask: Operand, value: Any) -> Any:
    return g.node("Where", mask, number(value, input), input)


@translates("to_copy", "cast()")
def cast(g: Graph, input: Operand, dtype: Any, format: Any = None) -> Any:
    return g.node("Cast", input, to=element_type(dtype))


@translates("biases()")
def biases(g: Graph, mask: Operand, dtype: Any) -> Any:
    """0 where a mask is true, else minus infinity."""
    return g.node("Where", mask, np.asarray(0, dtype), np.asarray(-np.inf, dtype))


@translates("nan_to_num")
def nan_to_num(g: Graph, input: Operand, nan: float | None, posinf: float | None, neginf: float | None) -> Any:
    limits = np.finfo(input.dtype)
    high, low = (limits.max if posinf is None else posinf), (limits.min if neginf is None else neginf)
    made = g.node("Where", g.node("IsNaN", input), number(nan or 0.0, input), input)
    made = g.node("Where", g.node("IsInf", input, detect_negative=0), number(high, input), made)
    return g.node("Where", g.node("IsInf", input, detect_positive=0), number(low, input), made)


@translates("silu")
def silu(g: Graph, input: Operand) -> Any:
    return g.node("Mul", input, g.node("Sigmoid", input))


@translates("gelu")
def gelu(g: Graph, input: Operand, approximate: str) -> Any:
    one, half = number(1, input), number(0.5, input)
    if approximate == "tanh":
        cube = g.node("Mul", input, g.node("Mul", input, input))
        inner = g.node("Add", input, g.node("Mul", cube, number(0.044715, input)))
        share = g.node("Tanh", g.node("Mul", inner, number(math.sqrt(2 / math.pi), input)))
    else:
        share = g.node("Erf", g.node("Mul", input, number(math.sqrt(0.5), input)))
    return g.node("Mul", g.node("Mul", input, half), g.node("Add", share, one))


@translates("leaky_relu")
def leaky_relu(g: Graph, input: Operand, slope: float) -> Any:
    return g.node("LeakyRelu", input, alpha=float(slope))


@translates("elu", "celu")
def elu(g: Graph, input: Operand, alpha: float, scale: float, rate: float) -> Any:
    below = g.node("Sub", g.node("Exp", g.node("Mul", input, number(rate, input))), number(1, input))
    below = g.node("Mul", below, number(alpha * scale, input))
    above = g.node("Mul", input, number(scale, input))
    return g.node("Where", g.node("Greater", input, number(0, input)), above, below)


@translates("softplus")
def softplus(g: Graph, input: Operand, beta: float, threshold: float) -> Any:
    steep = g.node("Mul", input, number(beta, input))
    soft = g.node("Div", g.node("Softplus", steep), number(beta, input))
    return g.node("Where", g.node("Greater", steep, number(threshold, input)), input, soft)


@translates("hardsigmoid")
def hardsigmoid(g: Graph, input: Operand) -> Any:
    return g.node("HardSigmoid", input, alpha=1 / 6, beta=0.5)


@translates("log_sigmoid")
def log_sigmoid(g: Graph, input: Operand) -> Any:
    return g.node("Neg", g.node("Softplus", g.node("Neg", input)))


@translates("softshrink")
def softshrink(g: Graph, input: Operand, lambd: float) -> Any:
    return g.node("Shrink", input, lambd=float(lambd), bias=float(lambd))


@translates("hardshrink")
def hardshrink(g: Graph, input: Operand, lambd: float) -> Any:
    return g.node("Shrink", input, lambd=float(lambd), bias=0.0)


@translates("threshold")
def threshold(g: Graph, input: Operand, threshold: float, value: Any) -> Any:
    return g.node("Where", g.node("Greater", input, number(threshold, input)), input, number(value, input))


@translates("prelu")
def prelu(g: Graph, input: Operand, weight: Operand) -> Any:
    return g.node("PRelu", input, weight)


@translates("glu")
def glu(g: Graph, input: Operand, dim: int) -> Any:
    first, second = g.node("Split", input, axis=dim, num_outputs=2, outputs=2)
    return g.node("Mul", first, g.node("Sigmoid", second))
