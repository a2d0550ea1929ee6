"""Multi-head attention as a function of all its parameters, which `nn.MultiheadAttention` calls."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import new_tensor
from rushlight.core.lines import warn
from rushlight.dtypes import as_numpy
from rushlight.dtypes import bool as torch_bool
from rushlight.dtypes import dtype as Dtype
from rushlight.nn.functional.attention import scaled_dot_product_attention
from rushlight.nn.functional.dropping import dropout
from rushlight.ops.products.products import linear, matmul
from rushlight.ops.reductions.softmax import softmax
from rushlight.ops.shapes.joining import cat
from rushlight.ops.shapes.padding import pad
from rushlight.tensors import Tensor

__all__ = ["multi_head_attention_forward"]


@dataclass
class Keys:
    """Keys and values, (S, N, E) and later (N * heads, S, E / heads), and the masks over them."""

    k: Tensor
    v: Tensor
    attention: Tensor | None
    padding: Tensor | None

    def grow(self, k: Tensor, v: Tensor, dim: int) -> None:
        """Appends a position that every query may attend to."""
        self.k, self.v = cat([self.k, k], dim), cat([self.v, v], dim)
        self.attention = None if self.attention is None else pad(self.attention, (0, 1))
        self.padding = None if self.padding is None else pad(self.padding, (0, 1))

    def mask(self, batch: int, heads: int) -> Tensor | None:
        """Both masks combined, of shape (N * heads or 1, L or 1, S)."""
        if self.padding is None:
            return self.attention
        places = self.k.shape[1]
        expect(
            self.padding.shape[0] == batch,
            f"Expected key_padded_mask.shape[0] to be {batch}, but got {self.padding.shape[0]}",
        )
        expect(
            self.padding.shape[1] == places,
            f"Expected key_padded_mask.shape[1] to be {places}, but got {self.padding.shape[1]}",
        )
        each = self.padding.reshape(batch, 1, 1, places).expand(-1, heads, -1, -1).reshape(batch * heads, 1, places)
        return each if self.attention is None else self.attention + each


def expect(condition: bool, message: str) -> None:
    """Raises AssertionError if a condition is false, as PyTorch does for operands that do not match."""
    if not condition:
        raise AssertionError(message)


def check_dimensions(
    query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Any, attn_mask: Tensor | None, num_heads: int
) -> bool:
    """Whether the operands are batched; AssertionError if their numbers of dimensions do not match."""
    expect(
        query.ndim in (2, 3),
        f"query should be unbatched 2D or batched 3D tensor but received {query.ndim}-D query tensor",
    )
    batched = query.ndim == 3
    words = "For batched (3-D) `query`" if batched else "For unbatched (2-D) `query`"
    expect(
        key.ndim == value.ndim == query.ndim,
        f"{words}, expected `key` and `value` to be {query.ndim}-D but found "
        f"{key.ndim}-D and {value.ndim}-D tensors respectively",
    )
    if key_padding_mask is not None:
        expect(
            key_padding_mask.ndim == query.ndim - 1,
            f"{words}, expected `key_padding_mask` to be `None` or "
            f"{query.ndim - 1}-D but found {key_padding_mask.ndim}-D tensor instead",
        )
    if attn_mask is not None:
        expect(
            attn_mask.ndim in (2, 3),
            f"{words}, expected `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.ndim}-D tensor instead",
        )
        shape = (num_heads, query.shape[0], key.shape[0])
        expect(
            batched or attn_mask.ndim == 2 or tuple(attn_mask.shape) == shape,
            f"Expected `attn_mask` shape to be {shape} but got {attn_mask.shape}",
        )
    return batched


def _canonical_mask(
    mask: Tensor | None,
    mask_name: str,
    other_type: Dtype | None,
    other_name: str,
    target_type: Dtype,
    check_other: bool = True,
) -> Tensor | None:
    """A mask as a bias to be added to the scores; a bool mask is True where attention is NOT allowed."""
    if mask is None:
        return mask
    added = mask.is_floating_point()
    expect(added or mask.dtype == torch_bool, f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        warn(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead.",
        )
    return mask if added else new_tensor(np.where(mask._array, -np.inf, 0).astype(as_numpy(target_type)))


def _none_or_dtype(input: Tensor | None) -> Dtype | None:
    """The dtype of a mask; None if there is none."""
    if input is None or isinstance(input, Tensor):
        return None if input is None else input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def attention_mask(mask: Tensor, length: int, each: int, places: int) -> Tensor:
    """The mask over queries and keys, with three dimensions; RuntimeError for another shape."""
    expected = (length, places) if mask.ndim == 2 else (each, length, places)
    if tuple(mask.shape) != expected:
        raise RuntimeError(f"The shape of the {mask.ndim}D attn_mask is {mask.shape}, but should be {expected}.")
    return mask.unsqueeze(0) if mask.ndim == 2 else mask


def masks_of(
    query: Tensor, key: Tensor, num_heads: int, key_padding_mask: Any, attn_mask: Tensor | None, causal: bool
) -> tuple[Tensor | None, ...]:
    """Both masks as biases; that over queries is dropped if `is_causal` makes it superfluous."""
    length, batch, _ = query.shape
    other = _none_or_dtype(attn_mask)
    padding = _canonical_mask(key_padding_mask, "key_padding_mask", other, "attn_mask", query.dtype)
    attention = None if causal else _canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, check_other=False)
    if attention is not None:
        attention = attention_mask(attention, length, batch * num_heads, key.shape[0])
    return attention, padding


def check_attention_sizes(
    query: Tensor, key: Any, value: Tensor, embed_dim: int, num_heads: int, separate: bool
) -> None:
    """Raises PyTorch's AssertionErrors for sizes that do not match."""
    found = query.shape[-1]
    expect(found == embed_dim, f"was expecting embedding dimension of {embed_dim}, but got {found}")
    expect(found % num_heads == 0, f"embed_dim {found} not divisible by num_heads {num_heads}")
    if separate:
        expect(
            key.shape[:2] == value.shape[:2],
            f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}",
        )
    else:
        expect(key.shape == value.shape, f"key shape {key.shape} does not match value shape {value.shape}")


