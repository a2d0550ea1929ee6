"""Inception V3 (C. Szegedy et al., 2016). Its images are 299 pixels high and wide."""

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from rushlight import nn
from rushlight.core.lines import warn
from rushlight.nn.functional import adaptive_avg_pool2d, avg_pool2d, max_pool2d
from rushlight.ops.shapes.joining import cat
from rushlight.tensors import Tensor
from rushlight.vision.models.googlenet import WARNED, BasicConv2d, from_imagenet, start_truncated
from rushlight.vision.models.registry import model

__all__ = ["Inception3", "InceptionOutputs", "inception_v3"]

InceptionOutputs = namedtuple("InceptionOutputs", ["logits", "aux_logits"])
Conv = Callable[..., nn.Module] | None
WIDE: dict[str, Any] = {"kernel_size": (1, 7), "padding": (0, 3)}
HIGH: dict[str, Any] = {"kernel_size": (7, 1), "padding": (3, 0)}
FLAT: dict[str, Any] = {"kernel_size": (1, 3), "padding": (0, 1)}
STEEP: dict[str, Any] = {"kernel_size": (3, 1), "padding": (1, 0)}
SMALL: dict[str, Any] = {"kernel_size": 3, "padding": 1}
HALVING: dict[str, Any] = {"kernel_size": 3, "stride": 2}
POINT: dict[str, Any] = {"kernel_size": 1}


class Branches(nn.Module):
    """Branches of convolutions, whose channels are joined with those of a pooling.

    `layers` has for each convolution its name, its numbers of channels, and its options.
    """

    def __init__(self, conv_block: Conv, *layers: tuple[str, int, int, dict[str, Any]]):
        super().__init__()
        for name, inner, outer, options in layers:
            setattr(self, name, (conv_block or BasicConv2d)(inner, outer, **options))

    def line(self, x: Tensor, *names: str) -> Tensor:
        """The named convolutions, one after the other."""
        for name in names:
            x = getattr(self, name)(x)
        return x

    def pooled(self, x: Tensor) -> Tensor:
        """The mean around each pixel, through a convolution."""
        return self.branch_pool(avg_pool2d(x, kernel_size=3, stride=1, padding=1))


class InceptionA(Branches):
    """Kernels of 1, 3 and 5 pixels."""

    def __init__(self, in_channels: int, pool_features: int, conv_block: Conv = None):
        super().__init__(
            conv_block,
            ("branch1x1", in_channels, 64, POINT),
            ("branch5x5_1", in_channels, 48, POINT),
            ("branch5x5_2", 48, 64, {"kernel_size": 5, "padding": 2}),
            ("branch3x3dbl_1", in_channels, 64, POINT),
            ("branch3x3dbl_2", 64, 96, SMALL),
            ("branch3x3dbl_3", 96, 96, SMALL),
            ("branch_pool", in_channels, pool_features, POINT),
        )

    def forward(self, x: Tensor) -> Tensor:
        """The channels of all branches."""
        double = self.line(x, "branch3x3dbl_1", "branch3x3dbl_2", "branch3x3dbl_3")
        return cat([self.branch1x1(x), self.line(x, "branch5x5_1", "branch5x5_2"), double, self.pooled(x)], 1)


class InceptionB(Branches):
    """Halves the images."""

    def __init__(self, in_channels: int, conv_block: Conv = None):
        super().__init__(
            conv_block,
            ("branch3x3", in_channels, 384, HALVING),
            ("branch3x3dbl_1", in_channels, 64, POINT),
            ("branch3x3dbl_2", 64, 96, SMALL),
            ("branch3x3dbl_3", 96, 96, HALVING),
        )

    def forward(self, x: Tensor) -> Tensor:
        """The channels of all branches."""
        double = self.line(x, "branch3x3dbl_1", "branch3x3dbl_2", "branch3x3dbl_3")
        return cat([self.branch3x3(x), double, max_pool2d(x, kernel_size=3, stride=2)], 1)


