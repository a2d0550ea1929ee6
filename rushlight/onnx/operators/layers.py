"""Convolutions, normalizations, pooling, resizing and recurrent steps."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.nn.functional.adaptive_pooling import maps_between
from rushlight.onnx.errors import UnsupportedOperatorError
from rushlight.onnx.graph import Graph, holds_size
from rushlight.onnx.operators.table import Operand, number, translates
from rushlight.onnx.recording import REFUSED


def window(kernel: Any, stride: Any, padding: Any, dilation: Any = None) -> dict[str, Any]:
    """The attributes for the kernel size, strides, padding on both sides and dilations of a window."""
    found = {"kernel_shape": list(kernel), "strides": list(stride), "pads": list(padding) * 2}
    return found if dilation is None else {**found, "dilations": list(dilation)}


@translates("convolution")
def convolution(
    g: Graph,
    input: Operand,
    weight: Operand,
    bias: Operand,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Any:
    options = {**window(weight.shape[2:], stride, padding, dilation), "group": groups}
    return g.node("Conv", input, weight, bias, **options)


@translates("convolution_transpose")
def convolution_transpose(
    g: Graph,
    input: Operand,
    weight: Operand,
    bias: Operand,
    shape: Sequence[Any],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Any:
    """The result's extra size beyond what its windows give is the output padding."""
    kernel = weight.shape[2:]
    count = len(kernel)
    if holds_size(shape[-count:]):
        raise UnsupportedOperatorError(f"{REFUSED}: a transposed convolution of an image of any size. Fix that size.")
    sizes = zip(input.shape[-count:], shape[-count:], kernel, stride, padding, dilation, strict=True)
    more = [out - ((n - 1) * s - 2 * p + d * (k - 1) + 1) for n, out, k, s, p, d in sizes]
    options = {**window(weight.shape[2:], stride, padding, dilation), "group": groups}
    return g.node("ConvTranspose", input, weight, bias, output_padding=more, **options)


def scaled(g: Any, made: Any, weight: Operand, bias: Operand) -> Any:
    """A normalized tensor times a weight, plus a bias."""
    made = made if weight is None else g.node("Mul", made, weight)
    return made if bias is None else g.node("Add", made, bias)


def per_channel(g: Any, vector: Any, ndim: int) -> Any:
    """A vector of channels shaped to broadcast along dimension 1."""
    return None if vector is None else g.node("Reshape", vector, np.asarray([-1, *[1] * (ndim - 2)]))


@translates("batch_norm_scaled")
def batch_norm_known(g: Graph, input: Operand, weight: Operand, bias: Operand, mean: Operand, invstd: Operand) -> Any:
    """With given statistics; the node takes the variance and adds epsilon to it."""
    rates = g.known(invstd)
    if rates is None:
        raise UnsupportedOperatorError(f"{REFUSED}: a batch normalization with moments that are computed.")
    ones, zeros = np.ones_like(rates), np.zeros_like(rates)
    variance = (rates.astype(np.float64) ** -2).astype(rates.dtype)
    weight, bias = ones if weight is None else weight, zeros if bias is None else bias
    return g.node("BatchNormalization", input, weight, bias, mean, variance, epsilon=0.0)


@translates("batch_norm")
def batch_norm_of_batch(g: Graph, input: Operand, weight: Operand, bias: Operand, eps: float) -> Any:
    """With the statistics of the batch, computed as instance normalization."""
    ndim = len(input.shape)
    dims = np.asarray([0, *range(2, ndim)])
    centered = g.node("Sub", input, g.node("ReduceMean", input, dims))
    variance = g.node("ReduceMean", g.node("Mul", centered, centered), dims)
    made = g.node("Div", centered, g.node("Sqrt", g.node("Add", variance, number(eps, input))))
    return scaled(g, made, per_channel(g, weight, ndim), per_channel(g, bias, ndim))


@translates("layer_norm")
def layer_norm(g: Graph, input: Operand, weight: Operand, bias: Operand, dims: int, eps: float) -> Any:
    weight = np.ones(input.shape[-dims:], input.dtype) if weight is None else weight
    return (g.node("LayerNormalization", input, weight, bias, axis=-dims, epsilon=float(eps)),)


@translates("rms_norm")
def rms_norm(g: Graph, input: Operand, weight: Operand, dims: int, eps: float) -> Any:
    axes = np.arange(-dims, 0)
    square = g.node("ReduceMean", g.node("Mul", input, input), axes)
    made = g.node("Div", input, g.node("Sqrt", g.node("Add", square, number(eps, input))))
    return (scaled(g, made, weight, None),)


@translates("group_norm")
def group_norm(g: Graph, input: Operand, weight: Operand, bias: Operand, groups: int, eps: float) -> Any:
    ndim = len(input.shape)
    flat = g.node("Reshape", input, np.asarray([0, groups, -1]))
    ones, zeros = np.ones(groups, input.dtype), np.zeros(groups, input.dtype)
    normal = g.node("InstanceNormalization", flat, ones, zeros, epsilon=float(eps))
    made = g.node("Reshape", normal, g.node("Shape", input))
    return (scaled(g, made, per_channel(g, weight, ndim), per_channel(g, bias, ndim)),)


