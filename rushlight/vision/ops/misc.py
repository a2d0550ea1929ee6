"""Layers of image models."""

from collections.abc import Callable
from typing import Any

from rushlight import nn, ones, zeros
from rushlight.tensors import Tensor

__all__ = ["MLP", "Conv2dNormActivation", "FrozenBatchNorm2d", "Permute", "SqueezeExcitation"]


class FrozenBatchNorm2d(nn.Module):
    """Batch normalization with fixed statistics, weights and biases.

    >>> import rushlight as torch
    >>> from rushlight.vision.ops import FrozenBatchNorm2d
    >>> FrozenBatchNorm2d(1, eps=0.0)(torch.ones(1, 1, 1, 2))
    tensor([[[[1., 1.]]]])
    """

    def __init__(self, num_features: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.register_buffer("weight", ones(num_features))
        self.register_buffer("bias", zeros(num_features))
        self.register_buffer("running_mean", zeros(num_features))
        self.register_buffer("running_var", ones(num_features))

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *args: Any) -> None:
        """Also loads state dicts of ordinary batch normalizations, whose batch counter is ignored."""
        state_dict.pop(f"{prefix}num_batches_tracked", None)
        super()._load_from_state_dict(state_dict, prefix, *args)

    def forward(self, x: Tensor) -> Tensor:
        """The normalized input, (N, C, H, W)."""
        scale = self.weight * (self.running_var + self.eps).rsqrt()
        shift = self.bias - self.running_mean * scale
        return x * scale.reshape(1, -1, 1, 1) + shift.reshape(1, -1, 1, 1)

    def __repr__(self) -> str:
        return f"FrozenBatchNorm2d({self.weight.shape[0]}, eps={self.eps})"


class Conv2dNormActivation(nn.Sequential):
    """A convolution, a normalization (or none) and an activation (or none); padded to keep the size at stride 1."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int = 3,
        stride: int = 1,
        padding: int | None = None,
        groups: int = 1,
        norm_layer: Callable[..., Any] | None = nn.BatchNorm2d,
        activation_layer: Callable[..., Any] | None = nn.ReLU,
        dilation: int = 1,
        inplace: bool | None = True,
        bias: bool | None = None,
    ):
        padding = (kernel_size - 1) // 2 * dilation if padding is None else padding
        bias = norm_layer is None if bias is None else bias
        layers: list[Any] = [nn.Conv2d(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias)]
        if norm_layer is not None:
            layers.append(norm_layer(out_channels))
        if activation_layer is not None:
            layers.append(activation_layer(**({} if inplace is None else {"inplace": inplace})))
        super().__init__(*layers)
        self.out_channels = out_channels


class SqueezeExcitation(nn.Module):
    """Scales each channel by factors that two small layers compute from the channels' means (J. Hu et al., 2018)."""

    def __init__(
        self,
        input_channels: int,
        squeeze_channels: int,
        activation: Callable[..., Any] = nn.ReLU,
        scale_activation: Callable[..., Any] = nn.Sigmoid,
    ):
        super().__init__()
        self.avgpool: nn.AdaptiveAvgPool2d = nn.AdaptiveAvgPool2d(1)
        self.fc1: nn.Conv2d = nn.Conv2d(input_channels, squeeze_channels, 1)
        self.fc2: nn.Conv2d = nn.Conv2d(squeeze_channels, input_channels, 1)
        self.activation: Any = activation()
        self.scale_activation: Any = scale_activation()

    def forward(self, input: Tensor) -> Tensor:
        """The input times its scale factors."""
        return self.scale_activation(self.fc2(self.activation(self.fc1(self.avgpool(input))))) * input


class MLP(nn.Sequential):
    """Linear layers with activations and dropout between them."""

    def __init__(
        self,
        in_channels: int,
        hidden_channels: list[int],
        norm_layer: Callable[..., Any] | None = None,
        activation_layer: Callable[..., Any] = nn.ReLU,
        inplace: bool | None = None,
        bias: bool = True,
        dropout: float = 0.0,
    ):
        options = {} if inplace is None else {"inplace": inplace}
        layers: list[Any] = []
        for width in hidden_channels[:-1]:
            layers.append(nn.Linear(in_channels, width, bias=bias))
            if norm_layer is not None:
                layers.append(norm_layer(width))
            layers += [activation_layer(**options), nn.Dropout(dropout, **options)]
            in_channels = width
        layers += [nn.Linear(in_channels, hidden_channels[-1], bias=bias), nn.Dropout(dropout, **options)]
        super().__init__(*layers)


class Permute(nn.Module):
    """Permutes the dimensions."""

    def __init__(self, dims: list[int]):
        super().__init__()
        self.dims = dims

    def forward(self, x: Tensor) -> Tensor:
        """A view with the dimensions permuted."""
        return x.permute(*self.dims)
