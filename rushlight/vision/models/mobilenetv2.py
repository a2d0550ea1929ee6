"""MobileNet V2 (M. Sandler et al., 2018)."""

from collections.abc import Callable
from typing import Any

from rushlight import nn
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import divisible, model, start
from rushlight.vision.ops.misc import Conv2dNormActivation

__all__ = ["MobileNetV2", "mobilenet_v2"]

SETTING = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))


class InvertedResidual(nn.Module):
    """An inverted residual block: expanding 1 × 1, depthwise 3 × 3, and projecting 1 × 1 convolution."""

    out_channels: int

    def __init__(
        self, inp: int, oup: int, stride: int, expand_ratio: int, norm_layer: Callable[..., Any] = nn.BatchNorm2d
    ):
        super().__init__()
        if stride not in (1, 2):
            raise ValueError(f"stride should be 1 or 2 instead of {stride}")
        self.stride, self.out_channels = stride, oup
        self.use_res_connect: bool = stride == 1 and inp == oup
        hidden = round(inp * expand_ratio)
        options: dict[str, Any] = {"norm_layer": norm_layer, "activation_layer": nn.ReLU6}
        layers: list[nn.Module] = []
        if expand_ratio != 1:
            layers.append(Conv2dNormActivation(inp, hidden, kernel_size=1, **options))
        layers.append(Conv2dNormActivation(hidden, hidden, stride=stride, groups=hidden, **options))
        layers += [nn.Conv2d(hidden, oup, 1, 1, 0, bias=False), norm_layer(oup)]
        self.conv: nn.Sequential = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        """The result of the block, plus the input if the shapes agree."""
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


class MobileNetV2(nn.Module):
    """Blocks by `inverted_residual_setting` (expansion, channels, number, stride), with widths times `width_mult`."""

    def __init__(
        self,
        num_classes: int = 1000,
        width_mult: float = 1.0,
        inverted_residual_setting: Any = None,
        round_nearest: int = 8,
        block: Callable[..., Any] | None = None,
        norm_layer: Callable[..., Any] | None = None,
        dropout: float = 0.2,
    ):
        super().__init__()
        block, norm = block or InvertedResidual, norm_layer or nn.BatchNorm2d
        setting = SETTING if inverted_residual_setting is None else inverted_residual_setting
        if len(setting) == 0 or len(setting[0]) != 4:
            raise ValueError(f"inverted_residual_setting should be non-empty or a 4-element list, got {setting}")
        channels = divisible(32 * width_mult, round_nearest)
        self.last_channel: int = divisible(1280 * max(1.0, width_mult), round_nearest)
        options: dict[str, Any] = {"norm_layer": norm, "activation_layer": nn.ReLU6}
        features: list[nn.Module] = [Conv2dNormActivation(3, channels, stride=2, **options)]
        for times, width, count, stride in setting:
            out = divisible(width * width_mult, round_nearest)
            for i in range(count):
                features.append(block(channels, out, stride if i == 0 else 1, expand_ratio=times, norm_layer=norm))
                channels = out
        features.append(Conv2dNormActivation(channels, self.last_channel, kernel_size=1, **options))
        self.features: nn.Sequential = nn.Sequential(*features)
        self.classifier: nn.Sequential = nn.Sequential(nn.Dropout(p=dropout), nn.Linear(self.last_channel, num_classes))
        start(self)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, 3, H, W) to scores (N, num_classes)."""
        return self.classifier(nn.functional.adaptive_avg_pool2d(self.features(x), (1, 1)).flatten(1))


@model("IMAGENET1K_V1", "IMAGENET1K_V2")
def mobilenet_v2(**kwargs: Any) -> MobileNetV2:
    """MobileNet V2."""
    return MobileNetV2(**kwargs)