class InceptionC(Branches):
    """Kernels of 7 pixels, first along one dimension, then along the other."""

    def __init__(self, in_channels: int, channels_7x7: int, conv_block: Conv = None):
        inner = channels_7x7
        super().__init__(
            conv_block,
            ("branch1x1", in_channels, 192, POINT),
            ("branch7x7_1", in_channels, inner, POINT),
            ("branch7x7_2", inner, inner, WIDE),
            ("branch7x7_3", inner, 192, HIGH),
            ("branch7x7dbl_1", in_channels, inner, POINT),
            ("branch7x7dbl_2", inner, inner, HIGH),
            ("branch7x7dbl_3", inner, inner, WIDE),
            ("branch7x7dbl_4", inner, inner, HIGH),
            ("branch7x7dbl_5", inner, 192, WIDE),
            ("branch_pool", in_channels, 192, POINT),
        )

    def forward(self, x: Tensor) -> Tensor:
        """The channels of all branches."""
        once = self.line(x, "branch7x7_1", "branch7x7_2", "branch7x7_3")
        twice = self.line(x, *(f"branch7x7dbl_{k}" for k in range(1, 6)))
        return cat([self.branch1x1(x), once, twice, self.pooled(x)], 1)


class InceptionD(Branches):
    """Halves the images, after kernels of 7 pixels."""

    def __init__(self, in_channels: int, conv_block: Conv = None):
        super().__init__(
            conv_block,
            ("branch3x3_1", in_channels, 192, POINT),
            ("branch3x3_2", 192, 320, HALVING),
            ("branch7x7x3_1", in_channels, 192, POINT),
            ("branch7x7x3_2", 192, 192, WIDE),
            ("branch7x7x3_3", 192, 192, HIGH),
            ("branch7x7x3_4", 192, 192, HALVING),
        )

    def forward(self, x: Tensor) -> Tensor:
        """The channels of all branches."""
        large = self.line(x, *(f"branch7x7x3_{k}" for k in range(1, 5)))
        return cat([self.line(x, "branch3x3_1", "branch3x3_2"), large, max_pool2d(x, kernel_size=3, stride=2)], 1)


class InceptionE(Branches):
    """Branches that part once more, into a flat kernel and a steep one."""

    def __init__(self, in_channels: int, conv_block: Conv = None):
        super().__init__(
            conv_block,
            ("branch1x1", in_channels, 320, POINT),
            ("branch3x3_1", in_channels, 384, POINT),
            ("branch3x3_2a", 384, 384, FLAT),
            ("branch3x3_2b", 384, 384, STEEP),
            ("branch3x3dbl_1", in_channels, 448, POINT),
            ("branch3x3dbl_2", 448, 384, SMALL),
            ("branch3x3dbl_3a", 384, 384, FLAT),
            ("branch3x3dbl_3b", 384, 384, STEEP),
            ("branch_pool", in_channels, 192, POINT),
        )

    def forward(self, x: Tensor) -> Tensor:
        """The channels of all branches."""
        once, twice = self.branch3x3_1(x), self.line(x, "branch3x3dbl_1", "branch3x3dbl_2")
        once = cat([self.branch3x3_2a(once), self.branch3x3_2b(once)], 1)
        twice = cat([self.branch3x3dbl_3a(twice), self.branch3x3dbl_3b(twice)], 1)
        return cat([self.branch1x1(x), once, twice, self.pooled(x)], 1)


