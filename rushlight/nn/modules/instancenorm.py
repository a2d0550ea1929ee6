"""Instance normalization layers, which normalize each channel of each sample separately."""

from typing import ClassVar

from rushlight.core.lines import warn
from rushlight.dtypes import dtype as Dtype
from rushlight.nn import functional as F
from rushlight.nn.modules.base.making import Device
from rushlight.nn.modules.batchnorm import _NormBase
from rushlight.tensors import Tensor

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]


class _InstanceNorm(_NormBase):
    """Base class of instance normalization layers."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Device = None,
        dtype: Dtype | None = None,
        *,
        bias: bool = True,
    ):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        """The normalized input, batched or not."""
        self._check_input_dim(input)
        unbatched = input.ndim == self.input_dims[0]
        self._check_features(input, 0 if unbatched else 1)
        result = F.instance_norm(
            input.unsqueeze(0) if unbatched else input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum or 0.0,
            self.eps,
        )
        return result.squeeze(0) if unbatched else result

    def _check_features(self, input: Tensor, dim: int) -> None:
        """Raises ValueError for a wrong number of channels; only warns if the layer has no weights."""
        size = input.shape[dim]
        if size == self.num_features:
            return
        if self.affine:
            raise ValueError(
                f"expected input's size at dim={dim} to match num_features ({self.num_features}), but got: {size}."
            )
        warn(
            f"input's size at dim={dim} does not match num_features. You can silence this warning by not passing in "
            "num_features, which is not used because affine=False",
        )


class InstanceNorm1d(_InstanceNorm):
    """Normalizes each channel of each sample of (N, C, L) or (C, L) to mean 0 and variance 1.

    Source: D. Ulyanov et al., "Instance normalization: the missing ingredient for fast stylization", 2016.

    ValueError for inputs of other numbers of dimensions, and in training for a single value in a channel.

    >>> import rushlight as torch
    >>> torch.nn.InstanceNorm1d(2)(torch.tensor([[[1.0, 3.0], [10.0, 30.0]]]))
    tensor([[[-1.0000,  1.0000],
             [-1.0000,  1.0000]]])
    """

    input_dims: ClassVar[tuple[int, ...]] = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalization of images (N, C, H, W) or (C, H, W); see `InstanceNorm1d`.

    ValueError for inputs of other numbers of dimensions, and in training for a single value in a channel.

    >>> import rushlight as torch
    >>> torch.nn.InstanceNorm2d(3, affine=True)(torch.rand(8, 3, 5, 5)).shape
    torch.Size([8, 3, 5, 5])
    """

    input_dims: ClassVar[tuple[int, ...]] = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Instance normalization of volumes (N, C, D, H, W) or (C, D, H, W); see `InstanceNorm1d`.

    ValueError for inputs of other numbers of dimensions, and in training for a single value in a channel.

    >>> import rushlight as torch
    >>> torch.nn.InstanceNorm3d(3)(torch.rand(8, 3, 2, 5, 5)).shape
    torch.Size([8, 3, 2, 5, 5])
    """

    input_dims: ClassVar[tuple[int, ...]] = (4, 5)
