"""Residual networks (K. He et al., 2016), also grouped (ResNeXt) and wide ones."""

from collections.abc import Callable
from typing import Any

from rushlight import nn
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import model

__all__ = [
    "BasicBlock",
    "Bottleneck",
    "ResNet",
    "resnet18",
    "resnet34",
    "resnet50",
    "resnet101",
    "resnet152",
    "resnext50_32x4d",
    "resnext101_32x8d",
    "resnext101_64x4d",
    "wide_resnet50_2",
    "wide_resnet101_2",
]


def conv3x3(in_planes: int, out_planes: int, stride: int = 1, groups: int = 1, dilation: int = 1) -> nn.Conv2d:
    """A 3 × 3 convolution with padding, which keeps the size at stride 1."""
    return nn.Conv2d(
        in_planes,
        out_planes,
        kernel_size=3,
        stride=stride,
        padding=dilation,
        groups=groups,
        bias=False,
        dilation=dilation,
    )


def conv1x1(in_planes: int, out_planes: int, stride: int = 1) -> nn.Conv2d:
    """A 1 × 1 convolution."""
    return nn.Conv2d(in_planes, out_planes, kernel_size=1, stride=stride, bias=False)


class BasicBlock(nn.Module):
    """Two 3 × 3 convolutions with a residual connection."""

    expansion = 1

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: nn.Module | None = None,
        groups: int = 1,
        base_width: int = 64,
        dilation: int = 1,
        norm_layer: Callable[..., Any] | None = None,
    ):
        super().__init__()
        norm = norm_layer or nn.BatchNorm2d
        if groups != 1 or base_width != 64:
            raise ValueError("BasicBlock only supports groups=1 and base_width=64")
        if dilation > 1:
            raise NotImplementedError("Dilation > 1 not supported in BasicBlock")
        self.conv1: nn.Conv2d = conv3x3(inplanes, planes, stride)
        self.bn1: Any = norm(planes)
        self.relu: nn.ReLU = nn.ReLU(inplace=True)
        self.conv2: nn.Conv2d = conv3x3(planes, planes)
        self.bn2: Any = norm(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, H, W) to (N, planes, H / stride, W / stride)."""
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)


class Bottleneck(nn.Module):
    """1 × 1, 3 × 3 (with the stride) and 1 × 1 convolutions with a residual connection."""

    expansion = 4

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: nn.Module | None = None,
        groups: int = 1,
        base_width: int = 64,
        dilation: int = 1,
        norm_layer: Callable[..., Any] | None = None,
    ):
        super().__init__()
        norm = norm_layer or nn.BatchNorm2d
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1: nn.Conv2d = conv1x1(inplanes, width)
        self.bn1: Any = norm(width)
        self.conv2: nn.Conv2d = conv3x3(width, width, stride, groups, dilation)
        self.bn2: Any = norm(width)
        self.conv3: nn.Conv2d = conv1x1(width, planes * self.expansion)
        self.bn3: Any = norm(planes * self.expansion)
        self.relu: nn.ReLU = nn.ReLU(inplace=True)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, H, W) to (N, 4 * planes, H / stride, W / stride)."""
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn3(self.conv3(self.relu(self.bn2(self.conv2(out)))))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)


