"""Convolution and its two adjoints, each as matrix products with the patches of the input.

The three are bilinear and nothing is conjugated: the derivatives of each are the other two. For a large batch the
result is a transposed view of memory in which the batch is innermost: then patches are long contiguous copies.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import prod

import numpy as np

from rushlight.kernels import depthwise, direct, few_taps, pointwise
from rushlight.kernels.patches import SHAPES, Size, add_windows, empty_batch, output_size, pad_run, runs, windows
from rushlight.kernels.plans import Shape
from rushlight.kernels.products import multiply_into, products

BLOCK_BYTES = 4 << 20
"""The size of the part of the patch matrix that is made at a time, so that it is in the cache when multiplied."""

THIN = 10
"""Up to this many channels, matrix-vector products over long rows beat one matrix product (measured)."""


def convolution(
    input: np.ndarray,
    weight: np.ndarray,
    stride: Size,
    padding: Size,
    dilation: Size,
    groups: int,
    bias: np.ndarray | None = None,
) -> np.ndarray:
    """Cross-correlate (N, C, *spatial) with (O, C/groups, *kernel), plus a bias (O); the result is (N, O, *places).

    Raises RuntimeError where the channels do not fit the groups or the kernel exceeds the padded input.
    """
    shape, work = _sizes(input.shape, weight.shape, stride, padding, dilation, groups)
    if few_taps.takes(shape, input.shape[0], work, input, weight):
        return few_taps.convolution(input, weight, bias, shape, groups)
    if pointwise.takes(shape, groups, input, weight):
        return _add_bias(pointwise.convolution(input, weight), bias)
    if direct.takes(shape, weight.shape, groups, input, weight):
        return direct.convolution(input, weight, bias, shape, groups)
    if depthwise.takes(shape, weight.shape, groups, input, weight):
        return depthwise.convolution(input, weight, bias, shape, groups)
    kernel, places = shape.kernel, shape.places
    output = empty_batch((input.shape[0], weight.shape[0], *places), np.result_type(input, weight))
    filters = _filters(weight, groups)
    for run, result in zip(runs(input), runs(output), strict=True):
        seen = windows(pad_run(run, padding), kernel, places, stride, dilation)
        for rows in _blocks(places, filters, run):
            multiply_into(filters, _columns(seen, rows, groups), _planes(result, rows, groups))
    return _add_bias(output, bias)


def convolution_input(
    grad: np.ndarray,
    weight: np.ndarray,
    input_shape: Size,
    stride: Size,
    padding: Size,
    dilation: Size,
    groups: int,
    bias: np.ndarray | None = None,
) -> np.ndarray:
    """Return the adjoint of `convolution` in its input at `grad` (N, O, *places): the transposed convolution.

    A bias for each channel of the result is added.
    `input_shape` may reach beyond what the places of `grad` saw: that is PyTorch's output_padding.
    Raises RuntimeError where the channels do not fit.
    """
    shape, work = _sizes_back(tuple(input_shape), weight.shape, grad.shape, stride, padding, dilation, groups)
    if few_taps.takes(shape, grad.shape[0], work, grad, weight):
        return few_taps.convolution_input(grad, weight, bias, shape, groups)
    if shape.spatial == shape.places and pointwise.takes(shape, groups, grad, weight):
        return _add_bias(pointwise.convolution_input(grad, weight), bias)
    by_lines = depthwise.takes(shape, weight.shape, groups, grad, weight)
    if not (by_lines and depthwise.lies_apart(grad)) and direct.takes(shape, weight.shape, groups, grad, weight):
        return direct.convolution_input(grad, weight, bias, shape, groups)
    if by_lines:
        return depthwise.convolution_input(grad, weight, bias, shape, groups)
    kernel, places = shape.kernel, shape.places
    output = empty_batch(input_shape, np.result_type(grad, weight))
    output[...] = 0
    keeps = _keeps_size(input_shape, kernel, places, stride, padding, dilation)
    gathered, scattered = _share(kernel, 1, keeps)
    around, (top, *sides) = _share(padding, 0, keeps)
    filters, ones = _turned(weight, groups, gathered[-1]), (1,) * len(kernel)
    for run, result in zip(runs(grad), runs(output), strict=True):
        seen = windows(pad_run(run, around), gathered, places, ones, dilation)
        for rows in _blocks(places, filters, run):
            block = _spread(filters, _columns(seen, rows, groups))
            block = block.reshape(input_shape[1], *scattered, *run[:, rows].shape[1:])
            above = top - rows.start * stride[0]
            add_windows(result, block, scattered, stride, (above, *sides), dilation)
    return _add_bias(output, bias)


def convolution_weight(
    grad: np.ndarray, input: np.ndarray, weight_shape: Size, stride: Size, padding: Size, dilation: Size, groups: int
) -> np.ndarray:
    """Return the adjoint of `convolution` in its weight at `grad` (N, O, *places), of shape `weight_shape`.

    Raises RuntimeError where the channels do not fit.
    """
    shape, work = _sizes_back(input.shape, tuple(weight_shape), grad.shape, stride, padding, dilation, groups)
    if few_taps.takes(shape, grad.shape[0], work, grad, input):
        return few_taps.convolution_weight(grad, input, shape, groups)
    if pointwise.takes(shape, groups, grad, input):
        return pointwise.convolution_weight(grad, input, weight_shape)
    if direct.takes_weight(shape, groups, grad, input):
        return direct.convolution_weight(grad, input, shape, groups).reshape(weight_shape)
    if depthwise.takes(shape, weight_shape, groups, grad, input):
        return depthwise.convolution_weight(grad, input, shape, groups)
    kernel, places = shape.kernel, shape.places
    total = np.zeros((groups, weight_shape[0] // groups, prod(weight_shape[1:])), np.result_type(grad, input))
    for run, cotangent in zip(runs(input), runs(grad), strict=True):
        cotangent = np.ascontiguousarray(cotangent, like=cotangent)
        seen = windows(pad_run(run, padding), kernel, places, stride, dilation)
        for rows in _blocks(places, total, run):
            total += _contract(_planes(cotangent, rows, groups), _columns(seen, rows, groups))
    return total.reshape(weight_shape)


@lru_cache(maxsize=SHAPES)
def _sizes(
    input_shape: Size, weight_shape: Size, stride: Size, padding: Size, dilation: Size, groups: int
) -> tuple[Shape, int]:
    """Return the sizes of a convolution, and its number of multiplications.

    Raises RuntimeError where the channels do not fit the groups or the kernel exceeds the padded input.
    """
    _check_channels(input_shape, weight_shape, groups)
    places = output_size(input_shape[2:], weight_shape[2:], stride, padding, dilation)
    shape = Shape(input_shape[2:], weight_shape[2:], places, stride, padding, dilation)
    return shape, input_shape[0] * prod(weight_shape) * prod(places)


@lru_cache(maxsize=SHAPES)
def _sizes_back(
    input_shape: Size, weight_shape: Size, grad_shape: Size, stride: Size, padding: Size, dilation: Size, groups: int
) -> tuple[Shape, int]:
    """Return `_sizes` of the convolution whose adjoint is asked for. Raises RuntimeError where channels do not fit."""
    _check_channels(input_shape, weight_shape, groups)
    _check_transposed(grad_shape, weight_shape)
    shape = Shape(input_shape[2:], weight_shape[2:], grad_shape[2:], stride, padding, dilation)
    return shape, grad_shape[0] * prod(weight_shape) * prod(grad_shape[2:])


def _add_bias(output: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    """Add a number for each channel to a fresh result."""
    if bias is not None:
        output += bias.reshape(-1, *(1,) * (output.ndim - 2))
    return output


def check_groups(weight_shape: Size, groups: int) -> None:
    """Raise RuntimeError where the weight cannot be split into groups."""
    if weight_shape[0] < groups or weight_shape[0] % groups:
        expected = f"at least {groups}" if weight_shape[0] < groups else f"divisible by {groups}"
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be {expected} at dimension 0, "
            f"but got weight of size {list(weight_shape)} instead"
        )


def _check_channels(input_shape: Size, weight_shape: Size, groups: int) -> None:
    """Raise RuntimeError where input and weight do not fit each other."""
    check_groups(weight_shape, groups)
    channels = weight_shape[1] * groups
    if input_shape[1] != channels:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {list(weight_shape)}, expected input{list(input_shape)} "
            f"to have {channels} channels, but got {input_shape[1]} channels instead"
        )


def _check_transposed(grad_shape: Size, weight_shape: Size) -> None:
    """Raise RuntimeError where the cotangent, the transposed convolution's input, does not fit the weight."""
    if grad_shape[1] != weight_shape[0]:
        raise RuntimeError(
            f"Given transposed=1, weight of size {list(weight_shape)}, expected input{list(grad_shape)} "
            f"to have {weight_shape[0]} channels, but got {grad_shape[1]} channels instead"
        )


