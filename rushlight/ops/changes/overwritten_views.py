"""Copies of a tensor in which the elements of a view are replaced: `select_scatter` and the like."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import leading, on_more_levels
from rushlight.core.windows import PUT_BACK, READ, Window, address, outermost
from rushlight.layouts import extent, is_dense, is_repeated, laid_over, overlaps, owned
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.out import takes_out
from rushlight.ops.shapes.slicing import ALL, _diagonal, _look, length_of_diagonal, strided_place, two_dims, windows_at
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = ["as_strided_scatter", "diagonal_scatter", "select_scatter", "slice_scatter"]


def enter(name: Any, node: str) -> Any:
    """Registers an operator that replaces the elements that a basic indexing key selects."""
    enter = operator(
        name=name,
        node=node,
        batch=leading,
        layout="with gaps",
        additive=True,
        input=lambda grad, key, src_shape: OVERWRITE(grad, np.zeros_like(grad, shape=src_shape), key),
        src=lambda grad, key: _look(grad, key),
    )
    return enter(overwritten)


def overwritten(input: Array, src: Array, key: Any) -> Array:
    """A copy of `input` with `src` at the elements that `key` selects."""
    out = with_memory(input)
    out[key] = src
    return out


def with_memory(array: Array) -> Array:
    """A copy of an array in a copy of all of its memory; alone if some of its elements share theirs."""
    if type(array) is not np.ndarray or array.base is None or is_repeated(array):
        return owned(array)
    whole = outermost(array)
    if whole.size == array.size or overlaps(array.shape, array.strides, array.itemsize) or not is_dense(whole):
        return owned(array)
    start = address(array) - address(whole)
    return laid_over(whole.copy("K").view(array.dtype), array.shape, array.strides, start)


def in_its_memory(result: Tensor) -> Tensor:
    """A result that shows all of the memory that it is a part of, as its storage."""
    array = result._array
    if type(array) is np.ndarray and array.base is not None and (whole := outermost(array)).size > array.size:
        result._memory = whole
    return result


_select_scatter = OVERWRITE = enter("select_scatter", "SelectScatterBackward0")
_slice_scatter = enter("slice_scatter", "SliceScatterBackward0")


def check_shape(src: Tensor, expected: Sequence[int]) -> None:
    """Raises RuntimeError for a source whose shape is not that of the view."""
    if src._array.shape != expected:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src._array.shape)}, slice size = {list(expected)}"
        )


@method
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy of `input` with `src` in place of `input.select(dim, index)`.

    >>> import rushlight as torch
    >>> torch.select_scatter(torch.zeros(2, 2), torch.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    shape = input._array.shape
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, len(shape))
    if not -shape[dim] <= index < shape[dim]:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {dim}")
    check_shape(src, shape[:dim] + shape[dim + 1 :])
    return in_its_memory(_select_scatter(input, src, (*(ALL,) * dim, index, ...)))


@takes_out
@method
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """A copy of `input` with `src` in place of a slice of a dimension.

    >>> import rushlight as torch
    >>> torch.slice_scatter(torch.zeros(4), torch.ones(2), start=1, end=3)
    tensor([0., 1., 1., 0.])
    """
    shape = input._array.shape
    if not shape:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, len(shape))
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    size = len(range(*slice(start, end, step).indices(shape[dim])))
    check_shape(src, (*shape[:dim], size, *shape[dim + 1 :]))
    return in_its_memory(_slice_scatter(input, src, (*(ALL,) * dim, slice(start, end, step))))


@operator(
    layout="with gaps",
    batch=leading,
    additive=True,
    input=lambda grad, offset, dim1, dim2, src_shape: _diagonal_scatter(
        grad, np.zeros_like(grad, shape=src_shape), offset, dim1, dim2
    ),
    src=lambda grad, offset, dim1, dim2: _diagonal(grad, offset, dim1, dim2),
    name="diagonal_scatter",
)
def _diagonal_scatter(input: Array, src: Array, offset: int, dim1: int, dim2: int) -> Array:
    out = with_memory(input)
    _diagonal.forward(out, offset, dim1, dim2)[...] = src
    return out


@method
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy of `input` with `src` on a diagonal of two of its dimensions.

    >>> import rushlight as torch
    >>> torch.diagonal_scatter(torch.zeros(2, 2), torch.ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    shape = input._array.shape
    first, second = two_dims(dim1, dim2, len(shape))
    rest = [n for d, n in enumerate(shape) if d not in (first, second)]
    check_shape(src, (*rest, length_of_diagonal(shape[first], shape[second], offset)))
    return in_its_memory(_diagonal_scatter(input, src, offset, first, second))


def view_within(array: Any, seen: Window, own: Window) -> Any:
    """The view of an array that a window shows, where it lies within the array, which has no gaps; otherwise None."""
    if type(array) is not np.ndarray or array.strides != own.strides or array.dtype != seen.dtype:
        return None
    start = seen.offset - own.offset
    end = start + extent(seen.shape, seen.strides, array.itemsize)
    inside = is_dense(array) and start >= 0 and end <= array.nbytes
    return laid_over(array, seen.shape, seen.strides, start) if inside else None


def overwritten_at_once(input: Any, src: Any, seen: Window, own: Window) -> Array | None:
    """What `_as_strided_scatter` gives, where the view lies within the input, which has no gaps; otherwise None."""
    if view_within(input, seen, own) is None or type(src) is not np.ndarray or src.dtype != input.dtype:
        return None
    out = owned(input)
    view_within(out, seen, own)[...] = src
    return out


def seen_cotangent(grad: Array, seen: Window, own: Window) -> Array:
    """The part of the gradient that the view shows."""
    found = view_within(grad, seen, own)
    return READ(PUT_BACK(grad, own), seen) if found is None else found.copy()


@operator(
    input=lambda grad, seen, own, src_shape: _as_strided_scatter(grad, np.zeros_like(grad, shape=src_shape), seen, own),
    src=lambda grad, seen, own: seen_cotangent(grad, seen, own),
    name="as_strided_scatter",
    holomorphic=False,
    additive=True,
    batch=on_more_levels,
    layout="as computed",
)
def _as_strided_scatter(input: Array, src: Array, seen: Window, own: Window) -> Array:
    if (found := overwritten_at_once(input, src, seen, own)) is not None:
        return found
    memory = own.replace(np.zeros(own.base_shape, own.base_dtype), input)
    return own.read(seen.replace(memory, src))


@method
def as_strided_scatter(
    input: Tensor, src: Tensor, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: int | None = None
) -> Tensor:
    """A copy of `input` with `src` at the elements that `as_strided` selects; it has the strides of `input`.

    >>> import rushlight as torch
    >>> torch.as_strided_scatter(torch.zeros(2, 2), torch.ones(2), (2,), (3,))
    tensor([[1., 0.],
            [0., 1.]])
    """
    array = input._settled()
    if not array.flags.c_contiguous and overlaps(array.shape, array.strides, array.itemsize):
        input = input.contiguous()
    seen, own = windows_at(strided_place(input, size, stride, storage_offset), input._array.dtype)
    check_shape(src, tuple(size))
    return _as_strided_scatter(input, src, seen, own)
