"""Attention with scores modified by a function, which is called once for all queries and keys."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import rushlight
from rushlight.tensors import Tensor

__all__ = [
    "AuxOutput",
    "AuxRequest",
    "BlockMask",
    "and_masks",
    "create_block_mask",
    "create_mask",
    "flex_attention",
    "noop_mask",
    "or_masks",
]

_DEFAULT_SPARSE_BLOCK_SIZE = 128
_score_mod_signature = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
_mask_mod_signature = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


class AuxRequest(NamedTuple):
    """The additional results to be returned by `flex_attention`."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """The additional results: for each query, the log-sum-exp of its scores, and its largest score."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def places(B: int, H: int, Q: int, KV: int) -> list[Tensor]:
    """The indices of all scores, one tensor for each dimension, which broadcast to (B, H, Q, KV)."""
    found = []
    for dim, size in enumerate((B, H, Q, KV)):
        shape = [1] * 4
        shape[dim] = size
        found.append(rushlight.arange(size).reshape(shape))
    return found


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """A mask that lets every query attend to every key."""
    return rushlight.ones((), dtype=rushlight.bool)


def and_masks(*mask_mods: Callable[..., Any]) -> Callable[..., Any]:
    """A mask that is true where all of the given masks are. RuntimeError for arguments that are not functions."""
    return combined(mask_mods, rushlight.logical_and, True)


def or_masks(*mask_mods: Callable[..., Any]) -> Callable[..., Any]:
    """A mask that is true where any of the given masks is. RuntimeError for arguments that are not functions."""
    return combined(mask_mods, rushlight.logical_or, False)


def combined(masks: tuple[Callable[..., Any], ...], both: Callable[..., Any], start: bool) -> Callable[..., Any]:
    """Several masks combined into one by `both`, such as `logical_and`, from the initial value `start`."""
    if not all(callable(mask) for mask in masks):
        raise RuntimeError(f"All inputs should be callable mask_mods: {masks}")

    def mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        result = rushlight.tensor(start)
        for each in masks:
            result = both(result, each(b, h, q_idx, kv_idx))
        return result

    return mask


def create_mask(
    mod_fn: Callable[..., Any], B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None
) -> Tensor:
    """The mask of a mask function, or the scores that a score function makes of zeros: (B, H, Q_LEN, KV_LEN).

    >>> from rushlight.nn.attention.flex_attention import create_mask
    >>> create_mask(lambda b, h, q, kv: q >= kv, 1, 1, 2, 2)[0, 0].tolist()
    [[True, False], [True, True]]
    """
    shape = (B or 1, H or 1, Q_LEN, KV_LEN)
    of_scores = mod_fn.__code__.co_argcount == 5 if hasattr(mod_fn, "__code__") else False
    result = mod_fn(*[rushlight.zeros(shape)] * of_scores, *places(*shape))
    return result.expand(shape) if of_scores else result.bool().expand(shape)


class BlockMask:
    """A mask function, and the shape of the scores that it masks."""

    mask_mod: Callable[..., Any]

    shape: tuple[int, ...]

    def __init__(self, mask_mod: Callable[..., Any], shape: tuple[int, int, int, int], BLOCK_SIZE: tuple[int, int]):
        self.mask_mod, self.shape, self.BLOCK_SIZE = mask_mod, shape, BLOCK_SIZE
        self.seq_lengths: tuple[int, int] = shape[2:]

    def to_dense(self) -> Tensor:
        """Ones for the blocks in which at least one score is not masked, else zeros."""
        mask = create_mask(self.mask_mod, *self.shape)
        rows, columns = self.BLOCK_SIZE
        margins = (0, -mask.shape[3] % columns, 0, -mask.shape[2] % rows)
        padded = rushlight.nn.functional.pad(mask.int(), margins)
        b, h, q, kv = padded.shape
        blocks = padded.reshape(b, h, q // rows, rows, kv // columns, columns)
        return blocks.amax(dim=(3, 5)).int()

    def sparsity(self) -> float:
        """The percentage of blocks that are fully masked."""
        dense = self.to_dense()
        return 100 * (1 - float(dense.sum()) / dense.numel())

    def numel(self) -> int:
        """The number of scores."""
        return math.prod(self.shape)

    def __repr__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%)"


def create_block_mask(
    mask_mod: Callable[..., Any],
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
    _compile: bool = False,
) -> BlockMask:
    """A mask for `flex_attention`, from a function of the indices of samples, heads, queries and keys."""
    block = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    return BlockMask(mask_mod, (B or 1, H or 1, Q_LEN, KV_LEN), block)


def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: Callable[..., Any] | None = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: dict[Any, Any] | None = None,
    *,
    return_aux: AuxRequest | None = None,
) -> Any:
    """softmax(score_mod(query @ key^T * scale)) @ value, for (B, H, L, E), (B, H, S, E) and (B, H, S, V).

    `score_mod(score, b, h, q_idx, kv_idx)` is called once with all scores, and with indices that broadcast to them.
    With `enable_gqa`, several query heads share one key head. The result is 0 for a query that may attend to no key.
    ValueError for other numbers of dimensions or heads.

    >>> import rushlight as torch
    >>> from rushlight.nn.attention.flex_attention import flex_attention
    >>> x = torch.ones(1, 2, 3, 4)
    >>> flex_attention(x, x, x, lambda score, b, h, q, kv: score - (q - kv).abs()).shape
    torch.Size([1, 2, 3, 4])
    """
    check_attention_inputs(query, key, value, enable_gqa)
    if enable_gqa and key.shape[1] != query.shape[1]:
        key, value = (t.repeat_interleave(query.shape[1] // t.shape[1], dim=1) for t in (key, value))
    scores = (query @ key.transpose(-2, -1)) * (query.shape[-1] ** -0.5 if scale is None else scale)
    indices = places(*scores.shape)
    if score_mod is not None:
        scores = score_mod(scores, *indices).expand(scores.shape)
    if block_mask is not None:
        scores = scores.masked_fill(~block_mask.mask_mod(*indices), -math.inf)
    largest = scores.amax(dim=-1)
    lse = scores.logsumexp(dim=-1)
    weights = rushlight.exp(scores - lse.masked_fill(lse == -math.inf, 0).unsqueeze(-1))
    result = weights.to(value.dtype) @ value
    if return_aux is not None:
        return result, AuxOutput(lse if return_aux.lse else None, largest if return_aux.max_scores else None)
    return (result, lse) if return_lse else result


def check_attention_inputs(query: Tensor, key: Tensor, value: Tensor, grouped: bool) -> None:
    """Raises ValueError for tensors whose shapes do not match."""
    if any(t.dim() != 4 for t in (query, key, value)):
        dims = ", ".join(f"{t.dim()}D" for t in (query, key, value))
        raise ValueError(f"Expected query, key, and value to be 4D tensors, but got {dims}")
    if query.shape[1] != key.shape[1] and not grouped:
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={query.shape[1]} and "
            f"Hkv={key.shape[1]}. Try setting enable_gqa=True for GQA."
        )
    if query.shape[1] % key.shape[1]:
        raise ValueError(
            "Expect number of query heads to be a multiple of kv heads for GQA but got "
            f"Hq={query.shape[1]} and Hkv={key.shape[1]}."
        )
