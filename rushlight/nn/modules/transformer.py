"""Transformers: encoders and decoders made of attention and feed-forward layers.

Source: A. Vaswani et al., "Attention is all you need", 2017.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.advice import advised
from rushlight.core.graph import new_tensor
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.activation import GELU, ReLU
from rushlight.nn.modules.attention import MultiheadAttention
from rushlight.nn.modules.base.making import Device
from rushlight.nn.modules.container import ModuleList
from rushlight.nn.modules.dropout import Dropout
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.normalization import LayerNorm
from rushlight.ops.arguments.dims import size_of
from rushlight.tensors import Tensor

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

Dtype = dtypes.dtype
Activation = str | Callable[[Tensor], Tensor]


def _get_activation_fn(activation: Activation) -> Callable[[Tensor], Tensor]:
    """An activation function, also by its name. RuntimeError for a name other than relu and gelu."""
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return F.relu if activation == "relu" else F.gelu


def _get_clones(module: Module, N: int) -> ModuleList:
    """A list of `N` copies of a module."""
    return ModuleList(deepcopy(module) for _ in range(N))


def _generate_square_subsequent_mask(sz: int, device: Device = None, dtype: Dtype | None = None) -> Tensor:
    """-inf above the diagonal, 0 elsewhere: no position may attend to later ones."""
    array = np.triu(np.full((sz, sz), -np.inf), 1)
    return new_tensor(array.astype(dtypes.as_numpy(dtype or dtypes.get_default_dtype())))


def _detect_is_causal_mask(mask: Tensor | None, is_causal: bool | None = None, size: int | None = None) -> bool:
    """Whether a mask is the causal one, of any size for None; `is_causal` is what the user declared, or None."""
    if is_causal is not None or mask is None:
        return is_causal is True
    causal = _generate_square_subsequent_mask(mask.shape[-2] if size is None else size, dtype=mask.dtype)
    return mask.shape == causal.shape and bool((mask._array == causal._array).all())


def _get_seq_len(src: Tensor, batch_first: bool) -> int:
    """The length of a sequence, batched or not."""
    return src.shape[1 if batch_first and src.ndim == 3 else 0]


class _Layer(Module):
    """Base class of encoder and decoder layers: several blocks with residual connections."""

    def __init__(
        self,
        attentions: Sequence[str],
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float,
        activation: Any,
        layer_norm_eps: float,
        batch_first: bool,
        norm_first: bool,
        bias: bool,
        device: Any,
        dtype: Any,
    ):
        super().__init__()
        for name in attentions:
            attention = MultiheadAttention(
                d_model, nhead, dropout, bias, batch_first=batch_first, device=device, dtype=dtype
            )
            setattr(self, name, attention)
        self.linear1: Linear = Linear(d_model, dim_feedforward, bias, device, dtype)
        self.dropout: Dropout = Dropout(dropout)
        self.linear2: Linear = Linear(dim_feedforward, d_model, bias, device, dtype)
        self.norm_first = norm_first
        for i in range(1, len(attentions) + 2):
            setattr(self, f"norm{i}", LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype))
        for i in range(1, len(attentions) + 2):
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation: Callable[[Tensor], Tensor] = _get_activation_fn(activation)

    def _add(self, x: Tensor, i: int, block: Callable[..., Tensor], *options: Any) -> Tensor:
        """The residual connection of the i-th block: x plus the block of x, with the normalization before or after."""
        norm = getattr(self, f"norm{i}")
        return x + block(norm(x), *options) if self.norm_first else norm(x + block(x, *options))

    # The blocks, under PyTorch's names: subclasses override them.

    def _sa_block(
        self, x: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        """Self-attention."""
        return self.dropout1(self.self_attn(x, x, x, key_padding_mask, False, attn_mask, is_causal=is_causal)[0])


class TransformerEncoderLayer(_Layer):
    """Self-attention, then two linear layers; both with residual connection and normalization.

    Sequences are (L, N, d_model), (N, L, d_model) with `batch_first`, or (L, d_model). `norm_first` normalizes before
    each block instead of after it.

    AssertionError if `d_model` does not divide into the heads; RuntimeError for an unknown activation.

    >>> import rushlight as torch
    >>> torch.nn.TransformerEncoderLayer(d_model=8, nhead=2)(torch.ones(5, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        super().__init__(
            ["self_attn"],
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            bias,
            device,
            dtype,
        )

    def __getstate__(self) -> Any:
        """The attributes, with the number by which PyTorch's fast path knows the activation, for its files."""
        known = ((F.relu, ReLU), (F.gelu, GELU))
        numbers = [
            n for n, (f, kind) in enumerate(known, 1) if self.activation is f or isinstance(self.activation, kind)
        ]
        return {**self.__dict__, "activation_relu_or_gelu": numbers[0] if numbers else 0}

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """The encoded sequence; for the masks see `MultiheadAttention.forward`."""

        x = self._add(src, 1, self._sa_block, src_mask, src_key_padding_mask, is_causal)
        return self._add(x, 2, self._ff_block)

    def _ff_block(self, x: Tensor) -> Tensor:
        """The feed-forward block: two linear layers."""
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to an encoded sequence, then two linear layers; see `TransformerEncoderLayer`.

    AssertionError if `d_model` does not divide into the heads; RuntimeError for an unknown activation.

    >>> import rushlight as torch
    >>> layer = torch.nn.TransformerDecoderLayer(d_model=8, nhead=2, batch_first=True)
    >>> layer(torch.rand(3, 5, 8), memory=torch.rand(3, 7, 8)).shape
    torch.Size([3, 5, 8])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        super().__init__(
            ["self_attn", "multihead_attn"],
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            bias,
            device,
            dtype,
        )

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The decoded sequence, given the encoded sequence `memory`."""

        x = self._add(tgt, 1, self._sa_block, tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        x = self._add(x, 2, self._mha_block, memory, memory_mask, memory_key_padding_mask, memory_is_causal)
        return self._add(x, 3, self._ff_block)

    def _mha_block(
        self, x: Tensor, mem: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        """Attention to the encoded sequence."""
        attended = self.multihead_attn(x, mem, mem, key_padding_mask, False, attn_mask, is_causal=is_causal)
        return self.dropout2(attended[0])

    def _ff_block(self, x: Tensor) -> Tensor:
        """The feed-forward block after two attentions."""
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """Several copies of an encoder layer in sequence, and a final normalization if given.

    `enable_nested_tensor` and `mask_check` have no effect; they are for a faster path on GPUs.

    The layers raise the errors: RuntimeError for masks, AssertionError if the last size is not `d_model`.

    >>> import rushlight as torch
    >>> layer = torch.nn.TransformerEncoderLayer(d_model=8, nhead=2, batch_first=True)
    >>> torch.nn.TransformerEncoder(layer, num_layers=2)(torch.rand(3, 5, 8)).shape
    torch.Size([3, 5, 8])
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ):
        super().__init__()
        self.layers: ModuleList = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """The encoded sequence. If `is_causal` is None, the mask is compared with the causal one."""
        causal = _detect_is_causal_mask(mask, is_causal, _get_seq_len(src, self.layers[0].self_attn.batch_first))
        for layer in self.layers:
            src = layer(src, src_mask=mask, is_causal=causal, src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """Several copies of a decoder layer in sequence, and a final normalization if given.

    The layers raise the errors: RuntimeError for masks, AssertionError if the last size is not `d_model`.

    >>> import rushlight as torch
    >>> layer = torch.nn.TransformerDecoderLayer(d_model=8, nhead=2, batch_first=True)
    >>> decoder = torch.nn.TransformerDecoder(layer, num_layers=2)
    >>> decoder(torch.rand(3, 5, 8), memory=torch.rand(3, 7, 8)).shape
    torch.Size([3, 5, 8])
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None):
        super().__init__()
        self.layers: ModuleList = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The decoded sequence, given the encoded sequence `memory`."""
        size = _get_seq_len(tgt, self.layers[0].self_attn.batch_first)
        causal = _detect_is_causal_mask(tgt_mask, tgt_is_causal, size)
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """A transformer: an encoder and a decoder.

    RuntimeError if batch sizes or last dimensions do not match, AssertionError if `nhead` does not divide `d_model`.

    >>> import rushlight as torch
    >>> model = torch.nn.Transformer(d_model=8, nhead=2, num_encoder_layers=1, num_decoder_layers=1)
    >>> model(torch.ones(10, 3, 8), torch.ones(5, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        super().__init__()
        options = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            bias,
            device,
            dtype,
        )

        def stack(kind: type[Module], layer: type[Module], number: int) -> Module:
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
            return kind(layer(*options), number, norm)

        self.encoder: Module = custom_encoder or stack(TransformerEncoder, TransformerEncoderLayer, num_encoder_layers)
        self.decoder: Module = custom_decoder or stack(TransformerDecoder, TransformerDecoderLayer, num_decoder_layers)
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The decoded `tgt`, given `src`. RuntimeError for sizes that do not match."""
        sample = 0 if self.batch_first else 1
        size_of(src.shape, -1), size_of(tgt.shape, -1)
        if src.ndim == 3 and src.shape[sample] != tgt.shape[sample]:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError(advised("the feature number of src and tgt must be equal to d_model"))
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Device = None, dtype: Dtype | None = None) -> Tensor:
        """The causal mask: -inf above the diagonal, 0 elsewhere.

        >>> import rushlight as torch
        >>> torch.nn.Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        return _generate_square_subsequent_mask(sz, dtype=dtype)
