"""Pooling over sliding windows: max, average and power-average pooling layers, and max unpooling."""

from collections.abc import Sequence
from typing import Any, ClassVar

from rushlight.nn import functional as F
from rushlight.nn.modules.base.making import Sizes, as_text, repeated
from rushlight.nn.modules.base.making import _pair as _pair
from rushlight.nn.modules.base.making import _single as _single
from rushlight.nn.modules.base.making import _triple as _triple
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = [
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


Pooled = Tensor | tuple[Tensor, Tensor]  # with the indices of the maxima, if asked for


class _MaxPoolNd(Module):
    """Base class of max pooling layers."""

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride: Sizes = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        """The kernel size and other settings, as `repr` shows them."""
        return as_text(self, "kernel_size", "stride", "padding", "dilation", "ceil_mode")

    def _options(self) -> dict[str, bool]:
        """The keyword arguments of the function."""
        return {"ceil_mode": self.ceil_mode, "return_indices": self.return_indices}


class MaxPool1d(_MaxPoolNd):
    """The maximum of each window of inputs (N, C, L) or (C, L); with `return_indices` also its index.

    Windows start every `stride` (by default `kernel_size`) elements; `ceil_mode` includes an incomplete last window.

    RuntimeError for inputs without room for one window, and for padding of more than half a window.

    >>> import rushlight as torch
    >>> torch.nn.MaxPool1d(2)(torch.tensor([[1.0, 3.0, 7.0, 5.0]]))
    tensor([[3., 7.]])
    """

    def forward(self, input: Tensor) -> Pooled:
        """(N, C, L) or (C, L) to as many maxima as there are windows, with the indices if asked for."""
        return F.max_pool1d(input, self.kernel_size, self.stride, self.padding, self.dilation, **self._options())


class MaxPool2d(_MaxPoolNd):
    """The maximum of each window of images (N, C, H, W) or (C, H, W); see `MaxPool1d`.

    RuntimeError for inputs without room for one window, and for padding of more than half a window.

    >>> import rushlight as torch
    >>> torch.nn.MaxPool2d(2)(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
    tensor([[[4.]]])
    """

    def forward(self, input: Tensor) -> Pooled:
        """(N, C, H, W) or (C, H, W) to the maxima of windows, with the indices if asked for."""
        return F.max_pool2d(input, self.kernel_size, self.stride, self.padding, self.dilation, **self._options())


class MaxPool3d(_MaxPoolNd):
    """The maximum of each window of volumes (N, C, D, H, W) or (C, D, H, W); see `MaxPool1d`.

    RuntimeError for inputs without room for one window, and for padding of more than half a window.

    >>> import rushlight as torch
    >>> torch.nn.MaxPool3d(2)(torch.arange(8.0).reshape(1, 2, 2, 2))
    tensor([[[[7.]]]])
    """

    def forward(self, input: Tensor) -> Pooled:
        """(N, C, D, H, W) or (C, D, H, W) to the maxima of windows, with the indices if asked for."""
        return F.max_pool3d(input, self.kernel_size, self.stride, self.padding, self.dilation, **self._options())


class _MaxUnpoolNd(Module):
    """Base class of max unpooling layers."""

    kernel_size: Sizes
    stride: Sizes
    padding: Sizes

    def extra_repr(self) -> str:
        """Kernel size, stride and padding of the pooling to be inverted, as `repr` shows them."""
        return as_text(self, "kernel_size", "stride", "padding")


class _MaxUnpool(_MaxUnpoolNd):
    """The settings of max unpooling layers."""

    dims: ClassVar[int]

    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0):
        super().__init__()
        self.kernel_size: tuple[Any, ...] = repeated(kernel_size, self.dims)
        self.stride: tuple[Any, ...] = repeated(kernel_size if stride is None else stride, self.dims)
        self.padding: tuple[Any, ...] = repeated(padding, self.dims)


