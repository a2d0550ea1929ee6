"""SqueezeNet (F. Iandola et al., 2016)."""

from typing import Any

from rushlight import nn
from rushlight.ops.shapes.joining import cat
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import model

__all__ = ["SqueezeNet", "squeezenet1_0", "squeezenet1_1"]


class Fire(nn.Module):
    """A narrow 1 × 1 convolution, then wide 1 × 1 and 3 × 3 convolutions in parallel."""

    def __init__(self, inplanes: int, squeeze_planes: int, expand1x1_planes: int, expand3x3_planes: int):
        super().__init__()
        self.inplanes = inplanes
        self.squeeze: nn.Conv2d = nn.Conv2d(inplanes, squeeze_planes, kernel_size=1)
        self.squeeze_activation: nn.ReLU = nn.ReLU(inplace=True)
        self.expand1x1: nn.Conv2d = nn.Conv2d(squeeze_planes, expand1x1_planes, kernel_size=1)
        self.expand1x1_activation: nn.ReLU = nn.ReLU(inplace=True)
        self.expand3x3: nn.Conv2d = nn.Conv2d(squeeze_planes, expand3x3_planes, kernel_size=3, padding=1)
        self.expand3x3_activation: nn.ReLU = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        """Both results, concatenated along the channels."""
        x = self.squeeze_activation(self.squeeze(x))
        one, three = self.expand1x1_activation(self.expand1x1(x)), self.expand3x3_activation(self.expand3x3(x))
        return cat([one, three], 1)


def fires(*plans: tuple[int, int, int] | None) -> list[nn.Module]:
    """Fire modules, each given by its input, narrow and wide channels; None stands for max pooling."""
    return [
        nn.MaxPool2d(kernel_size=3, stride=2, ceil_mode=True)
        if plan is None
        else Fire(plan[0], plan[1], plan[2], plan[2])
        for plan in plans
    ]


class SqueezeNet(nn.Module):
    """Fire modules, and a 1 × 1 convolution for the classes. `version` is "1_0" or "1_1"."""

    def __init__(self, version: str = "1_0", num_classes: int = 1000, dropout: float = 0.5):
        super().__init__()
        self.num_classes = num_classes
        if version == "1_0":
            layers = [
                nn.Conv2d(3, 96, kernel_size=7, stride=2),
                nn.ReLU(inplace=True),
                *fires(
                    None,
                    (96, 16, 64),
                    (128, 16, 64),
                    (128, 32, 128),
                    None,
                    (256, 32, 128),
                    (256, 48, 192),
                    (384, 48, 192),
                    (384, 64, 256),
                    None,
                    (512, 64, 256),
                ),
            ]
        elif version == "1_1":
            layers = [
                nn.Conv2d(3, 64, kernel_size=3, stride=2),
                nn.ReLU(inplace=True),
                *fires(
                    None,
                    (64, 16, 64),
                    (128, 16, 64),
                    None,
                    (128, 32, 128),
                    (256, 32, 128),
                    None,
                    (256, 48, 192),
                    (384, 48, 192),
                    (384, 64, 256),
                    (512, 64, 256),
                ),
            ]
        else:
            raise ValueError(f"Unsupported SqueezeNet version {version}: 1_0 or 1_1 expected")
        self.features: nn.Sequential = nn.Sequential(*layers)
        last = nn.Conv2d(512, num_classes, kernel_size=1)
        self.classifier: nn.Sequential = nn.Sequential(
            nn.Dropout(p=dropout), last, nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d((1, 1))
        )
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                if layer is last:
                    nn.init.normal_(layer.weight, mean=0.0, std=0.01)
                else:
                    nn.init.kaiming_uniform_(layer.weight)
                nn.init.zeros_(layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, 3, H, W) to scores (N, num_classes)."""
        return self.classifier(self.features(x)).flatten(1)


@model()
def squeezenet1_0(**kwargs: Any) -> SqueezeNet:
    """SqueezeNet 1.0."""
    return SqueezeNet("1_0", **kwargs)


@model()
def squeezenet1_1(**kwargs: Any) -> SqueezeNet:
    """SqueezeNet 1.1, which needs less than half the computation."""
    return SqueezeNet("1_1", **kwargs)
