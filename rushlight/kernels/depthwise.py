"""Convolution and its adjoints where each group has one input channel: tap by tap, without matrices of patches.

A large batch, whose samples are innermost in memory, is one sample with longer lines: those of all samples together.
"""

from math import prod

import numpy as np

from rushlight.kernels import few_taps
from rushlight.kernels.patches import INNERMOST_FROM, Size, batch_first, batch_last
from rushlight.kernels.plans import Shape

MOST_CHANNELS = 2
"""Channels of the result in a group, up to which this pays off: each reads the input once for each tap."""

LONG = 16
"""Positions in a row from which on this pays off."""


def takes(shape: Shape, weight_shape: Size, groups: int, *operands: np.ndarray) -> bool:
    """Whether a convolution has one input channel for each group, and its operands are ordinary."""
    if few_taps.fast is None or weight_shape[1] != 1 or weight_shape[0] > MOST_CHANNELS * groups:
        return False
    if len(shape.spatial) > 3 or shape.places[-1] < LONG or not prod(weight_shape):
        return False
    dtype = operands[0].dtype
    return dtype in few_taps.TYPES and all(type(a) is np.ndarray and a.dtype == dtype and a.size for a in operands)


def lies_apart(grad: np.ndarray) -> bool:
    """Whether the cotangent of a large batch lies image by image: putting samples innermost takes longer than this."""
    return len(grad) >= INNERMOST_FROM and grad.flags.c_contiguous and not batch_last(grad).flags.c_contiguous


def convolution(
    input: np.ndarray, weight: np.ndarray, bias: np.ndarray | None, shape: Shape, groups: int
) -> np.ndarray:
    """`kernels.convolution.convolution`."""
    n = innermost(shape, input)
    if n == 0:
        return few_taps.convolution(input, weight, bias, shape, groups)
    return divided(few_taps.convolution(joined(input), weight, bias, longer(shape, n), groups), n)


def convolution_input(
    grad: np.ndarray, weight: np.ndarray, bias: np.ndarray | None, shape: Shape, groups: int
) -> np.ndarray:
    """`kernels.convolution.convolution_input`."""
    n = innermost(shape, grad)
    if n == 0:
        return few_taps.convolution_input(grad, weight, bias, shape, groups)
    return divided(few_taps.convolution_input(joined(grad), weight, bias, longer(shape, n), groups), n)


def convolution_weight(grad: np.ndarray, input: np.ndarray, shape: Shape, groups: int) -> np.ndarray:
    """`kernels.convolution.convolution_weight`."""
    n = innermost(shape, grad, input)
    if n == 0:
        return few_taps.convolution_weight(grad, input, shape, groups)
    return few_taps.convolution_weight(joined(grad), joined(input), longer(shape, n), groups)


def innermost(shape: Shape, *arrays: np.ndarray) -> int:
    """The number of samples where all arrays have them innermost and lines can be joined, otherwise 0."""
    n = len(arrays[0])
    if n < INNERMOST_FROM or shape.stride[-1] != 1:
        return 0
    return n if all(batch_last(array).flags.c_contiguous for array in arrays) else 0


def joined(batch: np.ndarray) -> np.ndarray:
    """View (N, C, *spatial) with samples innermost as one sample, with lines that are N times as long."""
    return batch_last(batch).reshape(1, *batch.shape[1:-1], batch.shape[-1] * batch.shape[0])


def divided(sample: np.ndarray, n: int) -> np.ndarray:
    """View one sample with joined lines as a batch."""
    return batch_first(sample.reshape(*sample.shape[1:-1], sample.shape[-1] // n, n))


def longer(shape: Shape, n: int) -> Shape:
    """The sizes for joined lines."""
    times = lambda sizes: (*sizes[:-1], sizes[-1] * n)
    spatial, places, padding, dilation = map(times, (shape.spatial, shape.places, shape.padding, shape.dilation))
    return Shape(spatial, shape.kernel, places, shape.stride, padding, dilation)
