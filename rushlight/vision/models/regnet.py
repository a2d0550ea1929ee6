"""RegNets (I. Radosavovic et al., 2020): residual networks whose widths grow by a rule."""

import math
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from rushlight import nn
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import divisible, model
from rushlight.vision.ops.misc import Conv2dNormActivation, SqueezeExcitation

__all__ = ["RegNet"]


class Stage(NamedTuple):
    """Blocks of the same width, in groups of channels."""

    width: int
    depth: int
    group_width: int


class Plan(NamedTuple):
    """The rule of a network: its number of blocks, and how their widths grow."""

    depth: int
    first: int
    slope: float
    factor: float
    group_width: int
    se_ratio: float | None = None

    def stages(self) -> list[Stage]:
        """Blocks of the same width together; widths are powers of the factor near the line, multiples of 8."""
        line = np.arange(self.depth, dtype=np.float32) * self.slope + self.first
        powers = np.round(np.log(line / self.first) / math.log(self.factor))
        widths = (np.round(self.first * self.factor**powers / 8) * 8).astype(int).tolist()
        found = []
        for width, blocks in groupby(widths):
            group = min(self.group_width, width)
            found.append(Stage(divisible(width, group), len(list(blocks)), group))
        return found


class ResBottleneckBlock(nn.Module):
    """1 × 1, 3 × 3 (in groups, with the stride) and 1 × 1 convolutions with a residual connection."""

    def __init__(
        self, width_in: int, width_out: int, stride: int, group_width: int, se_ratio: float | None, **options: Any
    ):
        super().__init__()
        plain = {**options, "activation_layer": None}
        self.proj: nn.Module | None = None
        if width_in != width_out or stride != 1:
            self.proj = Conv2dNormActivation(width_in, width_out, kernel_size=1, stride=stride, **plain)
        layers: OrderedDict[str, nn.Module] = OrderedDict()
        layers["a"] = Conv2dNormActivation(width_in, width_out, kernel_size=1, **options)
        groups = width_out // group_width
        layers["b"] = Conv2dNormActivation(width_out, width_out, stride=stride, groups=groups, **options)
        if se_ratio:
            activation = options["activation_layer"]
            layers["se"] = SqueezeExcitation(width_out, round(se_ratio * width_in), activation=activation)
        layers["c"] = Conv2dNormActivation(width_out, width_out, kernel_size=1, **plain)
        self.f: nn.Sequential = nn.Sequential(layers)
        self.activation: nn.Module = options["activation_layer"](inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, H, W) to (N, width_out, H / stride, W / stride)."""
        return self.activation((x if self.proj is None else self.proj(x)) + self.f(x))


class RegNet(nn.Module):
    """A convolution, stages of blocks by a plan, a pooling and a linear layer."""

    def __init__(
        self,
        block_params: Plan,
        num_classes: int = 1000,
        stem_width: int = 32,
        norm_layer: Callable[..., nn.Module] | None = None,
        activation: Callable[..., nn.Module] | None = None,
    ):
        super().__init__()
        options: dict[str, Any] = {
            "norm_layer": norm_layer or nn.BatchNorm2d,
            "activation_layer": activation or nn.ReLU,
        }
        self.stem: nn.Module = Conv2dNormActivation(3, stem_width, stride=2, **options)
        width, stages = stem_width, OrderedDict()
        for number, stage in enumerate(block_params.stages(), 1):
            blocks: OrderedDict[str, nn.Module] = OrderedDict()
            for i in range(stage.depth):
                stride = 1 if i else 2
                blocks[f"block{number}-{i}"] = ResBottleneckBlock(
                    width, stage.width, stride, stage.group_width, block_params.se_ratio, **options
                )
                width = stage.width
            stages[f"block{number}"] = nn.Sequential(blocks)
        self.trunk_output: nn.Sequential = nn.Sequential(stages)
        self.avgpool: nn.AdaptiveAvgPool2d = nn.AdaptiveAvgPool2d(1)
        self.fc: nn.Linear = nn.Linear(width, num_classes)
        self.start()

    def start(self) -> None:
        """Initializes weights as residual networks do, without regard to groups."""
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                places = math.prod(layer.kernel_size) * layer.out_channels
                nn.init.normal_(layer.weight, 0.0, math.sqrt(2.0 / places))
            elif isinstance(layer, nn.Linear):
                nn.init.normal_(layer.weight, 0.0, 0.01)
                nn.init.zeros_(layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, 3, H, W) to scores (N, num_classes)."""
        return self.fc(self.avgpool(self.trunk_output(self.stem(x))).flatten(1))


PLANS = {
    "regnet_y_400mf": Plan(16, 48, 27.89, 2.09, 8, 0.25),
    "regnet_y_800mf": Plan(14, 56, 38.84, 2.4, 16, 0.25),
    "regnet_y_1_6gf": Plan(27, 48, 20.71, 2.65, 24, 0.25),
    "regnet_y_3_2gf": Plan(21, 80, 42.63, 2.66, 24, 0.25),
    "regnet_y_8gf": Plan(17, 192, 76.82, 2.19, 56, 0.25),
    "regnet_y_16gf": Plan(18, 200, 106.23, 2.48, 112, 0.25),
    "regnet_y_32gf": Plan(20, 232, 115.89, 2.53, 232, 0.25),
    "regnet_y_128gf": Plan(27, 456, 160.83, 2.52, 264, 0.25),
    "regnet_x_400mf": Plan(22, 24, 24.48, 2.54, 16),
    "regnet_x_800mf": Plan(16, 56, 35.73, 2.28, 16),
    "regnet_x_1_6gf": Plan(18, 80, 34.01, 2.25, 24),
    "regnet_x_3_2gf": Plan(25, 88, 26.31, 2.25, 48),
    "regnet_x_8gf": Plan(23, 80, 49.56, 2.88, 120),
    "regnet_x_16gf": Plan(22, 216, 55.59, 2.1, 128),
    "regnet_x_32gf": Plan(23, 320, 69.86, 2.0, 168),
}


def enter(name: str) -> None:
    """Registers the network of a plan."""

    def build(**kwargs: Any) -> RegNet:
        kwargs.setdefault("norm_layer", partial(nn.BatchNorm2d, eps=1e-5, momentum=0.1))
        return RegNet(PLANS[name], **kwargs)

    kind, size = name.removeprefix("regnet_").split("_", 1)
    build.__name__ = name
    build.__doc__ = f"RegNet {kind.upper()} of {size.replace('_', '.')[:-2]} {size[-2].upper()}FLOP."
    globals()[name] = model("IMAGENET1K_V1", "IMAGENET1K_V2")(build)
    __all__.append(name)


for name in PLANS:
    enter(name)
