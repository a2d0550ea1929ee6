"""Pooling over sliding windows: max, average and power-average, in one, two and three dimensions."""

import math
from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import new_tensor
from rushlight.core.interpreters import STACK
from rushlight.core.narrow import in_float32
from rushlight.core.operators import Operator
from rushlight.core.recording import recording, requires_grad
from rushlight.kernels import pooling as kernels
from rushlight.kernels.steps import zeros_like
from rushlight.nn.functional import planes
from rushlight.nn.functional.batching import as_samples
from rushlight.nn.functional.pool_checks import checked_settings
from rushlight.nn.functional.sampling import LAYOUTS
from rushlight.nn.functional.sizes import Numbers, hashable, repeated
from rushlight.ops.out import takes_out
from rushlight.ops.table import operator, refuse
from rushlight.tensors import Tensor

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool2d_with_indices_backward",
    "max_pool3d",
    "max_pool3d_with_indices",
]


def max_pool(input: Array, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> tuple[Array, ...]:
    """The maxima of all windows of a batch or of a single sample, and their flat indices."""
    dims = len(kernel)
    values, indices = kernels.max_pool(planes.batched(input, dims), kernel, stride, padding, dilation, ceil_mode)
    return (values, indices) if input.ndim == dims + 2 else (values[0], indices[0])


@in_float32
def avg_pool(
    input: Array,
    kernel: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
) -> Array:
    """The means of all windows of a batch or of a single sample."""
    dims = len(kernel)
    options = kernel, stride, padding, ceil_mode, count_include_pad, divisor_override
    result = kernels.avg_pool(planes.batched(input, dims), *options)
    return result if input.ndim == dims + 2 else result[0]


@in_float32
def avg_pool_cotangent(
    grad: Array,
    shape: Any,
    kernel: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
) -> Array:
    """The adjoint of `avg_pool`."""
    dims = len(kernel)
    batch = planes.batched(grad, dims)
    full = shape if len(shape) == dims + 2 else (1, *shape)
    result = kernels.avg_pool_input(batch, full, kernel, stride, padding, count_include_pad, divisor_override)
    return result.reshape(shape)


def max_pool_operator(dims: int) -> Any:
    """Registers the max pooling of `dims` dimensions."""
    return operator(
        layout="channels last, lines" if dims == 1 else "channels last",
        batch=as_samples,
        name=f"max_pool{dims}d_with_indices",
        aten=(f"max_pool{dims}d", f"max_pool{dims}d_with_indices"),
        node=f"MaxPool{max(dims, 2)}DWithIndicesBackward0",
        nondifferentiable=(1,),
        input=lambda grad, result1, input_shape: planes.scatter(grad[0], result1, input_shape, dims),
    )(max_pool)


def avg_pool_operator(dims: int) -> Operator:
    """Registers the average pooling of `dims` dimensions and its adjoint; each is the other's derivative."""
    adjoint = operator(
        layout=LAYOUTS[dims],
        batch=as_samples,
        linear=True,
        name=f"avg_pool{dims}d_backward",
        aten=f"avg_pool{max(dims, 2)}d_backward",
        node=f"AvgPool{max(dims, 2)}DBackwardBackward0",
        grad=lambda g, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override: entry(
            g, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override
        ),
    )(avg_pool_cotangent)
    entry = operator(
        layout=LAYOUTS[dims],
        batch=as_samples,
        linear=True,
        name=f"avg_pool{dims}d",
        node=f"AvgPool{max(dims, 2)}DBackward0",
        input=lambda g, input_shape, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override: adjoint(
            g, input_shape, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override
        ),
    )(avg_pool)
    return entry


MAXIMA = {dims: f"max_pool{dims}d" for dims in (1, 2, 3)}
AVERAGES = {dims: f"avg_pool{dims}d" for dims in (1, 2, 3)}
MAX_POOL = {dims: max_pool_operator(dims) for dims in (1, 2, 3)}
AVG_POOL = {dims: avg_pool_operator(dims) for dims in (1, 2, 3)}


def pool_maxima(
    dims: int,
    input: Tensor,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    indices: bool = True,
) -> Any:
    """The maxima of all windows, and their indices."""
    name = "max_pool1d_with_indices" if indices and dims == 1 else MAXIMA[dims]
    settings = window_settings(name, dims, input, ceil_mode, kernel_size, stride, padding, dilation)
    if not indices and is_final_for(input):
        found = kernels.max_pool_at_once(input._array, settings, ceil_mode, False)
        if found is not None:
            return new_tensor(found[0]), None
    return MAX_POOL[dims](input, *settings, ceil_mode)


def is_final_for(input: Tensor) -> bool:
    """Whether nothing but the values of a result is asked for: it is neither recorded nor watched, nor laid out."""
    if STACK.depth or (requires_grad(input) and recording()) or input._unsettled:
        return False
    return type(input._array) is np.ndarray and input._array.flags.c_contiguous


def pool_averages(
    dims: int,
    input: Tensor,
    kernel_size: Any,
    stride: Sequence[int] | int | None,
    padding: Sequence[int] | int,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None = None,
) -> Tensor:
    """The means of all windows."""
    settings = window_settings(AVERAGES[dims], dims, input, ceil_mode, kernel_size, stride, padding, 1)
    options = *settings[:3], ceil_mode, count_include_pad, divisor_override
    if is_final_for(input) and (found := kernels.avg_pool_at_once(input._array, *options)) is not None:
        return new_tensor(found)
    return AVG_POOL[dims](input, *options)


def window_settings(
    name: str, dims: Any, input: Tensor, ceil_mode: bool, *numbers: Sequence[int] | int | None
) -> tuple[Sequence[int], ...]:
    """Checks the settings, and returns kernel size, stride, padding and dilation with one number for each dimension."""
    if not isinstance(input, Tensor):
        refuse(name, "input", 1, input)
    array = input._array
    return checked_settings(name, dims, array.shape, array.dtype, ceil_mode, *hashable(*numbers))


def pool_powers(
    dims: int, input: Tensor, norm_type: float, kernel_size: Numbers, stride: Numbers | None, ceil_mode: bool
) -> Tensor:
    """The p-norms of all windows; 0, with zero gradient, where the sum of the powers is not positive."""
    if abs(norm_type) == math.inf:
        sign = 1 if norm_type > 0 else -1
        return sign * pool_maxima(dims, sign * input.abs(), kernel_size, stride, 0, 1, ceil_mode, False)[0]
    means = pool_averages(dims, input.pow(norm_type), kernel_size, stride, 0, ceil_mode, True)
    size = math.prod(repeated(kernel_size, dims) or ())
    return (means.sign() * means.abs().relu() * size).pow(1.0 / norm_type)


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    dilation: Numbers = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """`max_pool1d`, with the indices of the maxima.

    >>> import rushlight as torch
    >>> torch.nn.functional.max_pool1d_with_indices(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    (tensor([[3., 2.]]), tensor([[1, 2]]))
    """
    return pool_maxima(1, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    dilation: Numbers = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """`max_pool2d`, with the indices of the maxima in the flattened planes.

    >>> import rushlight as torch
    >>> torch.nn.functional.max_pool2d_with_indices(torch.tensor([[[1.0, 3.0], [2.0, 0.0]]]), 2)
    (tensor([[[3.]]]), tensor([[[1]]]))
    """
    return pool_maxima(2, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d_with_indices_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None,
    padding: Numbers,
    dilation: Numbers,
    ceil_mode: bool,
    indices: Tensor,
) -> Tensor:
    """The gradient of `max_pool2d_with_indices`: zeros, with `grad_output` added at the indices.

    >>> import rushlight as torch
    >>> x, grad, indices = torch.zeros(1, 2, 2), torch.ones(1, 1, 1), torch.tensor([[[1]]])
    >>> torch.nn.functional.max_pool2d_with_indices_backward(grad, x, 2, None, 0, 1, False, indices)
    tensor([[[0., 1.],
             [0., 0.]]])
    """
    return _max_pool2d_backward(grad_output, self, indices)


@operator(
    batch=as_samples,
    node="MaxPool2DWithIndicesBackwardBackward0",
    grad_output=lambda grad, indices: planes.gather(grad, indices, 2),
    self=lambda grad: zeros_like(grad),
)
def _max_pool2d_backward(grad_output: Array, self: Array, indices: Array) -> Array:
    return planes.scatter(grad_output, indices, self.shape, 2)


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    dilation: Numbers = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """`max_pool3d`, with the indices of the maxima in the flattened volumes.

    >>> import rushlight as torch
    >>> values, indices = torch.nn.functional.max_pool3d_with_indices(torch.ones(1, 2, 2, 2), 2)
    >>> values.shape, indices.shape
    (torch.Size([1, 1, 1, 1]), torch.Size([1, 1, 1, 1]))
    """
    return pool_maxima(3, input, kernel_size, stride, padding, dilation, ceil_mode)


@overload
def max_pool1d(
    input: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    dilation: Numbers = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Tensor: ...
@overload
def max_pool1d(*args: Any, **kwargs: Any) -> Any: ...
def max_pool1d(
    input: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    dilation: Numbers = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Max pooling of (N, C, L) or (C, L); see `max_pool2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2, stride=1)
    tensor([[3., 3., 2.]])
    """
    found = pool_maxima(1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
    return found if return_indices else found[0]


@overload
def max_pool2d(
    input: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    dilation: Numbers = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Tensor: ...
@overload
def max_pool2d(*args: Any, **kwargs: Any) -> Any: ...
def max_pool2d(
    input: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    dilation: Numbers = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Max pooling of (N, C, H, W) or (C, H, W): the maximum of each sliding window.

    The windows are `stride` apart (by default the kernel size). They cover the input and, on each side, `padding`
    elements (at most half a window), which count as -inf. With `ceil_mode`, a last window may extend beyond the end.
    `return_indices` also returns the indices of the maxima in the flattened planes, as `max_unpool2d` takes them.
    RuntimeError for settings with which no window fits.

    >>> import rushlight as torch
    >>> torch.nn.functional.max_pool2d(torch.tensor([[[1.0, 3.0], [2.0, 0.0]]]), 2)
    tensor([[[3.]]])
    """
    found = pool_maxima(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
    return found if return_indices else found[0]


@overload
def max_pool3d(
    input: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    dilation: Numbers = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Tensor: ...
@overload
def max_pool3d(*args: Any, **kwargs: Any) -> Any: ...
def max_pool3d(
    input: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    dilation: Numbers = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Max pooling of (N, C, D, H, W) or (C, D, H, W); see `max_pool2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.max_pool3d(torch.ones(1, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2])
    """
    found = pool_maxima(3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
    return found if return_indices else found[0]


def avg_pool1d(
    input: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Average pooling of (N, C, L) or (C, L); see `avg_pool2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.avg_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[2., 1.]])
    """
    return pool_averages(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


@takes_out
def avg_pool2d(
    input: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Average pooling of (N, C, H, W) or (C, H, W): the mean of each sliding window.

    The padding counts as zeros, or is left out with `count_include_pad=False`. `divisor_override` is the divisor of the
    sums, in place of the windows' sizes. RuntimeError for settings with which no window fits, and for a divisor of
    zero.

    >>> import rushlight as torch
    >>> torch.nn.functional.avg_pool2d(torch.tensor([[[1.0, 3.0], [2.0, 0.0]]]), 2)
    tensor([[[1.5000]]])
    """
    return pool_averages(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@takes_out
def avg_pool3d(
    input: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Average pooling of (N, C, D, H, W) or (C, D, H, W); see `avg_pool2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.avg_pool3d(torch.ones(1, 2, 2, 2), 2)
    tensor([[[[1.]]]])
    """
    return pool_averages(3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: Numbers, stride: Numbers | None = None, ceil_mode: bool = False
) -> Tensor:
    """The p-norms of sliding windows of (N, C, L) or (C, L); see `lp_pool2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.lp_pool1d(torch.tensor([[3.0, 4.0]]), 2, 2)
    tensor([[5.]])
    """
    return pool_powers(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Numbers, stride: Numbers | None = None, ceil_mode: bool = False
) -> Tensor:
    """The p-norms of sliding windows of (N, C, H, W) or (C, H, W): (sum of x ** p) ** (1 / p), without absolute values.

    Where the sum of the powers is not positive, result and gradient are 0.

    >>> import rushlight as torch
    >>> torch.nn.functional.lp_pool2d(torch.tensor([[[3.0, 4.0], [0.0, 0.0]]]), 2, 2)
    tensor([[[5.]]])
    """
    return pool_powers(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Numbers, stride: Numbers | None = None, ceil_mode: bool = False
) -> Tensor:
    """The p-norms of sliding windows of (N, C, D, H, W) or (C, D, H, W); see `lp_pool2d`.

    >>> import rushlight as torch
    >>> torch.nn.functional.lp_pool3d(torch.ones(1, 2, 2, 2), 3, 2)
    tensor([[[[2.]]]])
    """
    return pool_powers(3, input, norm_type, kernel_size, stride, ceil_mode)
