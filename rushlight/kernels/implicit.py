"""Implicit reparameterization gradients: how a sample moves with a parameter while its cumulative probability stays.

With F the distribution function and f its density, F(x(a); a) = u gives dx/da = -(dF/da) / f (M. Figurnov, S. Mohamed
and A. Mnih, "Implicit reparameterization gradients", 2018). dF/da is computed from log F, or from log(1 - F), whichever
is exact in its tail, by a central difference of sixth order: eleven digits. The compiled kernel sums derivatives of the
terms of a series, and leaves cases with too many terms to this version.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.kernels.compiled import load
from rushlight.kernels.special import scipy_special

fast: ModuleType | None = load("implicit")
WEIGHTS = ((1, 45 / 60), (2, -9 / 60), (3, 1 / 60))
STEP = 0.01  # relative to the scale on which the logarithm bends


def gamma_slope(concentration: np.ndarray, x: np.ndarray) -> np.ndarray:
    """dx/da of gamma samples with concentrations `a` and rate 1, in the dtype of `x`.

    >>> import numpy as np
    >>> from rushlight.kernels.implicit import gamma_slope
    >>> gamma_slope(np.array([1.0, 30.0]), np.array([0.7, 28.0])).round(6)
    array([0.973219, 0.971282])
    """
    if fast is None:
        return _gamma_slope(concentration, x)
    return _completed(fast.gamma_slopes, _gamma_slope, concentration, x)


def beta_slope(x: np.ndarray, concentration: np.ndarray, total: np.ndarray) -> np.ndarray:
    """dx/da / (1 - x) of beta samples with concentrations `a` and `total - a`.

    >>> import numpy as np
    >>> from rushlight.kernels.implicit import beta_slope
    >>> beta_slope(np.array([0.3]), np.array([1.0]), np.array([2.0])).round(6)  # F = x ** a: -x log x / (1 - x)
    array([0.515988])
    """
    if fast is None:
        return _beta_slope(concentration, x, total)
    return _completed(fast.beta_slopes, _beta_slope, concentration, x, total)


def _completed(kernel: Callable[..., Any], plain: Callable[..., np.ndarray], *arrays: np.ndarray) -> np.ndarray:
    """The results of a kernel, and of the NumPy version where it leaves NaN; in the dtype of the second array."""
    dtype, shape = arrays[1].dtype, np.broadcast_shapes(*(array.shape for array in arrays))
    wide = [np.broadcast_to(array, shape).astype(np.float64, "C") for array in arrays]
    found = kernel(*wide)
    if (left := np.isnan(found)).any():
        found[left] = plain(*(array[left] for array in wide))
    return found.astype(dtype, copy=False)


def _gamma_slope(concentration: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The NumPy version for gamma samples."""
    library = scipy_special()
    a, wide = concentration.astype(np.float64), x.astype(np.float64)
    log_density = (a - 1) * np.log(wide) - wide - library.gammaln(a)
    with np.errstate(all="ignore"):
        lower = _moved(lambda a: library.gammainc(a, wide), a, np.minimum(a, np.sqrt(a)), log_density)
        upper = _moved(lambda a: library.gammaincc(a, wide), a, np.minimum(a, np.sqrt(a)), log_density)
    return _chosen(wide < a, lower, -upper, x.dtype)


def _beta_slope(concentration: np.ndarray, x: np.ndarray, total: np.ndarray) -> np.ndarray:
    """The NumPy version for beta samples."""
    library = scipy_special()
    a, wide = concentration.astype(np.float64), x.astype(np.float64)
    b = total.astype(np.float64) - a
    log_density = (a - 1) * np.log(wide) + (b - 1) * np.log1p(-wide) - library.betaln(a, b)
    scale = np.minimum(a, np.sqrt(a * (a + b) / b))
    with np.errstate(all="ignore"):
        lower = _moved(lambda a: library.betainc(a, b, wide), a, scale, log_density)
        upper = _moved(lambda a: library.betaincc(a, b, wide), a, scale, log_density)
    return _chosen(wide * (a + b) < a, lower / (1 - wide), -upper / (1 - wide), x.dtype)


def _moved(
    tail: Callable[[np.ndarray], np.ndarray], a: np.ndarray, scale: np.ndarray, log_density: np.ndarray
) -> np.ndarray:
    """-(dP/da) / f for a probability P that depends on `a`."""
    step = STEP * scale
    slope = sum(weight * (np.log(tail(a + i * step)) - np.log(tail(a - i * step))) for i, weight in WEIGHTS) / step
    return -slope * np.exp(np.log(tail(a)) - log_density)


def _chosen(below: np.ndarray, lower: np.ndarray, upper: np.ndarray, dtype: np.dtype[Any]) -> np.ndarray:
    """The result of the nearer tail; 0 where that is not a number, as in PyTorch."""
    slope = np.where(below, lower, upper)
    return np.where(np.isnan(slope), 0, slope).astype(dtype)
