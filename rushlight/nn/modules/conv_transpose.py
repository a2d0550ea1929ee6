"""Transposed convolution layers: the gradient of a convolution with respect to its input, used as a layer."""

from collections.abc import Sequence
from typing import Any, ClassVar

from rushlight.core.advice import advised
from rushlight.core.lines import warn
from rushlight.dtypes import dtype as Dtype
from rushlight.nn import functional as F
from rushlight.nn.modules.base.making import Device, Sizes, repeated
from rushlight.nn.modules.conv import _ConvNd, _single
from rushlight.tensors import Tensor

__all__ = ["ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]


class _ConvTransposeNd(_ConvNd):
    """Base class of the transposed convolution layers, also of those that programs define."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            transposed,
            output_padding,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _output_padding(
        self,
        input: Tensor,
        output_size: Sequence[int] | None,
        stride: Sequence[int],
        padding: Any,
        kernel_size: Sequence[int],
        num_spatial_dims: int,
        dilation: Sequence[int] | None = None,
    ) -> tuple[int, ...]:
        """The output padding for a given output size, or the layer's; ValueError for an impossible size."""
        if output_size is None:
            return _single(self.output_padding)
        n, others = num_spatial_dims, input.ndim - num_spatial_dims
        if len(output_size) not in (n, n + others):
            raise ValueError(
                f"ConvTranspose{n}D: for {input.ndim}D input, output_size must have {n} or {n + others} elements "
                f"(got {len(output_size)})"
            )
        wanted = list(output_size[-n:])
        dilation = (1,) * n if dilation is None else dilation
        smallest = [
            (size - 1) * stride[i] - 2 * padding[i] + dilation[i] * (kernel_size[i] - 1) + 1
            for i, size in enumerate(input.shape[others:])
        ]
        largest = [size + step - 1 for size, step in zip(smallest, stride, strict=True)]
        if any(not low <= size <= high for low, size, high in zip(smallest, wanted, largest, strict=True)):
            raise ValueError(
                advised(
                    f"requested an output size of {wanted}, but valid sizes range from {smallest} to {largest} "
                    f"(for an input of {input.shape[2:]})"
                )
            )
        return tuple(size - low for size, low in zip(wanted, smallest, strict=True))


class _ConvTransposeMixin(_ConvTransposeNd):
    """The older name of `_ConvTransposeNd`."""

    def __init__(self, *args: Any, **kwargs: Any):
        warn(
            "_ConvTransposeMixin is a deprecated internal class. Please consider using public APIs.",
            FutureWarning,
        )
        super().__init__(*args, **kwargs)


class _ConvTranspose(_ConvTransposeNd):
    """Base class of rushlight's own transposed convolution layers, whose sizes may be single numbers."""

    dims: ClassVar[int]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
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
            repeated(padding, n),
            repeated(dilation, n),
            True,
            repeated(output_padding, n),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """The transposed convolution; `output_size` chooses one of the sizes that are possible with the stride."""
        output_padding = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, self.dims, self.dilation
        )
        options: Any = (self.stride, self.padding, output_padding, self.groups, self.dilation)
        return CONVOLUTIONS[self.dims](input, self.weight, self.bias, *options)


CONVOLUTIONS = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


class ConvTranspose1d(_ConvTranspose):
    """Transposed convolution along one dimension: inputs (N, in_channels, L) or (in_channels, L).

    ValueError for a `padding_mode` other than "zeros", and for an `output_size` that is out of reach; RuntimeError for
    inputs with other channels, and for too much `output_padding`.

    >>> import rushlight as torch
    >>> torch.nn.ConvTranspose1d(16, 33, 3, stride=2)(torch.ones(20, 16, 50)).shape
    torch.Size([20, 33, 101])
    """

    dims = 1


class ConvTranspose2d(_ConvTranspose):
    """Transposed convolution of images: inputs (N, in_channels, H, W) or (in_channels, H, W).

    ValueError for a `padding_mode` other than "zeros", and for an `output_size` that is out of reach; RuntimeError for
    inputs with other channels, and for too much `output_padding`.

    >>> import rushlight as torch
    >>> up = torch.nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1)
    >>> up(torch.ones(1, 2, 6, 6), output_size=(12, 12)).shape
    torch.Size([1, 3, 12, 12])
    """

    dims = 2


class ConvTranspose3d(_ConvTranspose):
    """Transposed convolution of volumes: inputs (N, in_channels, D, H, W) or (in_channels, D, H, W).

    ValueError for a `padding_mode` other than "zeros", and for an `output_size` that is out of reach; RuntimeError for
    inputs with other channels, and for too much `output_padding`.

    >>> import rushlight as torch
    >>> torch.nn.ConvTranspose3d(4, 2, 3, stride=2)(torch.rand(1, 4, 5, 5, 5)).shape
    torch.Size([1, 2, 11, 11, 11])
    """

    dims = 3
