"""Fully convolutional networks (J. Long et al., 2015)."""

from collections import OrderedDict
from typing import Any

from rushlight import nn
from rushlight.nn.functional import interpolate
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import model
from rushlight.vision.models.resnet import resnet50, resnet101
from rushlight.vision.models.segmentation.backbones import CLASSES, OFFERED, resnet_features, without_weights

__all__ = ["FCN", "fcn_resnet50", "fcn_resnet101"]


class Segmentation(nn.Module):
    """A classifier of each place of the backbone's `out`, and perhaps one of its `aux`, at the size of the image."""

    def __init__(self, backbone: nn.Module, classifier: nn.Module, aux_classifier: nn.Module | None = None):
        super().__init__()
        self.backbone, self.classifier, self.aux_classifier = backbone, classifier, aux_classifier

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        """Images (N, 3, H, W) to scores (N, classes, H, W), by name."""
        features = self.backbone(x)
        found: OrderedDict[str, Tensor] = OrderedDict()
        for name, classifier in (("out", self.classifier), ("aux", self.aux_classifier)):
            if classifier is not None:
                found[name] = interpolate(classifier(features[name]), x.shape[-2:], mode="bilinear")
        return found


class FCN(Segmentation):
    """A residual network and two convolutions."""


class FCNHead(nn.Sequential):
    """A 3 × 3 convolution to a quarter of the channels, and a 1 × 1 one to scores."""

    def __init__(self, in_channels: int, channels: int):
        narrow = in_channels // 4
        super().__init__(
            nn.Conv2d(in_channels, narrow, 3, padding=1, bias=False),
            nn.BatchNorm2d(narrow),
            nn.ReLU(),
            nn.Dropout(0.1),
            nn.Conv2d(narrow, channels, 1),
        )


def on_resnet(
    network: Any, head: Any, build: Any, num_classes: int, aux_loss: bool | None, weights_backbone: Any
) -> Any:
    """A network for segmentation, with the given head, on a residual network."""
    without_weights(weights_backbone)
    features = resnet_features(build, aux_loss)
    aux = FCNHead(1024, num_classes) if aux_loss else None
    return network(features, head(2048, num_classes), aux)


@model(OFFERED)
def fcn_resnet50(
    num_classes: int = CLASSES, aux_loss: bool | None = None, weights_backbone: Any = "IMAGENET1K_V1"
) -> FCN:
    """A fully convolutional network on a ResNet with 50 layers."""
    return on_resnet(FCN, FCNHead, resnet50, num_classes, aux_loss, weights_backbone)


@model(OFFERED)
def fcn_resnet101(
    num_classes: int = CLASSES, aux_loss: bool | None = None, weights_backbone: Any = "IMAGENET1K_V1"
) -> FCN:
    """A fully convolutional network on a ResNet with 101 layers."""
    return on_resnet(FCN, FCNHead, resnet101, num_classes, aux_loss, weights_backbone)