class ResNet(nn.Module):
    """A convolution, four stages of blocks, global average pooling, and a linear layer."""

    dilation: int

    inplanes: int

    groups: int
    base_width: int

    def __init__(
        self,
        block: Any,
        layers: list[int],
        num_classes: int = 1000,
        zero_init_residual: bool = False,
        groups: int = 1,
        width_per_group: int = 64,
        replace_stride_with_dilation: list[bool] | None = None,
        norm_layer: Callable[..., Any] | None = None,
    ):
        super().__init__()
        self._norm_layer = norm_layer or nn.BatchNorm2d
        self.inplanes, self.dilation = 64, 1
        dilated = [False, False, False] if replace_stride_with_dilation is None else replace_stride_with_dilation
        if len(dilated) != 3:
            raise ValueError(f"replace_stride_with_dilation should be None or a 3-element tuple, got {dilated}")
        self.groups, self.base_width = groups, width_per_group
        self.conv1: nn.Conv2d = nn.Conv2d(3, self.inplanes, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1: Any = self._norm_layer(self.inplanes)
        self.relu: nn.ReLU = nn.ReLU(inplace=True)
        self.maxpool: nn.MaxPool2d = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        self.layer1: nn.Sequential = self._make_layer(block, 64, layers[0])
        self.layer2: nn.Sequential = self._make_layer(block, 128, layers[1], stride=2, dilate=dilated[0])
        self.layer3: nn.Sequential = self._make_layer(block, 256, layers[2], stride=2, dilate=dilated[1])
        self.layer4: nn.Sequential = self._make_layer(block, 512, layers[3], stride=2, dilate=dilated[2])
        self.avgpool: nn.AdaptiveAvgPool2d = nn.AdaptiveAvgPool2d((1, 1))
        self.fc: nn.Linear = nn.Linear(512 * block.expansion, num_classes)
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(layer, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.ones_(layer.weight)
                nn.init.zeros_(layer.bias)
        if zero_init_residual:  # then each block starts as the identity
            for layer in self.modules():
                last = getattr(layer, "bn3" if isinstance(layer, Bottleneck) else "bn2", None)
                if isinstance(layer, (Bottleneck, BasicBlock)) and last is not None:
                    nn.init.zeros_(last.weight)

    def _make_layer(self, block: Any, planes: int, blocks: int, stride: int = 1, dilate: bool = False) -> nn.Sequential:
        """A stage: several blocks, the first of which has the stride."""
        norm, downsample, before = self._norm_layer, None, self.dilation
        if dilate:
            self.dilation *= stride
            stride = 1
        if stride != 1 or self.inplanes != planes * block.expansion:
            downsample = nn.Sequential(
                conv1x1(self.inplanes, planes * block.expansion, stride), norm(planes * block.expansion)
            )
        made = [block(self.inplanes, planes, stride, downsample, self.groups, self.base_width, before, norm)]
        self.inplanes = planes * block.expansion
        for _ in range(1, blocks):
            made.append(
                block(
                    self.inplanes,
                    planes,
                    groups=self.groups,
                    base_width=self.base_width,
                    dilation=self.dilation,
                    norm_layer=norm,
                )
            )
        return nn.Sequential(*made)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, 3, H, W) to scores (N, num_classes)."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(self.avgpool(x).flatten(1))


@model()
def resnet18(**kwargs: Any) -> ResNet:
    """ResNet with 18 layers."""
    return ResNet(BasicBlock, [2, 2, 2, 2], **kwargs)


@model()
def resnet34(**kwargs: Any) -> ResNet:
    """ResNet with 34 layers."""
    return ResNet(BasicBlock, [3, 4, 6, 3], **kwargs)


@model("IMAGENET1K_V1", "IMAGENET1K_V2")
def resnet50(**kwargs: Any) -> ResNet:
    """ResNet with 50 layers."""
    return ResNet(Bottleneck, [3, 4, 6, 3], **kwargs)


@model("IMAGENET1K_V1", "IMAGENET1K_V2")
def resnet101(**kwargs: Any) -> ResNet:
    """ResNet with 101 layers."""
    return ResNet(Bottleneck, [3, 4, 23, 3], **kwargs)


@model("IMAGENET1K_V1", "IMAGENET1K_V2")
def resnet152(**kwargs: Any) -> ResNet:
    """ResNet with 152 layers."""
    return ResNet(Bottleneck, [3, 8, 36, 3], **kwargs)


@model("IMAGENET1K_V1", "IMAGENET1K_V2")
def resnext50_32x4d(**kwargs: Any) -> ResNet:
    """ResNeXt with 50 layers, in 32 groups of 4 channels."""
    return ResNet(Bottleneck, [3, 4, 6, 3], groups=32, width_per_group=4, **kwargs)


@model("IMAGENET1K_V1", "IMAGENET1K_V2")
def resnext101_32x8d(**kwargs: Any) -> ResNet:
    """ResNeXt with 101 layers, in 32 groups of 8 channels."""
    return ResNet(Bottleneck, [3, 4, 23, 3], groups=32, width_per_group=8, **kwargs)


@model()
def resnext101_64x4d(**kwargs: Any) -> ResNet:
    """ResNeXt with 101 layers, in 64 groups of 4 channels."""
    return ResNet(Bottleneck, [3, 4, 23, 3], groups=64, width_per_group=4, **kwargs)


@model("IMAGENET1K_V1", "IMAGENET1K_V2")
def wide_resnet50_2(**kwargs: Any) -> ResNet:
    """ResNet with 50 layers and bottlenecks that are twice as wide."""
    return ResNet(Bottleneck, [3, 4, 6, 3], width_per_group=128, **kwargs)


@model("IMAGENET1K_V1", "IMAGENET1K_V2")
def wide_resnet101_2(**kwargs: Any) -> ResNet:
    """ResNet with 101 layers and bottlenecks that are twice as wide."""
    return ResNet(Bottleneck, [3, 4, 23, 3], width_per_group=128, **kwargs)
