"""The networks that segmentation takes its features from, with dilated convolutions in place of the last strides."""

from collections.abc import Callable
from typing import Any

from rushlight import nn
from rushlight.vision.models.feature_layers import IntermediateLayerGetter
from rushlight.vision.models.mobilenetv3 import dilated_mobilenet_v3_large
from rushlight.vision.models.registry import refuse

__all__: list[str] = []

OFFERED = "COCO_WITH_VOC_LABELS_V1"
CLASSES = 21  # of Pascal VOC, with the background


def resnet_features(build: Callable[..., nn.Module], aux: bool | None) -> IntermediateLayerGetter:
    """A residual network up to its last stage, `out`, and the one before, `aux`."""
    network = build(replace_stride_with_dilation=[False, True, True])
    return IntermediateLayerGetter(network, {"layer4": "out", **({"layer3": "aux"} if aux else {})})


def mobilenet_features(low: str | None, high: str) -> tuple[IntermediateLayerGetter, int, int]:
    """The features of the large MobileNet V3 at an eighth and a sixteenth of the size, and their channels."""
    features = dilated_mobilenet_v3_large().features
    strided = [0, *(i for i, layer in enumerate(features) if getattr(layer, "_is_cn", False)), len(features) - 1]
    early, late = strided[-4], strided[-1]
    names = {str(late): high, **({str(early): low} if low else {})}
    wide: Any = features[late], features[early]
    return IntermediateLayerGetter(features, names), wide[1].out_channels, wide[0].out_channels


def without_weights(weights_backbone: Any) -> None:
    """RuntimeError if a backbone's pretrained weights are asked for, as torchvision does by default."""
    if weights_backbone is not None:
        refuse(f"weights_backbone={weights_backbone!r}: give weights_backbone=None")
