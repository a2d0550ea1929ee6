"""Swin Transformer V2 (Z. Liu et al., 2022): cosines as scores, and what is added to them from a small network."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight import full, nn
from rushlight.core.graph import new_tensor
from rushlight.nn.functional import linear, normalize
from rushlight.ops.shapes.joining import cat
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import model
from rushlight.vision.models.swin_transformer import (
    PatchMerging,
    ShiftedWindowAttention,
    SwinTransformer,
    SwinTransformerBlock,
    swin,
)

__all__ = ["swin_v2_b", "swin_v2_s", "swin_v2_t"]


class PatchMergingV2(PatchMerging):
    """Merges patches as before, and normalizes afterwards."""

    def __init__(self, dim: int, norm_layer: Callable[..., nn.Module] = nn.LayerNorm):
        nn.Module.__init__(self)
        self.dim = dim
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = norm_layer(2 * dim)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, H, W, C) to (N, H / 2, W / 2, 2 C)."""
        return self.norm(self.reduction(self.patches(x)))


class ShiftedWindowAttentionV2(ShiftedWindowAttention):
    """Attention within windows by the cosines of queries and keys, times a learned factor of at most 100."""

    def __init__(self, dim: int, window_size: Sequence[int], shift_size: Sequence[int], num_heads: int, **options: Any):
        super().__init__(dim, window_size, shift_size, num_heads, **options)
        self.logit_scale: nn.Parameter = nn.Parameter(full((num_heads, 1, 1), 10.0).log())
        self.cpb_mlp: nn.Sequential = nn.Sequential(
            nn.Linear(2, 512), nn.ReLU(inplace=True), nn.Linear(512, num_heads, bias=False)
        )
        if self.qkv.bias is not None:
            self.qkv.bias.data[dim : 2 * dim] = 0

    def make_table(self) -> None:
        """Makes the table of how two pixels can lie to each other, on a logarithmic scale."""
        sides = [np.arange(1 - size, size, dtype=np.float32) / (size - 1) * 8 for size in self.window_size]
        places = np.stack(np.meshgrid(*sides, indexing="ij"), -1)[None]
        scaled = np.sign(places) * np.log2(np.abs(places) + 1) / np.float32(3)
        self.register_buffer("relative_coords_table", new_tensor(scaled))

    def table(self) -> Tensor:
        """What the small network finds for each way to lie, from 0 to 16."""
        return 16 * self.cpb_mlp(self.relative_coords_table).view(-1, self.num_heads).sigmoid()

    def projected(self, x: Tensor) -> Tensor:
        """Queries, keys and values; keys have no bias."""
        bias = self.qkv.bias
        if bias is not None:
            first, keys, last = bias.chunk(3)
            bias = cat([first, keys.detach() * 0, last])
        return linear(x, self.qkv.weight, bias)

    def scores(self, q: Tensor, k: Tensor) -> Tensor:
        """The cosines of queries and keys, times a factor for each head."""
        cosines = normalize(q, dim=-1).matmul(normalize(k, dim=-1).transpose(-2, -1))
        return cosines * self.logit_scale.clamp(max=math.log(100.0)).exp()


class SwinTransformerBlockV2(SwinTransformerBlock):
    """A block that normalizes after the attention and after the linear layers."""

    def __init__(self, dim: int, num_heads: int, **options: Any):
        options.setdefault("attn_layer", ShiftedWindowAttentionV2)
        super().__init__(dim, num_heads, **options)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, H, W, C)."""
        x = x + self.stochastic_depth(self.norm1(self.attn(x)))
        return x + self.stochastic_depth(self.norm2(self.mlp(x)))


def swin_v2(width: int, blocks: int, heads: int, skipping: float, kwargs: dict[str, Any]) -> SwinTransformer:
    """A Swin Transformer V2 of four stages, the third of them with the given number of blocks."""
    kwargs.update(block=SwinTransformerBlockV2, downsample_layer=PatchMergingV2)
    return swin(width, blocks, heads, skipping, kwargs, window=8)


@model()
def swin_v2_t(**kwargs: Any) -> SwinTransformer:
    """The tiny Swin Transformer V2."""
    return swin_v2(96, 6, 3, 0.2, kwargs)


@model()
def swin_v2_s(**kwargs: Any) -> SwinTransformer:
    """The small Swin Transformer V2."""
    return swin_v2(96, 18, 3, 0.3, kwargs)


@model()
def swin_v2_b(**kwargs: Any) -> SwinTransformer:
    """The base Swin Transformer V2."""
    return swin_v2(128, 18, 4, 0.5, kwargs)
