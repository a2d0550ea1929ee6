"""EfficientNet (M. Tan and Q. Le, 2019) and EfficientNetV2 (2021)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rushlight import nn
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import divisible, model, start
from rushlight.vision.ops.branches import StochasticDepth
from rushlight.vision.ops.misc import Conv2dNormActivation, SqueezeExcitation

__all__ = [
    "EfficientNet",
    *(f"efficientnet_b{n}" for n in range(8)),
    "efficientnet_v2_l",
    "efficientnet_v2_m",
    "efficientnet_v2_s",
]


@dataclass
class Stage:
    """The configuration of a stage: `num_layers` blocks of one kind; the first may change channels and size."""

    expand_ratio: float
    kernel: int
    stride: int
    input_channels: int
    out_channels: int
    num_layers: int
    block: Callable[..., nn.Module]

    @property
    def expanded(self) -> int:
        """The channels inside a block."""
        return divisible(self.input_channels * self.expand_ratio, 8)


class Residual(nn.Module):
    """A block whose result is added to its input where the shapes agree, or skipped at random."""

    def __init__(self, cnf: Stage, stochastic_depth_prob: float, layers: list[nn.Module]):
        super().__init__()
        if not 1 <= cnf.stride <= 2:
            raise ValueError("illegal stride value")
        self.use_res_connect: bool = cnf.stride == 1 and cnf.input_channels == cnf.out_channels
        self.block: nn.Sequential = nn.Sequential(*layers)
        self.stochastic_depth: StochasticDepth = StochasticDepth(stochastic_depth_prob, "row")
        self.out_channels: int = cnf.out_channels

    def forward(self, input: Tensor) -> Tensor:
        """The result of the block, plus the input if the shapes agree."""
        result = self.block(input)
        if self.use_res_connect:
            result = self.stochastic_depth(result)
            result += input
        return result


class MBConv(Residual):
    """An inverted residual block with squeeze-and-excitation."""

    def __init__(
        self,
        cnf: Stage,
        stochastic_depth_prob: float,
        norm_layer: Callable[..., nn.Module],
        se_layer: Callable[..., nn.Module] = SqueezeExcitation,
    ):
        layer = partial(Conv2dNormActivation, norm_layer=norm_layer, activation_layer=nn.SiLU)
        wide = cnf.expanded
        layers: list[nn.Module] = []
        if wide != cnf.input_channels:
            layers.append(layer(cnf.input_channels, wide, kernel_size=1))
        layers.append(layer(wide, wide, kernel_size=cnf.kernel, stride=cnf.stride, groups=wide))
        layers.append(se_layer(wide, max(1, cnf.input_channels // 4), activation=partial(nn.SiLU, inplace=True)))
        layers.append(layer(wide, cnf.out_channels, kernel_size=1, activation_layer=None))
        super().__init__(cnf, stochastic_depth_prob, layers)


class FusedMBConv(Residual):
    """An inverted residual block whose first two convolutions are one."""

    def __init__(self, cnf: Stage, stochastic_depth_prob: float, norm_layer: Callable[..., nn.Module]):
        layer = partial(Conv2dNormActivation, norm_layer=norm_layer, activation_layer=nn.SiLU)
        expands = cnf.expanded != cnf.input_channels
        wide = cnf.expanded if expands else cnf.out_channels
        layers: list[nn.Module] = [layer(cnf.input_channels, wide, kernel_size=cnf.kernel, stride=cnf.stride)]
        if expands:
            layers.append(layer(wide, cnf.out_channels, kernel_size=1, activation_layer=None))
        super().__init__(cnf, stochastic_depth_prob, layers)


def MBConvConfig(
    expand_ratio: float,
    kernel: int,
    stride: int,
    input_channels: int,
    out_channels: int,
    num_layers: int,
    width_mult: float = 1.0,
    depth_mult: float = 1.0,
    block: Callable[..., nn.Module] | None = None,
) -> Stage:
    """The configuration of a stage of `MBConv` blocks, with multiplied numbers of channels and of blocks."""
    inner, outer = (divisible(channels * width_mult, 8) for channels in (input_channels, out_channels))
    return Stage(expand_ratio, kernel, stride, inner, outer, math.ceil(num_layers * depth_mult), block or MBConv)


FusedMBConvConfig = partial(Stage, block=FusedMBConv)


class EfficientNet(nn.Module):
    """Stages by `inverted_residual_setting`, a pooling and a linear layer."""

    def __init__(
        self,
        inverted_residual_setting: Sequence[Stage],
        dropout: float,
        stochastic_depth_prob: float = 0.2,
        num_classes: int = 1000,
        norm_layer: Callable[..., nn.Module] | None = None,
        last_channel: int | None = None,
    ):
        super().__init__()
        stages = list(inverted_residual_setting)
        if not stages:
            raise ValueError("The inverted_residual_setting should not be empty")
        norm = norm_layer or nn.BatchNorm2d
        layer = partial(Conv2dNormActivation, norm_layer=norm, activation_layer=nn.SiLU)
        layers: list[nn.Module] = [layer(3, stages[0].input_channels, stride=2)]
        total, number = sum(stage.num_layers for stage in stages), 0
        for stage in stages:
            blocks = []
            for i in range(stage.num_layers):
                cnf = replace(stage, input_channels=stage.out_channels, stride=1) if i else stage
                blocks.append(cnf.block(cnf, stochastic_depth_prob * number / total, norm))
                number += 1
            layers.append(nn.Sequential(*blocks))
        last = 4 * stages[-1].out_channels if last_channel is None else last_channel
        layers.append(layer(stages[-1].out_channels, last, kernel_size=1))
        self.features: nn.Sequential = nn.Sequential(*layers)
        self.avgpool: nn.AdaptiveAvgPool2d = nn.AdaptiveAvgPool2d(1)
        self.classifier: nn.Sequential = nn.Sequential(
            nn.Dropout(p=dropout, inplace=True), nn.Linear(last, num_classes)
        )
        start(self, linear=lambda weight: nn.init.uniform_(weight, -(len(weight) ** -0.5), len(weight) ** -0.5))

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, 3, H, W) to scores (N, num_classes)."""
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


