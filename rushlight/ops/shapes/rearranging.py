"""Reordering and repeating elements: flips, rolls, rotations, repetitions."""

import math
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import grown
from rushlight.core.batching import by, leading, refusal
from rushlight.core.graph import TensorBase
from rushlight.dtypes import TYPE_NAMES, from_numpy_dtype
from rushlight.kernels.moves import flipped, rolled
from rushlight.kernels.parts import tiled
from rushlight.layouts import contiguous_format
from rushlight.ops.arguments.dims import sequence, wrap_dim, wrap_dims
from rushlight.ops.making.copying import _clone
from rushlight.ops.picking.indexed import index_select
from rushlight.ops.shapes.broadcasting import _expand
from rushlight.ops.shapes.shape import flatten, unsqueeze
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = ["flip", "fliplr", "flipud", "repeat_interleave", "roll", "rot90", "tile"]


@operator(
    saved_as={"dims": "dims"},
    layout="like first",
    linear=True,
    batch=leading,
    input=lambda grad, dims: _flip(grad, dims),
)
def _flip(input: Array, dims: tuple[int, ...]) -> Array:
    return flipped(input, dims)


@method
def flip(input: Tensor, *numbers: int | Sequence[int], dims: Sequence[int] | None = None) -> Tensor:
    """A copy with the elements reversed along some dimensions.

    >>> import rushlight as torch
    >>> torch.flip(torch.tensor([[1, 2], [3, 4]]), (0,))
    tensor([[3, 4],
            [1, 2]])
    """
    ndim = input._array.ndim
    dims = wrap_dims(sequence("flip", "dims", numbers, dims), ndim)
    return _flip(input, dims if ndim else ())


def reversed_rows(self: Tensor) -> Tensor:
    """`reversed(x)`: the tensor with its first dimension in reverse order; a number as it is."""
    return flip(self, 0) if self._array.ndim else self


Tensor.__reversed__ = reversed_rows


@method
def fliplr(input: Tensor) -> Tensor:
    """A copy with the columns reversed. RuntimeError for fewer than two dimensions.

    >>> import rushlight as torch
    >>> torch.fliplr(torch.tensor([[1, 2]]))
    tensor([[2, 1]])
    """
    if input._array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return _flip(input, (1,))


@method
def flipud(input: Tensor) -> Tensor:
    """A copy with the rows reversed. RuntimeError for a tensor without dimensions.

    >>> import rushlight as torch
    >>> torch.flipud(torch.tensor([1, 2]))
    tensor([2, 1])
    """
    if input._array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return _flip(input, (0,))


def roll_batch(n: int, input: Array, shifts: Any, dims: Sequence[int]) -> Any:
    """The batch rule of `roll`."""
    if dims:
        return np.roll(input, shifts, [dim + n for dim in dims])
    sizes = input.shape[:n]
    return np.roll(input.reshape(*sizes, -1), shifts[0], n).reshape(input.shape)


@operator(
    saved_as={"dims": "dims"},
    layout="channels last",
    linear=True,
    input=lambda grad, shifts, dims: _roll(grad, tuple([-s for s in shifts]), dims),
    batch=by(roll_batch),
)
def _roll(input: Array, shifts: Sequence[int], dims: Sequence[int]) -> Array:
    return rolled(input, shifts, dims)


@method
def roll(input: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] = ()) -> Tensor:
    """A copy with the elements shifted along dimensions; elements shifted beyond the end re-enter at the start.

    Without `dims` the flattened tensor is shifted.

    >>> import rushlight as torch
    >>> torch.roll(torch.tensor([1, 2, 3]), 1)
    tensor([3, 1, 2])
    """
    shifts, dims = sequence("roll", "shifts", (shifts,)), sequence("roll", "dims", (dims,))
    if not shifts:
        raise RuntimeError("`shifts` required")
    if not dims and len(shifts) == 1:
        return _roll(input, shifts, ())
    if len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if input._array.ndim == 0:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    return _roll(input, shifts, tuple([wrap_dim(dim, input._array.ndim) for dim in dims]))


@operator(
    saved_as={"dims": "dims"},
    layout="turned",
    linear=True,
    batch=leading,
    name="rot90",
    input=lambda grad, k, dims: _rot90(grad, -k, dims),
)
def _rot90(input: Array, k: int, dims: tuple[int, int]) -> Array:
    turns, (first, second) = k % 4, dims
    if turns == 0:
        return input.copy()
    flips = ((second,), dims, (first,))[turns - 1]
    turned = flipped(input, flips)
    return turned if turns == 2 else turned.swapaxes(first, second)


