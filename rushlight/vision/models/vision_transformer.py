"""Vision transformers (A. Dosovitskiy et al., 2021): an image as a sequence of patches."""

import math
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from rushlight import nn
from rushlight.ops.making.creation import empty, zeros
from rushlight.ops.shapes.joining import cat
from rushlight.tensors import Tensor
from rushlight.vision.models.registry import model, start_linear
from rushlight.vision.ops.misc import MLP

__all__ = ["VisionTransformer", "vit_b_16", "vit_b_32", "vit_h_14", "vit_l_16", "vit_l_32"]

NORM = partial(nn.LayerNorm, eps=1e-6)


class MLPBlock(MLP):
    """The feed-forward part of a block: two linear layers."""

    def __init__(self, in_dim: int, mlp_dim: int, dropout: float):
        super().__init__(in_dim, [mlp_dim, in_dim], activation_layer=nn.GELU, dropout=dropout)
        start_linear(self)


class EncoderBlock(nn.Module):
    """Self-attention, then linear layers, each with a normalization before and a residual connection."""

    def __init__(
        self,
        num_heads: int,
        hidden_dim: int,
        mlp_dim: int,
        dropout: float,
        attention_dropout: float,
        norm_layer: Callable[..., Any] = NORM,
    ):
        super().__init__()
        self.num_heads = num_heads
        self.ln_1: Any = norm_layer(hidden_dim)
        self.self_attention: nn.MultiheadAttention = nn.MultiheadAttention(
            hidden_dim, num_heads, dropout=attention_dropout, batch_first=True
        )
        self.dropout: nn.Dropout = nn.Dropout(dropout)
        self.ln_2: Any = norm_layer(hidden_dim)
        self.mlp: MLPBlock = MLPBlock(hidden_dim, mlp_dim, dropout)

    def forward(self, input: Tensor) -> Tensor:
        """Sequences (N, L, D) to sequences of the same shape."""
        x = self.ln_1(input)
        x = self.dropout(self.self_attention(x, x, x, need_weights=False)[0]) + input
        return x + self.mlp(self.ln_2(x))


class Encoder(nn.Module):
    """Position embeddings, blocks, and a normalization."""

    def __init__(
        self,
        seq_length: int,
        num_layers: int,
        num_heads: int,
        hidden_dim: int,
        mlp_dim: int,
        dropout: float,
        attention_dropout: float,
        norm_layer: Callable[..., Any] = NORM,
    ):
        super().__init__()
        self.pos_embedding: Any = nn.Parameter(empty(1, seq_length, hidden_dim).normal_(std=0.02))
        self.dropout: nn.Dropout = nn.Dropout(dropout)
        blocks = [
            EncoderBlock(num_heads, hidden_dim, mlp_dim, dropout, attention_dropout, norm_layer)
            for _ in range(num_layers)
        ]
        self.layers: nn.Sequential = nn.Sequential(
            OrderedDict((f"encoder_layer_{i}", block) for i, block in enumerate(blocks))
        )
        self.ln: Any = norm_layer(hidden_dim)

    def forward(self, input: Tensor) -> Tensor:
        """The sequence after all blocks."""
        return self.ln(self.layers(self.dropout(input + self.pos_embedding)))


