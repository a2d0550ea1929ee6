"""Standardization composed of differentiable operators, for higher-order derivatives of normalizations."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.tensors import Tensor


def mean_over(values: Tensor, axes: Sequence[int]) -> Any:
    """The mean over some axes, which are kept with size 1."""
    return np.add.reduce(values, axis=axes, keepdims=True) / math.prod(values.shape[axis] for axis in axes)


def standardized(input: Array, axes: Sequence[int], eps: float) -> tuple[Array, ...]:
    """The input shifted and scaled to mean 0 and variance 1 over some axes, and 1 / its standard deviation."""
    centered = input - mean_over(input, axes)
    invstd = (mean_over(centered * centered, axes) + eps) ** -0.5
    return centered * invstd, invstd


def standardized_cotangent(
    grad: Array, normal: Array, invstd: Array, axes: Sequence[int], mean_grad: Array = 0.0, invstd_grad: Array = 0.0
) -> Array:
    """The gradient of the input of `standardized`, given those of its result, of the mean, and of `invstd`."""
    size = math.prod(normal.shape[axis] for axis in axes) or 1
    along = mean_over(grad * normal, axes) + invstd * invstd_grad / size
    return invstd * (grad - mean_over(grad, axes) - normal * along) + mean_grad / size
