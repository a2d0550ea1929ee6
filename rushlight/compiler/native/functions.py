"""Vector functions in LLVM IR for NumPy's functions.

exp, log, tanh, expm1 and log1p are polynomials on intervals, after W. Cody and W. Waite, "Software manual for the
elementary functions", 1980, and S. Moshier's Cephes library; they are exact to 2 units in the last place.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.compiler.native.periodic import cosine, sine
from rushlight.compiler.native.vectors import Vectors

LN2 = {  # ln(2) in two parts, the first with few bits
    True: [0.693359375, -2.12194440e-4],
    False: [6.93145751953125e-1, 1.42860682030941723212e-6],
}


def scaled(v: Vectors, x: str, power: str) -> str:
    """x 2**power, in two steps so that results of any magnitude are right."""
    half = v.on_integers("ashr", power, v.integer(1))
    for part in (half, v.on_integers("sub", power, half)):
        x = v.binary("fmul", x, v.power_of_two(part))
    return x


def power_of_e(v: Vectors, x: str) -> tuple[str, str, str]:
    """n (as a float and as an integer) and r of x = n ln(2) + r with |r| <= ln(2) / 2, for x in the range of e**x."""
    most, least = (89.0, -104.0) if v.single else (710.0, -746.0)
    inside = v.select(v.compare("olt", x, v.number(most)), x, v.number(most))
    inside = v.select(v.compare("ogt", inside, v.number(least)), inside, v.number(least))
    n, shifted = v.nearest(inside, 1 / math.log(2))
    power = v.on_integers("sub", shifted, v.bits(v.large()))
    return n, power, v.less_multiple(inside, n, LN2[v.single])


def taylor(v: Vectors, r: str) -> str:
    """e**r."""
    degree = 7 if v.single else 13
    return v.polynomial(r, [1 / math.factorial(k) for k in range(degree, -1, -1)])


def exp(v: Vectors, x: str) -> str:
    """e**x = 2**n e**r, where e**r is a Taylor polynomial."""
    _, power, r = power_of_e(v, x)
    return v.select(v.compare("uno", x, x), x, scaled(v, taylor(v, r), power))


def expm1(v: Vectors, x: str) -> str:
    """2**n (e**r - 1) + (2**n - 1), or e**x where the 1 is negligible."""
    n, power, r = power_of_e(v, x)
    degree, many = (8, 30) if v.single else (14, 60)
    rest = v.polynomial(r, [1 / math.factorial(k) for k in range(degree, 1, -1)])
    rest = v.fused(v.binary("fmul", r, r), rest, r)
    large = scaled(v, v.binary("fadd", rest, v.number(1)), power)
    is_large = v.compare("ogt", n, v.number(many))
    within = v.select(v.compare("olt", n, v.number(-many)), v.number(-many), n)
    within = v.select(is_large, v.number(many), within)
    scale = scaled(v, v.number(1), v.emit(f"fptosi {v.type} {within} to {v.integers}"))
    near = v.fused(scale, rest, v.binary("fsub", scale, v.number(1)))
    return v.call("copysign", v.select(v.compare("uno", x, x), x, v.select(is_large, large, near)), x)


SMALL_TANH = {
    True: ([-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1], [1.0]),
    False: (
        [-9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3],
        [1.0, 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3],
    ),
}


def tanh(v: Vectors, x: str) -> str:
    """x + x**3 a / b near 0, elsewhere 1 - 2 / (e**2|x| + 1) with the sign of x; one division serves both."""
    size = v.call("fabs", x)
    is_near = v.compare("ult", size, v.number(0.625))
    square = v.binary("fmul", x, x)
    above, below = [v.polynomial(square, terms) for terms in SMALL_TANH[v.single]]
    power, r = power_of_e(v, v.binary("fadd", size, size))[1:]
    grown = v.binary("fmul", taylor(v, r), v.power_of_two(power))
    under = v.binary("fadd", grown, v.number(1))
    if v.single:
        ratio, quotient = above, v.binary("fdiv", v.number(2), under)
    else:
        over = v.select(is_near, above, v.number(2))
        ratio = quotient = v.binary("fdiv", over, v.select(is_near, below, under))
    near = v.fused(v.binary("fmul", x, square), ratio, x)
    far = v.binary("fsub", v.number(1), quotient)
    return v.call("copysign", v.select(is_near, near, far), x)


LOG = {
    True: [
        7.0376836292e-2,
        -1.1514610310e-1,
        1.1676998740e-1,
        -1.2420140846e-1,
        1.4249322787e-1,
        -1.6668057665e-1,
        2.0000714765e-1,
        -2.4999993993e-1,
        3.3333331174e-1,
    ],
    False: [
        1.479819860511658591e-1,
        1.531383769920937332e-1,
        1.818357216161805012e-1,
        2.222219843214978396e-1,
        2.857142874366239149e-1,
        3.999999999940941908e-1,
        6.666666666666735130e-1,
    ],
}


def log(v: Vectors, x: str) -> str:
    """log x = n ln 2 + log m with m between sqrt(1/2) and sqrt(2)."""
    smallest, shift, bias, width = (2.0**-126, 2.0**23, 126, 23) if v.single else (2.0**-1022, 2.0**54, 1022, 52)
    is_small = v.compare("olt", x, v.number(smallest))
    grown = v.select(is_small, v.binary("fmul", x, v.number(shift)), x)
    bits = v.bits(grown)
    exponent = v.on_integers("sub", v.on_integers("lshr", bits, v.integer(width)), v.integer(bias))
    mantissa = v.on_integers("and", bits, v.integer((1 << width) - 1))
    m = v.from_bits(v.on_integers("or", mantissa, v.bits(v.number(0.5))))
    n = v.emit(f"sitofp {v.integers} {exponent} to {v.type}")
    n = v.binary("fsub", n, v.select(is_small, v.number(math.log2(shift)), v.number(0)))
    is_low = v.compare("olt", m, v.number(math.sqrt(0.5)))
    m = v.binary("fadd", m, v.select(is_low, m, v.number(0)))
    n = v.binary("fsub", n, v.select(is_low, v.number(1), v.number(0)))
    f = v.binary("fsub", m, v.number(1))
    result = (log_of_float if v.single else log_of_double)(v, f, n)
    result = v.select(v.compare("oeq", x, v.number(math.inf)), x, result)
    result = v.select(v.compare("oeq", x, v.number(0)), v.number(-math.inf), result)
    return v.select(v.compare("uge", x, v.number(0)), v.select(v.compare("uno", x, x), x, result), v.number(math.nan))


def log_of_float(v: Vectors, f: str, n: str) -> str:
    """n ln 2 + log(1 + f) by a polynomial."""
    square = v.binary("fmul", f, f)
    tail = v.binary("fmul", v.binary("fmul", f, square), v.polynomial(f, LOG[True]))
    tail = v.fused(n, v.number(-2.12194440e-4), tail)
    tail = v.fused(square, v.number(-0.5), tail)
    return v.fused(n, v.number(0.693359375), v.binary("fadd", f, tail))


def log_of_double(v: Vectors, f: str, n: str) -> str:
    """n ln 2 + log(1 + f) by a polynomial of f / (2 + f), as in Sun's fdlibm."""
    s = v.binary("fdiv", f, v.binary("fadd", f, v.number(2)))
    z = v.binary("fmul", s, s)
    r = v.binary("fmul", z, v.polynomial(z, LOG[False]))
    half = v.binary("fmul", v.binary("fmul", f, v.number(0.5)), f)
    low = v.fused(n, v.number(1.90821492927058770002e-10), v.binary("fmul", s, v.binary("fadd", half, r)))
    rest = v.binary("fsub", v.binary("fsub", half, low), f)
    return v.fused(n, v.number(6.93147180369123816490e-1), v.emit(f"fneg {v.type} {rest}"))


