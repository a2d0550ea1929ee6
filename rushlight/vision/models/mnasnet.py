"""MNASNet B1 (M. Tan et al., 2019)."""

from typing import Any

from rushlight import nn
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import divisible, model, start

__all__ = ["MNASNet", "mnasnet0_5", "mnasnet0_75", "mnasnet1_0", "mnasnet1_3"]

MOMENTUM = 1 - 0.9997


def convolved(inner: int, outer: int, kernel: int = 1, stride: int = 1, groups: int = 1) -> list[nn.Module]:
    """A convolution that keeps the size at stride 1, and a normalization."""
    layer = nn.Conv2d(inner, outer, kernel, padding=kernel // 2, stride=stride, groups=groups, bias=False)
    return [layer, nn.BatchNorm2d(outer, momentum=MOMENTUM)]


class InvertedResidual(nn.Module):
    """An inverted residual block: pointwise, depthwise and pointwise convolution."""

    def __init__(self, inner: int, outer: int, kernel: int, stride: int, expansion: int):
        super().__init__()
        wide = inner * expansion
        self.apply_residual: bool = inner == outer and stride == 1
        self.layers: nn.Sequential = nn.Sequential(
            *convolved(inner, wide),
            nn.ReLU(inplace=True),
            *convolved(wide, wide, kernel, stride, groups=wide),
            nn.ReLU(inplace=True),
            *convolved(wide, outer),
        )

    def forward(self, input: Tensor) -> Tensor:
        """The result of the block, plus the input if the shapes agree."""
        return self.layers(input) + input if self.apply_residual else self.layers(input)


def pile(inner: int, outer: int, kernel: int, stride: int, expansion: int, count: int) -> nn.Sequential:
    """Several blocks; the first may change channels and size."""
    first = InvertedResidual(inner, outer, kernel, stride, expansion)
    return nn.Sequential(first, *(InvertedResidual(outer, outer, kernel, 1, expansion) for _ in range(1, count)))


class MNASNet(nn.Module):
    """Stacks of inverted residual blocks, with widths times `alpha`."""

    _version = 2

    def __init__(self, alpha: float, num_classes: int = 1000, dropout: float = 0.2):
        super().__init__()
        if alpha <= 0.0:
            raise ValueError(f"alpha should be greater than 0.0 instead of {alpha}")
        self.alpha, self.num_classes = alpha, num_classes
        wide = [divisible(depth * alpha, 8) for depth in (32, 16, 24, 40, 80, 96, 192, 320)]
        self.layers: nn.Sequential = nn.Sequential(
            *convolved(3, wide[0], 3, 2),
            nn.ReLU(inplace=True),
            *convolved(wide[0], wide[0], 3, groups=wide[0]),
            nn.ReLU(inplace=True),
            *convolved(wide[0], wide[1]),
            pile(wide[1], wide[2], 3, 2, 3, 3),
            pile(wide[2], wide[3], 5, 2, 3, 3),
            pile(wide[3], wide[4], 5, 2, 6, 3),
            pile(wide[4], wide[5], 3, 1, 6, 2),
            pile(wide[5], wide[6], 5, 2, 6, 4),
            pile(wide[6], wide[7], 3, 1, 6, 1),
            *convolved(wide[7], 1280),
            nn.ReLU(inplace=True),
        )
        self.classifier: nn.Sequential = nn.Sequential(
            nn.Dropout(p=dropout, inplace=True), nn.Linear(1280, num_classes)
        )
        start(self, linear=lambda weight: nn.init.kaiming_uniform_(weight, mode="fan_out", nonlinearity="sigmoid"))

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, 3, H, W) to scores (N, num_classes)."""
        return self.classifier(self.layers(x).mean([2, 3]))


@model()
def mnasnet0_5(**kwargs: Any) -> MNASNet:
    """MNASNet of half the width."""
    return MNASNet(0.5, **kwargs)


@model()
def mnasnet0_75(**kwargs: Any) -> MNASNet:
    """MNASNet of 0.75 times the width."""
    return MNASNet(0.75, **kwargs)


@model()
def mnasnet1_0(**kwargs: Any) -> MNASNet:
    """MNASNet."""
    return MNASNet(1.0, **kwargs)


@model()
def mnasnet1_3(**kwargs: Any) -> MNASNet:
    """MNASNet of 1.3 times the width."""
    return MNASNet(1.3, **kwargs)
