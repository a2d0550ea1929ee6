"""Adaptive and fractional pooling layers: the windows follow from the output size, or are random."""

from typing import Any, ClassVar

from rushlight.nn import functional as F
from rushlight.nn.modules.base.making import Sizes, as_text, repeated
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
]

OutputSize = int | None | tuple[int | None, ...]


Pooled = Tensor | tuple[Tensor, Tensor]  # with the indices of the maxima, if asked for


class _AdaptiveAvgPoolNd(Module):
    """Base class of adaptive average pooling."""

    def __init__(self, output_size: OutputSize):
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        """The output size."""
        return as_text(self, "output_size")


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Adaptive average pooling of (N, C, L) or (C, L) to `output_size`.

    RuntimeError for inputs of other numbers of dimensions.

    >>> import rushlight as torch
    >>> torch.nn.AdaptiveAvgPool1d(2)(torch.tensor([[1.0, 3.0, 5.0, 7.0]]))
    tensor([[2., 6.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, L) or (C, L) to (N, C, output_size) or (C, output_size)."""
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Adaptive average pooling of images (N, C, H, W) or (C, H, W) to `output_size`; None keeps a size.

    RuntimeError for inputs of other numbers of dimensions.

    >>> import rushlight as torch
    >>> torch.nn.AdaptiveAvgPool2d((5, None))(torch.ones(1, 64, 8, 9)).shape
    torch.Size([1, 64, 5, 9])
    """

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, H, W) or (C, H, W) to (N, C, *output_size) or (C, *output_size)."""
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Adaptive average pooling of volumes (N, C, D, H, W) or (C, D, H, W); see `AdaptiveAvgPool2d`.

    RuntimeError for inputs of other numbers of dimensions.

    >>> import rushlight as torch
    >>> torch.nn.AdaptiveAvgPool3d((1, None, 2))(torch.rand(3, 4, 6, 8)).shape
    torch.Size([3, 1, 6, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, D, H, W) or (C, D, H, W) to (N, C, *output_size) or (C, *output_size)."""
        return F.adaptive_avg_pool3d(input, self.output_size)


class _AdaptiveMaxPoolNd(Module):
    """Base class of adaptive max pooling."""

    def __init__(self, output_size: OutputSize, return_indices: bool = False):
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def extra_repr(self) -> str:
        """The output size."""
        return as_text(self, "output_size")


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """Adaptive max pooling of (N, C, L) or (C, L) to `output_size`.

    RuntimeError for inputs of other numbers of dimensions.

    >>> import rushlight as torch
    >>> torch.nn.AdaptiveMaxPool1d(2)(torch.tensor([[1.0, 3.0, 7.0, 5.0]]))
    tensor([[3., 7.]])
    """

    def forward(self, input: Tensor) -> Pooled:
        """(N, C, L) or (C, L) to (N, C, output_size) or (C, output_size), with the indices if asked for."""
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """Adaptive max pooling of images (N, C, H, W) or (C, H, W) to `output_size`; None keeps a size.

    RuntimeError for inputs of other numbers of dimensions.

    >>> import rushlight as torch
    >>> torch.nn.AdaptiveMaxPool2d(1)(torch.tensor([[[1.0, 3.0], [7.0, 5.0]]]))
    tensor([[[7.]]])
    """

    def forward(self, input: Tensor) -> Pooled:
        """(N, C, H, W) or (C, H, W) to (N, C, *output_size), with the indices if asked for."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """Adaptive max pooling of volumes (N, C, D, H, W) or (C, D, H, W) to `output_size`; None keeps a size.

    RuntimeError for inputs of other numbers of dimensions.

    >>> import rushlight as torch
    >>> torch.nn.AdaptiveMaxPool3d((1, None, 2))(torch.rand(3, 4, 6, 8)).shape
    torch.Size([3, 1, 6, 2])
    """

    def forward(self, input: Tensor) -> Pooled:
        """(N, C, D, H, W) or (C, D, H, W) to (N, C, *output_size), with the indices if asked for."""
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class _FractionalMaxPool(Module):
    """Base class of fractional max pooling.

    ValueError unless either the output size or its ratio to the input size is given.
    """

    dims: ClassVar[int]

    def __init__(
        self,
        kernel_size: Sizes,
        output_size: Sizes | None = None,
        output_ratio: float | tuple[float, ...] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ):
        super().__init__()
        name = type(self).__name__
        self.kernel_size: tuple[Any, ...] = repeated(kernel_size, self.dims)
        if any(k <= 0 for k in self.kernel_size):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size: tuple[Any, ...] | None = None if output_size is None else repeated(output_size, self.dims)
        self.output_ratio: tuple[Any, ...] | None = None if output_ratio is None else repeated(output_ratio, self.dims)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")


class FractionalMaxPool2d(_FractionalMaxPool):
    """Max pooling of images over windows at random distances, to an output size or a ratio of the input size.

    Source: B. Graham, "Fractional max-pooling", 2014.

    ValueError for neither or both of `output_size` and `output_ratio`, and for a ratio that is not between 0 and 1;
    IndexError for inputs that are not images, RuntimeError for those smaller than the windows.

    >>> import rushlight as torch
    >>> torch.nn.FractionalMaxPool2d(2, output_ratio=0.6)(torch.rand(1, 10, 10)).shape
    torch.Size([1, 6, 6])
    """

    dims = 2

    def forward(self, input: Tensor) -> Pooled:
        """The maxima of random windows of images, with the indices if asked for."""
        return F.fractional_max_pool2d(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool3d(_FractionalMaxPool):
    """Max pooling of volumes over windows at random distances; see `FractionalMaxPool2d`.

    ValueError for neither or both of `output_size` and `output_ratio`, and for a ratio that is not between 0 and 1;
    IndexError for inputs that are not volumes, RuntimeError for those smaller than the windows.

    >>> import rushlight as torch
    >>> torch.nn.FractionalMaxPool3d(2, output_size=(3, 4, 4))(torch.rand(1, 6, 8, 8)).shape
    torch.Size([1, 3, 4, 4])
    """

    dims = 3

    def forward(self, input: Tensor) -> Pooled:
        """The maxima of random windows of volumes, with the indices if asked for."""
        return F.fractional_max_pool3d(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )
