"""ShuffleNet V2 (N. Ma et al., 2018)."""

from collections.abc import Callable, Sequence
from typing import Any

from rushlight import nn
from rushlight.nn.functional import channel_shuffle
from rushlight.ops.shapes.joining import cat
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import model

__all__ = ["ShuffleNetV2", "shufflenet_v2_x0_5", "shufflenet_v2_x1_0", "shufflenet_v2_x1_5", "shufflenet_v2_x2_0"]


def pointwise(inner: int, outer: int) -> list[nn.Module]:
    """A 1 × 1 convolution, a normalization and an activation."""
    return [nn.Conv2d(inner, outer, 1, 1, 0, bias=False), nn.BatchNorm2d(outer), nn.ReLU(inplace=True)]


def depthwise(channels: int, stride: int) -> list[nn.Module]:
    """A depthwise 3 × 3 convolution and a normalization."""
    layer = nn.Conv2d(channels, channels, 3, stride, 1, bias=False, groups=channels)
    return [layer, nn.BatchNorm2d(channels)]


class InvertedResidual(nn.Module):
    """Two branches whose channels are shuffled; at stride 1 the first one is the first half of the input."""

    def __init__(self, inp: int, oup: int, stride: int):
        super().__init__()
        half = oup // 2
        if not 1 <= stride <= 3:
            raise ValueError("illegal stride value")
        if stride == 1 and inp != half * 2:
            raise ValueError(
                f"Invalid combination of stride {stride}, inp {inp} and oup {oup} values: inp should be oup"
            )
        self.stride = stride
        first = [*depthwise(inp, stride), *pointwise(inp, half)] if stride > 1 else []
        self.branch1: nn.Sequential = nn.Sequential(*first)
        self.branch2: nn.Sequential = nn.Sequential(
            *pointwise(inp if stride > 1 else half, half), *depthwise(half, stride), *pointwise(half, half)
        )

    def forward(self, x: Tensor) -> Tensor:
        """The channels of both branches, shuffled."""
        if self.stride == 1:
            kept, other = x.chunk(2, dim=1)
            return channel_shuffle(cat((kept, self.branch2(other)), dim=1), 2)
        return channel_shuffle(cat((self.branch1(x), self.branch2(x)), dim=1), 2)


class ShuffleNetV2(nn.Module):
    """Three stages with the given numbers of blocks and channels, a pooling and a linear layer."""

    def __init__(
        self,
        stages_repeats: Sequence[int],
        stages_out_channels: Sequence[int],
        num_classes: int = 1000,
        inverted_residual: Callable[..., nn.Module] = InvertedResidual,
    ):
        super().__init__()
        if len(stages_repeats) != 3:
            raise ValueError("expected stages_repeats as list of 3 positive ints")
        if len(stages_out_channels) != 5:
            raise ValueError("expected stages_out_channels as list of 5 positive ints")
        channels, *wide, last = stages_out_channels
        self.conv1: nn.Sequential = nn.Sequential(
            nn.Conv2d(3, channels, 3, 2, 1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(inplace=True)
        )
        self.maxpool: nn.MaxPool2d = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        for number, count, out in zip((2, 3, 4), stages_repeats, wide, strict=True):
            blocks = [inverted_residual(channels, out, 2), *(inverted_residual(out, out, 1) for _ in range(count - 1))]
            setattr(self, f"stage{number}", nn.Sequential(*blocks))
            channels = out
        self.conv5: nn.Sequential = nn.Sequential(*pointwise(channels, last))
        self.fc: nn.Linear = nn.Linear(last, num_classes)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, 3, H, W) to scores (N, num_classes)."""
        x = self.stage4(self.stage3(self.stage2(self.maxpool(self.conv1(x)))))
        return self.fc(self.conv5(x).mean([2, 3]))


@model()
def shufflenet_v2_x0_5(**kwargs: Any) -> ShuffleNetV2:
    """ShuffleNet V2 of half the width."""
    return ShuffleNetV2([4, 8, 4], [24, 48, 96, 192, 1024], **kwargs)


@model()
def shufflenet_v2_x1_0(**kwargs: Any) -> ShuffleNetV2:
    """ShuffleNet V2."""
    return ShuffleNetV2([4, 8, 4], [24, 116, 232, 464, 1024], **kwargs)


@model()
def shufflenet_v2_x1_5(**kwargs: Any) -> ShuffleNetV2:
    """ShuffleNet V2 of 1.5 times the width."""
    return ShuffleNetV2([4, 8, 4], [24, 176, 352, 704, 1024], **kwargs)


@model()
def shufflenet_v2_x2_0(**kwargs: Any) -> ShuffleNetV2:
    """ShuffleNet V2 of twice the width."""
    return ShuffleNetV2([4, 8, 4], [24, 244, 488, 976, 2048], **kwargs)
