"""Cephes' float32 logarithm, cosine and sine, with the same bits as PyTorch's AVX2 code for normal numbers.

The polynomials are S. L. Moshier's (netlib.org/cephes, single precision). PyTorch's compiler made most steps fused
multiply-adds. A float32 product is exact in float64, so here they are a product and a sum in float64.
"""

import math

import numpy as np


def _rounded(*coefficients: float | list[float]) -> np.ndarray:
    """Float64 coefficients, rounded to float32 precision."""
    return np.array(coefficients, np.float32).astype(np.float64)


LOG = _rounded(
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)
LN2_HIGH, LN2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
SQRT_HALF = np.float32(math.sqrt(0.5))

COSINE_SINE = _rounded(
    [2.443315711809948e-5, -1.9515295891e-4],
    [-1.388731625493765e-3, 8.3321608736e-3],
    [4.166664568298827e-2, -1.6666654611e-1],
)[:, :, np.newaxis]
QUARTER_PI_HIGH, QUARTER_PI_MIDDLE = np.float32(0.78515625), np.float32(2.4187564849853515625e-4)
(QUARTER_PI_LOW,) = _rounded(3.77489497744594108e-8)
FOUR_OVER_PI, TWO_PI = np.float32(4 / math.pi), np.float32(2 * math.pi)


def log(x: np.ndarray) -> np.ndarray:
    """Natural logarithm of a float32 array of positive numbers."""
    x, exponent = np.frexp(x)
    low = x < SQRT_HALF
    exponent -= low
    exponent = exponent.astype(np.float32)
    x += x * low
    x -= 1
    square = x * x
    y = _horner(x, LOG)
    y *= x
    y = _multiply_add(y, square, exponent * LN2_LOW)
    y -= square * np.float32(0.5)
    x += y
    x += exponent * LN2_HIGH
    return x


def cosine_sine(turns: np.ndarray) -> np.ndarray:
    """Cosine and sine of 2π times a float32 array of numbers from [0, 1), as two rows.

    The angle is first reduced to [-π/4, π/4], in three steps that lose no bits.
    """
    x = turns * TWO_PI
    octant = (x * FOUR_OVER_PI).astype(np.int32)
    octant += 1
    octant &= ~1
    quarters = octant.astype(np.float32)
    x -= quarters * QUARTER_PI_HIGH
    x -= quarters * QUARTER_PI_MIDDLE
    x = (x - quarters * QUARTER_PI_LOW).astype(np.float32)
    square = x * x
    both = _horner(square, COSINE_SINE)
    both *= square
    both[0] = _multiply_add(both[0], square, square * np.float32(-0.5))
    both[0] += 1
    both[1] = _multiply_add(both[1], x, x)
    _turn_quadrants(octant, both.view(np.int32))
    return both


def _turn_quadrants(octant: np.ndarray, cosine_sine: np.ndarray) -> None:
    """Swap cosine and sine in every other quadrant and set their signs, by operations on their bits."""
    cosine, sine = cosine_sine
    swap = -((octant >> 1) & 1)
    swap &= sine ^ cosine
    cosine_sine ^= swap
    cosine ^= ((octant + 2) & 4) << 29
    sine ^= (octant & 4) << 29


def _horner(x: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """Evaluate a float32 polynomial by Horner's rule, with a fused multiply-add in each step."""
    wide = x.astype(np.float64)
    result = wide * coefficients[0] + coefficients[1]
    for coefficient in coefficients[2:]:
        result = result.astype(np.float32) * wide
        result += coefficient
    return result.astype(np.float32)


def _multiply_add(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """`a * b + c` of float32 arrays with one rounding."""
    wide = a.astype(np.float64)
    wide *= b
    wide += c
    return wide.astype(np.float32)
