"""Swin Transformer (Z. Liu et al., 2021)."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from rushlight import nn, zeros
from rushlight.core.graph import new_tensor
from rushlight.nn.functional import dropout, pad
from rushlight.ops.shapes.joining import cat
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import model, start_linear
from rushlight.vision.ops.branches import StochasticDepth
from rushlight.vision.ops.misc import MLP, Permute

__all__ = ["SwinTransformer", "swin_b", "swin_s", "swin_t"]


class PatchMerging(nn.Module):
    """Halves height and width: the four pixels of a patch become one of twice the channels."""

    def __init__(self, dim: int, norm_layer: Callable[..., nn.Module] = nn.LayerNorm):
        super().__init__()
        self.dim = dim
        self.reduction: nn.Linear = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm: nn.Module = norm_layer(4 * dim)

    def patches(self, x: Tensor) -> Tensor:
        """The pixels of each patch as channels, four times as many."""
        height, width = x.shape[-3:-1]
        x = pad(x, (0, 0, 0, width % 2, 0, height % 2))
        return cat([x[..., row::2, column::2, :] for column in (0, 1) for row in (0, 1)], -1)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, H, W, C) to (N, H / 2, W / 2, 2 C)."""
        return self.reduction(self.norm(self.patches(x)))


class ShiftedWindowAttention(nn.Module):
    """Self-attention within windows of images, which are shifted around the edges first."""

    def __init__(
        self,
        dim: int,
        window_size: Sequence[int],
        shift_size: Sequence[int],
        num_heads: int,
        qkv_bias: bool = True,
        proj_bias: bool = True,
        attention_dropout: float = 0.0,
        dropout: float = 0.0,
    ):
        super().__init__()
        if len(window_size) != 2 or len(shift_size) != 2:
            raise ValueError("window_size and shift_size must be of length 2")
        self.window_size, self.shift_size, self.num_heads = list(window_size), list(shift_size), num_heads
        self.attention_dropout, self.dropout = attention_dropout, dropout
        self.qkv: nn.Linear = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.proj: nn.Linear = nn.Linear(dim, dim, bias=proj_bias)
        self.make_table()
        high, wide = self.window_size
        rows, columns = (place.ravel() for place in np.indices((high, wide)))
        index = (rows[:, None] - rows + high - 1) * (2 * wide - 1) + (columns[:, None] - columns + wide - 1)
        self.register_buffer("relative_position_index", new_tensor(index.ravel()))

    def make_table(self) -> None:
        """Makes the table of what is added to the scores of two pixels, by how they lie to each other."""
        high, wide = self.window_size
        table = nn.Parameter(zeros((2 * high - 1) * (2 * wide - 1), self.num_heads))
        self.relative_position_bias_table: nn.Parameter = table
        nn.init.trunc_normal_(table, std=0.02)

    def table(self) -> Tensor:
        """The table, (ways to lie, heads)."""
        return self.relative_position_bias_table

    def bias(self) -> Tensor:
        """What is added to the scores of the pixels of a window, (1, heads, pixels, pixels)."""
        count = self.window_size[0] * self.window_size[1]
        return self.table()[self.relative_position_index].view(count, count, -1).permute(2, 0, 1).unsqueeze(0)

    def projected(self, x: Tensor) -> Tensor:
        """Queries, keys and values of pixels, one after another."""
        return self.qkv(x)

    def scores(self, q: Tensor, k: Tensor) -> Tensor:
        """The scores of queries and keys."""
        return (q * q.shape[-1] ** -0.5).matmul(k.transpose(-2, -1))

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, H, W, C), each pixel with those of its window mixed into it."""
        _, height, width, channels = x.shape
        high, wide = self.window_size
        x = pad(x, (0, 0, 0, -width % wide, 0, -height % high))
        _, rows, columns, _ = x.shape
        shifts = [s if w < n else 0 for s, w, n in zip(self.shift_size, (high, wide), (rows, columns), strict=True)]
        if any(shifts):
            x = x.roll([-s for s in shifts], (1, 2))
        split = (-1, rows // high, high, columns // wide, wide, channels)
        parts = x.view(*split).permute(0, 1, 3, 2, 4, 5).reshape(-1, high * wide, channels)
        parts = self.mixed(parts, self.mask(rows, columns, shifts) if any(shifts) else None)
        x = parts.view(-1, rows // high, columns // wide, high, wide, channels).permute(0, 1, 3, 2, 4, 5)
        x = x.reshape(-1, rows, columns, channels)
        if any(shifts):
            x = x.roll(shifts, (1, 2))
        return x[:, :height, :width].contiguous()

    def mixed(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """Attention within windows (N, pixels, C); `mask` is added to the scores of each window of an image."""
        count, length, channels = x.shape
        heads = (count, length, 3, self.num_heads, channels // self.num_heads)
        q, k, v = self.projected(x).reshape(heads).permute(2, 0, 3, 1, 4).unbind(0)
        scores = self.scores(q, k) + self.bias()
        if mask is not None:
            apart = scores.view(-1, len(mask), self.num_heads, length, length) + mask[None, :, None]
            scores = apart.view(-1, self.num_heads, length, length)
        weights = dropout(scores.softmax(-1), self.attention_dropout, self.training)
        out = self.proj(weights.matmul(v).transpose(1, 2).reshape(count, length, channels))
        return dropout(out, self.dropout, self.training)

    def mask(self, rows: int, columns: int, shifts: Sequence[int]) -> Tensor:
        """-100 for pixels of one window that are neighbors only because the image was shifted, else 0."""
        places = np.zeros((rows, columns), np.int64)
        for number, (size, window, shift) in enumerate(zip((rows, columns), self.window_size, shifts, strict=True)):
            line = np.arange(size)
            part = (line >= size - window).astype(np.int64) + (line >= size - shift if shift else line < 0)
            places += part[:, None] * 3 if number == 0 else part
        high, wide = self.window_size
        split = places.reshape(rows // high, high, columns // wide, wide).transpose(0, 2, 1, 3).reshape(-1, high * wide)
        return new_tensor(np.where(split[:, None] != split[:, :, None], -100.0, 0.0).astype(np.float32))


class SwinTransformerBlock(nn.Module):
    """Attention within windows, and two linear layers for each pixel."""

    def __init__(
        self,
        dim: int,
        num_heads: int,
        window_size: Sequence[int],
        shift_size: Sequence[int],
        mlp_ratio: float = 4.0,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        stochastic_depth_prob: float = 0.0,
        norm_layer: Callable[..., nn.Module] = nn.LayerNorm,
        attn_layer: Callable[..., nn.Module] = ShiftedWindowAttention,
    ):
        super().__init__()
        self.norm1: nn.Module = norm_layer(dim)
        self.attn: nn.Module = attn_layer(
            dim, window_size, shift_size, num_heads, attention_dropout=attention_dropout, dropout=dropout
        )
        self.stochastic_depth: StochasticDepth = StochasticDepth(stochastic_depth_prob, "row")
        self.norm2: nn.Module = norm_layer(dim)
        self.mlp: MLP = MLP(dim, [int(dim * mlp_ratio), dim], activation_layer=nn.GELU, dropout=dropout)
        start_linear(self.mlp)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, H, W, C)."""
        x = x + self.stochastic_depth(self.attn(self.norm1(x)))
        return x + self.stochastic_depth(self.mlp(self.norm2(x)))


