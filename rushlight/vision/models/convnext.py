"""ConvNeXt (Z. Liu et al., 2022)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from rushlight import nn, ones
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import model
from rushlight.vision.ops.branches import StochasticDepth
from rushlight.vision.ops.misc import Conv2dNormActivation, Permute

__all__ = ["ConvNeXt", "convnext_base", "convnext_large", "convnext_small", "convnext_tiny"]


class LayerNorm2d(nn.LayerNorm):
    """Layer normalization over the channels of images."""

    def forward(self, x: Tensor) -> Tensor:
        """The normalized images."""
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class CNBlock(nn.Module):
    """A depthwise 7 × 7 convolution and two linear layers, added to the input."""

    def __init__(
        self,
        dim: int,
        layer_scale: float,
        stochastic_depth_prob: float,
        norm_layer: Callable[..., nn.Module] | None = None,
    ):
        super().__init__()
        norm = norm_layer or partial(nn.LayerNorm, eps=1e-6)
        self.block: nn.Sequential = nn.Sequential(
            nn.Conv2d(dim, dim, kernel_size=7, padding=3, groups=dim),
            Permute([0, 2, 3, 1]),
            norm(dim),
            nn.Linear(dim, 4 * dim),
            nn.GELU(),
            nn.Linear(4 * dim, dim),
            Permute([0, 3, 1, 2]),
        )
        self.layer_scale: nn.Parameter = nn.Parameter(ones(dim, 1, 1) * layer_scale)
        self.stochastic_depth: StochasticDepth = StochasticDepth(stochastic_depth_prob, "row")

    def forward(self, input: Tensor) -> Tensor:
        """The scaled result of the block, plus the input."""
        result = self.stochastic_depth(self.layer_scale * self.block(input))
        result += input
        return result


@dataclass
class CNBlockConfig:
    """The configuration of a stage: its channels, those of the next one, and how many blocks it has."""

    input_channels: int
    out_channels: int | None
    num_layers: int


class ConvNeXt(nn.Module):
    """Stages by `block_setting`, between which the images are halved, a pooling and a linear layer."""

    def __init__(
        self,
        block_setting: Sequence[CNBlockConfig],
        stochastic_depth_prob: float = 0.0,
        layer_scale: float = 1e-6,
        num_classes: int = 1000,
        block: Callable[..., nn.Module] | None = None,
        norm_layer: Callable[..., nn.Module] | None = None,
    ):
        super().__init__()
        if not block_setting:
            raise ValueError("The block_setting should not be empty")
        norm, block = norm_layer or partial(LayerNorm2d, eps=1e-6), block or CNBlock
        options: dict[str, Any] = {"norm_layer": norm, "activation_layer": None, "bias": True}
        layers: list[nn.Module] = [
            Conv2dNormActivation(3, block_setting[0].input_channels, 4, stride=4, padding=0, **options)
        ]
        total, number = sum(stage.num_layers for stage in block_setting), 0
        for stage in block_setting:
            blocks = []
            for _ in range(stage.num_layers):
                blocks.append(block(stage.input_channels, layer_scale, stochastic_depth_prob * number / (total - 1.0)))
                number += 1
            layers.append(nn.Sequential(*blocks))
            if stage.out_channels is not None:
                halving = nn.Conv2d(stage.input_channels, stage.out_channels, kernel_size=2, stride=2)
                layers.append(nn.Sequential(norm(stage.input_channels), halving))
        last = block_setting[-1].out_channels or block_setting[-1].input_channels
        self.features: nn.Sequential = nn.Sequential(*layers)
        self.avgpool: nn.AdaptiveAvgPool2d = nn.AdaptiveAvgPool2d(1)
        self.classifier: nn.Sequential = nn.Sequential(norm(last), nn.Flatten(1), nn.Linear(last, num_classes))
        for layer in self.modules():
            if isinstance(layer, (nn.Conv2d, nn.Linear)):
                nn.init.trunc_normal_(layer.weight, std=0.02)
                if layer.bias is not None:
                    nn.init.zeros_(layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, 3, H, W) to scores (N, num_classes)."""
        return self.classifier(self.avgpool(self.features(x)))


def convnext(width: int, blocks: int, skipping: float, kwargs: dict[str, Any]) -> ConvNeXt:
    """A ConvNeXt of four stages, with doubled widths, whose third has the given number of blocks."""
    widths = [width * 2**k for k in range(4)]
    stages = zip(widths, [*widths[1:], None], (3, 3, blocks, 3), strict=True)
    kwargs.setdefault("stochastic_depth_prob", skipping)
    return ConvNeXt([CNBlockConfig(*numbers) for numbers in stages], **kwargs)


@model()
def convnext_tiny(**kwargs: Any) -> ConvNeXt:
    """The tiny ConvNeXt."""
    return convnext(96, 9, 0.1, kwargs)


@model()
def convnext_small(**kwargs: Any) -> ConvNeXt:
    """The small ConvNeXt."""
    return convnext(96, 27, 0.4, kwargs)


@model()
def convnext_base(**kwargs: Any) -> ConvNeXt:
    """The base ConvNeXt."""
    return convnext(128, 27, 0.5, kwargs)


@model()
def convnext_large(**kwargs: Any) -> ConvNeXt:
    """The large ConvNeXt."""
    return convnext(192, 27, 0.5, kwargs)
