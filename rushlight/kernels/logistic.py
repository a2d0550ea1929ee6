"""The logistic function and softplus, without overflow."""

import numpy as np

__all__ = ["logistic", "softplus"]


def logistic(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x))."""
    return np.reciprocal(1 + np.exp(-x))


def softplus(x: np.ndarray) -> np.ndarray:
    """log(1 + exp(x)), as max(x, 0) + log(1 + exp(-|x|))."""
    return np.log1p(np.exp(-np.absolute(x))) + np.maximum(x, 0)
