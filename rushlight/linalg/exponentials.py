"""Exponentials of matrices and their derivatives: Taylor's polynomial of a scaled matrix, which is then squared.

A polynomial of degree k * count takes k + count - 2 products (Paterson and Stockmeyer 1973): those of the powers up to
A^k, and those of Horner's rule in A^k, whose coefficients are polynomials of degree k - 1 in A. The derivative of exp
at A along E is a part of the exponential of the dual matrix A + E d with d^2 = 0.
"""

import math
from functools import lru_cache

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.products import times

__all__ = ["derivative", "exponential"]

SHAPES = (1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (4, 3), (4, 4)  # k and count of polynomials

Dual = tuple[Array, ...]  # a matrix, and where a derivative is wanted what is multiplied by d


def exponential(A: Array) -> Array:
    """The exponentials of matrices."""
    return exponential_of((A,))[0]


def derivative(A: Array, along: Array) -> Array:
    """The derivatives of the exponentials of matrices along others."""
    return exponential_of((A, along))[1]


def exponential_of(x: Dual) -> Dual:
    """The exponential of dual matrices; as many squarings as each matrix of a batch needs."""
    if not x[0].size:
        return x
    norms = np.add.reduce(np.abs(x[0]), -2).max(-1)
    norms = np.where(np.isfinite(norms), norms, 0)
    eps = float(np.finfo(x[0].dtype).eps) / 2
    k, count = min(SHAPES, key=lambda shape: costs(shape, norms.max(), eps))
    left = squarings(norms, reach(k, count, eps))
    scale = np.ldexp(np.ones_like(norms), -left)[..., None, None]
    result = polynomial(tuple([part * scale for part in x]), k, count)
    for done in range(left.max()):
        result = squared(result, left > done)
    return result


def costs(shape: tuple[int, ...], norm: Array, eps: float) -> tuple[int, int]:
    """The products that a polynomial and squarings take; of equal ones fewer squarings are more precise."""
    halved = int(squarings(norm, reach(*shape, eps)))
    return sum(shape) + halved, halved


@lru_cache
def reach(k: int, count: int, eps: float) -> float:
    """The norm up to which the first term that a polynomial leaves out is below rounding errors.

    It is at most 1: the terms of larger matrices can cancel each other.
    """
    degree = k * count
    return min(1, (eps * math.factorial(degree + 1)) ** (1 / degree))


def squarings(norms: Array, most: float) -> Array:
    """How often matrices have to be halved until their norms are at most `most`."""
    return np.ceil(np.log2(np.maximum(norms / most, 1))).astype(int)


def polynomial(x: Dual, k: int, count: int) -> Dual:
    """Taylor's polynomial of exp of degree k * count."""
    powers = [tuple([np.zeros_like(part) for part in x]), x]
    powers[0][0][...] = np.eye(x[0].shape[-1])
    for _ in range(k - 1):
        powers.append(multiplied(powers[-1], x))
    factors = np.array([[1 / math.factorial(i * k + j) if j < k else 0 for j in range(k + 1)] for i in range(count)])
    factors[-1, k] = 1 / math.factorial(k * count)
    sums = zip(*[combined(factors.astype(part[0].dtype), part) for part in zip(*powers, strict=True)], strict=True)
    *rest, result = sums
    for one in reversed(rest):
        result = tuple([a + b for a, b in zip(multiplied(result, powers[-1]), one, strict=True)])
    return result


def combined(factors: Array, powers: tuple[Array, ...]) -> Array:
    """Sums of powers, each with a row of factors."""
    return times(factors, np.stack(powers).reshape(len(powers), -1)).reshape(len(factors), *powers[0].shape)


def multiplied(x: Dual, y: Dual) -> Dual:
    """The products of dual matrices."""
    value = times(x[0], y[0])
    return (value,) if len(x) == 1 else (value, times(x[0], y[1]) + times(x[1], y[0]))


def squared(x: Dual, chosen: Array) -> Dual:
    """Dual matrices, of which the chosen ones of a batch are squared."""
    if chosen.all():
        return multiplied(x, x)
    for part, square in zip(x, multiplied(*[tuple([part[chosen] for part in x])] * 2), strict=True):
        part[chosen] = square
    return x
