"""Convolution layers in one, two and three dimensions."""

from collections.abc import Sequence
from typing import Any, ClassVar

from rushlight.core.advice import advised
from rushlight.dtypes import dtype as Dtype
from rushlight.nn import functional as F
from rushlight.nn.modules.base.making import Device, Sizes, _reverse_repeat_tuple, repeated, uninitialized
from rushlight.nn.modules.base.making import _pair as _pair
from rushlight.nn.modules.base.making import _single as _single
from rushlight.nn.modules.base.making import _triple as _triple
from rushlight.nn.modules.linear import draw_weight_and_bias
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.tensors import Tensor

__all__ = ["Conv1d", "Conv2d", "Conv3d"]

PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """Base class of all convolution layers, also of those that programs define: sizes have one number a dimension.

    `_reversed_padding_repeated_twice` is the padding as `F.pad` takes it, which modes other than "zeros" need.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: str | tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._check()
        self._reversed_padding_repeated_twice: Any = self._margins()
        first, second = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        self.weight: Parameter = uninitialized((first, second // groups, *self.kernel_size), device, dtype)
        self.register_parameter("bias", uninitialized(out_channels, device, dtype) if bias else None)
        self.reset_parameters()

    def _check(self) -> None:
        """Raises PyTorch's errors for invalid arguments."""
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name in ("in_channels", "out_channels"):
            if getattr(self, name) % self.groups:
                raise ValueError(
                    advised(f"{name} must be divisible by groups, but got {getattr(self, name)} and {self.groups}")
                )
        if isinstance(self.padding, str):
            if self.padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {self.padding!r}, should be one of 'same', 'valid'")
            if self.padding == "same" and any(s != 1 for s in self.stride):
                raise ValueError(advised("padding='same' is not supported for strided convolutions"))
        if self.padding_mode not in PADDING_MODES:
            raise ValueError(
                f"padding_mode must be one of {set(PADDING_MODES)}, but got padding_mode='{self.padding_mode}'"
            )

    def _margins(self) -> Sequence[int]:
        """The padding before and after each dimension, the last dimension first, as `F.pad` takes it."""
        if not isinstance(self.padding, str):
            return _reverse_repeat_tuple(self.padding, 2)
        margins = []
        for dilation, size in zip(reversed(self.dilation), reversed(self.kernel_size), strict=False):
            total = dilation * (size - 1) if self.padding == "same" else 0
            margins += [total // 2, total - total // 2]
        return margins

    def reset_parameters(self) -> None:
        """Initializes weight and bias with uniform random numbers between ±1 / sqrt(fan_in)."""
        draw_weight_and_bias(self)

    def extra_repr(self) -> str:
        """The sizes, and the options that differ from their defaults."""
        usual = {"padding": 0, "dilation": 1, "output_padding": 0, "groups": 1, "padding_mode": "zeros"}
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        for name, default in usual.items():
            value = getattr(self, name)
            if name == "padding_mode" and self.bias is None:
                text += ", bias=False"
            if value != default and value != (default,) * len(self.kernel_size):
                text += f", {name}={value}"
        return text


class _Conv(_ConvNd):
    """Base class of the convolution layers that are not transposed."""

    dims: ClassVar[int]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: str | Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        n = self.dims
        super().__init__(
            in_channels,
            out_channels,
            repeated(kernel_size, n),
            repeated(stride, n),
            padding if isinstance(padding, str) else repeated(padding, n),
            repeated(dilation, n),
            False,
            (0,) * n,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor) -> Tensor:
        """The convolution of the input with the layer's weight and bias, padded according to the options."""
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """The convolution with any weight and bias."""
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = (0,) * self.dims
        return CONVOLUTIONS[self.dims](input, weight, bias, self.stride, padding, self.dilation, self.groups)


CONVOLUTIONS = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}


class Conv1d(_Conv):
    """Convolution along one dimension: inputs (N, in_channels, L) or (in_channels, L).

    `padding` may be "valid" (none) or "same" (the output is as long as the input); `groups` divides the channels into
    groups with weights of their own.

    ValueError for channels that do not divide into the groups, and for unknown kinds of padding; RuntimeError for
    inputs with other channels, or smaller than the kernel.

    >>> import rushlight as torch
    >>> torch.nn.Conv1d(16, 33, 3, stride=2)(torch.ones(20, 16, 50)).shape
    torch.Size([20, 33, 24])
    """

    dims = 1


class Conv2d(_Conv):
    """Convolution of images: inputs (N, in_channels, H, W) or (in_channels, H, W).

    Each size is one number or two. Other arguments as for `Conv1d`.

    ValueError for channels that do not divide into the groups, and for unknown kinds of padding; RuntimeError for
    inputs with other channels, or smaller than the kernel.

    >>> import rushlight as torch
    >>> torch.nn.Conv2d(16, 33, (3, 5), stride=(2, 1), padding=(4, 2))(torch.ones(2, 16, 50, 100)).shape
    torch.Size([2, 33, 28, 100])
    """

    dims = 2


class Conv3d(_Conv):
    """Convolution of volumes: inputs (N, in_channels, D, H, W) or (in_channels, D, H, W).

    ValueError for channels that do not divide into the groups, and for unknown kinds of padding; RuntimeError for
    inputs with other channels, or smaller than the kernel.

    >>> import rushlight as torch
    >>> torch.nn.Conv3d(2, 3, 3)(torch.ones(1, 2, 5, 6, 7)).shape
    torch.Size([1, 3, 3, 4, 5])
    """

    dims = 3
