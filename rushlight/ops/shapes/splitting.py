"""Splitting tensors along a dimension: into equal pieces, pieces of given sizes, or at given indices."""

from collections.abc import Sequence
from operator import index as as_int
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import leading
from rushlight.core.graph import TensorBase
from rushlight.dtypes import TYPE_NAMES
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.shapes.joining import concatenation
from rushlight.ops.shapes.slicing import ALL, narrow, part_at
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = [
    "chunk",
    "dsplit",
    "hsplit",
    "split",
    "split_with_sizes",
    "tensor_split",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
    "vsplit",
]

Sections = int | tuple[int, ...] | list[int]
MOST_PIECES = 1 << 32


def enter(name: Any, node: str, view: bool) -> Any:
    """Registers an operator that splits into pieces of given sizes."""
    cotangent = lambda grad, sizes, dim: concatenation(grad, dim)
    return operator(name=name, node=node, view=view, linear=True, input=cotangent, batch=leading, layout="as computed")(
        pieces
    )


def pieces(input: Array, sizes: Sequence[int], dim: int) -> tuple[Array, ...]:
    """Views of consecutive pieces of a dimension."""
    before, start, parts = (ALL,) * dim, 0, []
    for size in sizes:
        parts.append(part_at(input, (*before, slice(start, start + size))))
        start += size
    return tuple(parts)


_split = enter("split", "SplitBackward0", True)
_split_with_sizes = enter("split_with_sizes", "SplitWithSizesBackward0", True)
_unsafe_split = enter("unsafe_split", "UnsafeSplitBackward0", False)
_unsafe_split_with_sizes = enter("unsafe_split_with_sizes", "UnsafeSplitWithSizesBackward0", False)


def equal_sizes(input: Tensor, split_size: int, dim: int, name: str) -> tuple[int, ...]:
    """Sizes of pieces of `split_size`, the last of which may be smaller."""
    size = extent(input, dim, name)
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    if split_size == 0:
        if size:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
        return (0,)
    return tuple([min(split_size, size - start) for start in range(0, size, split_size)]) or (0,)


def extent(input: Any, dim: Any, name: str) -> int:
    """The size of a dimension; RuntimeError for a tensor without dimensions."""
    if input._array.ndim == 0:
        raise RuntimeError(f"{name} expects at least a 1-dimensional tensor")
    return input._array.shape[dim]


def checked_sizes(input: Tensor, sizes: Sequence[int], dim: int) -> tuple[int, ...]:
    """The given sizes of pieces; RuntimeError if they do not add up to the dimension."""
    sizes = tuple([as_int(n) for n in sizes])
    size = extent(input, dim, "split")
    if min(sizes, default=0) < 0:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={list(sizes)}"
        )
    if sum(sizes) != size:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at dimension "
            f"{dim}), but got split_sizes={list(sizes)}"
        )
    return sizes


