"""Convolution and transposed convolution in one, two and three dimensions.

Convolution is bilinear in input and weight, so its derivatives of any order need only three operators: convolution,
transposed convolution, and the gradient of the weight.
"""

from collections.abc import Sequence
from functools import lru_cache, reduce
from operator import add
from typing import Any

from rushlight import dtypes
from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.kernels import convolution as kernels
from rushlight.kernels.reductions import summed
from rushlight.nn.functional.batching import convolved, convolved_weight
from rushlight.nn.functional.sizes import Numbers, hashable, repeated
from rushlight.ops.arguments.mismatch import C_NAMES, differ
from rushlight.ops.derivatives.events import Event, of_conv2d
from rushlight.ops.out import takes_out
from rushlight.ops.shapes.padding import pad
from rushlight.ops.table import operator, refuse
from rushlight.tensors import Tensor

__all__ = ["conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"]


def over_channels(grad: Array) -> Array:
    """The gradient of a bias: the sum over samples and spatial dimensions."""
    return summed(grad, (0, *range(2, grad.ndim)))


def convolution_cotangents(
    grad: Array,
    input: Array,
    weight: Array,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    needs: Sequence[bool],
) -> list[Array | None]:
    """The gradients of input, weight and bias of a convolution; that of the input only if it is needed."""
    settings = stride, padding, dilation, groups
    return [
        _convolution_transpose(grad, weight, None, input.shape, *settings) if needs[0] else None,
        _convolution_weight(grad, input, weight.shape, *settings) if needs[1] else None,
        over_channels(grad) if needs[2] else None,
    ]


def transpose_cotangents(
    grad: Array,
    input: Array,
    weight: Array,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    needs: Sequence[bool],
) -> Any:
    """The gradients of input, weight and bias of a transposed convolution."""
    settings = stride, padding, dilation, groups
    return [
        cropped(_convolution(grad, weight, None, *settings), input.shape) if needs[0] else None,
        _convolution_weight(input, grad, weight.shape, *settings) if needs[1] else None,
        over_channels(grad) if needs[2] else None,
    ]


def weight_cotangents(
    cotangent: Any,
    grad: Array,
    input: Array,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    needs: Sequence[bool],
) -> Any:
    """The gradients of the operator that computes a weight's gradient from an output gradient and an input."""
    settings = stride, padding, dilation, groups
    return [
        cropped(_convolution(input, cotangent, None, *settings), grad.shape) if needs[0] else None,
        _convolution_transpose(grad, cotangent, None, input.shape, *settings) if needs[1] else None,
    ]


def cropped(result: Array, shape: Any) -> Any:
    """The result cropped to `shape`: with an output padding beyond the stride, a convolution has further positions."""
    return result if result.shape == tuple(shape) else result[tuple(slice(n) for n in shape)]