def log1p(v: Vectors, x: str) -> str:
    """log(u) of the rounded u = 1 + x, plus a correction for the rounding error."""
    u = v.binary("fadd", v.number(1), x)
    is_large = v.compare("oge", x, v.number(1))
    of_large = v.binary("fsub", v.number(1), v.binary("fsub", u, x))
    of_small = v.binary("fsub", x, v.binary("fsub", u, v.number(1)))
    lost = v.binary("fdiv", v.select(is_large, of_large, of_small), u)
    whole = log(v, u)
    infinite = v.compare("oeq", v.call("fabs", whole), v.number(math.inf))
    return v.call("copysign", v.select(infinite, whole, v.binary("fadd", whole, lost)), x)


def sign(v: Vectors, x: str) -> str:
    """-1, 0 or 1, and NaN for NaN."""
    one = v.select(v.compare("ogt", x, v.number(0)), v.number(1), v.number(0))
    one = v.select(v.compare("olt", x, v.number(0)), v.number(-1), one)
    return v.select(v.compare("uno", x, x), x, one)


def extreme(condition: str) -> Callable[[Vectors, str, str], str]:
    """The larger or smaller of two, NaN where one is."""

    def written(v: Vectors, a: str, b: str) -> str:
        first = v.compare(condition, a, b)
        either = v.emit(f"or {v.truths} {first}, {v.compare('uno', a, a)}")
        return v.select(either, a, b)

    return written