def project(query: Tensor, key: Tensor, value: Tensor, weights: Any, bias: Any) -> Sequence[Tensor]:
    """Query, key and value after their projections, in one product if several are the same tensor.

    `weights` is the packed weight, or one weight for each.
    """
    if isinstance(weights, Tensor):
        return _in_projection_packed(query, key, value, weights, bias)
    return _in_projection(query, key, value, *weights, *((None,) * 3 if bias is None else bias.chunk(3)))


def _in_projection(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    b_q: Any = None,
    b_k: Any = None,
    b_v: Any = None,
) -> Any:
    """The projections with a weight and a bias for each; AssertionError for shapes that do not fit."""
    width = q.shape[-1]
    for name, x, w, b in zip(("query", "key", "value"), (q, k, v), (w_q, w_k, w_v), (b_q, b_k, b_v), strict=True):
        shape = (width, x.shape[-1])
        expect(tuple(w.shape) == shape, f"expecting {name} weights shape of {shape}, but got {w.shape}")
        if b is not None:
            expect(tuple(b.shape) == (width,), f"expecting {name} bias shape of {(width,)}, but got {b.shape}")
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _in_projection_packed(q: Any, k: Any, v: Any, w: Array, b: Any = None) -> Any:
    """The projections with one packed weight and one packed bias for all three."""
    if k is not v:
        biases = (None,) * 3 if b is None else b.chunk(3)
        return tuple(linear(*operands) for operands in zip((q, k, v), w.chunk(3), biases, strict=True))
    if q is k:
        return linear(q, w, b).chunk(3, -1)
    width = q.shape[-1]
    bias_q, bias_kv = (None, None) if b is None else b.split([width, 2 * width])
    weight_q, weight_kv = w.split([width, 2 * width])
    return (linear(q, weight_q, bias_q), *linear(k, weight_kv, bias_kv).chunk(2, -1))


def add_biases(keys: Keys, bias_k: Any, bias_v: Any, static_k: Any, static_v: Any, batch: int) -> None:
    """Appends the learned position `bias_k`, `bias_v` to keys and values."""
    if bias_k is None and bias_v is None:
        return
    expect(bias_v is not None, "bias_k is set but bias_v is None")
    expect(bias_k is not None, "bias_v is set but bias_k is None")
    expect(static_k is None, "bias cannot be added to static key.")
    expect(static_v is None, "bias cannot be added to static value.")
    keys.grow(bias_k.repeat(1, batch, 1), bias_v.repeat(1, batch, 1), 0)


def by_heads(x: Tensor, each: int, head_dim: int, static: Any = None, name: str = "") -> Tensor:
    """(L, N, E) as (N * heads, L, head_dim); a tensor given as `static` has this shape already, and is only checked."""
    if static is None:
        return x.reshape(x.shape[0], each, head_dim).transpose(0, 1)
    expect(static.shape[0] == each, f"expecting {name}.size(0) of {each}, but got {static.shape[0]}")
    expect(static.shape[2] == head_dim, f"expecting {name}.size(2) of {head_dim}, but got {static.shape[2]}")
    return static


