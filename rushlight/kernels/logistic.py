"""The logistic function and its kin, in few passes and without overflow."""

import numpy as np

from rushlight.kernels.blocks import in_blocks

__all__ = ["gelu_tanh", "logistic", "softplus"]

FEW = 1 << 12
TANH_SCALE, TANH_CUBIC = (2 / np.pi) ** 0.5, 0.044715  # Hendrycks & Gimpel, https://arxiv.org/abs/1606.08415


def logistic(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x))."""
    if x.size <= FEW:
        return np.reciprocal(1 + np.exp(-x))
    y = np.negative(x)
    np.exp(y, out=y)
    y += 1
    return np.reciprocal(y, out=y)


def softplus(x: np.ndarray) -> np.ndarray:
    """log(1 + exp(x)), as max(x, 0) + log(1 + exp(-|x|))."""
    return in_blocks(softplus_block, x)


def softplus_block(x):
    """`softplus` of a block."""
    return np.log1p(np.exp(-np.absolute(x))) + np.maximum(x, 0)


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    """GELU with the normal distribution approximated by a tanh."""
    return in_blocks(gelu_tanh_block, x)


def gelu_tanh_block(x):
    """`gelu_tanh` of a block."""
    y = x * x
    y *= TANH_CUBIC * TANH_SCALE
    y += TANH_SCALE
    y *= x
    y = np.tanh(y)
    y += 1
    y *= 0.5
    y *= x
    return y