class VisionTransformer(nn.Module):
    """A patch embedding, a class token, transformer blocks, and linear layers on the result for the class token."""

    norm_layer: Callable[..., Any]

    image_size: int
    patch_size: int
    hidden_dim: int
    mlp_dim: int
    attention_dropout: float
    dropout: float
    num_classes: int
    representation_size: int | None

    def __init__(
        self,
        image_size: int,
        patch_size: int,
        num_layers: int,
        num_heads: int,
        hidden_dim: int,
        mlp_dim: int,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        num_classes: int = 1000,
        representation_size: int | None = None,
        norm_layer: Callable[..., Any] = NORM,
    ):
        super().__init__()
        if image_size % patch_size:
            raise AssertionError("Input shape indivisible by patch size!")
        self.image_size, self.patch_size, self.hidden_dim, self.mlp_dim = image_size, patch_size, hidden_dim, mlp_dim
        self.attention_dropout, self.dropout, self.num_classes = attention_dropout, dropout, num_classes
        self.representation_size, self.norm_layer = representation_size, norm_layer
        self.conv_proj: nn.Conv2d = nn.Conv2d(3, hidden_dim, kernel_size=patch_size, stride=patch_size)
        self.class_token: Any = nn.Parameter(zeros(1, 1, hidden_dim))
        self.seq_length: int = (image_size // patch_size) ** 2 + 1
        self.encoder: Encoder = Encoder(
            self.seq_length, num_layers, num_heads, hidden_dim, mlp_dim, dropout, attention_dropout, norm_layer
        )
        head: OrderedDict[str, nn.Module] = OrderedDict()
        if representation_size is not None:
            head["pre_logits"] = nn.Linear(hidden_dim, representation_size)
            head["act"] = nn.Tanh()
        head["head"] = nn.Linear(representation_size or hidden_dim, num_classes)
        self.heads: nn.Sequential = nn.Sequential(head)
        nn.init.trunc_normal_(self.conv_proj.weight, std=math.sqrt(1 / (3 * patch_size**2)))
        nn.init.zeros_(self.conv_proj.bias)
        if representation_size is not None:
            nn.init.trunc_normal_(self.heads.pre_logits.weight, std=math.sqrt(1 / hidden_dim))
            nn.init.zeros_(self.heads.pre_logits.bias)
        nn.init.zeros_(self.heads.head.weight)
        nn.init.zeros_(self.heads.head.bias)

    def _process_input(self, x: Tensor) -> Tensor:
        """The patches of images as sequences of embeddings."""
        for name, size in (("height", x.shape[2]), ("width", x.shape[3])):
            if size != self.image_size:
                raise AssertionError(f"Wrong image {name}! Expected {self.image_size} but got {size}!")
        return self.conv_proj(x).flatten(2).permute(0, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Images (N, 3, image_size, image_size) to scores (N, num_classes)."""
        x = self._process_input(x)
        token = self.class_token.expand(x.shape[0], -1, -1)
        return self.heads(self.encoder(cat([token, x], 1))[:, 0])


def built(
    patch_size: int, num_layers: int, num_heads: int, width: int, inside: int, **kwargs: Any
) -> VisionTransformer:
    """Builds a vision transformer, for images of 224 × 224 unless `image_size` is given."""
    return VisionTransformer(kwargs.pop("image_size", 224), patch_size, num_layers, num_heads, width, inside, **kwargs)


@model("IMAGENET1K_V1", "IMAGENET1K_SWAG_E2E_V1", "IMAGENET1K_SWAG_LINEAR_V1")
def vit_b_16(**kwargs: Any) -> VisionTransformer:
    """ViT-Base with patches of 16 × 16."""
    return built(16, 12, 12, 768, 3072, **kwargs)


@model()
def vit_b_32(**kwargs: Any) -> VisionTransformer:
    """ViT-Base with patches of 32 × 32."""
    return built(32, 12, 12, 768, 3072, **kwargs)


@model("IMAGENET1K_V1", "IMAGENET1K_SWAG_E2E_V1", "IMAGENET1K_SWAG_LINEAR_V1")
def vit_l_16(**kwargs: Any) -> VisionTransformer:
    """ViT-Large with patches of 16 × 16."""
    return built(16, 24, 16, 1024, 4096, **kwargs)


@model()
def vit_l_32(**kwargs: Any) -> VisionTransformer:
    """ViT-Large with patches of 32 × 32."""
    return built(32, 24, 16, 1024, 4096, **kwargs)


@model("IMAGENET1K_SWAG_E2E_V1", "IMAGENET1K_SWAG_LINEAR_V1")
def vit_h_14(**kwargs: Any) -> VisionTransformer:
    """ViT-Huge with patches of 14 × 14."""
    return built(14, 32, 16, 1280, 5120, **kwargs)
