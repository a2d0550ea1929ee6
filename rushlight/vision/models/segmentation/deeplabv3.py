"""DeepLab V3 (L.-C. Chen et al., 2017): features at several dilations side by side."""

from collections.abc import Sequence
from typing import Any

from rushlight import nn
from rushlight.nn.functional import interpolate
from rushlight.ops.shapes.joining import cat
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import model
from rushlight.vision.models.resnet import resnet50, resnet101
from rushlight.vision.models.segmentation.backbones import (
    CLASSES,
    OFFERED,
    mobilenet_features,
    without_weights,
)
from rushlight.vision.models.segmentation.fcn import FCNHead, Segmentation, on_resnet

__all__ = ["DeepLabV3", "deeplabv3_mobilenet_v3_large", "deeplabv3_resnet50", "deeplabv3_resnet101"]


class DeepLabV3(Segmentation):
    """A network and convolutions of several dilations."""


def convolved(in_channels: int, out_channels: int, size: int, dilation: int = 1) -> list[nn.Module]:
    """A convolution that keeps the size of the image, a normalization and an activation."""
    padding = dilation if size == 3 else 0
    convolution = nn.Conv2d(in_channels, out_channels, size, padding=padding, dilation=dilation, bias=False)
    return [convolution, nn.BatchNorm2d(out_channels), nn.ReLU()]


class ASPPPooling(nn.Sequential):
    """The means of an image, convolved, at each place."""

    def __init__(self, in_channels: int, out_channels: int):
        super().__init__(nn.AdaptiveAvgPool2d(1), *convolved(in_channels, out_channels, 1))

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, H, W) to (N, out_channels, H, W)."""
        return interpolate(super().forward(x), x.shape[-2:], mode="bilinear")


class ASPP(nn.Module):
    """Convolutions at several rates and a mean, side by side, and a 1 × 1 convolution of all."""

    def __init__(self, in_channels: int, atrous_rates: Sequence[int], out_channels: int = 256):
        super().__init__()
        branches = [nn.Sequential(*convolved(in_channels, out_channels, 1))]
        branches += [nn.Sequential(*convolved(in_channels, out_channels, 3, rate)) for rate in atrous_rates]
        branches.append(ASPPPooling(in_channels, out_channels))
        self.convs: nn.ModuleList = nn.ModuleList(branches)
        together = convolved(len(branches) * out_channels, out_channels, 1)
        self.project: nn.Sequential = nn.Sequential(*together, nn.Dropout(0.5))

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, H, W) to (N, out_channels, H, W)."""
        return self.project(cat([branch(x) for branch in self.convs], 1))


class DeepLabHead(nn.Sequential):
    """The branches, a 3 × 3 convolution, and a 1 × 1 one to scores."""

    def __init__(self, in_channels: int, num_classes: int, atrous_rates: Sequence[int] = (12, 24, 36)):
        branches = ASPP(in_channels, atrous_rates)
        super().__init__(branches, *convolved(256, 256, 3), nn.Conv2d(256, num_classes, 1))


@model(OFFERED)
def deeplabv3_resnet50(
    num_classes: int = CLASSES, aux_loss: bool | None = None, weights_backbone: Any = "IMAGENET1K_V1"
) -> DeepLabV3:
    """DeepLab V3 on a ResNet with 50 layers."""
    return on_resnet(DeepLabV3, DeepLabHead, resnet50, num_classes, aux_loss, weights_backbone)


@model(OFFERED)
def deeplabv3_resnet101(
    num_classes: int = CLASSES, aux_loss: bool | None = None, weights_backbone: Any = "IMAGENET1K_V1"
) -> DeepLabV3:
    """DeepLab V3 on a ResNet with 101 layers."""
    return on_resnet(DeepLabV3, DeepLabHead, resnet101, num_classes, aux_loss, weights_backbone)


@model(OFFERED)
def deeplabv3_mobilenet_v3_large(
    num_classes: int = CLASSES, aux_loss: bool | None = None, weights_backbone: Any = "IMAGENET1K_V1"
) -> DeepLabV3:
    """DeepLab V3 on the large MobileNet V3."""
    without_weights(weights_backbone)
    features, early, late = mobilenet_features("aux" if aux_loss else None, "out")
    aux = FCNHead(early, num_classes) if aux_loss else None
    return DeepLabV3(features, DeepLabHead(late, num_classes), aux)
