"""The recurrences of Taylor mode: how the coefficients of a result follow from those of the operands.

A recurrence is a function of (out, *series, order): the result, the series of each operand (or a number for an operand
that has no series), and how many coefficients to compute, which it returns. Source: A. Griewank and A. Walther,
Evaluating Derivatives, 2nd ed., SIAM 2008, tables 13.1 and 13.2.
"""

from collections.abc import Callable
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np

from rushlight.core.aliases import Array


def scaled_product(product: Any, a: Array, b: Any, factor: Any) -> Any:
    """`factor * product(a, b)` of two coefficients; None if either is zero."""
    if a is None or b is None:
        return None
    found = product(a, b)
    return found if factor == 1 else found * factor


def total(parts: Any, factor: Any = 1) -> Any:
    """The sum of coefficients times a factor; None if all are zero."""
    parts = [part for part in parts if part is not None]
    if not parts:
        return None
    found = reduce(add, parts)
    return found if factor == 1 else found * factor


def convolved(a: Array, b: Array, k: Any, start: int = 0, stop: Any = None) -> Any:
    """The sum of `a[j] * b[k - j]` for j from `start` to `stop` (k by default)."""
    return total([scaled_product(mul, a[j], b[k - j], 1) for j in range(start, (k if stop is None else stop) + 1)])


def difference(a: Array, b: Array) -> Any:
    """a - b of two coefficients."""
    if b is None:
        return a
    return -b if a is None else a - b


def over(a: Array, b: Array) -> Any:
    """`a / b`, where `a` may be None (zero)."""
    return None if a is None else a / b


def weighed(u: Array, w: Any, k: Any) -> Any:
    """The k-th coefficient of v where v' = w u': the sum of `j * u[j] * w[k - j]` for j = 1..k, divided by k."""
    return total([scaled_product(mul, u[j], w[k - j], j) for j in range(1, k + 1)], 1 / k)


def constant(value: Any) -> Any:
    """Whether an operand is a number and not a series."""
    return not isinstance(value, list)


def times(out: Any, a: Array, b: Array, order: int) -> Any:
    """v = a b."""
    if constant(b):
        return [None if c is None else c * b for c in a[1:]]
    return [convolved(a, b, k) for k in range(1, order + 1)]


def quotient(out: Any, a: Array, b: Array, order: int) -> Any:
    """v = a / b, from v b = a."""
    if constant(b):
        return [None if c is None else c / b for c in a[1:]]
    v = [out]
    for k in range(1, order + 1):
        v.append(over(difference(a[k], convolved(b, v, k, 1)), b[0]))
    return v[1:]


def reciprocal(out: Any, u: Array, order: int) -> Any:
    """v = 1 / u, from v u = 1."""
    v = [out]
    for k in range(1, order + 1):
        v.append(scaled_product(mul, convolved(u, v, k, 1), out, -1))
    return v[1:]


def exponential(out: Any, u: Array, order: int) -> Any:
    """v = exp(u), from v' = v u'."""
    v = [out]
    for k in range(1, order + 1):
        v.append(weighed(u, v, k))
    return v[1:]


def logarithm(out: Any, u: Array, order: int) -> Any:
    """v = log(u), from u v' = u'."""
    v = [out]
    for k in range(1, order + 1):
        inner = total([scaled_product(mul, v[j], u[k - j], j) for j in range(1, k)], 1 / k)
        v.append(over(difference(u[k], inner), u[0]))
    return v[1:]


def root(out: Any, u: Array, order: int) -> Any:
    """v = sqrt(u), from v v = u."""
    v = [out]
    for k in range(1, order + 1):
        v.append(over(difference(u[k], convolved(v, v, k, 1, k - 1)), 2 * out))
    return v[1:]


def power(out: Any, u: Any, p: Any, order: Any) -> Any:
    """v = u^p, from u v' = p v u'; positive integer powers by multiplication, which also works where u is 0."""
    if not constant(p):
        return through_logarithm(out, u, p, order)
    if p == int(np.real(p)) and 0 < np.real(p) <= 16:
        return whole_power(u, int(np.real(p)), order)[1:]
    v = [out]
    for k in range(1, order + 1):
        terms = [scaled_product(mul, u[j], v[k - j], j * p - (k - j)) for j in range(1, k + 1)]
        v.append(over(total(terms, 1 / k), u[0]))
    return v[1:]


def whole_power(u: Array, p: Any, order: int) -> Any:
    """The series of u^p by repeated squaring."""
    if p == 1:
        return u
    half = whole_power(u, p // 2, order)
    square = [convolved(half, half, k) for k in range(order + 1)]
    return square if p % 2 == 0 else [convolved(square, u, k) for k in range(order + 1)]


def through_logarithm(out: Any, u: Array, p: Any, order: int) -> Any:
    """u^p = exp(p log u)."""
    logs = [np.log(u[0])]
    logs += logarithm(logs[0], u, order)
    return exponential(out, [convolved(p, logs, k) for k in range(order + 1)], order)


def pair(sign: int) -> Callable[..., Any]:
    """The recurrence of sine and cosine together (`sign` 1), or of sinh and cosh (`sign` -1)."""

    def both(s0: Array, c0: Array, u: Array, order: int) -> tuple[list[Array], list[Array]]:
        s, c = [s0], [c0]
        for k in range(1, order + 1):
            sine, cosine = weighed(u, c, k), weighed(u, s, k)
            s.append(sine)
            c.append(None if cosine is None else cosine * -sign)
        return s[1:], c[1:]

    return both


circular, hyperbolic = pair(1), pair(-1)


def tangent(sign: int) -> Callable[..., Any]:
    """v = tan(u), from v' = (1 + v²) u', or v = tanh(u), from v' = (1 - v²) u'."""

    def rule(out: Array, u: Array, order: int) -> list[Array]:
        v, w = [out], [1 + sign * (out * out)]
        for k in range(1, order + 1):
            v.append(weighed(u, w, k))
            square = convolved(v, v, k)
            w.append(None if square is None else square * sign)
        return v[1:]

    return rule


def sigmoid(out: Any, u: Array, order: int) -> Any:
    """v = sigmoid(u), from v' = (v - v²) u'."""
    v, w = [out], [out - out * out]
    for k in range(1, order + 1):
        v.append(weighed(u, w, k))
        w.append(difference(v[k], convolved(v, v, k)))
    return v[1:]


def square(out: Any, u: Array, order: int) -> Any:
    """v = u u."""
    return times(out, u, u, order)


def exponential_below_one(out: Any, u: Array, order: int) -> Any:
    """v = exp(u) - 1; its coefficients from the first on are those of exp(u)."""
    return exponential(out + 1, u, order)


def logarithm_above_one(out: Any, u: Array, order: int) -> Any:
    """v = log(1 + u)."""
    return logarithm(out, [u[0] + 1, *u[1:]], order)


def sine(out: Any, u: Array, order: int) -> Any:
    """v = sin(u), computed together with the cosine."""
    return circular(out, np.cos(u[0]), u, order)[0]


def cosine(out: Any, u: Array, order: int) -> Any:
    """v = cos(u), computed together with the sine."""
    return circular(np.sin(u[0]), out, u, order)[1]


def hyperbolic_sine(out: Any, u: Array, order: int) -> Any:
    """v = sinh(u), computed together with cosh."""
    return hyperbolic(out, np.cosh(u[0]), u, order)[0]


def hyperbolic_cosine(out: Any, u: Array, order: int) -> Any:
    """v = cosh(u), computed together with sinh."""
    return hyperbolic(np.sinh(u[0]), out, u, order)[1]
