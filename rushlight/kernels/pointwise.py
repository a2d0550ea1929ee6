"""Convolution with kernels of one element, and its adjoints: a matrix product for each sample, where it lies."""

import numpy as np

from rushlight.kernels.patches import INNERMOST_FROM, Size
from rushlight.kernels.plans import Shape
from rushlight.kernels.products import products

LONG = 64
"""Positions from which on this pays off."""


def takes(shape: Shape, groups: int, *operands: np.ndarray) -> bool:
    """Whether a convolution has such a kernel, and its large batches are contiguous: samples are not innermost."""
    if groups != 1 or any(size != (1, 1, 0) for size in zip(shape.kernel, shape.stride, shape.padding, strict=True)):
        return False
    if len(operands[0]) < INNERMOST_FROM or operands[0][0, 0].size < LONG:
        return False
    return all(type(a) is np.ndarray and a.flags.c_contiguous and a.dtype.char in "fd" for a in operands)


def convolution(input: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """`kernels.convolution.convolution` without a bias."""
    return multiplied(weight.reshape(weight.shape[:2]), input)


def convolution_input(grad: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """`kernels.convolution.convolution_input` without a bias."""
    return multiplied(weight.reshape(weight.shape[:2]).T, grad)


def convolution_weight(grad: np.ndarray, input: np.ndarray, weight_shape: Size) -> np.ndarray:
    """`kernels.convolution.convolution_weight`."""
    return products(planes(grad), planes(input).swapaxes(1, 2)).sum(0).reshape(weight_shape)


def multiplied(matrix: np.ndarray, batch: np.ndarray) -> np.ndarray:
    """The products of a matrix with each sample's channels."""
    return products(matrix, planes(batch)).reshape(len(batch), len(matrix), *batch.shape[2:])


def planes(batch: np.ndarray) -> np.ndarray:
    """View (N, C, *spatial) as (N, C, positions)."""
    return batch.reshape(*batch.shape[:2], batch[0, 0].size)
