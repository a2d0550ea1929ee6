"""Calls that are one operator here and several in PyTorch's dispatcher: the dispatcher gets them one after the other.

A composition returns None if the call is a single one for the dispatcher too.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight
from rushlight.core.aliases import Array
from rushlight.nn import functional
from rushlight.ops.products.products import _bmm, _mm, in_pairs, kron_shape
from rushlight.ops.shapes.shape import _unsafe_view

__all__ = ["COMPOSITIONS"]


def mm_turned(input: Array, weight: Array) -> Any:
    """A linear layer without bias, for a matrix."""
    return _mm(input, weight.t())


def linear(input: Array, weight: Array, bias: Array) -> Any:
    """A linear layer: the input is reshaped to a matrix if necessary."""
    if input.ndim == 2:
        return rushlight.addmm(bias, input, weight.t())
    rows = input.reshape(-1, input.shape[-1])
    return rushlight.addmm(bias, rows, weight.t()).view(*input.shape[:-1], weight.shape[0])


def folded(input: Array, other: Array) -> Any:
    """A product of a batch of matrices with a single matrix."""
    return _unsafe_view(_mm(input.reshape(-1, input.shape[-1]), other), (*input.shape[:-1], other.shape[-1]))


def broadcast(input: Array, other: Array) -> Any:
    """A product of batches of matrices whose shapes broadcast."""
    batch = tuple(np.broadcast_shapes(input.shape[:-2], other.shape[:-2]))
    first, second = (
        matrices.expand(*batch, *matrices.shape[-2:]).reshape(-1, *matrices.shape[-2:]) for matrices in (input, other)
    )
    return _unsafe_view(_bmm(first, second), (*batch, input.shape[-2], other.shape[-1]))


def batches(input: Array, mat2: Array) -> Any:
    """Products of matrices with several batch dimensions, which the dispatcher's `bmm` does not take."""
    return None if input.ndim == 3 else broadcast(input, mat2)


def outer(input: Array, vec2: Array) -> Any:
    """The product of a column and a row."""
    return input.view(-1, 1) * vec2


def kron(input: Array, other: Array, ndim: int) -> Any:
    """A Kronecker product: each pair of elements, then each pair of dimensions as one."""
    pairs = in_pairs(input, ndim, False) * in_pairs(other, ndim, True)
    return _unsafe_view(pairs, kron_shape(input, other, ndim))


def cross_entropy(input: Array, target: Array, factor: Array) -> tuple[Any, ...]:
    """log_softmax and nll_loss; the second result is saved for the operator's own derivative."""
    total = functional.nll_loss(input.log_softmax(1), target, reduction="sum" if factor == 1 else "mean")
    return total, None


def in_steps(input: Array, key: Any) -> Any:
    """Indexing with a key for several dimensions: one dimension after the other."""
    said = [item for item in key if item is not Ellipsis and item != slice(None)]
    if len(said) < 2 or any(isinstance(item, np.ndarray) for item in said):
        return None
    dim = 0
    for place, item in enumerate(key):
        if item is Ellipsis:
            dim = input.ndim - sum(one is not None for one in key[place + 1 :])
            continue
        if item is None:
            input = input.unsqueeze(dim)
        elif not isinstance(item, slice):
            input = input.select(dim, item)
            continue
        elif item != slice(None):
            input = input[(slice(None),) * dim + (item,)]
        dim += 1
    return input


COMPOSITIONS: dict[str, Callable[..., Any]] = {
    "bmm": batches,
    "kron": kron,
    "outer": outer,
    "broadcast": broadcast,
    "cross_entropy": cross_entropy,
    "folded": folded,
    "linear": linear,
    "look": in_steps,
    "mm_turned": mm_turned,
    "select": in_steps,
    "slice": in_steps,
}