@method
def rot90(input: Tensor, k: int = 1, dims: tuple[int, int] = (0, 1)) -> Tensor:
    """A copy rotated by k times 90 degrees, from the first of two dimensions towards the second.

    >>> import rushlight as torch
    >>> torch.rot90(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    ndim = input._array.ndim
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {ndim}")
    first, second = (wrap_dim(dim, ndim) for dim in dims)
    if first == second:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    return _rot90(input, k, (first, second))


def repeat_cotangent(grad: Array, input_shape: Sequence[int], repeats: Sequence[int]) -> Array:
    """The gradient, summed over all repetitions."""
    extra = len(repeats) - len(input_shape)
    shape = (1,) * extra + tuple(input_shape)
    split = [n for pair in zip(repeats, shape, strict=True) for n in pair]
    total = np.add.reduce(np.reshape(grad, split), axis=tuple(range(0, len(split), 2)))
    return np.reshape(total, input_shape)


def repeat_batch(n: int, input: Array, repeats: Any) -> Any:
    """The batch rule of `repeat`."""
    return np.tile(grown(input, n, len(repeats)), (1,) * n + tuple(repeats))


@operator(linear=True, input=repeat_cotangent, batch=by(repeat_batch))
def _repeat(input: Array, repeats: Sequence[int]) -> Array:
    return tiled(input, repeats)


def repeat(input: Tensor, *counts: int | Sequence[int], repeats: tuple[int, ...] | None = None) -> Tensor:
    """A copy repeated so many times along each dimension; more numbers than dimensions add leading dimensions.

    >>> import rushlight as torch
    >>> torch.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    counts, shape = sequence("repeat", "repeats", counts, repeats), input._array.shape
    if len(counts) < len(shape):
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    sizes = [n * m for n, m in zip(counts, (1,) * (len(counts) - len(shape)) + shape, strict=True)]
    if min(counts, default=0) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(sizes)}: {sizes}")
    return _repeat(input, counts)


method(repeat)


@method
def tile(input: Tensor, *counts: int, dims: tuple[int, ...] | None = None) -> Tensor:
    """`repeat`, with 1 for leading dimensions that are not given.

    >>> import rushlight as torch
    >>> torch.tile(torch.tensor([[1, 2]]), (2,))
    tensor([[1, 2, 1, 2]])
    """
    counts = sequence("tile", "dims", counts, dims)
    return repeat(input, (1,) * (input._array.ndim - len(counts)) + counts)


@method
def repeat_interleave(
    input: Any = None, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """A copy in which each element along a dimension (without `dim`: of the flattened tensor) is repeated in place.

    `repeats` is one number, or a tensor with a number for each index. If such a tensor is the only argument, the
    repeated indices are returned. RuntimeError for negative numbers, and if `output_size` is not their sum.

    >>> import rushlight as torch
    >>> torch.repeat_interleave(torch.tensor([1, 2]), torch.tensor([2, 1]))
    tensor([1, 1, 2])
    """
    if repeats is None or input is None:
        return indices_of(input if repeats is None else repeats, output_size)
    if dim is None:
        input, dim = flatten(input), 0
    dim = wrap_dim(dim, input._array.ndim)
    if not isinstance(repeats, TensorBase):
        return repeat_evenly(input, repeats, dim)
    if not input._array.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    array, size = repeats._array, input._array.shape[dim]
    if array.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if array.ndim and array.size not in (1, size):
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{array.size} and input.size({dim}) = {size}"
        )
    counts = repeats.reshape(-1).expand(size)
    return index_select(input, dim, indices_of(counts, output_size))


def repeat_evenly(input: Tensor, n: int, dim: int) -> Tensor:
    """Each element along a dimension repeated n times: an expanded view, flattened."""
    n = index(n)
    if n < 0:
        raise RuntimeError("Repeats must be non-negative")
    shape, next_dim = input._array.shape, dim + 1
    apart = unsqueeze(input, next_dim)
    spread = _clone(_expand(apart, (*shape[:next_dim], n, *shape[next_dim:])), contiguous_format)
    return flatten(spread, dim, next_dim)


def repeated_batch(n: int, counts: Array, output_size: Any) -> Array:
    """The batch rule of repeated indices: all examples must have the same total."""
    rows = counts.reshape(math.prod(counts.shape[:n]), counts.shape[n])
    totals = rows.sum(1)
    if np.unique(totals).size > 1:
        raise refusal("repeat_interleave")
    return np.stack([_repeated.forward(row, output_size) for row in rows]).reshape(*counts.shape[:n], -1)


@operator(shape_of_values=True, batch=by(repeated_batch), name="repeat_interleave")
def _repeated(counts: Array, output_size: int | None) -> Array:
    if output_size is not None and output_size != counts.sum():
        raise RuntimeError("allocated size does not match required size")
    return np.repeat(np.arange(counts.size, like=counts), counts)


def indices_of(repeats: Tensor, output_size: int | None) -> Tensor:
    """Each index, repeated as often as `repeats` says."""
    counts = repeats._array
    if counts.dtype not in (np.int32, np.int64):
        name = TYPE_NAMES[from_numpy_dtype(counts.dtype)]
        raise NotImplementedError(f"\"repeat_interleave_cpu\" not implemented for '{name}'")
    if counts.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if counts.size and counts.min() < 0:
        raise RuntimeError("repeats can not be negative")
    return _repeated(repeats, output_size)
