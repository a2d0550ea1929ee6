"""VGG (K. Simonyan and A. Zisserman, 2015): a sequence of 3 × 3 convolutions."""

from collections.abc import Sequence
from typing import Any

from rushlight import nn
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import model

__all__ = ["VGG", "vgg11", "vgg11_bn", "vgg13", "vgg13_bn", "vgg16", "vgg16_bn", "vgg19", "vgg19_bn"]

STAGES = {"A": (1, 1, 2, 2, 2), "B": (2, 2, 2, 2, 2), "D": (2, 2, 3, 3, 3), "E": (2, 2, 4, 4, 4)}
WIDTHS = (64, 128, 256, 512, 512)


def configuration(counts: Sequence[int]) -> list[int | str]:
    """The channels of convolutions, and "M" for the pooling after each stage."""
    cfg: list[int | str] = []
    for width, count in zip(WIDTHS, counts, strict=True):
        cfg += [*[width] * count, "M"]
    return cfg


cfgs = {name: configuration(counts) for name, counts in STAGES.items()}


class VGG(nn.Module):
    """Convolutions (`features`), then three linear layers."""

    def __init__(self, features: nn.Module, num_classes: int = 1000, init_weights: bool = True, dropout: float = 0.5):
        super().__init__()
        self.features = features
        self.avgpool: nn.AdaptiveAvgPool2d = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier: nn.Sequential = nn.Sequential(
            nn.Linear(512 * 7 * 7, 4096),
            nn.ReLU(True),
            nn.Dropout(p=dropout),
            nn.Linear(4096, 4096),
            nn.ReLU(True),
            nn.Dropout(p=dropout),
            nn.Linear(4096, num_classes),
        )
        if init_weights:
            for layer in self.modules():
                if isinstance(layer, nn.Conv2d):
                    nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
                    nn.init.zeros_(layer.bias)
                elif isinstance(layer, nn.Linear):
                    nn.init.normal_(layer.weight, 0, 0.01)
                    nn.init.zeros_(layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, 3, H, W) to scores (N, num_classes)."""
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


def make_layers(cfg: list[int | str], batch_norm: bool = False) -> nn.Sequential:
    """The convolutions and poolings of a configuration, see `cfgs`."""
    layers: list[nn.Module] = []
    channels = 3
    for width in cfg:
        if isinstance(width, str):
            layers.append(nn.MaxPool2d(kernel_size=2, stride=2))
            continue
        layers.append(nn.Conv2d(channels, width, kernel_size=3, padding=1))
        layers += [nn.BatchNorm2d(width)] if batch_norm else []
        layers.append(nn.ReLU(inplace=True))
        channels = width
    return nn.Sequential(*layers)


@model()
def vgg11(**kwargs: Any) -> VGG:
    """VGG with 11 layers."""
    return VGG(make_layers(cfgs["A"]), **kwargs)


@model()
def vgg11_bn(**kwargs: Any) -> VGG:
    """VGG with 11 layers and batch normalization."""
    return VGG(make_layers(cfgs["A"], batch_norm=True), **kwargs)


@model()
def vgg13(**kwargs: Any) -> VGG:
    """VGG with 13 layers."""
    return VGG(make_layers(cfgs["B"]), **kwargs)


@model()
def vgg13_bn(**kwargs: Any) -> VGG:
    """VGG with 13 layers and batch normalization."""
    return VGG(make_layers(cfgs["B"], batch_norm=True), **kwargs)


@model("IMAGENET1K_V1", "IMAGENET1K_FEATURES")
def vgg16(**kwargs: Any) -> VGG:
    """VGG with 16 layers."""
    return VGG(make_layers(cfgs["D"]), **kwargs)


@model()
def vgg16_bn(**kwargs: Any) -> VGG:
    """VGG with 16 layers and batch normalization."""
    return VGG(make_layers(cfgs["D"], batch_norm=True), **kwargs)


@model()
def vgg19(**kwargs: Any) -> VGG:
    """VGG with 19 layers."""
    return VGG(make_layers(cfgs["E"]), **kwargs)


@model()
def vgg19_bn(**kwargs: Any) -> VGG:
    """VGG with 19 layers and batch normalization."""
    return VGG(make_layers(cfgs["E"], batch_norm=True), **kwargs)