def convolution_events(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> list[Event]:
    """The profiler events of a convolution: `conv1d` (or 2d, 3d), and `convolution` within it."""
    n = weight.ndim - 2
    outer = (input, weight, bias, stride, padding, dilation, groups)
    inner = (*outer[:6], False, (0,) * n, groups)
    return [Event(f"conv{n}d", outer, of_conv2d if n == 2 else None), Event("convolution", inner)]


def transpose_events(
    input: Any, weight: Array, bias: Any, shape: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """The profiler events of a transposed convolution. In a backward pass, on arrays, it is `convolution_backward`."""
    if not isinstance(input, TensorBase):
        return [Event("convolution_backward", (input, weight))]
    outer = (input, weight, bias, stride, padding, None, groups, dilation)
    inner = (input, weight, bias, stride, padding, dilation, True, None, groups)
    return [Event(f"conv_transpose{weight.ndim - 2}d", outer), Event("convolution", inner)]


def convolution_tangent(op: Any, outs: Sequence[Array], args: Any, tangents: Sequence[Array]) -> Any:
    """Forward mode: a convolution for each tangent, plus the tangent of the bias."""
    (input, weight, _, *settings), (t, tangent_of_weight, tangent_of_bias) = args, tangents[:3]
    parts = [] if t is None else [op(t, weight, None, *settings)]
    if tangent_of_weight is not None:
        parts.append(op(input, tangent_of_weight, None, *settings))
    if tangent_of_bias is not None:
        parts.append(tangent_of_bias.reshape(-1, *(1,) * (weight._array.ndim - 2)))
    return [reduce(add, parts)]


@operator(
    kernel=True,
    layout="convolution",
    aten=convolution_events,
    saved_as={"input": "input"},
    batch=convolved,
    tangent=convolution_tangent,
    joint=convolution_cotangents,
    inputs=("input", "weight", "bias"),
)
def _convolution(
    input: Array,
    weight: Array,
    bias: Array | None,
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    groups: int,
) -> Array:
    return kernels.convolution(input, weight, stride, padding, dilation, groups, bias)


@operator(
    layout="channels last, lines",
    aten=transpose_events,
    saved_as={"input": "input"},
    batch=convolved,
    tangent=convolution_tangent,
    joint=transpose_cotangents,
    inputs=("input", "weight", "bias"),
    node="ConvolutionBackward0",
)
def _convolution_transpose(
    input: Array,
    weight: Array,
    bias: Array | None,
    shape: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    groups: int,
) -> Array:
    return kernels.convolution_input(input, weight, shape, stride, padding, dilation, groups, bias)


@operator(
    aten="convolution_backward",
    saved_as={"input": "input"},
    batch=convolved_weight,
    linear=True,
    joint=weight_cotangents,
    inputs=("grad", "input"),
    node="ConvolutionBackwardBackward0",
)
def _convolution_weight(
    grad: Array,
    input: Array,
    shape: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    groups: int,
) -> Array:
    return kernels.convolution_weight(grad, input, shape, stride, padding, dilation, groups)


@lru_cache(maxsize=256)
def settings_of(dims: int, **numbers: Any) -> tuple[tuple[int, ...], ...]:
    """Stride, padding and so on, with one number for each dimension. RuntimeError for impossible values."""
    settings = []
    for name, given in numbers.items():
        found = repeated(given, dims)
        if found is None:
            raise RuntimeError(
                f"expected {name} to be a single integer value or a list of {dims} values to match the convolution "
                f"dimensions, but got {name}={list(given)}"
            )
        if min(found) < (0 if "padding" in name else 1):
            if name == "dilation":
                raise RuntimeError(f"dilation should be greater than zero, but got {list(found)}")
            raise RuntimeError(f"{'negative' if 'padding' in name else 'non-positive'} {name} is not supported")
        settings.append(found)
    return tuple(settings)


FIVE = "5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x kernel_width)"


def check_convolution(name: Any, dims: Any, input: Any, weight: Any, bias: Any, groups: Any, transposed: Any) -> None:
    """Raises PyTorch's errors for operands whose dtypes or shapes a convolution does not accept."""
    if not isinstance(input, Tensor):
        refuse(name, "input", 1, input)
    if not isinstance(weight, Tensor):
        refuse(name, "weight", 2, weight)
    x, w = input._array, weight._array
    if x.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, "
            f"but got input of size: {list(x.shape)}"
        )
    if w.ndim < 3:
        raise RuntimeError(f"weight should have at least three dimensions, but got weight of size {list(w.shape)}")
    if w.ndim != dims + 2:
        batch = x.shape if x.ndim == dims + 2 else (1, *x.shape)
        raise RuntimeError(
            f"Expected {w.ndim}-dimensional input for {w.ndim}-dimensional weight{list(w.shape)}, "
            f"but got {dims + 2}-dimensional input of size {list(batch)} instead"
        )
    if groups < 1:
        raise RuntimeError("non-positive groups is not supported")
    if 0 in w.shape[2:] and not (transposed and dims == 3):
        sizes = (1, *w.shape[2:]) if dims == 1 else w.shape[2:]
        named = " ".join(
            f"kernel_{k}: {n}" for k, n in zip(("depth", "height", "width")[-len(sizes) :], sizes, strict=True)
        )
        raise RuntimeError(f"kernel size should be greater than zero, but got {named}")
    check_dtypes(name, x, w, bias)
    channels = w.shape[1] * groups if transposed else w.shape[0]
    if bias is not None and bias._array.shape != (channels,):
        kernels.check_groups(w.shape, groups)
        raise RuntimeError(
            f"Given {'transposed=1, ' if transposed else ''}weight of size {list(w.shape)}, expected bias to be "
            f"1-dimensional with {channels} elements, but got bias of size {list(bias._array.shape)} instead"
        )
    if transposed and 0 in w.shape[1:] and x.size and w.shape[0]:
        sizes = "2D or 4D weight tensor expected" if dims < 3 else f"{FIVE} tensor expected for weight"
        shown = [*w.shape[:2], 1, *w.shape[2:]] if dims == 1 else list(w.shape)
        raise RuntimeError(f"non-empty {sizes}, but got: {shown}")


def check_dtypes(name: str, x: Array, w: Array, bias: Tensor | None) -> None:
    """Raises PyTorch's errors for operands of different dtypes, or of a dtype without convolution."""
    if bias is not None and differ(bias._array, x) and (not differ(x, w) or not name.startswith("conv_transpose")):
        have, other = (C_NAMES[a.dtype.name] for a in (x, bias._array))
        raise RuntimeError(f"Input type ({have}) and bias type ({other}) should be the same")
    if x.dtype.kind == "b":
        raise NotImplementedError(f"\"slow_{name}_cpu\" not implemented for 'Bool'")
    if differ(x, w):
        have, other = (dtypes.TYPE_NAMES[dtypes.FROM_NUMPY[a.dtype]] for a in (x, w))
        raise RuntimeError(f"expected scalar type {have} but found {other}")


def same_padding(
    input: Tensor, weight: Tensor, stride: Sequence[int], dilation: Sequence[int]
) -> tuple[Tensor, tuple[int, ...]]:
    """The input and the padding with which the output is as long as the input.

    If the kernel needs one more element after than before, the input itself is padded with it.
    """
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    reach = [d * (k - 1) for k, d in zip(weight._array.shape[2:], dilation, strict=True)]
    if any(r % 2 for r in reach):
        input = pad(input, tuple(n for r in reversed(reach) for n in (0, r % 2)))
    return input, tuple(r // 2 for r in reach)


def convolve(
    name: str,
    dims: int,
    input: Tensor,
    weight: Tensor,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
) -> Any:
    """A convolution in `dims` dimensions, of a batch or of a single sample."""
    check_convolution(name, dims, input, weight, bias, groups, False)
    stride, padding, dilation = hashable(stride, padding, dilation)
    if isinstance(padding, str):
        stride, dilation = settings_of(dims, stride=stride, dilation=dilation)
        if padding not in ("same", "valid"):
            raise RuntimeError(f"Invalid padding string: '{padding}'")
        input, padding = same_padding(input, weight, stride, dilation) if padding == "same" else (input, (0,) * dims)
    else:
        stride, padding, dilation = settings_of(dims, stride=stride, padding=padding, dilation=dilation)
    batch = input if input._array.ndim == dims + 2 else input.unsqueeze(0)
    result = _convolution(batch, weight, bias, stride, padding, dilation, groups)
    if not batch._array.size:
        result = of_nothing(batch._array.shape, result)
    return result if batch is input else result.squeeze(0)


def of_nothing(shape: Any, result: Array) -> Any:
    """The result for an input without elements, which PyTorch accepts if it has no samples or no channels."""
    if shape[0] and shape[1]:
        sizes = list(shape) if len(shape) > 3 else [*shape[:2], 1, *shape[2:]]
        raise RuntimeError(f"Only zero batch or zero channel inputs are supported, but got input shape: {sizes}")
    return result if shape[1] else result[:, :0]


def convolve_transposed(
    name: str,
    dims: Any,
    input: Array,
    weight: Array,
    bias: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> Any:
    """A transposed convolution in `dims` dimensions, of a batch or of a single sample."""
    check_convolution(name, dims, input, weight, bias, groups, True)
    stride, padding, beyond, dilation = hashable(stride, padding, output_padding, dilation)
    stride, padding, beyond, dilation = settings_of(
        dims, stride=stride, padding=padding, output_padding=beyond, dilation=dilation
    )
    check_output_padding(beyond, stride, dilation)
    batched = input._array.ndim == dims + 2
    batch = input if batched else input.unsqueeze(0)
    if not batch._array.size:
        of_nothing(batch._array.shape, batch)
    shape = transposed_shape(batch._array.shape, weight._array.shape, stride, padding, beyond, dilation, groups)
    result = _convolution_transpose(batch, weight, bias, shape, stride, padding, dilation, groups)
    return result if batched else result.squeeze(0)


@lru_cache(maxsize=256)
def check_output_padding(beyond: Any, stride: Any, dilation: Any) -> None:
    """Raises PyTorch's error if more is added to the output than a step of the kernel."""
    if any(o >= s and o >= d for o, s, d in zip(beyond, stride, dilation, strict=True)):
        raise RuntimeError(
            "output padding must be smaller than either stride or dilation, "
            f"but got output_padding: {beyond} stride: {stride} dilation: {dilation}"
        )


@lru_cache(maxsize=256)
def transposed_shape(
    input_shape: Any, weight_shape: Any, stride: Any, padding: Any, beyond: Any, dilation: Any, groups: int
) -> Any:
    """The output shape of a transposed convolution. RuntimeError if a size is not positive."""
    lines = zip(input_shape[2:], weight_shape[2:], stride, padding, beyond, dilation, strict=True)
    spatial = tuple((n - 1) * s - 2 * p + d * (k - 1) + o + 1 for n, k, s, p, o, d in lines)
    if min(spatial) < 1:
        have, made = (" x ".join(map(str, sizes)) for sizes in (input_shape[2:], spatial))
        raise RuntimeError(
            f"Given input size per channel: ({have}). Calculated output size per channel: ({made}). "
            "Output size is too small"
        )
    return (input_shape[0], weight_shape[1] * groups, *spatial)


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Numbers = 1,
    padding: Numbers | str = 0,
    dilation: Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """Cross-correlation of (N, C, L) or (C, L) with filters (O, C / groups, K); see `conv2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 3))
    tensor([[[3., 3.]]])
    """
    return convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Numbers = 1,
    padding: Numbers | str = 0,
    dilation: Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """Cross-correlation of (N, C, H, W) or (C, H, W) with filters (O, C / groups, KH, KW), plus a bias (O).

    `padding` is a number of zeros on each side, "same" (output size equal to input size, for stride 1) or "valid"
    (none). All operands have the same dtype, any but bool. RuntimeError if the channels do not match, or the kernel is
    larger than the padded input.

    >>> import rushlight as torch
    >>> torch.nn.functional.conv2d(torch.ones(1, 3, 8, 8), torch.ones(5, 3, 3, 3), stride=2, padding=1).shape
    torch.Size([1, 5, 4, 4])
    """
    return convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Numbers = 1,
    padding: Numbers | str = 0,
    dilation: Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """Cross-correlation of (N, C, D, H, W) or (C, D, H, W) with filters (O, C / groups, KD, KH, KW); see `conv2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.conv3d(torch.ones(1, 1, 3, 3, 3), torch.ones(2, 1, 3, 3, 3)).flatten()
    tensor([27., 27.])
    """
    return convolve("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


@takes_out
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """The convolution of sequences (time, batch, channels) with a weight (width, channels, new channels).

    `pad` zeros are added before and after in time. RuntimeError for operands of other shapes or dtypes.

    >>> import rushlight as torch
    >>> torch.conv_tbc(torch.ones(3, 1, 1), torch.ones(2, 1, 1), torch.zeros(1)).flatten()
    tensor([2., 2.])
    """
    x, w, b = input._array, weight._array, bias._array
    if x.ndim != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if w.ndim != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if b.ndim != 1:
        raise RuntimeError("Bias must be 1-D")
    if x.shape[2] != w.shape[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if b.shape[0] != w.shape[2]:
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    result = conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return result.permute(2, 0, 1).contiguous()


def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Numbers = 1,
    padding: Numbers = 0,
    output_padding: Numbers = 0,
    groups: int = 1,
    dilation: Numbers = 1,
) -> Tensor:
    """The transposed convolution of (N, C, L) or (C, L) with filters (C, O / groups, K); see `conv_transpose2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.conv_transpose1d(torch.ones(1, 1, 2), torch.ones(1, 1, 3))
    tensor([[[1., 2., 2., 1.]]])
    """
    return convolve_transposed(
        "conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Numbers = 1,
    padding: Numbers = 0,
    output_padding: Numbers = 0,
    groups: int = 1,
    dilation: Numbers = 1,
) -> Tensor:
    """The transposed convolution of (N, C, H, W) or (C, H, W) with filters (C, O / groups, KH, KW), plus a bias (O).

    It is the gradient of `conv2d` with respect to its input: each input element adds the filters, times its value, at
    the positions that a convolution with the same stride, padding and dilation reads. `output_padding` makes the output
    larger at the end, since with a stride several sizes are possible. RuntimeError if the channels do not match or an
    output size is not positive.

    >>> import rushlight as torch
    >>> torch.nn.functional.conv_transpose2d(torch.ones(1, 5, 4, 4), torch.ones(5, 3, 3, 3), stride=2).shape
    torch.Size([1, 3, 9, 9])
    """
    return convolve_transposed(
        "conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Numbers = 1,
    padding: Numbers = 0,
    output_padding: Numbers = 0,
    groups: int = 1,
    dilation: Numbers = 1,
) -> Tensor:
    """The transposed convolution of (N, C, D, H, W) with filters (C, O / groups, KD, KH, KW); see `conv_transpose2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.conv_transpose3d(torch.ones(1, 1, 2, 2, 2), torch.ones(1, 1, 3, 3, 3)).shape
    torch.Size([1, 1, 4, 4, 4])
    """
    return convolve_transposed(
        "conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups, dilation
    )
