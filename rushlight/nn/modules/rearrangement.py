"""Layers that rearrange elements: pixel shuffle, channel shuffle, patches."""

from rushlight.nn import functional as F
from rushlight.nn.modules.base.making import Sizes, as_text
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = ["ChannelShuffle", "Fold", "PixelShuffle", "PixelUnshuffle", "Unfold"]


class PixelShuffle(Module):
    """Rearranges images (..., C * r * r, H, W) to larger ones (..., C, H * r, W * r).

    Source: W. Shi et al., "Real-time single image and video super-resolution", 2016.

    RuntimeError for channels that are no multiple of the square of the factor.

    >>> import rushlight as torch
    >>> torch.nn.PixelShuffle(3)(torch.ones(1, 9, 4, 4)).shape
    torch.Size([1, 1, 12, 12])
    """

    def __init__(self, upscale_factor: int):
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """(..., C * r * r, H, W) to (..., C, H * r, W * r)."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """The upscale factor."""
        return as_text(self, "upscale_factor")


class PixelUnshuffle(Module):
    """The inverse of `PixelShuffle`.

    RuntimeError for heights and widths that are no multiples of the factor.

    >>> import rushlight as torch
    >>> torch.nn.PixelUnshuffle(2)(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])).flatten()
    tensor([1., 2., 3., 4.])
    """

    def __init__(self, downscale_factor: int):
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """(..., C, H * r, W * r) to (..., C * r * r, H, W)."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """The downscale factor."""
        return as_text(self, "downscale_factor")


class ChannelShuffle(Module):
    """Interleaves the channels of several groups; the shape (N, C, ...) stays.

    Source: X. Zhang et al., "ShuffleNet", 2017.

    RuntimeError for channels that do not divide into the groups.

    >>> import rushlight as torch
    >>> torch.nn.ChannelShuffle(2)(torch.arange(4.0).reshape(1, 4, 1, 1)).flatten()
    tensor([0., 2., 1., 3.])
    """

    def __init__(self, groups: int):
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """The input with its channels reordered."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """The number of groups."""
        return as_text(self, "groups")


class Unfold(Module):
    """Extracts sliding patches of images: (N, C, H, W) gives (N, C * kernel elements, number of patches).

    RuntimeError for inputs that are smaller than a block.

    >>> import rushlight as torch
    >>> torch.nn.Unfold(kernel_size=(2, 3))(torch.ones(2, 5, 3, 4)).shape
    torch.Size([2, 30, 4])
    """

    def __init__(self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1):
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """The patches as columns."""
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """Kernel size, dilation, padding and stride, as `repr` shows them."""
        return as_text(self, "kernel_size", "dilation", "padding", "stride")


class Fold(Module):
    """Adds patches up to images of `output_size`: the adjoint of `Unfold`.

    RuntimeError for another number of columns than there are blocks.

    >>> import rushlight as torch
    >>> pieces = torch.ones(1, 4, 4)  # 4 pieces of 2 × 2, flat
    >>> torch.nn.Fold((3, 3), (2, 2))(pieces)
    tensor([[[[1., 2., 1.],
              [2., 4., 2.],
              [1., 2., 1.]]]])
    """

    def __init__(
        self, output_size: Sizes, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
    ):
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """(N, C * kernel elements, number of patches) to (N, C, *output_size)."""
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """The output size and the settings of the patches."""
        return as_text(self, "output_size", "kernel_size", "dilation", "padding", "stride")
