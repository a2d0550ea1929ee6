"""Scaled dot product attention, of Vaswani et al., "Attention is all you need" (2017)."""

import math
from typing import Any

from rushlight.core.graph import TensorBase
from rushlight.core.guards import asking
from rushlight.core.kinds import is_half
from rushlight.dtypes import bool as torch_bool
from rushlight.dtypes import float32
from rushlight.nn.functional.attention_blocks import _attention_by_blocks, as_bias, attention_weights, takes_arrays
from rushlight.nn.functional.dropping import dropout
from rushlight.ops.products.products import matmul
from rushlight.refusals.numbers import as_numbers
from rushlight.tensors import Tensor

__all__ = ["scaled_dot_product_attention"]


def dtype_word(tensor: Any) -> Any:
    """The name of a dtype in attention's error messages: `float`, `double`, ..."""
    name = repr(tensor.dtype).removeprefix("torch.")
    return {"float32": "float", "float64": "double", "int64": "long", "int32": "int", "float16": "half"}.get(name, name)


def check_inputs(query: Tensor, key: Tensor, value: Tensor, attn_mask: Any, is_causal: bool) -> None:
    """Raises PyTorch's errors for operands that do not match."""
    q, k, v = query._array, key._array, value._array
    if q.dtype == k.dtype == v.dtype and min(q.ndim, k.ndim, v.ndim) > 1 and attn_mask is None:
        return
    three = {"query": query, "key": key, "value": value}
    if attn_mask is not None and is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if len({x.dtype for x in three.values()}) > 1:
        words = [f"{name}.dtype: {dtype_word(x)}" for name, x in three.items()]
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got {words[0]} {words[1]} and {words[2]} "
            "instead."
        )
    if any(x.ndim < 2 for x in three.values()):
        words = [f"{name}: {x.ndim}" for name, x in three.items()]
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got "
            f"query.dim: {words[0][7:]} key.dim: {words[1][5:]} and value.dim: {words[2][7:]} instead."
        )
    if attn_mask is not None and attn_mask.dtype not in (torch_bool, float32, query.dtype):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{dtype_word(attn_mask)} and  query.dtype: {dtype_word(query)} instead."
        )


@asking
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query @ key.T * scale + mask) @ value, of (..., L, E), (..., S, E) and (..., S, V): (..., L, V).

    The mask (L, S) is added to the scores; a bool mask is True where attention is allowed. `is_causal` lets each
    position attend to itself and earlier ones. `scale` is 1 / sqrt(E) if None. `enable_gqa` repeats the heads of key
    and value (the third dimension from the end), so that groups of query heads share them. Attention weights are
    dropped with probability `dropout_p`. Many weights are computed block by block, and again for the gradients, so that
    they are never in memory together. RuntimeError for operands that do not match.

    >>> import rushlight as torch
    >>> q, k, v = torch.zeros(1, 2), torch.ones(2, 2), torch.tensor([[1.0], [3.0]])
    >>> torch.nn.functional.scaled_dot_product_attention(q, k, v)
    tensor([[2.]])
    """
    check_inputs(query, key, value, attn_mask, is_causal)
    if isinstance(scale, TensorBase):
        scale = as_numbers("nn.functional.scaled_dot_product_attention", (query, key, value), {"scale": scale})[1][
            "scale"
        ]
    dtype = query.dtype
    if is_half(query._array.dtype):  # computed in float32, and rounded only once
        query, key, value = (x.float() for x in (query, key, value))
        attn_mask = attn_mask if attn_mask is None or attn_mask.dtype is torch_bool else attn_mask.float()
        wide = scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
        return wide.to(dtype)
    if enable_gqa:
        key, value = (x.repeat_interleave(query.shape[-3] // x.shape[-3], -3) for x in (key, value))
    scale = 1 / math.sqrt(max(query.shape[-1], 1)) if scale is None else scale
    if dropout_p == 0 and takes_arrays(query, key, value, attn_mask):
        bias = None if attn_mask is None else as_bias(attn_mask, dtype._numpy)
        return _attention_by_blocks(query, key, value, bias, is_causal, scale)
    weights = attention_weights(query, key, attn_mask, is_causal, scale)
    return matmul(dropout(weights, dropout_p) if dropout_p > 0 else weights, value)