class InceptionAux(nn.Module):
    """A classifier of images halfway through the network."""

    def __init__(self, in_channels: int, num_classes: int, conv_block: Conv = None):
        super().__init__()
        conv = conv_block or BasicConv2d
        self.conv0: Any = conv(in_channels, 128, kernel_size=1)
        self.conv1: Any = conv(128, 768, kernel_size=5)
        self.conv1.stddev = 0.01
        self.fc: nn.Linear = nn.Linear(768, num_classes)
        self.fc.stddev = 0.001

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, C, H, W) to scores (N, num_classes)."""
        x = self.conv1(self.conv0(avg_pool2d(x, kernel_size=5, stride=3)))
        return self.fc(adaptive_avg_pool2d(x, (1, 1)).flatten(1))


class Inception3(nn.Module):
    """Eleven inception blocks; in training also a classifier after the eighth of them."""

    def __init__(
        self,
        num_classes: int = 1000,
        aux_logits: bool = True,
        transform_input: bool = False,
        inception_blocks: list[Callable[..., nn.Module]] | None = None,
        init_weights: bool | None = None,
        dropout: float = 0.5,
    ):
        super().__init__()
        if init_weights is None:
            warn(WARNED.format("inception_v3"), FutureWarning)
        conv, a, b, c, d, e, auxiliary = inception_blocks or BLOCKS
        self.aux_logits, self.transform_input = aux_logits, transform_input
        self.Conv2d_1a_3x3: nn.Module = conv(3, 32, kernel_size=3, stride=2)
        self.Conv2d_2a_3x3: nn.Module = conv(32, 32, kernel_size=3)
        self.Conv2d_2b_3x3: nn.Module = conv(32, 64, kernel_size=3, padding=1)
        self.maxpool1: nn.MaxPool2d = nn.MaxPool2d(kernel_size=3, stride=2)
        self.Conv2d_3b_1x1: nn.Module = conv(64, 80, kernel_size=1)
        self.Conv2d_4a_3x3: nn.Module = conv(80, 192, kernel_size=3)
        self.maxpool2: nn.MaxPool2d = nn.MaxPool2d(kernel_size=3, stride=2)
        self.Mixed_5b: nn.Module = a(192, pool_features=32)
        self.Mixed_5c: nn.Module = a(256, pool_features=64)
        self.Mixed_5d: nn.Module = a(288, pool_features=64)
        self.Mixed_6a: nn.Module = b(288)
        self.Mixed_6b: nn.Module = c(768, channels_7x7=128)
        self.Mixed_6c: nn.Module = c(768, channels_7x7=160)
        self.Mixed_6d: nn.Module = c(768, channels_7x7=160)
        self.Mixed_6e: nn.Module = c(768, channels_7x7=192)
        self.AuxLogits: nn.Module | None = auxiliary(768, num_classes) if aux_logits else None
        self.Mixed_7a: nn.Module = d(768)
        self.Mixed_7b: nn.Module = e(1280)
        self.Mixed_7c: nn.Module = e(2048)
        self.avgpool: nn.AdaptiveAvgPool2d = nn.AdaptiveAvgPool2d((1, 1))
        self.dropout: nn.Dropout = nn.Dropout(p=dropout)
        self.fc: nn.Linear = nn.Linear(2048, num_classes)
        if init_weights is not False:
            start_truncated(self, 0.1)

    def forward(self, x: Tensor) -> Any:
        """Images (N, 3, H, W) to scores (N, num_classes); in training with those of the classifier between."""
        x = from_imagenet(x) if self.transform_input else x
        x = self.maxpool1(self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x))))
        x = self.maxpool2(self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(x)))
        x = self.Mixed_6a(self.Mixed_5d(self.Mixed_5c(self.Mixed_5b(x))))
        x = self.Mixed_6e(self.Mixed_6d(self.Mixed_6c(self.Mixed_6b(x))))
        aux = self.AuxLogits(x) if self.training and self.AuxLogits is not None else None
        x = self.Mixed_7c(self.Mixed_7b(self.Mixed_7a(x)))
        scores = self.fc(self.dropout(self.avgpool(x)).flatten(1))
        return InceptionOutputs(scores, aux) if self.training and self.aux_logits else scores


BLOCKS = (BasicConv2d, InceptionA, InceptionB, InceptionC, InceptionD, InceptionE, InceptionAux)


@model()
def inception_v3(**kwargs: Any) -> Inception3:
    """Inception V3."""
    return Inception3(**kwargs)
