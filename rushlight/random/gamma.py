"""Gamma and Dirichlet random numbers, the same as PyTorch's on a CPU."""

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.kernels.compiled import load
from rushlight.random.generator import Generator
from rushlight.random.names import SINGLE_OR_DOUBLE, require
from rushlight.random.normal import standard_pairs

fast: ModuleType | None = load("rejection")
THIRD, SQUEEZE = float(np.float32(1 / 3)), float(np.float32(0.0331))  # in single precision in PyTorch too


def standard_gamma(generator: Generator, concentrations: np.ndarray) -> np.ndarray:
    """Draw a gamma number of rate 1 for each concentration of a float32 or float64 array, in its dtype.

    Raises NotImplementedError for another dtype.

    >>> import numpy as np
    >>> from rushlight.random import Generator
    >>> from rushlight.random.gamma import standard_gamma
    >>> standard_gamma(Generator().manual_seed(0), np.array([0.7, 3.0])).round(2)
    array([0.01, 1.27])
    """
    require(concentrations.dtype, SINGLE_OR_DOUBLE, "gamma_cpu")
    numbers = _numbers(generator, concentrations, concentrations.dtype.type)
    return np.maximum(numbers.astype(concentrations.dtype), np.finfo(concentrations.dtype).tiny)


def dirichlet(generator: Generator, concentrations: np.ndarray) -> np.ndarray:
    """Draw a row that sums to 1 for each row of concentrations: gamma numbers divided by their sum.

    Raises NotImplementedError for another dtype.
    """
    dtype = concentrations.dtype
    require(dtype, SINGLE_OR_DOUBLE, "dirichlet")
    numbers = np.maximum(_numbers(generator, concentrations, np.float64), np.finfo(np.float64).tiny)
    shares = (numbers / numbers.sum(axis=-1, keepdims=True)).astype(dtype)
    return np.clip(shares, np.finfo(dtype).tiny, np.nextafter(dtype.type(1), dtype.type(0)))


def _numbers(generator: Generator, concentrations: np.ndarray, kind: type) -> np.ndarray:
    """Float64 gamma numbers; the concentrations are used in the precision of `kind`."""
    with generator.lock:
        if fast is not None:
            found, kept = concentrations.astype(np.float64, "C"), generator.next_double_normal_sample
            generator.next_double_normal_sample = fast.gamma(generator.capsule, found, kind is np.float32, kept)
            return found
        numbers = [_rejected(generator, kind(alpha)) for alpha in concentrations.ravel()]
    return np.array(numbers, np.float64).reshape(concentrations.shape)


def _rejected(generator: Generator, alpha: Any) -> float:
    """One gamma number, by rejection.

    G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26, 2000. A concentration
    below 1 is increased by 1, and the number multiplied by a power of a uniform one (their section 6).
    """
    kind, scale = type(alpha), 1.0
    uniform: Callable[[], float] = lambda: 1 - float(generator.uniform64(1)[0])
    if alpha < 1:
        if alpha == 0:
            return 0.0
        scale = uniform() ** float(kind(1) / alpha)
        alpha = alpha + kind(1)
    d = float(alpha - kind(THIRD))
    if not d > 0:
        return math.nan
    c = 1 / math.sqrt(9 * d)
    while True:
        x = standard_pairs(generator, 1)[0]
        v = 1 + c * x
        if v <= 0:
            continue
        v, u, square = v * v * v, uniform(), x * x
        if u < 1 - SQUEEZE * square * square or math.log(u) < 0.5 * square + d * (1 - v + math.log(v)):
            return scale * d * v
