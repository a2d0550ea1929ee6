"""The error function of large float32 arrays: SciPy computes each element on its own, in double precision."""

import math
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.fusion import fused

__all__ = ["erf"]

FEW = 1 << 10  # up to here SciPy is faster
# erf(x) = tanh(x * p(x²)) with a polynomial p, fitted to SciPy's values for the least relative error of erf in [-4, 4],
# 7e-8; beyond 4 erf rounds to ±1. The coefficients begin with that of the highest power.
COEFFICIENTS = (
    5.42230376e-09,
    2.75577308e-08,
    -4.79442708e-06,
    8.45957726e-05,
    -6.14836429e-04,
    -1.95290057e-04,
    1.02769865e-01,
    1.12837925,
)


def erf(x: np.ndarray) -> np.ndarray:
    """The error function, to 1.5e-7 for float32 and to the last digit for the rest."""
    if x.dtype == np.float32 and getattr(x, "size", math.inf) > FEW:  # what stands for an array has no size
        return tanh_of_polynomial(x)
    from scipy.special import erf

    return erf(x).astype(x.dtype, copy=False)


@fused
def tanh_of_polynomial(x: Array) -> Any:
    """The approximation for float32."""
    x = x.clip(-4, 4)
    square = x * x
    result = square * COEFFICIENTS[0]
    for coefficient in COEFFICIENTS[1:-1]:
        result += coefficient
        result *= square
    result += COEFFICIENTS[-1]
    result *= x
    return np.tanh(result, out=result)
