"""Causal masks for different numbers of queries and keys, aligned at the start or at the end."""

from enum import IntEnum
from typing import Any

from rushlight.core.graph import TensorBase
from rushlight.ops.making.creation import ones
from rushlight.tensors import Tensor, disabled_torch_function, rebuild

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(IntEnum):
    """The alignment of a causal mask: the first query sees the first key only, or the last query sees all keys."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A causal mask: a bool tensor, True where a query may attend to a key."""

    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int

    __torch_function__ = disabled_torch_function

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> Any:
        """A mask for these numbers of queries and keys. TypeError if `variant` is not a `CausalVariant`."""
        if not isinstance(variant, CausalVariant):
            raise TypeError(f"variant must be a CausalVariant, not {type(variant).__name__}")
        shift = seq_len_kv - seq_len_q if variant is CausalVariant.LOWER_RIGHT else 0
        mask: TensorBase = ones(seq_len_q, seq_len_kv).tril(shift).bool()
        return rebuild(cls, mask._array, False)

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int):
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv


def causal_upper_left(*size: int) -> CausalBias:
    """The causal mask (queries, keys) whose first query sees the first key only.

    >>> from rushlight.nn.attention.bias import causal_upper_left
    >>> causal_upper_left(2, 3).tolist()
    [[True, False, False], [True, True, False]]
    """
    return CausalBias(CausalVariant.UPPER_LEFT, *sizes("causal_upper_left", size))


def causal_lower_right(*size: int) -> CausalBias:
    """The causal mask (queries, keys) whose last query sees all keys."""
    return CausalBias(CausalVariant.LOWER_RIGHT, *sizes("causal_lower_right", size))


def sizes(name: str, size: tuple[int, ...]) -> tuple[int, int]:
    """The numbers of queries and keys. AssertionError unless there are two."""
    if len(size) != 2:
        raise AssertionError(f"{name} only supports 2D tensors")
    return size[0], size[1]
