"""Attention by blocks of its weights, which for long sequences are never in memory together.

They are computed again for the gradients: Dao, Fu, Ermon, Rudra and Ré, "FlashAttention" (2022).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import one_by_one
from rushlight.core.forward import is_dual
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.interpreters import STACK, noted, writer
from rushlight.core.kinds import kind_of
from rushlight.core.recording import recording, requires_grad
from rushlight.dtypes import bool as torch_bool
from rushlight.kernels.products import times
from rushlight.kernels.triangles import triangle
from rushlight.ops.products.products import matmul
from rushlight.ops.reductions.softmax import _softmax, _softmax_cotangent, has_something, safe_softmax, softmax
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

BLOCK = 96 << 10  # weights in a block
FEW = 1 << 14  # elements of a bias that is kept
Place = tuple[Any, ...]  # numbers, and a slice at the end


def attention_weights(query: Tensor, key: Tensor, mask: Tensor | None, is_causal: bool, scale: float) -> Tensor:
    """softmax(query @ key.T * scale + mask), in which a row that is masked as a whole is 0."""
    scores = matmul(query * scale, key.transpose(-2, -1))
    if is_causal:
        scores = scores + causal_bias(query.shape[-2], key.shape[-2], query._array.dtype)
    elif mask is not None:
        scores = scores + as_bias(mask, query._array.dtype)
    return (safe_softmax if is_causal or mask is not None else softmax)(scores, -1)


def as_bias(mask: Any, dtype: Any) -> Any:
    """A mask as a bias to be added to the scores; a bool mask is True where attention is allowed."""
    if mask.dtype != torch_bool:
        return mask
    return new_tensor(bias_of(mask._array, dtype))


def biases(mask: Array, dtype: np.dtype) -> Array:
    """0 where a mask is true, -inf elsewhere."""
    return np.where(mask, 0, -np.inf).astype(dtype)


bias_of: Callable[..., Any] = noted(biases)


def causal_bias(rows: int, columns: int, dtype: np.dtype) -> Tensor:
    """The bias that lets each position attend to itself and earlier ones."""
    return new_tensor((small_bias if rows * columns <= FEW else bias_from)(0, rows, columns, dtype))


def bias_from(first: int, rows: int, columns: int, dtype: np.dtype) -> np.ndarray:
    """The array of such a bias for some rows from the first on."""
    return triangle(np.full((rows, columns), -np.inf, dtype), 1 + first, False)


small_bias = lru_cache(maxsize=16)(bias_from)


def blocks(shape: Sequence[int], width: int) -> Iterator[Place]:
    """Indexes of parts of an array whose elements count `width` each, in parts that count `BLOCK` or a little less."""
    each = math.prod(shape[1:]) * width
    if each > BLOCK and len(shape) > 1:
        for i in range(shape[0]):
            for place in blocks(shape[1:], width):
                yield i, *place
    else:
        step = max(BLOCK // max(each, 1), 1)
        for start in range(0, shape[0], step):
            yield (slice(start, min(start + step, shape[0])),)


def part(
    place: Place, query: Array, key: Array, value: Array, bias: Array | None, is_causal: bool, scale: float
) -> tuple[Array, Array, Array, Array]:
    """The scaled query of a block, what of key and value it attends to, and its weights."""
    heads = place[: key.ndim - 2]
    whole = query.shape[-2]
    query, key, value = query[place] * scale, key[heads], value[heads]
    if is_causal:
        rows = place[-1] if len(place) > len(heads) else slice(0, whole)
        key, value = key[..., : rows.stop, :], value[..., : rows.stop, :]
        bias = bias_from(rows.start, rows.stop - rows.start, key.shape[-2], query.dtype)
    elif bias is not None:
        bias = bias[place]
    return query, key, value, weights_of(query, key, bias, is_causal)


def weights_of(query: Array, key: Array, bias: Array | None, is_causal: bool) -> Array:
    """The weights, given the scaled query. A row that is masked as a whole is 0; none is where the bias is causal."""
    scores = times(query, key.swapaxes(-1, -2))
    if bias is not None:
        scores += bias
    weights = _softmax(scores, scores.ndim - 1, scores.dtype)
    if bias is not None and not is_causal and not has_something(scores, -1):
        weights[np.maximum.reduce(scores, -1) == -np.inf] = 0
    return weights


def whole_bias(bias: Array | None, query: Array, key: Array) -> Array | None:
    """A bias expanded to the shape of all weights."""
    return None if bias is None else np.broadcast_to(bias, (*query.shape[:-1], key.shape[-2]))


def block_cotangents(
    grad: Array, query: Array, key: Array, value: Array, bias: Array | None, is_causal: bool, scale: float
) -> list[Array]:
    """The gradients of query, key and value, from weights that are computed again."""
    if isinstance(grad, TensorBase):
        weights = attention_weights(query, key, bias, is_causal, scale)
        return step_cotangents(grad, query * scale, key, value, weights, scale)
    of_query, of_key, of_value = np.empty_like(query), np.zeros_like(key), np.zeros_like(value)
    bias = whole_bias(bias, query, key)
    for place in blocks(query.shape[:-1], key.shape[-2]):
        q, k, v, weights = part(place, query, key, value, bias, is_causal, scale)
        seen = (*place[: key.ndim - 2], ..., slice(k.shape[-2]), slice(None))
        of_result = np.ascontiguousarray(grad[place])
        of_query[place], for_key, for_value = step_cotangents(of_result, q, k, v, weights, scale)
        of_key[seen] += for_key
        of_value[seen] += for_value
    return [of_query, of_key, of_value]


def step_cotangents(grad: Array, query: Array, key: Array, value: Array, weights: Array, scale: float) -> list[Array]:
    """The gradients of query, key and value, given the scaled query."""
    of_weights = times(grad, np.swapaxes(value, -1, -2))
    of_scores = _softmax_cotangent(of_weights, weights, weights.ndim - 1)
    turned = np.swapaxes(of_scores, -1, -2)
    return [times(of_scores, key) * scale, times(turned, query), times(np.swapaxes(weights, -1, -2), grad)]


@operator(
    aten="_scaled_dot_product_flash_attention_for_cpu",
    node="ScaledDotProductFlashAttentionForCpuBackward0",
    batch=one_by_one,
    joint=block_cotangents,
    inputs=("query", "key", "value"),
)
def _attention_by_blocks(
    query: Array, key: Array, value: Array, bias: Array | None, is_causal: bool, scale: float
) -> Array:
    """softmax(query @ key.T * scale + bias) @ value, a block of the weights at a time."""
    if are_few(query, key):
        if is_causal:
            bias = small_bias(0, query.shape[-2], key.shape[-2], query.dtype)
        return times(weights_of(query * scale, key, bias, is_causal), value)
    result = np.empty((*query.shape[:-1], value.shape[-1]), query.dtype)
    bias = whole_bias(bias, query, key)
    for place in blocks(query.shape[:-1], key.shape[-2]):
        *_, seen, weights = part(place, query, key, value, bias, is_causal, scale)
        result[place] = times(weights, seen)
    return result


def are_few(query: Array, key: Array) -> bool:
    """Whether there are no more weights than in a block."""
    return query.size // max(query.shape[-1], 1) * key.shape[-2] <= BLOCK


def are_regular(query: Array, key: Array, value: Array, mask: Array | None) -> bool:
    """Whether arrays of numbers have the shapes of attention, and a mask that of its weights, or of one head's."""
    weights = (*query.shape[:-1], key.shape[-2])
    return (
        kind_of(query.dtype) == "f"
        and query.shape[-1] == key.shape[-1]
        and key.shape[-2] == value.shape[-2]
        and query.size * key.size > 0
        and (mask is None or mask.shape == weights or mask.shape == weights[-2:])
    )


def takes_arrays(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> bool:
    """Whether attention is computed on arrays, by blocks: where nothing looks at single steps.

    A few weights are if they need not be kept for gradients.
    """
    q, k, v = query._array, key._array, value._array
    if not type(q) is type(k) is type(v) is np.ndarray or not q.shape[:-2] == k.shape[:-2] == v.shape[:-2]:
        return False
    tensors = (query, key, value) if mask is None else (query, key, value, mask)
    if are_few(q, k):
        alone = not STACK.depth and not (recording() and any(map(requires_grad, tensors)))
        return alone and are_regular(q, k, v, None if mask is None else mask._array)
    return writer() is None and not any(map(is_dual, tensors[:3])) and (mask is None or not mask.requires_grad)