class MaxUnpool1d(_MaxUnpool):
    """Zeros, with the results of `MaxPool1d` at the indices that it returned.

    RuntimeError for indices of another shape than the input, or outside of the output; ValueError for an `output_size`
    that is out of reach.

    >>> import rushlight as torch
    >>> values, places = torch.nn.MaxPool1d(2, return_indices=True)(torch.tensor([[1.0, 3.0, 7.0, 5.0]]))
    >>> torch.nn.MaxUnpool1d(2)(values, places)
    tensor([[0., 3., 7., 0.]])
    """

    dims = 1

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Maxima (N, C, L) and their indices to the length before pooling, with zeros elsewhere."""
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_MaxUnpool):
    """Zeros, with the results of `MaxPool2d` at the indices that it returned.

    RuntimeError for indices of another shape than the input, or outside of the output; ValueError for an `output_size`
    that is out of reach.

    >>> import rushlight as torch
    >>> pool = torch.nn.MaxPool2d(2, return_indices=True)
    >>> torch.nn.MaxUnpool2d(2)(*pool(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])))
    tensor([[[0., 0.],
             [0., 4.]]])
    """

    dims = 2

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Maxima (N, C, H, W) and their indices to the size before pooling, with zeros elsewhere."""
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_MaxUnpool):
    """Zeros, with the results of `MaxPool3d` at the indices that it returned.

    RuntimeError for indices of another shape than the input, or outside of the output; ValueError for an `output_size`
    that is out of reach.

    >>> import rushlight as torch
    >>> values, places = torch.nn.MaxPool3d(2, return_indices=True)(torch.rand(1, 4, 4, 4))
    >>> torch.nn.MaxUnpool3d(2)(values, places).shape
    torch.Size([1, 4, 4, 4])
    """

    dims = 3

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Maxima (N, C, D, H, W) and their indices to the size before pooling, with zeros elsewhere."""
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class _AvgPoolNd(Module):
    """Base class of average pooling layers."""

    kernel_size: Sizes
    stride: Sizes
    padding: Sizes

    def extra_repr(self) -> str:
        """Kernel size, stride and padding, as `repr` shows them."""
        return as_text(self, "kernel_size", "stride", "padding")


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of inputs (N, C, L) or (C, L).

    Padding counts as zeros, unless `count_include_pad` is False.

    RuntimeError for inputs without room for one window, and for padding of more than half a window.

    >>> import rushlight as torch
    >>> torch.nn.AvgPool1d(2)(torch.tensor([[1.0, 3.0, 5.0, 7.0]]))
    tensor([[2., 6.]])
    """

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ):
        super().__init__()
        self.kernel_size: tuple[Any, ...] = repeated(kernel_size, 1)
        self.stride: tuple[Any, ...] = repeated(kernel_size if stride is None else stride, 1)
        self.padding: tuple[Any, ...] = repeated(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, L) or (C, L) to as many means as there are windows."""
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


class _AvgPool(_AvgPoolNd):
    """The settings of average pooling in two and three dimensions."""

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride: Sizes = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def _options(self) -> tuple[Any, ...]:
        """The settings, in the order in which the functions take them."""
        return (
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool2d(_AvgPool):
    """The mean of each window of images (N, C, H, W) or (C, H, W); `divisor_override` divides by another number.

    RuntimeError for inputs without room for one window, and for padding of more than half a window.

    >>> import rushlight as torch
    >>> torch.nn.AvgPool2d(2)(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
    tensor([[[2.5000]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, H, W) or (C, H, W) to the means of windows."""
        return F.avg_pool2d(input, *self._options())


class AvgPool3d(_AvgPool):
    """The mean of each window of volumes (N, C, D, H, W) or (C, D, H, W).

    RuntimeError for inputs without room for one window, and for padding of more than half a window.

    >>> import rushlight as torch
    >>> torch.nn.AvgPool3d(2)(torch.arange(8.0).reshape(1, 2, 2, 2))
    tensor([[[[3.5000]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, D, H, W) or (C, D, H, W) to the means of windows."""
        return F.avg_pool3d(input, *self._options())


class _LPPoolNd(Module):
    """Base class of power-average pooling layers."""

    def __init__(self, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False):
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        """The norm and the settings of the windows."""
        return as_text(self, "norm_type", "kernel_size", "stride", "ceil_mode")


class LPPool1d(_LPPoolNd):
    """The p-norm of each window: (sum of x ** p) ** (1 / p), p = norm_type, without absolute values.

    RuntimeError for inputs without room for one window.

    >>> import rushlight as torch
    >>> torch.nn.LPPool1d(2, 2)(torch.tensor([[3.0, 4.0, 6.0, 8.0]]))
    tensor([[ 5., 10.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, L) or (C, L) to as many norms as there are windows."""
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPoolNd):
    """The p-norm of each window of images; see `LPPool1d`.

    RuntimeError for inputs without room for one window.

    >>> import rushlight as torch
    >>> torch.nn.LPPool2d(1, 2)(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
    tensor([[[10.]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, H, W) or (C, H, W) to the norms of windows."""
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(_LPPoolNd):
    """The p-norm of each window of volumes; see `LPPool1d`.

    RuntimeError for inputs without room for one window.

    >>> import rushlight as torch
    >>> torch.nn.LPPool3d(2, 2)(torch.rand(1, 4, 6, 8)).shape
    torch.Size([1, 2, 3, 4])
    """

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, D, H, W) or (C, D, H, W) to the norms of windows."""
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)
