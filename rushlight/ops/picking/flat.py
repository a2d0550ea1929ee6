"""Elements at indices into the flattened tensor: `take` and `put`."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import Batched, aligned, spread
from rushlight.core.batching import by
from rushlight.dtypes import TYPE_NAMES
from rushlight.kernels.accumulate import add_rows, flat_index
from rushlight.kernels.parts import duplicate
from rushlight.kernels.picking import put_along, selected
from rushlight.ops.out import takes_out
from rushlight.ops.picking.indexed import beyond
from rushlight.ops.table import in_place, method, operator
from rushlight.tensors import Tensor

__all__ = ["put", "take"]


def places(index: Array, size: int, n: int) -> Array:
    """Flat indices of each example, offset so that they index all examples concatenated."""
    examples = math.prod(index.shape[:n])
    rows = index.reshape(examples, math.prod(index.shape[n:])) % max(size, 1)
    return (rows + size * np.arange(examples)[:, None]).reshape(index.shape)


def take_batch(op: Any, args: Sequence[Any], levels: Any) -> Array:
    """The batch rule of `take`."""
    input, index = args
    if type(index) is not Batched:
        array = aligned(input, levels)
        rows = array.reshape(*array.shape[: len(levels)], input.size)
        return rows[..., index]
    if type(input) is not Batched:
        return op.forward(input, aligned(index, levels))
    return op.forward(spread(input, levels), places(spread(index, levels), input.size, len(levels)))


def added_flat(n: int, input: Array, shape: Sequence[int], index: Array) -> Array:
    """The batch rule of the adjoint of `take`."""
    return _put_flat.forward(input, index.shape[:n] + shape, places(index, math.prod(shape), n))


def put_flat(n: int, input: Array, index: Array, source: Array, accumulate: bool) -> Array:
    """The batch rule of `put`."""
    return _put.forward(input, places(index, math.prod(input.shape[n:]), n), source, accumulate)


@operator(
    linear=True,
    batch=take_batch,
    input=lambda grad, input_shape, index: _put_flat(grad, input_shape, index),
    slopes={"input": "like input"},
)
def _take(input: Array, index: Array) -> Array:
    return selected(input.reshape(-1), index)


@operator(aten=(), linear=True, batch=by(added_flat), input=lambda grad, index: _take(grad, index), node="PutBackward0")
def _put_flat(input: Array, shape: Sequence[int], index: Array) -> Array:
    """Zeros of a given shape with `input` added at flat indices: the adjoint of `take`."""
    size = math.prod(shape)
    flat = flat_index([np.reshape(index, -1)], [size])
    return add_rows(flat, np.reshape(input, -1), size).reshape(shape)


def check_put(input: Tensor, index: Tensor, source: Tensor) -> None:
    """Raises PyTorch's errors for a source whose dtype or number of elements does not fit."""
    if source._array.dtype != input._array.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{TYPE_NAMES[input.dtype]} and source.dtype = {TYPE_NAMES[source.dtype]}"
        )
    if index._array.size != source._array.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source._array.size}, index.numel() = {index._array.size}"
        )


def check_flat(name: str, input: Tensor, index: Tensor, source: Tensor | None = None) -> None:
    """Raises PyTorch's errors for flat indices, or for a source, that do not fit."""
    array, size = index._array, input._array.size
    if array.dtype != np.int64:
        raise RuntimeError(f"{name}(): Expected a long tensor for index, but got {TYPE_NAMES[index.dtype]}")
    if source is not None:
        check_put(input, index, source)
    if array.size and size == 0:
        tried = "tried to take from" if source is None else "Tried to put elements into"
        raise IndexError(f"{name}(): {tried} an empty tensor")
    if (wrong := beyond(array, size)) is not None:
        raise IndexError(f"out of range: tried to access index {wrong} on a tensor of {size} elements.")


@takes_out
@method
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements at indices into the flattened tensor; the result has the shape of `index`.

    >>> import rushlight as torch
    >>> torch.take(torch.tensor([[1, 2], [3, 4]]), torch.tensor([0, -1]))
    tensor([1, 4])
    """
    check_flat("take", input, index)
    return _take(input, index)


@operator(
    layout="like first",
    additive=True,
    input=lambda grad, index, accumulate: (
        grad if accumulate else _put(grad, index, np.zeros_like(grad, shape=index.shape), False)
    ),
    source=lambda grad, index, source_shape: np.reshape(_take(grad, index), source_shape),
    batch=by(put_flat),
)
def _put(input: Array, index: Array, source: Array, accumulate: bool) -> Array:
    if accumulate:
        return input + _put_flat.forward(source, input.shape, index).astype(input.dtype, copy=False)
    out = duplicate(input)
    flat, places, values = out.reshape(-1), index.reshape(-1), source.reshape(-1)
    if not put_along(flat, places, 0, values):
        flat[places] = values
    return out


@in_place
@method
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of `input` with `source` written at indices into the flattened tensor, or added with `accumulate`.

    >>> import rushlight as torch
    >>> torch.put(torch.zeros(3), torch.tensor([0, 2]), torch.tensor([1.0, 2.0]))
    tensor([1., 0., 2.])
    """
    check_flat("put_", input, index, source)
    return _put(input, index, source, accumulate)
