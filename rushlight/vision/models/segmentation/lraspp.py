"""Lite R-ASPP (A. Howard et al., 2019): segmentation by a small network."""

from collections import OrderedDict
from typing import Any

from rushlight import nn
from rushlight.nn.functional import interpolate
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import model
from rushlight.vision.models.segmentation.backbones import CLASSES, OFFERED, mobilenet_features, without_weights

__all__ = ["LRASPP", "lraspp_mobilenet_v3_large"]


class LRASPPHead(nn.Module):
    """Scores from the backbone's `low` features, and from its `high` ones, which their means scale."""

    def __init__(self, low_channels: int, high_channels: int, num_classes: int, inter_channels: int):
        super().__init__()
        self.cbr: nn.Sequential = nn.Sequential(
            nn.Conv2d(high_channels, inter_channels, 1, bias=False),
            nn.BatchNorm2d(inter_channels),
            nn.ReLU(inplace=True),
        )
        self.scale: nn.Sequential = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(high_channels, inter_channels, 1, bias=False), nn.Sigmoid()
        )
        self.low_classifier: nn.Conv2d = nn.Conv2d(low_channels, num_classes, 1)
        self.high_classifier: nn.Conv2d = nn.Conv2d(inter_channels, num_classes, 1)

    def forward(self, input: dict[str, Tensor]) -> Tensor:
        """Features by name to scores of the size of the `low` ones."""
        low, high = input["low"], input["high"]
        x = interpolate(self.cbr(high) * self.scale(high), low.shape[-2:], mode="bilinear")
        return self.low_classifier(low) + self.high_classifier(x)


class LRASPP(nn.Module):
    """A small network, and convolutions of its features at an eighth and a sixteenth of the size."""

    def __init__(
        self, backbone: nn.Module, low_channels: int, high_channels: int, num_classes: int, inter_channels: int = 128
    ):
        super().__init__()
        self.backbone = backbone
        self.classifier: LRASPPHead = LRASPPHead(low_channels, high_channels, num_classes, inter_channels)

    def forward(self, input: Tensor) -> dict[str, Tensor]:
        """Images (N, 3, H, W) to scores (N, classes, H, W), under the name `out`."""
        scores = self.classifier(self.backbone(input))
        return OrderedDict(out=interpolate(scores, input.shape[-2:], mode="bilinear"))


@model(OFFERED)
def lraspp_mobilenet_v3_large(num_classes: int = CLASSES, weights_backbone: Any = "IMAGENET1K_V1") -> LRASPP:
    """Lite R-ASPP on the large MobileNet V3."""
    without_weights(weights_backbone)
    features, low, high = mobilenet_features("low", "high")
    return LRASPP(features, low, high, num_classes)