def _keeps_size(input_shape: Size, kernel: Size, places: Size, stride: Size, padding: Size, dilation: Size) -> bool:
    """Whether the last dimension has stride one and keeps its size.

    The adjoint there is such a convolution too, and gathering its taps costs less than scattering (measured).
    """
    same = input_shape[-1] == places[-1] and 2 * padding[-1] == dilation[-1] * (kernel[-1] - 1)
    return same and stride[-1] == 1


def _share(sizes: Size, neutral: int, keeps: bool) -> tuple[Size, Size]:
    """Split the kernel or the padding into what the adjoint gathers, in the last dimension, and scatters."""
    none = (neutral,) * len(sizes)
    return ((*none[1:], sizes[-1]), (*sizes[:-1], neutral)) if keeps else (none, sizes)


def _turned(weight: np.ndarray, groups: int, gathered: int) -> np.ndarray:
    """View the adjoint's filters: (groups, taps to scatter, O/groups * taps to gather, last one first)."""
    outer, taps = weight.shape[0] // groups, prod(weight.shape[1:]) // gathered
    filters = weight.reshape(groups, outer, taps, gathered)[..., ::-1]
    return filters.swapaxes(1, 2).reshape(groups, taps, outer * gathered)


def _blocks(places: Size, filters: np.ndarray, run: np.ndarray) -> Iterator[slice]:
    """Cut the first dimension of the places into even parts, so that the patches of each fit in the cache."""
    place_bytes = len(filters) * max(filters.shape[1:]) * run.shape[-1] * run.itemsize
    parts = max(1, -(-prod(places) * place_bytes // BLOCK_BYTES))
    step = max(1, -(-places[0] // parts))
    return (slice(first, first + step) for first in range(0, places[0], step))


def _filters(weight: np.ndarray, groups: int) -> np.ndarray:
    """View the weight as one matrix a group: (groups, O/groups, taps)."""
    return weight.reshape(groups, weight.shape[0] // groups, prod(weight.shape[1:]))


def _columns(seen: np.ndarray, rows: slice, groups: int) -> np.ndarray:
    """Gather the patches of some rows of places into one matrix a group: (groups, taps, places * samples)."""
    split = seen.ndim // 2
    block = seen[(slice(None),) * split + (rows,)]
    return block.reshape(groups, prod(block.shape[:split]) // groups, prod(block.shape[split:]))


def _planes(run: np.ndarray, rows: slice, groups: int) -> np.ndarray:
    """View some rows of places of a contiguous run as (groups, channels, places * samples)."""
    block = run[:, rows]
    return block.reshape(groups, block.shape[0] // groups, prod(block.shape[1:]))


def _spread(filters: np.ndarray, planes: np.ndarray) -> np.ndarray:
    """Contract (groups, taps, channels) with (groups, channels, n), for one channel by an outer product."""
    return filters * planes if planes.shape[1] == 1 else products(filters, planes)


def _contract(planes: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Contract the long rows of (groups, channels, n) and (groups, taps, n): (groups, channels, taps)."""
    channels = planes.shape[1]
    if channels > THIN:
        return products(columns, planes.swapaxes(1, 2)).swapaxes(1, 2)
    return np.stack([products(columns, planes[:, channel, :, None])[..., 0] for channel in range(channels)], 1)
