"""GoogLeNet (C. Szegedy et al., 2015)."""

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from rushlight import nn
from rushlight.core.lines import warn
from rushlight.nn.functional import adaptive_avg_pool2d
from rushlight.ops.shapes.joining import cat
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import model

__all__ = ["GoogLeNet", "GoogLeNetOutputs", "googlenet"]

GoogLeNetOutputs = namedtuple("GoogLeNetOutputs", ["logits", "aux_logits2", "aux_logits1"])
WARNED = (
    "The default weight initialization of {} will be changed in future releases of torchvision. If you wish to keep "
    "the old behavior (which leads to long initialization times due to scipy/scipy#11299), please set "
    "init_weights=True."
)


class BasicConv2d(nn.Module):
    """A convolution without bias, a normalization and an activation."""

    def __init__(self, in_channels: int, out_channels: int, **kwargs: Any):
        super().__init__()
        self.conv: nn.Conv2d = nn.Conv2d(in_channels, out_channels, bias=False, **kwargs)
        self.bn: nn.BatchNorm2d = nn.BatchNorm2d(out_channels, eps=0.001)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, C, H, W)."""
        return nn.functional.relu(self.bn(self.conv(x)), inplace=True)


def start_truncated(module: nn.Module, spread: float) -> None:
    """Initializes convolutions and linear layers with normal numbers, of a `stddev` of their own if they have one."""
    for layer in module.modules():
        if isinstance(layer, (nn.Conv2d, nn.Linear)):
            nn.init.trunc_normal_(layer.weight, mean=0.0, std=float(getattr(layer, "stddev", spread)), a=-2, b=2)


def from_imagenet(x: Tensor) -> Tensor:
    """Images that were normalized as ImageNet's usually are, normalized as the weights of TensorFlow want."""
    means, spreads = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
    channels = zip(range(3), means, spreads, strict=True)
    return cat([x[:, k, None] * (spread / 0.5) + (mean - 0.5) / 0.5 for k, mean, spread in channels], 1)


class Inception(nn.Module):
    """Four branches, with kernels of several sizes and a pooling, whose channels are joined."""

    def __init__(
        self,
        in_channels: int,
        ch1x1: int,
        ch3x3red: int,
        ch3x3: int,
        ch5x5red: int,
        ch5x5: int,
        pool_proj: int,
        conv_block: Callable[..., nn.Module] | None = None,
    ):
        super().__init__()
        conv = conv_block or BasicConv2d
        self.branch1: nn.Module = conv(in_channels, ch1x1, kernel_size=1)
        self.branch2: nn.Sequential = nn.Sequential(
            conv(in_channels, ch3x3red, kernel_size=1), conv(ch3x3red, ch3x3, kernel_size=3, padding=1)
        )
        self.branch3: nn.Sequential = (
            nn.Sequential(  # in the paper its kernel is 5 x 5; torchvision's weights have this
                conv(in_channels, ch5x5red, kernel_size=1), conv(ch5x5red, ch5x5, kernel_size=3, padding=1)
            )
        )
        self.branch4: nn.Sequential = nn.Sequential(
            nn.MaxPool2d(kernel_size=3, stride=1, padding=1, ceil_mode=True),
            conv(in_channels, pool_proj, kernel_size=1),
        )

    def forward(self, x: Tensor) -> Tensor:
        """The channels of all branches."""
        return cat([self.branch1(x), self.branch2(x), self.branch3(x), self.branch4(x)], 1)


