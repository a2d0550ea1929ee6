"""Convolution with kernels of one element, and its adjoints: a matrix product for each sample, where it lies."""

from math import prod

import numpy as np

from rushlight.kernels.patches import Size
from rushlight.kernels.plans import Shape
from rushlight.kernels.products import products

LONG = 4
"""Positions from which on this pays off (measured)."""


def takes(shape: Shape, groups: int, *operands: np.ndarray) -> bool:
    """Whether a convolution has such a kernel, and its operands are contiguous: samples are not innermost."""
    if groups != 1 or prod(shape.kernel) > 1 or prod(shape.stride) > 1 or any(shape.padding):
        return False
    if not operands[0].size or prod(operands[0].shape[2:]) < LONG:
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
    return batch.reshape(*batch.shape[:2], prod(batch.shape[2:]))