def arithmetic(op: str) -> Callable[[Vectors, str, str], str]:
    """One of the four arithmetic operations."""
    return lambda v, a, b: v.binary(op, a, b)


def comparison(condition: str) -> Callable[[Vectors, str, str], str]:
    """A comparison."""
    return lambda v, a, b: v.compare(condition, a, b)


def intrinsic(name: str) -> Callable[[Vectors, str], str]:
    """An LLVM intrinsic."""
    return lambda v, x: v.call(name, x)


def logical(op: str) -> Callable[[Vectors, str, str], str]:
    """An operation on booleans."""
    return lambda v, a, b: v.emit(f"{op} {v.truths} {a}, {b}")


OF_NUMBERS: dict[Any, Callable[..., str]] = {
    np.add: arithmetic("fadd"),
    np.subtract: arithmetic("fsub"),
    np.multiply: arithmetic("fmul"),
    np.divide: arithmetic("fdiv"),
    np.negative: lambda v, x: v.emit(f"fneg {v.type} {x}"),
    np.positive: lambda v, x: x,
    np.square: lambda v, x: v.binary("fmul", x, x),
    np.reciprocal: lambda v, x: v.binary("fdiv", v.number(1), x),
    np.absolute: intrinsic("fabs"),
    np.sqrt: intrinsic("sqrt"),
    np.floor: intrinsic("floor"),
    np.ceil: intrinsic("ceil"),
    np.trunc: intrinsic("trunc"),
    np.rint: intrinsic("rint"),
    np.copysign: lambda v, a, b: v.call("copysign", a, b),
    np.maximum: extreme("oge"),
    np.minimum: extreme("ole"),
    np.where: lambda v, c, a, b: v.select(c, a, b),
    np.greater: comparison("ogt"),
    np.greater_equal: comparison("oge"),
    np.less: comparison("olt"),
    np.less_equal: comparison("ole"),
    np.equal: comparison("oeq"),
    np.not_equal: comparison("une"),
    np.isnan: lambda v, x: v.compare("uno", x, x),
    np.isinf: lambda v, x: v.compare("oeq", v.call("fabs", x), v.number(math.inf)),
    np.isfinite: lambda v, x: v.compare("olt", v.call("fabs", x), v.number(math.inf)),
    np.sign: sign,
    np.exp: exp,
    np.tanh: tanh,
    np.log: log,
    np.expm1: expm1,
    np.log1p: log1p,
    np.sin: sine,
    np.cos: cosine,
}
OF_TRUTHS: dict[Any, Callable[..., str]] = {
    np.logical_and: logical("and"),
    np.logical_or: logical("or"),
    np.logical_xor: logical("xor"),
    np.bitwise_and: logical("and"),
    np.bitwise_or: logical("or"),
    np.bitwise_xor: logical("xor"),
    np.logical_not: lambda v, x: v.emit(f"xor {v.truths} {x}, splat (i1 true)"),
    np.invert: lambda v, x: v.emit(f"xor {v.truths} {x}, splat (i1 true)"),
}
"""The functions by name and type of their operands."""