class SwinTransformer(nn.Module):
    """Stages of blocks by `depths`, between which patches are merged, a pooling and a linear layer."""

    def __init__(
        self,
        patch_size: Sequence[int],
        embed_dim: int,
        depths: Sequence[int],
        num_heads: Sequence[int],
        window_size: Sequence[int],
        mlp_ratio: float = 4.0,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        stochastic_depth_prob: float = 0.1,
        num_classes: int = 1000,
        norm_layer: Callable[..., nn.Module] | None = None,
        block: Callable[..., nn.Module] | None = None,
        downsample_layer: Callable[..., nn.Module] = PatchMerging,
    ):
        super().__init__()
        self.num_classes = num_classes
        block, norm = block or SwinTransformerBlock, norm_layer or partial(nn.LayerNorm, eps=1e-5)
        patches = nn.Conv2d(3, embed_dim, kernel_size=tuple(patch_size), stride=tuple(patch_size))
        layers: list[nn.Module] = [nn.Sequential(patches, Permute([0, 2, 3, 1]), norm(embed_dim))]
        options: dict[str, Any] = {"dropout": dropout, "attention_dropout": attention_dropout, "norm_layer": norm}
        number = 0
        for stage, depth in enumerate(depths):
            width = embed_dim * 2**stage
            blocks = []
            for i in range(depth):
                shift = [w // 2 if i % 2 else 0 for w in window_size]
                skipping = stochastic_depth_prob * number / (sum(depths) - 1)
                blocks.append(
                    block(
                        width,
                        num_heads[stage],
                        window_size=window_size,
                        shift_size=shift,
                        mlp_ratio=mlp_ratio,
                        stochastic_depth_prob=skipping,
                        **options,
                    )
                )
                number += 1
            layers.append(nn.Sequential(*blocks))
            if stage < len(depths) - 1:
                layers.append(downsample_layer(width, norm))
        self.features: nn.Sequential = nn.Sequential(*layers)
        self.norm: nn.Module = norm(width)
        self.permute: Permute = Permute([0, 3, 1, 2])
        self.avgpool: nn.AdaptiveAvgPool2d = nn.AdaptiveAvgPool2d(1)
        self.flatten: nn.Flatten = nn.Flatten(1)
        self.head: nn.Linear = nn.Linear(width, num_classes)
        for layer in self.modules():
            if isinstance(layer, nn.Linear):
                nn.init.trunc_normal_(layer.weight, std=0.02)
                if layer.bias is not None:
                    nn.init.zeros_(layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, 3, H, W) to scores (N, num_classes)."""
        return self.head(self.flatten(self.avgpool(self.permute(self.norm(self.features(x))))))


def swin(
    width: int, blocks: int, heads: int, skipping: float, kwargs: dict[str, Any], window: int = 7
) -> SwinTransformer:
    """A Swin Transformer of four stages, the third of them with the given number of blocks."""
    kwargs.setdefault("stochastic_depth_prob", skipping)
    stages, heads_of_stages = [2, 2, blocks, 2], [heads * 2**k for k in range(4)]
    return SwinTransformer([4, 4], width, stages, heads_of_stages, [window, window], **kwargs)


@model()
def swin_t(**kwargs: Any) -> SwinTransformer:
    """The tiny Swin Transformer."""
    return swin(96, 6, 3, 0.2, kwargs)


@model()
def swin_s(**kwargs: Any) -> SwinTransformer:
    """The small Swin Transformer."""
    return swin(96, 18, 3, 0.3, kwargs)


@model()
def swin_b(**kwargs: Any) -> SwinTransformer:
    """The base Swin Transformer."""
    return swin(128, 18, 4, 0.5, kwargs)