@translates(*(f"max_pool{n}d_with_indices" for n in (1, 2, 3)))
def max_pool(
    g: Graph,
    input: Operand,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> Any:
    options = {**window(kernel, stride, padding, dilation), "ceil_mode": int(ceil_mode)}
    return (batched(g, input, len(kernel), lambda one: g.node("MaxPool", one, **options)),)


@translates(*(f"avg_pool{n}d" for n in (1, 2, 3)))
def avg_pool(
    g: Graph,
    input: Operand,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    if divisor_override is not None:
        raise UnsupportedOperatorError(f"{REFUSED}: avg_pool with divisor_override. Multiply by a number instead.")
    if ceil_mode:
        raise UnsupportedOperatorError(f"{REFUSED}: avg_pool with ceil_mode. Pad the input instead.")
    options = {**window(kernel, stride, padding), "count_include_pad": int(count_include_pad)}
    return batched(g, input, len(kernel), lambda one: g.node("AveragePool", one, **options))


def batched(g: Any, input: Any, spatial: int, pool: Any) -> Any:
    """Applies a node that needs a batch dimension to an input that may lack one."""
    if len(input.shape) == spatial + 2:
        return pool(input)
    return g.node("Squeeze", pool(g.node("Unsqueeze", input, np.asarray([0]))), np.asarray([0]))


@translates(*(f"adaptive_max_pool{n}d" for n in (1, 2, 3)))
def adaptive_max_pool(g: Graph, input: Operand, places: Sequence[Any]) -> Any:
    sizes = input.shape[-len(places) :]
    if any(size % count for size, count in zip(sizes, places, strict=True)):
        raise UnsupportedOperatorError(f"{REFUSED}: adaptive_max_pool with windows of several sizes.")
    kernel = [size // count for size, count in zip(g.dims(input)[-len(places) :], places, strict=True)]
    return max_pool(g, input, kernel, kernel, [0] * len(kernel), [1] * len(kernel), False)


RESIZED = "nearest1d nearest2d nearest3d nearestexact1d nearestexact2d nearestexact3d linear1d bilinear2d trilinear3d"
RESIZED += " bicubic2d bilinear2daa bicubic2daa lanczos2daa"


@translates(*(f"upsample_{kind}" for kind in RESIZED.split()))
def mapped(g: Graph, input: Operand, maps: Sequence[Any]) -> Any:
    """Multiplies each of the last dimensions by a matrix."""
    made: Any = input
    last = len(input.shape) - 1
    for axis, one in zip(range(last + 1 - len(maps), last + 1), maps, strict=True):
        matrix = one.rows.toarray().astype(input.dtype)
        if axis == last:
            made = g.node("MatMul", made, np.ascontiguousarray(matrix.T))
            continue
        order = [i for i in range(last + 1) if i != axis] + [axis]
        product = g.node("MatMul", g.node("Transpose", made, perm=order), np.ascontiguousarray(matrix.T))
        made = g.node("Transpose", product, perm=[int(i) for i in np.argsort(order)])
    return made


@translates(*(f"adaptive_avg_pool{n}d" for n in (1, 2, 3)))
def adaptive_avg_pool(g: Graph, input: Operand, places: Sequence[int]) -> Any:
    return mapped(g, input, maps_between(input.shape[-len(places) :], places))


@translates("pixel_shuffle")
def pixel_shuffle(g: Graph, input: Operand, factor: int) -> Any:
    return batched(g, input, 2, lambda one: g.node("DepthToSpace", one, blocksize=factor, mode="CRD"))


@translates("pixel_unshuffle")
def pixel_unshuffle(g: Graph, input: Operand, factor: int) -> Any:
    """PyTorch orders channels first, then positions in a block; SpaceToDepth does the reverse."""
    *_, channels, height, width = input.shape
    if holds_size(g.dims(input)[-3:]):
        raise UnsupportedOperatorError(f"{REFUSED}: pixel_unshuffle of an image of any size. Fix that size.")
    split = [channels, height // factor, factor, width // factor, factor]
    parts = g.node("Reshape", input, np.asarray([-1, *split]))
    turned = g.node("Transpose", parts, perm=[0, 1, 3, 5, 2, 4])
    return g.node("Reshape", turned, g.shape([*leading(g, input), channels * factor**2, split[1], split[3]]))


def leading(g: Any, input: Any) -> list[Any]:
    """The batch dimensions of images as a shape; one size that depends on the inputs is left open."""
    sizes = g.dims(input)[:-3]
    return [-1] if len(sizes) == 1 and holds_size(sizes) else sizes


@translates("channel_shuffle")
def channel_shuffle(g: Graph, input: Operand, groups: int) -> Any:
    grouped = g.node("Reshape", input, np.asarray([0, groups, input.shape[1] // groups, -1]))
    return g.node("Reshape", g.node("Transpose", grouped, perm=[0, 2, 1, 3]), g.node("Shape", input))


@translates("lstm_states")
def lstm_states(g: Graph, gates: Operand, cell: Operand) -> Any:
    """The next hidden and cell states; the gates are in the order input, forget, cell, output."""
    entering, forgetting, new, leaving = g.node("Split", gates, axis=-1, num_outputs=4, outputs=4)
    kept = g.node("Mul", g.node("Sigmoid", forgetting), cell)
    cell = g.node("Add", kept, g.node("Mul", g.node("Sigmoid", entering), g.node("Tanh", new)))
    return g.node("Mul", g.node("Sigmoid", leaving), g.node("Tanh", cell)), cell
