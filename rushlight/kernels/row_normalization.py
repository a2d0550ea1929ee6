"""Normalization of rows by their own mean and variance, and the adjoint: for layer, group and RMS normalization."""

import math
from types import ModuleType

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.compiled import load

__all__ = ["as_rows", "cotangents", "normalized", "standardized", "standardized_cotangent"]

fast: ModuleType | None = load("standardize")


def as_rows(array: Array, dims: int) -> Array:
    """A matrix with the last dimensions of an array, or of a tensor, as rows."""
    lead = array.ndim - dims
    return np.reshape(array, (math.prod(array.shape[:lead]), math.prod(array.shape[lead:])))


def normalized(
    x: np.ndarray, weight: np.ndarray | None, bias: np.ndarray | None, dims: int, eps: float, centered: bool = True
) -> tuple[Array, ...]:
    """Return (x - mean) * weight / deviation + bias over the last dimensions, the mean, and 1 / the deviation.

    The moments are at least in float32 and keep those dimensions with size 1. Unless `centered`, there is no mean, and
    the deviation is the root of the mean square.
    """
    if fast is not None and (results := fast.normalized(x, weight, bias, dims, eps, centered)) is not None:
        return results
    rows = as_rows(x, dims)
    result, mean, invstd = standardized(rows, eps, centered)
    if weight is not None:
        result *= weight.reshape(-1)
    if bias is not None:
        result += bias.reshape(-1)
    ends = (*x.shape[: x.ndim - dims], *(1,) * dims)
    mean = None if mean is None else mean.reshape(ends)
    return result.astype(x.dtype, copy=False).reshape(x.shape), mean, invstd.reshape(ends)


def cotangents(
    grad: np.ndarray,
    x: np.ndarray,
    weight: np.ndarray | None,
    mean: np.ndarray | None,
    invstd: np.ndarray,
    dims: int,
    wants_input: bool,
    wants_affine: bool,
) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None]:
    """Return the gradients of x and, as vectors, of weight and bias in `normalized`; None for those not wanted."""
    if fast is not None:
        results = fast.cotangents(grad, x, weight, mean, invstd, wants_input, wants_affine)
        if results is not None:
            return results
    grad, invstd = as_rows(grad, dims), invstd.reshape(-1, 1)
    normal = (as_rows(x, dims) - (0 if mean is None else mean.reshape(-1, 1))) * invstd
    input_grad = weight_grad = bias_grad = None
    if wants_input:
        scaled = grad if weight is None else grad * weight.reshape(-1)
        input_grad = standardized_cotangent(scaled, normal, invstd, centered=mean is not None)
    if wants_affine:
        ones = np.ones(len(grad), grad.dtype)
        weight_grad, bias_grad = ones @ (grad * normal), ones @ grad
    return None if input_grad is None else input_grad.reshape(x.shape), weight_grad, bias_grad


def standardized(x: np.ndarray, eps: float, centered: bool = True) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
    """Return x with mean 0 and variance 1 along the last dimension, the mean, and 1 / the standard deviation.

    All three are new arrays, at least in float32; the moments keep the last dimension with size 1. Unless `centered`,
    the mean counts as 0, and is None.
    """
    size, dtype = x.shape[-1], np.promote_types(x.dtype, np.float32)
    mean = (np.vecdot(x, np.ones(size, dtype)) / size)[..., None] if centered else None
    result = x.astype(dtype) if mean is None else x - mean
    invstd = 1 / np.sqrt(np.vecdot(result, result)[..., None] / size + eps)
    result *= invstd
    return result, mean, invstd


def standardized_cotangent(
    grad: np.ndarray,
    normal: np.ndarray,
    invstd: np.ndarray,
    mean_grad: np.ndarray | float = 0.0,
    invstd_grad: np.ndarray | float = 0.0,
    centered: bool = True,
) -> np.ndarray:
    """Return the gradient of x in `standardized`, given those of its results, the first of which is `normal`.

    The formula is that of layer normalization by Ba, Kiros and Hinton (2016).
    """
    size = normal.shape[-1]
    result = normal * ((np.vecdot(grad, normal)[..., None] + invstd * invstd_grad) / size)
    np.subtract(grad, result, out=result)
    if centered:
        result -= (np.vecdot(grad, np.ones(size, normal.dtype))[..., None] - mean_grad / invstd) / size
    result *= invstd
    return result