def attend(q: Tensor, keys: Keys, mask: Any, dropout_p: float) -> tuple[Tensor, ...]:
    """The attention of each head, and the attention weights."""
    scores = matmul(q * math.sqrt(1 / q.shape[-1]), keys.k.transpose(-2, -1))
    weights = softmax(scores if mask is None else scores + mask, -1)
    weights = dropout(weights, dropout_p) if dropout_p > 0 else weights
    return matmul(weights, keys.v), weights


def attend_blindly(q: Tensor, keys: Keys, mask: Any, dropout_p: float, causal: bool, batch: int, heads: int) -> Tensor:
    """The attention of each head without the attention weights."""
    if mask is not None:
        mask = mask.unsqueeze(0) if mask.shape[0] == 1 else mask.reshape(batch, heads, *mask.shape[1:])
    q, k, v = (x.reshape(batch, heads, *x.shape[1:]) for x in (q, keys.k, keys.v))
    result = scaled_dot_product_attention(q, k, v, mask, dropout_p, causal)
    return result.reshape(batch * heads, *result.shape[2:])


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Multi-head attention of query (L, N, E), key and value (S, N, E), or all without N: (L, N, E), and the weights.

    The parameters are those of `nn.MultiheadAttention`. `key_padding_mask` (N, S) and `attn_mask` (L, S) or (N * heads,
    L, S) are added to the scores, or, if they are bool, are True where attention is not allowed. The attention weights,
    (N, L, S), or (N, heads, L, S) without `average_attn_weights`, are returned with `need_weights`, else None.
    AssertionError or RuntimeError for operands that do not match.

    >>> import rushlight as torch
    >>> x, eye = torch.ones(3, 1, 2), torch.eye(2)
    >>> result, weights = torch.nn.functional.multi_head_attention_forward(
    ...     x, x, x, 2, 1, torch.cat([eye, eye, eye]), None, None, None, False, 0.0, eye, None)
    >>> result.shape, weights.shape
    (torch.Size([3, 1, 2]), torch.Size([1, 3, 3]))
    """
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if not check_dimensions(query, key, value, key_padding_mask, attn_mask, num_heads):
        return unbatched(locals())
    check_attention_sizes(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    (length, batch, width), each = query.shape, query.shape[1] * num_heads
    causal = is_causal and key_padding_mask is None and not need_weights
    masks = masks_of(query, key, num_heads, key_padding_mask, attn_mask, causal)
    weights = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else in_proj_weight
    q, k, v = project(query, key, value, weights, in_proj_bias)
    keys = Keys(k, v, *masks)
    add_biases(keys, bias_k, bias_v, static_k, static_v, batch)
    q = by_heads(q, each, width // num_heads)
    keys.k = by_heads(keys.k, each, width // num_heads, static_k, "static_k")
    keys.v = by_heads(keys.v, each, width // num_heads, static_v, "static_v")
    if add_zero_attn:
        zeros = new_tensor(np.zeros((each, 1, width // num_heads), q._array.dtype))
        keys.grow(zeros, zeros, 1)
    mask, dropout_p, seen = keys.mask(batch, num_heads), dropout_p if training else 0.0, None
    if need_weights:
        heads, seen = attend(q, keys, mask, dropout_p)
        seen = seen.reshape(batch, num_heads, *seen.shape[1:])
        seen = seen.mean(1) if average_attn_weights else seen
    else:
        heads = attend_blindly(q, keys, mask, dropout_p, causal, batch, num_heads)
    result = linear(heads.transpose(0, 1).reshape(length * batch, width), out_proj_weight, out_proj_bias)
    return result.reshape(length, batch, result.shape[-1]), seen


def unbatched(arguments: Any) -> Any:
    """The arguments of a single sample as those of a batch of one."""
    same = arguments["query"] is arguments["key"] is arguments["value"]
    query, key, value = (arguments[name].unsqueeze(1) for name in ("query", "key", "value"))
    arguments |= {"query": query, "key": query if same else key, "value": query if same else value}
    if arguments["key_padding_mask"] is not None:
        arguments["key_padding_mask"] = arguments["key_padding_mask"].unsqueeze(0)
    result, weights = multi_head_attention_forward(**arguments)
    return result.squeeze(1), None if weights is None else weights.squeeze(0)
