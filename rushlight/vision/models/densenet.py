"""DenseNet (G. Huang et al., 2017): the input of each layer is the output of all previous layers."""

from collections import OrderedDict
from typing import Any

from rushlight import nn
from rushlight.ops.shapes.joining import cat
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import model

__all__ = ["DenseNet", "densenet121", "densenet161", "densenet169", "densenet201"]


class DenseLayer(nn.Module):
    """Twice normalization, activation and convolution: returns `growth_rate` new channels."""

    def __init__(self, num_input_features: int, growth_rate: int, bn_size: int, drop_rate: float):
        super().__init__()
        self.norm1: nn.BatchNorm2d = nn.BatchNorm2d(num_input_features)
        self.relu1: nn.ReLU = nn.ReLU(inplace=True)
        self.conv1: nn.Conv2d = nn.Conv2d(
            num_input_features, bn_size * growth_rate, kernel_size=1, stride=1, bias=False
        )
        self.norm2: nn.BatchNorm2d = nn.BatchNorm2d(bn_size * growth_rate)
        self.relu2: nn.ReLU = nn.ReLU(inplace=True)
        self.conv2: nn.Conv2d = nn.Conv2d(
            bn_size * growth_rate, growth_rate, kernel_size=3, stride=1, padding=1, bias=False
        )
        self.drop_rate: float = float(drop_rate)

    def forward(self, input: Any) -> Tensor:
        """The new channels."""
        features = [input] if isinstance(input, Tensor) else input
        narrow = self.conv1(self.relu1(self.norm1(cat(features, 1))))
        new = self.conv2(self.relu2(self.norm2(narrow)))
        return nn.functional.dropout(new, self.drop_rate, self.training) if self.drop_rate > 0 else new


class DenseBlock(nn.ModuleDict):
    """Layers each of which adds channels."""

    def __init__(self, num_layers: int, num_input_features: int, bn_size: int, growth_rate: int, drop_rate: float):
        super().__init__()
        for i in range(num_layers):
            layer = DenseLayer(num_input_features + i * growth_rate, growth_rate, bn_size, drop_rate)
            self.add_module(f"denselayer{i + 1}", layer)

    def forward(self, init_features: Tensor) -> Tensor:
        """All channels, those of the input first."""
        features = [init_features]
        for layer in self.values():
            features.append(layer(features))
        return cat(features, 1)


def transition(before: int, after: int) -> nn.Sequential:
    """A layer that reduces the channels from `before` to `after` and halves height and width."""
    return nn.Sequential(
        OrderedDict(
            norm=nn.BatchNorm2d(before),
            relu=nn.ReLU(inplace=True),
            conv=nn.Conv2d(before, after, kernel_size=1, stride=1, bias=False),
            pool=nn.AvgPool2d(kernel_size=2, stride=2),
        )
    )


class DenseNet(nn.Module):
    """Dense blocks with transitions between them, and a linear layer."""

    def __init__(
        self,
        growth_rate: int = 32,
        block_config: tuple[int, ...] = (6, 12, 24, 16),
        num_init_features: int = 64,
        bn_size: int = 4,
        drop_rate: float = 0,
        num_classes: int = 1000,
        memory_efficient: bool = False,
    ):
        super().__init__()
        if memory_efficient:
            raise NotImplementedError("memory_efficient is not there: wrap blocks in torch.utils.checkpoint instead.")
        self.features: nn.Sequential = nn.Sequential(
            OrderedDict(
                conv0=nn.Conv2d(3, num_init_features, kernel_size=7, stride=2, padding=3, bias=False),
                norm0=nn.BatchNorm2d(num_init_features),
                relu0=nn.ReLU(inplace=True),
                pool0=nn.MaxPool2d(kernel_size=3, stride=2, padding=1),
            )
        )
        channels = num_init_features
        for i, count in enumerate(block_config):
            self.features.add_module(f"denseblock{i + 1}", DenseBlock(count, channels, bn_size, growth_rate, drop_rate))
            channels += count * growth_rate
            if i != len(block_config) - 1:
                self.features.add_module(f"transition{i + 1}", transition(channels, channels // 2))
                channels //= 2
        self.features.add_module("norm5", nn.BatchNorm2d(channels))
        self.classifier: nn.Linear = nn.Linear(channels, num_classes)
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight)
            elif isinstance(layer, nn.Linear):
                nn.init.zeros_(layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, 3, H, W) to scores (N, num_classes)."""
        out = nn.functional.relu(self.features(x), inplace=True)
        return self.classifier(nn.functional.adaptive_avg_pool2d(out, (1, 1)).flatten(1))


@model()
def densenet121(**kwargs: Any) -> DenseNet:
    """DenseNet with 121 layers."""
    return DenseNet(32, (6, 12, 24, 16), 64, **kwargs)


@model()
def densenet161(**kwargs: Any) -> DenseNet:
    """DenseNet with 161 layers."""
    return DenseNet(48, (6, 12, 36, 24), 96, **kwargs)


@model()
def densenet169(**kwargs: Any) -> DenseNet:
    """DenseNet with 169 layers."""
    return DenseNet(32, (6, 12, 32, 32), 64, **kwargs)


@model()
def densenet201(**kwargs: Any) -> DenseNet:
    """DenseNet with 201 layers."""
    return DenseNet(32, (6, 12, 48, 32), 64, **kwargs)
