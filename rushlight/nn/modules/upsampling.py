"""Layers that upsample inputs (N, C, ...) by interpolation."""

from rushlight.nn import functional as F
from rushlight.nn.modules.base.making import Sizes
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]

Scale = float | tuple[float, ...] | None


class Upsample(Module):
    """Interpolates to a size or by a scale factor: `mode` is "nearest", "linear", "bilinear", "bicubic" or "trilinear".

    With `align_corners`, the centres of the corner pixels of input and output are aligned.

    ValueError unless one of `size` and `scale_factor` is given; NotImplementedError for inputs of other numbers of
    dimensions.

    >>> import rushlight as torch
    >>> torch.nn.Upsample(scale_factor=2)(torch.ones(1, 1, 2, 2)).shape
    torch.Size([1, 1, 4, 4])
    """

    def __init__(
        self,
        size: Sizes | None = None,
        scale_factor: Scale = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ):
        super().__init__()
        self.name: str = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor: Scale = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, ...) to the new spatial size."""
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        """The size or the scale factor, and the mode."""
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Upsamples images by repeating pixels.

    ValueError unless one of `size` and `scale_factor` is given; NotImplementedError for inputs of other numbers of
    dimensions.

    >>> import rushlight as torch
    >>> torch.nn.UpsamplingNearest2d(scale_factor=2)(torch.tensor([[[[0.0, 3.0]]]]))
    tensor([[[[0., 0., 3., 3.],
              [0., 0., 3., 3.]]]])
    """

    def __init__(self, size: Sizes | None = None, scale_factor: Scale = None):
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Upsamples images by bilinear interpolation with aligned corners.

    ValueError unless one of `size` and `scale_factor` is given; NotImplementedError for inputs of other numbers of
    dimensions.

    >>> import rushlight as torch
    >>> torch.nn.UpsamplingBilinear2d(scale_factor=2)(torch.tensor([[[[0.0, 3.0]]]]))
    tensor([[[[0., 1., 2., 3.],
              [0., 1., 2., 3.]]]])
    """

    def __init__(self, size: Sizes | None = None, scale_factor: Scale = None):
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
