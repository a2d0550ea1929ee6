"""Multi-head attention as a layer."""

from rushlight.core.advice import advised
from rushlight.dtypes import dtype as Dtype
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.base.making import Device, uninitialized
from rushlight.nn.modules.linear import NonDynamicallyQuantizableLinear
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Multi-head attention: in each head softmax(q k^T / sqrt(head size)) v, then a linear projection.

    Sequences are (L, N, E), (N, L, E) with `batch_first`, or (L, E). `kdim` and `vdim` are the sizes of keys and
    values, if they are not `embed_dim`. `add_bias_kv` appends a trained key and value, `add_zero_attn` zeros. `dropout`
    is applied to the attention weights.

    Source: A. Vaswani et al., "Attention is all you need", 2017. ValueError or AssertionError for sizes that do not
    match.

    >>> import rushlight as torch
    >>> x = torch.ones(5, 2, 8)
    >>> output, weights = torch.nn.MultiheadAttention(8, num_heads=2)(x, x, x)
    >>> output.shape, weights.shape
    (torch.Size([5, 2, 8]), torch.Size([2, 5, 5]))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0, got "
                f"embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim: int = embed_dim if kdim is None else kdim
        self.vdim: int = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim: int = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError(advised("embed_dim must be divisible by num_heads"))
        for name, shape in self._shapes(bias).items():
            self.register_parameter(name, None if shape is None else uninitialized(shape, device, dtype))
        self.out_proj: NonDynamicallyQuantizableLinear = NonDynamicallyQuantizableLinear(
            embed_dim, embed_dim, bias, device, dtype
        )
        for name in ("bias_k", "bias_v"):
            row = uninitialized((1, 1, embed_dim), device, dtype) if add_bias_kv else None
            self.register_parameter(name, row)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _shapes(self, bias: bool) -> dict[str, tuple[int, ...] | None]:
        """The shapes of the projection weights: one packed weight, or one each for queries, keys and values."""
        size, one = self.embed_dim, self._qkv_same_embed_dim
        return {
            "q_proj_weight": None if one else (size, size),
            "k_proj_weight": None if one else (size, self.kdim),
            "v_proj_weight": None if one else (size, self.vdim),
            "in_proj_weight": (3 * size, size) if one else None,
            "in_proj_bias": (3 * size,) if bias else None,
        }

    def _reset_parameters(self) -> None:
        """Initializes the weights; biases are zero."""
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if getattr(self, name) is not None:
                init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for row in (self.bias_k, self.bias_v):
            if row is not None:
                init.xavier_normal_(row)

    def merge_masks(
        self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, query: Tensor
    ) -> tuple[Tensor | None, int | None]:
        """Both masks in one, and its kind: 1 for that of the keys alone, (N, S), 2 for (N, heads, L, S), else None.

        They are added, as numbers or as bools; `query` is (N, L, E).
        """
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, length, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.view(batch, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            merged = merged + key_padding_mask.view(batch, 1, 1, length).expand(-1, self.num_heads, -1, -1)
        return merged, 2

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The attention output, and the attention weights (None without `need_weights`).

        `key_padding_mask` (N, S) and `attn_mask` (L, S) or (N * heads, L, S) are added to the scores, or, if they are
        bool, are True where attention is not allowed. `is_causal` says that `attn_mask` is the causal mask. The
        attention weights are averaged over the heads, or returned for each head.
        """
        swap = self.batch_first and query.ndim == 3
        if swap:
            same_key, same_value = query is key, key is value
            query = query.transpose(0, 1)
            key = query if same_key else key.transpose(0, 1)
            value = key if same_value else value.transpose(0, 1)
        output, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return output.transpose(0, 1) if swap else output, weights