FIRST: Any = (  # expansion, kernel size, stride, channels of the input and the output, blocks
    (1, 3, 1, 32, 16, 1),
    (6, 3, 2, 16, 24, 2),
    (6, 5, 2, 24, 40, 2),
    (6, 3, 2, 40, 80, 3),
    (6, 5, 1, 80, 112, 3),
    (6, 5, 2, 112, 192, 4),
    (6, 3, 1, 192, 320, 1),
)
SECOND = {
    "s": ((1, 1, 24, 24, 2), (4, 2, 24, 48, 4), (4, 2, 48, 64, 4)),
    "m": ((1, 1, 24, 24, 3), (4, 2, 24, 48, 5), (4, 2, 48, 80, 5)),
    "l": ((1, 1, 32, 32, 4), (4, 2, 32, 64, 7), (4, 2, 64, 96, 7)),
}
SECOND_DEEP = {
    "s": ((4, 2, 64, 128, 6), (6, 1, 128, 160, 9), (6, 2, 160, 256, 15)),
    "m": ((4, 2, 80, 160, 7), (6, 1, 160, 176, 14), (6, 2, 176, 304, 18), (6, 1, 304, 512, 5)),
    "l": ((4, 2, 96, 192, 10), (6, 1, 192, 224, 19), (6, 2, 224, 384, 25), (6, 1, 384, 640, 7)),
}


def first(width: float, depth: float, dropout: float, kwargs: dict[str, Any]) -> EfficientNet:
    """An EfficientNet with multiplied widths and depths."""
    stage: Any = partial(MBConvConfig, width_mult=width, depth_mult=depth)
    stages = [stage(*numbers) for numbers in FIRST]
    return EfficientNet(stages, kwargs.pop("dropout", dropout), **kwargs)


def second(size: str, dropout: float, kwargs: dict[str, Any]) -> EfficientNet:
    """An EfficientNetV2, whose kernels are all 3 × 3."""
    stages = [FusedMBConvConfig(numbers[0], 3, *numbers[1:]) for numbers in SECOND[size]]
    stages += [MBConvConfig(numbers[0], 3, *numbers[1:]) for numbers in SECOND_DEEP[size]]
    norm = kwargs.pop("norm_layer", partial(nn.BatchNorm2d, eps=1e-3))
    return EfficientNet(stages, kwargs.pop("dropout", dropout), last_channel=1280, norm_layer=norm, **kwargs)


@model()
def efficientnet_b0(**kwargs: Any) -> EfficientNet:
    """EfficientNet B0."""
    return first(1.0, 1.0, 0.2, kwargs)


@model("IMAGENET1K_V1", "IMAGENET1K_V2")
def efficientnet_b1(**kwargs: Any) -> EfficientNet:
    """EfficientNet B1."""
    return first(1.0, 1.1, 0.2, kwargs)


@model()
def efficientnet_b2(**kwargs: Any) -> EfficientNet:
    """EfficientNet B2."""
    return first(1.1, 1.2, 0.3, kwargs)


@model()
def efficientnet_b3(**kwargs: Any) -> EfficientNet:
    """EfficientNet B3."""
    return first(1.2, 1.4, 0.3, kwargs)


@model()
def efficientnet_b4(**kwargs: Any) -> EfficientNet:
    """EfficientNet B4."""
    return first(1.4, 1.8, 0.4, kwargs)


LARGE_NORM = partial(nn.BatchNorm2d, eps=0.001, momentum=0.01)


@model()
def efficientnet_b5(**kwargs: Any) -> EfficientNet:
    """EfficientNet B5."""
    return first(1.6, 2.2, 0.4, {"norm_layer": LARGE_NORM, **kwargs})


@model()
def efficientnet_b6(**kwargs: Any) -> EfficientNet:
    """EfficientNet B6."""
    return first(1.8, 2.6, 0.5, {"norm_layer": LARGE_NORM, **kwargs})


@model()
def efficientnet_b7(**kwargs: Any) -> EfficientNet:
    """EfficientNet B7."""
    return first(2.0, 3.1, 0.5, {"norm_layer": LARGE_NORM, **kwargs})


@model()
def efficientnet_v2_s(**kwargs: Any) -> EfficientNet:
    """The small EfficientNetV2."""
    return second("s", 0.2, kwargs)


@model()
def efficientnet_v2_m(**kwargs: Any) -> EfficientNet:
    """The middle EfficientNetV2."""
    return second("m", 0.3, kwargs)


@model()
def efficientnet_v2_l(**kwargs: Any) -> EfficientNet:
    """The large EfficientNetV2."""
    return second("l", 0.4, kwargs)