@method
def split(tensor: Tensor, split_size_or_sections: Sections, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive pieces of a dimension: of equal size (the last may be smaller), or of given sizes.

    >>> import rushlight as torch
    >>> torch.split(torch.tensor([1, 2, 3]), 2), torch.split(torch.tensor([1, 2, 3]), [1, 2])
    ((tensor([1, 2]), tensor([3])), (tensor([1]), tensor([2, 3])))
    """
    extent(tensor, 0, "split")
    dim = wrap_dim(dim, tensor._array.ndim)
    if isinstance(split_size_or_sections, (tuple, list)):
        return _split_with_sizes(tensor, checked_sizes(tensor, split_size_or_sections, dim), dim)
    whole = int if isinstance(split_size_or_sections, TensorBase) else as_int
    return _split(tensor, equal_sizes(tensor, whole(split_size_or_sections), dim, "split"), dim)


@method
def split_with_sizes(input: Tensor, split_sizes: tuple[int, ...], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive pieces of given sizes.

    >>> import rushlight as torch
    >>> torch.split_with_sizes(torch.tensor([1, 2, 3]), [1, 2])
    (tensor([1]), tensor([2, 3]))
    """
    extent(input, 0, "split")
    dim = wrap_dim(dim, input._array.ndim)
    return _split_with_sizes(input, checked_sizes(input, split_sizes, dim), dim)


def chunk_sizes(input: Tensor, chunks: int, dim: int) -> tuple[int, ...]:
    """The sizes of at most `chunks` pieces, all equal except the last."""
    size = extent(input, dim, "chunk")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    if size == 0:
        return (0,) * chunks
    return equal_sizes(input, -(-size // chunks), dim, "chunk")


@method
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of at most `chunks` pieces of equal size, the last of which may be smaller.

    >>> import rushlight as torch
    >>> torch.chunk(torch.tensor([1, 2, 3]), 2)
    (tensor([1, 2]), tensor([3]))
    """
    extent(input, 0, "chunk")
    dim = wrap_dim(dim, input._array.ndim)
    return _split(input, chunk_sizes(input, chunks, dim), dim)


@method
def unsafe_split(tensor: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`split` whose results do not count as views: changing one in place does not affect the graph of the others.

    >>> import rushlight as torch
    >>> torch.unsafe_split(torch.arange(5), 3)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    dim = wrap_dim(dim, tensor._array.ndim)
    return _unsafe_split(tensor, equal_sizes(tensor, split_size, dim, "split"), dim)


@method
def unsafe_split_with_sizes(input: Tensor, split_sizes: tuple[int, ...], dim: int = 0) -> tuple[Tensor, ...]:
    """`split_with_sizes` whose results do not count as views.

    >>> import rushlight as torch
    >>> torch.unsafe_split_with_sizes(torch.arange(5), [1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """
    dim = wrap_dim(dim, input._array.ndim)
    return _unsafe_split_with_sizes(input, checked_sizes(input, split_sizes, dim), dim)


@method
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`chunk` whose results do not count as views.

    >>> import rushlight as torch
    >>> torch.unsafe_chunk(torch.arange(4), 2)
    (tensor([0, 1]), tensor([2, 3]))
    """
    extent(input, 0, "chunk")
    dim = wrap_dim(dim, input._array.ndim)
    return _unsafe_split(input, chunk_sizes(input, chunks, dim), dim)


@method
def tensor_split(input: Tensor, indices_or_sections: Sections | Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of a number of pieces, whose sizes differ by at most one, or of the pieces between given indices.

    >>> import rushlight as torch
    >>> torch.tensor_split(torch.tensor([1, 2, 3]), 2), torch.tensor_split(torch.tensor([1, 2, 3]), (1,))
    ((tensor([1, 2]), tensor([3])), (tensor([1]), tensor([2, 3])))
    """
    if input._array.ndim == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    dim = wrap_dim(dim, input._array.ndim)
    given = listed(indices_or_sections) if isinstance(indices_or_sections, TensorBase) else indices_or_sections
    size = input._array.shape[dim]
    if isinstance(given, (tuple, list)):
        bounds = [slice(i).indices(size)[1] for i in given]
    else:
        if given <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {given}")
        if given > MOST_PIECES:
            raise RuntimeError(f"std::bad_alloc: {given} tensors, most of them empty, take more memory than there is")
        small, larger = divmod(size, given)
        bounds = [k * small + min(k, larger) for k in range(1, given)]
    starts, ends = [0, *bounds], [*bounds, size]
    return tuple([narrow(input, dim, start, max(end - start, 0)) for start, end in zip(starts, ends, strict=True)])


def listed(places: Tensor) -> Any:
    """The number of pieces, or the indices, in a tensor given to `tensor_split`. RuntimeError for any other tensor."""
    array, wanted = places._array, "tensor_split expected tensor_indices_or_sections to"
    if array.ndim > 1:
        raise RuntimeError(
            f"{wanted} be a zero-dimensional or one-dimensional tensor, but got a tensor with {array.ndim} dims"
        )
    if places.is_meta:
        raise RuntimeError(f"{wanted} be on cpu, but it's on meta")
    if array.dtype != np.int64:
        raise RuntimeError(f"{wanted} have dtype of long, but got {TYPE_NAMES[places.dtype]}")
    return places.tolist()


def split_along(input: Tensor, given: Any, dim: int, name: str, least: int) -> tuple[Tensor, ...]:
    """`tensor_split` along the dimension of `hsplit`, `vsplit` or `dsplit`; a number of pieces must divide its size."""
    array = input._array
    if array.ndim < least:
        raise RuntimeError(
            f"torch.{name} requires a tensor with at least {least} dimension{'s' if least > 1 else ''}, but got a "
            f"tensor with {array.ndim} dimensions!"
        )
    if isinstance(given, int) and (given == 0 or array.shape[dim] % given):
        raise RuntimeError(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
            f"{array.shape[dim]} is not divisible by the split_size {given}!"
        )
    return tensor_split(input, given, dim)


@method
def hsplit(input: Tensor, indices_or_sections: Sections) -> tuple[Tensor, ...]:
    """Splits along the second dimension (the first for vectors), into equal pieces or at indices.

    >>> import rushlight as torch
    >>> torch.hsplit(torch.tensor([[1, 2]]), 2)
    (tensor([[1]]), tensor([[2]]))
    """
    return split_along(input, indices_or_sections, 0 if input._array.ndim == 1 else 1, "hsplit", 1)


@method
def vsplit(input: Tensor, indices_or_sections: Sections) -> tuple[Tensor, ...]:
    """Splits along the first dimension, into equal pieces or at indices.

    >>> import rushlight as torch
    >>> torch.vsplit(torch.tensor([[1], [2]]), 2)
    (tensor([[1]]), tensor([[2]]))
    """
    return split_along(input, indices_or_sections, 0, "vsplit", 2)


@method
def dsplit(input: Tensor, indices_or_sections: Sections) -> tuple[Tensor, ...]:
    """Splits along the third dimension, into equal pieces or at indices.

    >>> import rushlight as torch
    >>> torch.dsplit(torch.tensor([[[1, 2]]]), 2)
    (tensor([[[1]]]), tensor([[[2]]]))
    """
    return split_along(input, indices_or_sections, 2, "dsplit", 3)
