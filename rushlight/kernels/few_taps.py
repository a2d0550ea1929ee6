"""Convolution and its adjoints for sizes so small that tables and matrix products would take longer."""

from collections.abc import Sequence
from types import ModuleType

import numpy as np

from rushlight.kernels.compiled import load
from rushlight.kernels.patches import INNERMOST_FROM
from rushlight.kernels.plans import Shape

fast: ModuleType | None = load("taps")
FEW = 1 << 13
"""Multiplications up to which convolutions count as small.

Measured with one thread and AVX-512, the general way is as fast from 5,000 (rows of few positions and many channels) to
28,000 (long rows of few channels); backward a little later.
"""

TYPES = np.dtype(np.float32), np.dtype(np.float64)


def takes(shape: Shape, samples: int, work: int, first: np.ndarray, second: np.ndarray) -> bool:
    """Whether a convolution with so many samples and multiplications is small, and its operands are ordinary."""
    if fast is None or samples >= INNERMOST_FROM or work > FEW or len(shape.spatial) > 3:
        return False
    if type(first) is not np.ndarray or type(second) is not np.ndarray or first.dtype is not second.dtype:
        return False
    return first.dtype in TYPES and first.size > 0 and second.size > 0


def convolution(
    input: np.ndarray, weight: np.ndarray, bias: np.ndarray | None, shape: Shape, groups: int
) -> np.ndarray:
    """`kernels.convolution.convolution`."""
    output = begun((input.shape[0], weight.shape[0], *shape.places), input.dtype, bias)
    add(input, weight, output, 0, shape, groups)
    return output


def convolution_input(
    grad: np.ndarray, weight: np.ndarray, bias: np.ndarray | None, shape: Shape, groups: int
) -> np.ndarray:
    """`kernels.convolution.convolution_input`."""
    output = begun((grad.shape[0], weight.shape[1] * groups, *shape.spatial), grad.dtype, bias)
    add(output, weight, grad, 1, shape, groups)
    return output


def convolution_weight(grad: np.ndarray, input: np.ndarray, shape: Shape, groups: int) -> np.ndarray:
    """`kernels.convolution.convolution_weight`."""
    output = np.zeros((grad.shape[1], input.shape[1] // groups, *shape.kernel), grad.dtype)
    add(input, output, grad, 2, shape, groups)
    return output


def add(input: np.ndarray, weight: np.ndarray, output: np.ndarray, target: int, shape: Shape, groups: int) -> None:
    """Adds the products to the one of the three arrays that `target` names, which is contiguous."""
    arrays = [a if a.flags.c_contiguous else np.ascontiguousarray(a) for a in (input, weight, output)]
    fast.add(*arrays, target, shape.stride, shape.padding, shape.dilation, groups)  # type: ignore[union-attr]


def begun(sizes: Sequence[int], dtype: np.dtype, bias: np.ndarray | None) -> np.ndarray:
    """A new result filled with zeros, or with the bias of each channel."""
    if bias is None:
        return np.zeros(sizes, dtype)
    output = np.empty(sizes, dtype)
    output[...] = bias.reshape(-1, *(1,) * (len(sizes) - 2))
    return output
