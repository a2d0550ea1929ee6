"""Binomial random numbers, the same as PyTorch's on a CPU."""

import math
from collections.abc import Callable
from types import ModuleType

import numpy as np

from rushlight.kernels.compiled import load
from rushlight.random.generator import Generator
from rushlight.random.names import SINGLE_OR_DOUBLE, require

fast: ModuleType | None = load("rejection")


def binomial(generator: Generator, counts: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Draw the successes in `counts` trials, each with its probability: float32 or float64 arrays of one shape.

    Raises NotImplementedError for another dtype.

    >>> import numpy as np
    >>> from rushlight.random import Generator
    >>> from rushlight.random.binomial import binomial
    >>> binomial(Generator().manual_seed(0), np.array([5.0, 100.0]), np.array([1.0, 0.0]))
    array([5., 0.])
    """
    require(counts.dtype, SINGLE_OR_DOUBLE, "binomial_cpu")
    with generator.lock:
        if fast is not None:
            found = counts.astype(np.float64, "C")
            fast.binomial(generator.capsule, found, probabilities.astype(np.float64, "C"))
            return found.astype(counts.dtype, copy=False)
        draw = lambda: float(generator.uniform64(1)[0])
        pairs = zip(counts.ravel().tolist(), probabilities.ravel().tolist(), strict=True)
        numbers = [_successes(count, p, draw) for count, p in pairs]
    return np.array(numbers, counts.dtype).reshape(counts.shape)


def _successes(count: float, p: float, draw: Callable[[], float]) -> float:
    """Successes, drawn as those or as failures, whichever are rarer, by a method that depends on their mean."""
    if not (count > 0 and p > 0):
        return math.nan if p != p or count != count else 0.0
    if p >= 1:
        return count
    if p > 0.5:
        return count - _rare(count, 1 - p, draw)
    return _rare(count, p, draw)


def _rare(count: float, p: float, draw: Callable[[], float]) -> float:
    """Successes of a probability of at most 1/2."""
    return _rejected(count, p, draw) if count * p >= 10 else _waited(count, p, draw)


def _waited(count: float, p: float, draw: Callable[[], float]) -> float:
    """Successes counted by adding up waiting times, which are geometric numbers, until they exceed `count`."""
    log_q, trials, successes = math.log1p(-p), 0.0, 0
    while True:
        u = draw()
        trials += math.ceil(math.log(u) / log_q) if u > 0 else math.inf
        if trials > count:
            return successes
        successes += 1


def _rejected(count: float, p: float, draw: Callable[[], float]) -> float:
    """Successes by transformed rejection.

    W. Hörmann, "The generation of binomial random variates", Journal of Statistical Computation and Simulation 46,
    1993, algorithm BTRS.
    """
    deviation = math.sqrt(count * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    c = count * p + 0.5
    v_r = 0.92 - 4.2 / b
    odds = p / (1 - p)
    alpha = (2.83 + 5.1 / b) * deviation
    m = math.floor((count + 1) * p)
    while True:
        u, v = draw() - 0.5, draw()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + c)
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or k > count:
            continue
        bound = (
            (m + 0.5) * math.log((m + 1) / (odds * (count - m + 1)))
            + (count + 1) * math.log((count - m + 1) / (count - k + 1))
            + (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
            + _stirling_rest(m)
            + _stirling_rest(count - m)
            - _stirling_rest(k)
            - _stirling_rest(count - k)
        )
        if math.log(v * alpha / (a / (us * us) + b)) <= bound:
            return k


def _stirling_rest(k: float) -> float:
    """The error of Stirling's approximation of log k!, at k + 1."""
    x = k + 1
    if k <= 9:
        return math.lgamma(x) - ((k + 0.5) * math.log(x) - x + 0.5 * math.log(2 * math.pi))
    return (1 / 12 - (1 / 360 - 1 / 1260 / (x * x)) / (x * x)) / x
