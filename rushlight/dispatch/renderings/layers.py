"""Renderings of products, layers and losses."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from rushlight.core.aliases import Array
from rushlight.dispatch.renderings.table import RENDERINGS, Rendering, renders, trimmed, with_defaults
from rushlight.ops.aten_namespace import aten

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}  # as in the dispatcher


def added(name: str) -> Callable[..., Any]:
    """The rendering of a product that is added to another tensor, such as addmm."""

    def render(input: Array, first: Array, second: Array, beta: float, alpha: float) -> Rendering:
        factors = {"beta": beta, "alpha": alpha}
        kwargs = {key: value for key, value in factors.items() if value != 1}
        return Rendering(getattr(aten, name).default, (input, first, second), kwargs)

    return render


for _name in ("addmm", "addmv", "addr", "addbmm", "baddbmm"):
    RENDERINGS[_name] = added(_name)


@renders("layer_norm")
def layer_norm(input: Array, weight: Array, bias: Array | None, dims: Sequence[int], eps: float) -> Rendering:
    shape = list(input._array.shape[input._array.ndim - dims :])
    return Rendering(aten.native_layer_norm.default, (input, shape, weight, bias, eps))


@renders("group_norm")
def group_norm(input: Array, weight: Array, bias: Array | None, groups: int, eps: float) -> Rendering:
    n, channels, *sizes = input._array.shape
    return Rendering(aten.native_group_norm.default, (input, weight, bias, n, channels, prod(sizes), groups, eps))


@renders("embedding", "rows")
def embedding(weight: Array, indices: Array, padding_idx: int = -1, scale_grad_by_freq: bool = False) -> Rendering:
    args = trimmed((weight, indices, padding_idx, scale_grad_by_freq), -1, False)
    return Rendering(aten.embedding.default, args)


@renders("convolution")
def convolution(
    input: Array,
    weight: Array,
    bias: Array | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Rendering:
    nothing = [0] * len(stride)
    sizes = list(stride), list(padding), list(dilation)
    return Rendering(aten.convolution.default, (input, weight, bias, *sizes, False, nothing, groups))


@renders("convolution_transpose")
def convolution_transpose(
    input: Array,
    weight: Array,
    bias: Array | None,
    shape: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Rendering | None:
    rows = zip(shape[2:], input._array.shape[2:], weight._array.shape[2:], stride, padding, dilation, strict=True)
    extra = [size - ((n - 1) * s - 2 * p + d * (k - 1) + 1) for size, n, k, s, p, d in rows]
    sizes = list(stride), list(padding), list(dilation)
    if any(not 0 <= one < max(s, d) for one, s, d in zip(extra, stride, dilation, strict=True)):
        return None
    return Rendering(aten.convolution.default, (input, weight, bias, *sizes, True, extra, groups))


def pooling(name: str, dims: int) -> Callable[..., Any]:
    """The rendering of maximum pooling."""

    def render(
        input: Array,
        kernel: Sequence[int],
        stride: Sequence[int],
        padding: Sequence[int],
        dilation: Sequence[int],
        ceil_mode: bool,
    ) -> Rendering:
        args = input, list(kernel), list(stride), list(padding), list(dilation), ceil_mode
        return Rendering(getattr(aten, name).default, trimmed(args, list(kernel), [0] * dims, [1] * dims, False))

    return render


RENDERINGS["max_pool2d_with_indices"] = pooling("max_pool2d_with_indices", 2)
RENDERINGS["max_pool3d_with_indices"] = pooling("max_pool3d_with_indices", 3)


@renders("avg_pool2d", "avg_pool3d")
def averages(
    input: Array,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Rendering:
    packet = aten.avg_pool2d if len(kernel) == 2 else aten.avg_pool3d
    args = input, list(kernel), list(stride), list(padding), ceil_mode, count_include_pad, divisor_override
    return Rendering(packet.default, trimmed(args, list(kernel), [0] * len(kernel), False, True, None))


@renders("nll_sum")
def nll_loss(input: Array, target: Array, factor: float) -> Rendering | None:
    count = target._array.size
    for name, whole in (("sum", -1.0), ("mean", -1.0 / count if count else None)):
        if factor == whole:
            args = input, target, None, REDUCTIONS[name], -100
            return Rendering(aten.nll_loss_forward.default, args, {}, lambda results: results[0])
    return None


@renders("mse_loss")
def mse_loss(input: Array, target: Array, parameter: Any, reduction: str) -> Rendering:
    return Rendering(aten.mse_loss.default, trimmed((input, target, REDUCTIONS[reduction]), 1))


def with_parameter(name: str, default: float) -> Callable[..., Any]:
    """The rendering of a loss with a parameter after the reduction."""

    def render(input: Array, target: Array, parameter: Any, reduction: str) -> Rendering:
        args = input, target, REDUCTIONS[reduction], parameter
        return Rendering(getattr(aten, name).default, trimmed(args, 1, default))

    return render


RENDERINGS["smooth_l1_loss"] = with_parameter("smooth_l1_loss", 1.0)
RENDERINGS["huber_loss"] = with_parameter("huber_loss", 1.0)


@renders("binary_cross_entropy_with_logits")
def logits_loss(input: Array, target: Array, parameter: Any, reduction: str) -> Rendering | None:
    if parameter is not None:
        return None
    args = input, target, None, None, REDUCTIONS[reduction]
    return Rendering(aten.binary_cross_entropy_with_logits.default, trimmed(args, None, None, 1))


with_defaults("bmm")
with_defaults("mm")
with_defaults("mv")
with_defaults("dot")
with_defaults("cross", None)
with_defaults("cholesky", False)