class InceptionAux(nn.Module):
    """A classifier of images halfway through the network."""

    def __init__(
        self,
        in_channels: int,
        num_classes: int,
        conv_block: Callable[..., nn.Module] | None = None,
        dropout: float = 0.7,
    ):
        super().__init__()
        self.conv: nn.Module = (conv_block or BasicConv2d)(in_channels, 128, kernel_size=1)
        self.fc1: nn.Linear = nn.Linear(2048, 1024)
        self.fc2: nn.Linear = nn.Linear(1024, num_classes)
        self.dropout: nn.Dropout = nn.Dropout(p=dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, C, H, W) to scores (N, num_classes)."""
        x = self.conv(adaptive_avg_pool2d(x, (4, 4))).flatten(1)
        return self.fc2(self.dropout(nn.functional.relu(self.fc1(x), inplace=True)))


INCEPTIONS = {  # channels of the input, of the four branches, and inside two of them
    "3a": (192, 64, 96, 128, 16, 32, 32),
    "3b": (256, 128, 128, 192, 32, 96, 64),
    "4a": (480, 192, 96, 208, 16, 48, 64),
    "4b": (512, 160, 112, 224, 24, 64, 64),
    "4c": (512, 128, 128, 256, 24, 64, 64),
    "4d": (512, 112, 144, 288, 32, 64, 64),
    "4e": (528, 256, 160, 320, 32, 128, 128),
    "5a": (832, 256, 160, 320, 32, 128, 128),
    "5b": (832, 384, 192, 384, 48, 128, 128),
}


class GoogLeNet(nn.Module):
    """Nine inception blocks; in training also two classifiers after the third and the sixth of them."""

    def __init__(
        self,
        num_classes: int = 1000,
        aux_logits: bool = True,
        transform_input: bool = False,
        init_weights: bool | None = None,
        blocks: list[Callable[..., nn.Module]] | None = None,
        dropout: float = 0.2,
        dropout_aux: float = 0.7,
    ):
        super().__init__()
        if init_weights is None:
            warn(WARNED.format("GoogleNet"), FutureWarning)
        conv, inception, auxiliary = blocks or (BasicConv2d, Inception, InceptionAux)
        self.aux_logits, self.transform_input = aux_logits, transform_input
        self.conv1: nn.Module = conv(3, 64, kernel_size=7, stride=2, padding=3)
        self.maxpool1: nn.MaxPool2d = nn.MaxPool2d(3, stride=2, ceil_mode=True)
        self.conv2: nn.Module = conv(64, 64, kernel_size=1)
        self.conv3: nn.Module = conv(64, 192, kernel_size=3, padding=1)
        self.maxpool2: nn.MaxPool2d = nn.MaxPool2d(3, stride=2, ceil_mode=True)
        pools = {"3b": ("maxpool3", 3), "4e": ("maxpool4", 2)}
        for name, channels in INCEPTIONS.items():
            setattr(self, f"inception{name}", inception(*channels))
            if name in pools:
                setattr(self, pools[name][0], nn.MaxPool2d(pools[name][1], stride=2, ceil_mode=True))
        self.aux1: nn.Module | None = auxiliary(512, num_classes, dropout=dropout_aux) if aux_logits else None
        self.aux2: nn.Module | None = auxiliary(528, num_classes, dropout=dropout_aux) if aux_logits else None
        self.avgpool: nn.AdaptiveAvgPool2d = nn.AdaptiveAvgPool2d((1, 1))
        self.dropout: nn.Dropout = nn.Dropout(p=dropout)
        self.fc: nn.Linear = nn.Linear(1024, num_classes)
        if init_weights is not False:
            start_truncated(self, 0.01)

    def forward(self, x: Tensor) -> Any:
        """Images (N, 3, H, W) to scores (N, num_classes); in training with those of the classifiers between."""
        x = from_imagenet(x) if self.transform_input else x
        x = self.maxpool2(self.conv3(self.conv2(self.maxpool1(self.conv1(x)))))
        early = self.inception4a(self.maxpool3(self.inception3b(self.inception3a(x))))
        late = self.inception4d(self.inception4c(self.inception4b(early)))
        x = self.inception5b(self.inception5a(self.maxpool4(self.inception4e(late))))
        aux1 = self.aux1(early) if self.training and self.aux1 is not None else None
        aux2 = self.aux2(late) if self.training and self.aux2 is not None else None
        scores = self.fc(self.dropout(self.avgpool(x).flatten(1)))
        return GoogLeNetOutputs(scores, aux2, aux1) if self.training and self.aux_logits else scores


@model()
def googlenet(**kwargs: Any) -> GoogLeNet:
    """GoogLeNet."""
    return GoogLeNet(**kwargs)
