"""Functions that round as PyTorch's compiled code does: fused multiply-add and the C library's elementary functions.

NumPy's own float64 `log`, `log1p`, `exp` and `tan` differ from the C library's in the last bit on processors with
AVX-512; equal random numbers need equal bits.
"""

import math
from types import ModuleType

import numpy as np

from rushlight.kernels.compiled import load

fast: ModuleType | None = load("streams")
HIGH_HALF = np.int64(-1 << 27)  # masks the leading 26 bits of a float64's significand


def fma(a: np.ndarray, b: float | np.floating, c: float) -> np.ndarray:
    """`a * b + c` with one rounding, for a float32 or float64 array and two scalars.

    Float32 is computed in float64, where the product is exact. In float64, the rounding errors of the product and of
    the sum are computed too (T. J. Dekker, "A floating-point technique for extending the available precision", 1971).
    """
    if b == 1:
        return a + a.dtype.type(c)
    if a.dtype == np.float32:
        return (a.astype(np.float64) * float(np.float32(b)) + float(np.float32(c))).astype(np.float32)
    if fast is not None:
        return fast.multiplied_and_added(a, b, c)
    product = a * b
    total = product + c
    rest = total - product
    lost = (product - (total - rest)) + (c - rest)
    return total + (lost + _product_error(a, np.float64(b), product))


def narrow(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Float64 numbers converted to `dtype`, infinite on overflow; as in PyTorch, float16 via float32."""
    with np.errstate(over="ignore", invalid="ignore"):
        return x.astype(np.float32).astype(dtype) if dtype.itemsize == 2 else x.astype(dtype, copy=False)


def _product_error(a: np.ndarray, b: np.float64, product: np.ndarray) -> np.ndarray:
    """The rounding error of `a * b`."""
    a_high = (a.view(np.int64) & HIGH_HALF).view(np.float64)
    b_high = (b.view(np.int64) & HIGH_HALF).view(np.float64)
    a_low, b_low = a - a_high, b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def log(x: np.ndarray) -> np.ndarray:
    """The C library's logarithm of a float64 array, computed by SciPy's Box-Cox transform with exponent 0."""
    if fast is not None:
        return fast.logarithm(x)
    from scipy.special import boxcox

    return boxcox(x, 0.0)


def log1p(x: np.ndarray) -> np.ndarray:
    """The C library's log(1 + x) of a float64 array."""
    if fast is not None:
        return fast.logarithm_beyond_one(x)
    from scipy.special import boxcox1p

    return boxcox1p(x, 0.0)


def exp(x: np.ndarray) -> np.ndarray:
    """The C library's exponential of a float64 array."""
    if fast is not None:
        return fast.exponential(x)
    from scipy.special import inv_boxcox

    return inv_boxcox(x, 0.0)


def tan(x: np.ndarray) -> np.ndarray:
    """The C library's tangent of a float64 array."""
    if fast is not None:
        return fast.tangent(x)
    return np.fromiter(map(math.tan, x.tolist()), np.float64, x.size)
