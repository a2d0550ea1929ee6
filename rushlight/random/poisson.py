"""Poisson random numbers, the same as PyTorch's on a CPU."""

import math
from collections.abc import Callable
from types import ModuleType

import numpy as np

from rushlight.kernels.compiled import load
from rushlight.random.generator import Generator
from rushlight.random.names import FLOATING, require

fast: ModuleType | None = load("rejection")
NEGATIVE = "invalid Poisson rate, expected rate to be non-negative"


def poisson(generator: Generator, rates: np.ndarray) -> np.ndarray:
    """Draw a number for each rate of a floating array, in its dtype.

    Raises NotImplementedError for another dtype and RuntimeError for a negative rate.

    >>> import numpy as np
    >>> from rushlight.random import Generator
    >>> from rushlight.random.poisson import poisson
    >>> poisson(Generator().manual_seed(0), np.array([0.0, 3.0, 30.0]))
    array([ 0.,  6., 27.])
    """
    require(rates.dtype, FLOATING, "poisson_cpu")
    with generator.lock:
        if fast is not None:
            found = rates.astype(np.float64, "C")
            if not fast.poisson(generator.capsule, found):
                raise RuntimeError(NEGATIVE)
            return found.astype(rates.dtype, copy=False)
        if not (rates >= 0).all():
            raise RuntimeError(NEGATIVE)
        draw = lambda: float(generator.uniform64(1)[0])
        numbers = [_rejected(rate, draw) if rate >= 10 else _multiplied(rate, draw) for rate in rates.ravel().tolist()]
    return np.array(numbers, rates.dtype).reshape(rates.shape)


def _multiplied(rate: float, draw: Callable[[], float]) -> int:
    """How many uniform numbers are multiplied before the product falls to exp(-rate); D. Knuth, TAOCP 2, 3.4.1."""
    if rate == 0:
        return 0
    limit, product, count = math.exp(-rate), 1.0, -1
    while True:
        count += 1
        product *= draw()
        if product <= limit:
            return count


def _rejected(rate: float, draw: Callable[[], float]) -> int:
    """A Poisson number by transformed rejection.

    W. Hörmann, "The transformed rejection method for generating Poisson random variables", Insurance: Mathematics and
    Economics 12, 1993, algorithm PTRS.
    """
    log_rate, b = math.log(rate), 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = draw() - 0.5, draw()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        accepted = math.log(v) + math.log(inverse_alpha) - math.log(a / (us * us) + b)
        if accepted <= -rate + k * log_rate - math.lgamma(k + 1):
            return k
