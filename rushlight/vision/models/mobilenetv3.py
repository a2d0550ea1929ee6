"""MobileNet V3 (A. Howard et al., 2019)."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from rushlight import nn
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import divisible, model, start
from rushlight.vision.ops.misc import Conv2dNormActivation, SqueezeExcitation

__all__ = ["MobileNetV3", "mobilenet_v3_large", "mobilenet_v3_small"]


class Block(NamedTuple):
    """The configuration of a block."""

    input: int
    kernel: int
    expanded: int
    output: int
    squeezes: bool
    hard: bool  # whether the activation is Hardswish, else ReLU
    stride: int
    dilation: int = 1  # in place of the stride


LARGE = [
    Block(16, 3, 16, 16, False, False, 1),
    Block(16, 3, 64, 24, False, False, 2),
    Block(24, 3, 72, 24, False, False, 1),
    Block(24, 5, 72, 40, True, False, 2),
    Block(40, 5, 120, 40, True, False, 1),
    Block(40, 5, 120, 40, True, False, 1),
    Block(40, 3, 240, 80, False, True, 2),
    Block(80, 3, 200, 80, False, True, 1),
    Block(80, 3, 184, 80, False, True, 1),
    Block(80, 3, 184, 80, False, True, 1),
    Block(80, 3, 480, 112, True, True, 1),
    Block(112, 3, 672, 112, True, True, 1),
    Block(112, 5, 672, 160, True, True, 2),
    Block(160, 5, 960, 160, True, True, 1),
    Block(160, 5, 960, 160, True, True, 1),
]
SMALL = [
    Block(16, 3, 16, 16, True, False, 2),
    Block(16, 3, 72, 24, False, False, 2),
    Block(24, 3, 88, 24, False, False, 1),
    Block(24, 5, 96, 40, True, True, 2),
    Block(40, 5, 240, 40, True, True, 1),
    Block(40, 5, 240, 40, True, True, 1),
    Block(40, 5, 120, 48, True, True, 1),
    Block(48, 5, 144, 48, True, True, 1),
    Block(48, 5, 288, 96, True, True, 2),
    Block(96, 5, 576, 96, True, True, 1),
    Block(96, 5, 576, 96, True, True, 1),
]


def widened(blocks: list[Block], times: float) -> list[Block]:
    """Blocks with channels multiplied by `times`, rounded to multiples of eight."""
    return [
        block._replace(
            input=divisible(block.input * times, 8),
            expanded=divisible(block.expanded * times, 8),
            output=divisible(block.output * times, 8),
        )
        for block in blocks
    ]


class InvertedResidual(nn.Module):
    """An inverted residual block, with squeeze-and-excitation if the configuration has it."""

    def __init__(self, plan: Block, norm_layer: Callable[..., Any]):
        super().__init__()
        if not 1 <= plan.stride <= 2:
            raise ValueError("illegal stride value")
        self._is_cn: bool = plan.stride > 1
        self.use_res_connect: bool = plan.stride == 1 and plan.input == plan.output
        self.out_channels: int = plan.output
        options: dict[str, Any] = {
            "norm_layer": norm_layer,
            "activation_layer": nn.Hardswish if plan.hard else nn.ReLU,
        }
        layers: list[nn.Module] = []
        if plan.expanded != plan.input:
            layers.append(Conv2dNormActivation(plan.input, plan.expanded, kernel_size=1, **options))
        layers.append(
            Conv2dNormActivation(
                plan.expanded,
                plan.expanded,
                kernel_size=plan.kernel,
                stride=1 if plan.dilation > 1 else plan.stride,
                dilation=plan.dilation,
                groups=plan.expanded,
                **options,
            )
        )
        if plan.squeezes:
            narrow = divisible(plan.expanded // 4, 8)
            layers.append(SqueezeExcitation(plan.expanded, narrow, scale_activation=nn.Hardsigmoid))
        options["activation_layer"] = None
        layers.append(Conv2dNormActivation(plan.expanded, plan.output, kernel_size=1, **options))
        self.block: nn.Sequential = nn.Sequential(*layers)

    def forward(self, input: Tensor) -> Tensor:
        """The result of the block, plus the input if the shapes agree."""
        result = self.block(input)
        if self.use_res_connect:
            result += input
        return result


class MobileNetV3(nn.Module):
    """Blocks by `inverted_residual_setting`, and two linear layers, the first with `last_channel` outputs."""

    def __init__(
        self,
        inverted_residual_setting: list[Block],
        last_channel: int,
        num_classes: int = 1000,
        norm_layer: Callable[..., Any] | None = None,
        dropout: float = 0.2,
    ):
        super().__init__()
        norm = norm_layer or partial(nn.BatchNorm2d, eps=0.001, momentum=0.01)
        plans = inverted_residual_setting
        options: dict[str, Any] = {"norm_layer": norm, "activation_layer": nn.Hardswish}
        layers: list[nn.Module] = [Conv2dNormActivation(3, plans[0].input, kernel_size=3, stride=2, **options)]
        layers += [InvertedResidual(plan, norm) for plan in plans]
        width = 6 * plans[-1].output
        layers.append(Conv2dNormActivation(plans[-1].output, width, kernel_size=1, **options))
        self.features: nn.Sequential = nn.Sequential(*layers)
        self.avgpool: nn.AdaptiveAvgPool2d = nn.AdaptiveAvgPool2d(1)
        self.classifier: nn.Sequential = nn.Sequential(
            nn.Linear(width, last_channel),
            nn.Hardswish(inplace=True),
            nn.Dropout(p=dropout, inplace=True),
            nn.Linear(last_channel, num_classes),
        )
        start(self)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, 3, H, W) to scores (N, num_classes)."""
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


@model("IMAGENET1K_V1", "IMAGENET1K_V2")
def mobilenet_v3_large(*, width_mult: float = 1.0, **kwargs: Any) -> MobileNetV3:
    """The large MobileNet V3."""
    return MobileNetV3(widened(LARGE, width_mult), divisible(1280 * width_mult, 8), **kwargs)


def dilated_mobilenet_v3_large() -> MobileNetV3:
    """The large MobileNet V3 for segmentation: its last three blocks are dilated."""
    return MobileNetV3([*LARGE[:-3], *(block._replace(dilation=2) for block in LARGE[-3:])], 1280)


@model()
def mobilenet_v3_small(*, width_mult: float = 1.0, **kwargs: Any) -> MobileNetV3:
    """The small MobileNet V3."""
    return MobileNetV3(widened(SMALL, width_mult), divisible(1024 * width_mult, 8), **kwargs)
