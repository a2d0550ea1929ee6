"""Layer, group, root mean square and local response normalization, each of a single sample."""

from typing import Any

from rushlight.core.advice import advised
from rushlight.dtypes import dtype as Dtype
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.base.making import Device, Sizes, as_text, repeated, uninitialized
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


def reset(module: Module) -> None:
    """Sets a module's weights to 1 and its biases to 0, if it has them."""
    if module.weight is not None:
        init.ones_(module.weight)
    if getattr(module, "bias", None) is not None:
        init.zeros_(module.bias)


class LayerNorm(Module):
    """Normalizes the last dimensions, of shape `normalized_shape`, to mean 0 and variance 1; then scales and shifts.

    Source: J. Ba et al., "Layer normalization", 2016.

    RuntimeError for inputs whose last dimensions are not `normalized_shape`.

    >>> import rushlight as torch
    >>> torch.nn.LayerNorm(2)(torch.tensor([[1.0, 3.0]])).detach()
    tensor([[-1.0000,  1.0000]])
    """

    def __init__(
        self,
        normalized_shape: Sizes,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        super().__init__()
        self.normalized_shape: tuple[Any, ...] = repeated(normalized_shape, 1)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        for name, present in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            self.register_parameter(name, uninitialized(self.normalized_shape, device, dtype) if present else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets the weights to 1 and the biases to 0."""
        reset(self)

    def forward(self, input: Tensor) -> Tensor:
        """Normalizes the last dimensions; the shape of `input`."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The shape, and the options."""
        return f"{self.normalized_shape}, {as_text(self, 'eps', 'elementwise_affine')}, bias={self.bias is not None}"


class GroupNorm(Module):
    """Normalizes each of `num_groups` groups of channels of inputs (N, C, ...) to mean 0 and variance 1.

    Source: Y. Wu, K. He, "Group normalization", 2018. ValueError unless `num_groups` divides the channels.

    >>> import rushlight as torch
    >>> torch.nn.GroupNorm(3, 6)(torch.ones(20, 6, 10, 10)).shape
    torch.Size([20, 6, 10, 10])
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Device = None,
        dtype: Dtype | None = None,
        *,
        bias: bool = True,
    ):
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(advised(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"))
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        for name, present in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, uninitialized(num_channels, device, dtype) if present else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets the weights to 1 and the biases to 0."""
        reset(self)

    def forward(self, input: Tensor) -> Tensor:
        """Normalizes groups of channels of (N, C, ...); the shape of `input`."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Groups and channels, and the options."""
        options = as_text(self, "eps", "affine")
        return f"{self.num_groups}, {self.num_channels}, {options}, bias={self.bias is not None}"


class RMSNorm(Module):
    """Divides by the root mean square over the last dimensions, of shape `normalized_shape`; then scales.

    `eps=None` means the epsilon of the dtype. Source: B. Zhang, R. Sennrich, "Root mean square layer normalization",
    2019.

    RuntimeError for inputs whose last dimensions are not `normalized_shape`.

    >>> import rushlight as torch
    >>> torch.nn.RMSNorm([2])(torch.tensor([[3.0, -3.0]])).detach()
    tensor([[ 1., -1.]])
    """

    def __init__(
        self,
        normalized_shape: Sizes,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        super().__init__()
        self.normalized_shape: tuple[Any, ...] = repeated(normalized_shape, 1)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        weight = uninitialized(self.normalized_shape, device, dtype) if elementwise_affine else None
        self.register_parameter("weight", weight)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets the weights to 1."""
        reset(self)

    def forward(self, x: Tensor) -> Tensor:
        """Divides by the root mean square of the last dimensions; the shape of `input`."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The shape, and the options."""
        return f"{self.normalized_shape}, {as_text(self, 'eps', 'elementwise_affine')}"


class LocalResponseNorm(Module):
    """Divides each element by a power of the mean square over `size` neighbouring channels.

    Source: A. Krizhevsky et al., "ImageNet classification with deep convolutional neural networks", 2012.

    ValueError for inputs of fewer than three dimensions.

    >>> import rushlight as torch
    >>> torch.nn.LocalResponseNorm(2)(torch.ones(1, 3, 2)).shape
    torch.Size([1, 3, 2])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0):
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """Divides by a power of the mean square of neighbouring channels; the shape of `input`."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """The size, and the options."""
        return f"{self.size}, {as_text(self, 'alpha', 'beta', 'k')}"


class CrossMapLRN2d(LocalResponseNorm):
    """`LocalResponseNorm` for images (N, C, H, W), under its name in Lua Torch.

    ValueError for inputs of fewer than three dimensions.

    >>> import rushlight as torch
    >>> torch.nn.CrossMapLRN2d(2)(torch.ones(1, 3, 1, 1)).flatten()
    tensor([1.0000, 0.9999, 0.9999])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1):
        super().__init__(size, alpha, beta, k)
