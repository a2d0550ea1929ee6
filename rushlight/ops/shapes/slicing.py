"""Views of parts of a tensor: an index or a slice of a dimension, diagonals, windows, arbitrary strides."""

from collections.abc import Sequence
from functools import lru_cache
from operator import index as as_int
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import Batched
from rushlight.core.batching import inserting, leading
from rushlight.core.graph import TensorBase
from rushlight.core.operators import Operator
from rushlight.core.windows import PUT_BACK, READ, Window, address, memory_of
from rushlight.kernels.parts import assign, stacked
from rushlight.kernels.patches import added
from rushlight.kernels.steps import zeros
from rushlight.layouts import diagonal_of, extent, fast, laid_over, overlaps, shown
from rushlight.ops.arguments.dims import known_dim, wrap_dim
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = ["as_strided", "diagonal", "narrow", "select", "unbind"]

ALL = slice(None)


@operator(aten=(), linear=True, batch=leading, input=lambda grad, key: _look(grad, key))
def _place(input: Array, shape: Sequence[int], key: tuple[Any, ...]) -> Array:
    """Zeros of a given shape with `input` at a basic key: the adjoint of indexing with that key."""
    out = zeros(shape, input)
    part = out[key]
    if type(part) is np.ndarray and part.ndim:
        assign(part, input)
    else:
        out[key] = input
    return out


def enter_look(name: str, node: str, aten: Sequence[str] | None = None, **options: Any) -> Any:
    """Registers an operator that views a part of a tensor by a basic key: integers, slices, None and Ellipsis."""
    cotangent = lambda grad, input_shape, key: placed(grad, input_shape, key)
    enter = operator(name=name, view=True, node=node, aten=aten, input=cotangent, batch=leading, **options)
    return enter(viewed_at)


def viewed_at(input: Array, key: tuple[Any, ...]) -> Array:
    """The part at a basic key."""
    if None in key:
        return looked_at(input, key)
    part = input[key]
    return part if part.size else part_at(input, key)


def placed(grad: Array, shape: Sequence[int], key: tuple[Any, ...]) -> Any:
    """The adjoint of a view at a basic key: without new dimensions if it only has these, else among zeros."""
    if None in key and all(item is None or item is ... or item == ALL for item in key):
        return np.reshape(grad, shape)
    return _place(grad, shape, key)


def part_at(input: Array, key: tuple[Any, ...]) -> Array:
    """The part at a key of integers, slices and Ellipsis: without elements too it begins where its slices do."""
    part = input[key]
    if type(part) is not np.ndarray or part.size:
        return part
    place = key.index(...) if ... in key else len(key)
    rest = input.ndim - len(key) + (... in key)
    offset, strides = 0, []
    items = (*key[:place], *(ALL,) * rest, *key[place + 1 :])
    for item, n, step in zip(items, input.shape, shown(input), strict=True):
        if type(item) is slice:
            start, _, stride = item.indices(n)
            offset += start * step
            strides.append(stride * step)
        else:
            offset += item % n * step
    return laid_over(input, part.shape, tuple(strides), offset)


def looked_at(input: Array, key: tuple[Any, ...]) -> Array:
    """The part at a basic key with None: a new dimension steps over all of the dimension that follows."""
    part = input[key]
    if type(part) is not np.ndarray:
        return part
    shape, strides = input.shape, input.strides
    rest = input.ndim + key.count(None) + (... in key) - len(key)
    found, dim = [], 0
    for item in key:
        if item is None:
            found.append(shape[dim] * strides[dim] if dim < len(shape) else input.itemsize)
        elif item is ...:
            found += strides[dim : dim + rest]
            dim += rest
        else:
            if type(item) is slice:
                found.append(part.strides[len(found)])
            dim += 1
    start = part if part.size else part_at(input, tuple([item for item in key if item is not None]))
    return laid_over(start, part.shape, (*found, *strides[dim:]))


_select = enter_look("select", "SelectBackward0")
_slice = enter_look("slice", "SliceBackward0")
_look: Operator = enter_look("look", "UnsqueezeBackward0", ("unsqueeze",), reads_layout=True)


@method
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """A view of one index of a dimension, which is removed. IndexError if it is out of range.

    >>> import rushlight as torch
    >>> torch.select(torch.tensor([[1, 2], [3, 4]]), 1, 0)
    tensor([1, 3])
    """
    shape = input._array.shape
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim, index = wrap_dim(dim, len(shape)), as_int(index)
    if not -shape[dim] <= index < shape[dim]:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {dim}")
    return _select(input, (*(ALL,) * dim, index, ...))


def slice_of(input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    """A view of a slice of a dimension, with Python's rules for the bounds. RuntimeError for a step below 1."""
    if not input._array.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input._array.ndim)
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    return _slice(input, (*(ALL,) * dim, slice(start, end, step)))


Tensor.slice = slice_of


@method
def narrow(input: Tensor, dim: int, start: int | Tensor, length: int) -> Tensor:
    """A view of `length` indices of a dimension from `start` on. RuntimeError if they are not all within it.

    >>> import rushlight as torch
    >>> torch.narrow(torch.tensor([1, 2, 3, 4]), 0, 1, 2)
    tensor([2, 3])
    """
    shape = input._array.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if isinstance(start, Tensor) and (start.ndim or start._array.dtype.kind not in "iu"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    dim, start = wrap_dim(dim, len(shape)), as_int(start)
    size = shape[dim]
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    start = start + size if start < 0 else start
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return _slice(input, (*(ALL,) * dim, slice(start, start + length)))


# unbind


@operator(batch=inserting, name="unbind", view=True, input=lambda grad, dim: _pile(grad, dim, None))
def _unbind(input: Array, dim: int) -> tuple[Array, ...]:
    before = (ALL,) * dim
    return tuple([part_at(input, (*before, i, ...)) for i in range(input.shape[dim])])


@operator(
    aten="stack",
    layout="piled",
    linear=True,
    batch=inserting,
    joint=lambda grad, dim: _unbind(grad, dim),
    inputs=("arrays",),
    lists=("arrays",),
    node="StackBackward0",
)
def _pile(arrays: Sequence[Array], dim: int, dtype: np.dtype[Any] | None) -> Array:
    """Arrays of the same shape joined along a new dimension: the adjoint of `unbind`."""
    return stacked(arrays, dim, dtype)


@method
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of each index of a dimension, which is removed.

    >>> import rushlight as torch
    >>> torch.unbind(torch.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2]), tensor([3, 4]))
    """
    dim = wrap_dim(dim, input._array.ndim)
    return _unbind(input, known_dim(dim, input._array.shape))


# diagonals and windows


@operator(
    batch=leading,
    view=True,
    input=lambda grad, input_shape, offset, dim1, dim2: _place_diagonal(grad, input_shape, offset, dim1, dim2),
)
def _diagonal(input: Array, offset: int, dim1: int, dim2: int) -> Array:
    return diagonal_of(input, offset, dim1, dim2)


@operator(
    aten=(),
    linear=True,
    batch=leading,
    input=lambda grad, offset, dim1, dim2: _diagonal(grad, offset, dim1, dim2),
    node="DiagonalBackward0",
)
def _place_diagonal(input: Array, shape: Sequence[int], offset: int, dim1: int, dim2: int) -> Array:
    """Zeros of a given shape with `input` on a diagonal: the adjoint of `diagonal`."""
    out = zeros(shape, input)
    _diagonal.forward(out, offset, dim1, dim2)[...] = input
    return out


@method
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of a diagonal of two dimensions, as the last dimension; a positive `offset` is above the main diagonal.

    >>> import rushlight as torch
    >>> torch.diagonal(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    return _diagonal(input, offset, *two_dims(dim1, dim2, input._array.ndim))


def two_dims(dim1: int, dim2: int, ndim: int) -> tuple[int, int]:
    """The dimensions of a diagonal as non-negative numbers; RuntimeError if they are one."""
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return first, second


def length_of_diagonal(rows: int, columns: int, offset: int) -> int:
    """The number of elements on a diagonal of a matrix."""
    return max(0, min(rows + min(offset, 0), columns - max(offset, 0)))


@operator(
    batch=leading, view=True, input=lambda grad, input_shape, dim, size, step: _fold(grad, input_shape, dim, size, step)
)
def _unfold(input: Array, dim: int, size: int, step: int) -> Array:
    if input.ndim == 0:
        return input.reshape(1)[:size]
    if type(input) is not np.ndarray:
        out = np.lib.stride_tricks.sliding_window_view(input, size, dim, writeable=input.flags.writeable)
        return out[(*(ALL,) * dim, slice(None, None, step))]
    shape, strides = input.shape, input.strides
    count = (shape[dim] - size) // step + 1
    sizes = (*shape[:dim], count, *shape[dim + 1 :], size)
    return laid_over(input, sizes, (*strides[:dim], strides[dim] * step, *strides[dim + 1 :], strides[dim]))


@operator(
    aten="col2im",
    batch=leading,
    input=lambda grad, dim, size, step: _unfold(grad, dim, size, step),
    node="UnfoldBackward0",
)
def _fold(input: Array, shape: Sequence[int], dim: int, size: int, step: int) -> Array:
    """The sum of overlapping windows, each added at its position: the adjoint of `unfold`."""
    if not shape:
        return input.sum(dtype=input.dtype).reshape(())
    return added(input, tuple(shape), dim, step)


@method
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """A view of all windows of `size` along a dimension, `step` apart; the elements of a window are the last dimension.

    RuntimeError for a size greater than that of the dimension and for a step below 1.

    >>> import rushlight as torch
    >>> torch.tensor([1, 2, 3, 4]).unfold(0, 2, 1)
    tensor([[1, 2],
            [2, 3],
            [3, 4]])
    """
    shape = input._array.shape
    dim = wrap_dim(dimension, len(shape))
    limit = shape[dim] if shape else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > limit:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {limit} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return _unfold(input, dim, size, step)


# arbitrary strides


def strided_cotangent(grad: Any, place: Any) -> Any:
    """The gradient of `as_strided`: added into an array like the memory, then read at the input's elements.

    If several elements of the input share a position in memory, they share its gradient.
    """
    seen, source = windows_at(place, (grad._array if isinstance(grad, TensorBase) else grad).dtype)
    memory = PUT_BACK(grad, seen)
    if overlaps(source.shape, source.strides, source.dtype.itemsize):
        counts = source.put_back(np.ones(source.shape, source.dtype))
        memory = memory / np.maximum(counts.real, 1).astype(counts.real.dtype)
    return READ(memory, source)


def strided_batch(op: Any, args: Sequence[Any], levels: Any) -> Array:
    """The batch rule of `as_strided`, applied to the memory of each example."""
    input, place = args
    array, n = input.array, len(levels)
    size, steps, offset = in_bytes(place, array.itemsize)
    return laid_over(array, array.shape[:n] + size, array.strides[:n] + steps, offset)


@operator(reads_layout=True, view=True, batch=strided_batch, input=strided_cotangent, holomorphic=False)
def _as_strided(input: Array, place: Any) -> Array:
    """The elements at a place in memory: see `strided_place`."""
    if fast is not None and type(input) is np.ndarray:
        return fast.strided(input, place)
    return laid_over(input, *in_bytes(place, input.itemsize))


def in_bytes(place: Any, itemsize: int) -> tuple[Any, ...]:
    """The sizes, strides and offset of a place, the last two in bytes."""
    size, stride, offset = place[:3]
    return size, tuple([s * itemsize for s in stride]), offset * itemsize


@method
def as_strided(input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    """A view of the tensor's memory with any sizes and strides, counted in elements.

    If `input` is a view, the memory is that of its base. Without `storage_offset` the view starts where `input` does.
    RuntimeError for elements outside the memory.

    >>> import rushlight as torch
    >>> torch.as_strided(torch.tensor([1, 2, 3, 4]), (3, 2), (1, 1))
    tensor([[1, 2],
            [2, 3],
            [3, 4]])
    """
    return _as_strided(input, strided_place(input, size, stride, storage_offset))


def check_example(array: Batched, size: Sequence[int], stride: Sequence[int], start: int, offset: int) -> None:
    """RuntimeError if a new view would contain memory beyond an example's first and last element."""
    call = f"result = tensor.as_strided({list(size)}, {list(stride)}, {offset}) can access memory outside of `tensor`."
    end = offset + extent(size, stride, 1)
    last = start + extent(array.shape, [step // array.itemsize for step in array.strides], 1)
    if 0 in size or (start <= offset and end <= last and 0 not in array.shape):
        return
    found = (
        "`tensor` has no storage but the passed-in (size, stride, storage_offset) imply a result with some storage."
        if 0 in array.shape
        else f"`result` can access some memory in range [{offset}, {end}], but `tensor` can only access some memory in "
        f"range [{start}, {last}]."
    )
    raise RuntimeError(
        f"{call} {found} This is not supported inside of vmap, please try to rewrite the `as_strided` call as a "
        "sequence of PyTorch view operations"
    )


def strided_place(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None
) -> tuple[Any, ...]:
    """Where a view of any strides is in memory, and where `input` is. Raises PyTorch's errors.

    The sizes, strides and the offset from the first element of `input`, in elements; its own shape, and the bytes of
    its strides and of an element.
    """
    array = input._settled()
    size, stride, offset = tuple(size), tuple(stride), 0
    if storage_offset is not None:
        offset = as_int(storage_offset) - start_of(input)
    if fast is not None and type(array) is np.ndarray:
        found = fast.place(array, size, stride, offset)
        if found is not None:
            return found
    size, stride = tuple(map(as_int, size)), tuple(map(as_int, stride))
    check_place(input, size, stride, offset)
    return size, stride, offset, array.shape, array.strides, array.itemsize


def start_of(input: Tensor) -> int:
    """The offset of a tensor in its memory, in elements."""
    array, base = input._settled(), memory_of(input)
    return 0 if array is base else (address(array) - address(base)) // array.itemsize


def check_place(input: Tensor, size: Sequence[int], stride: Sequence[int], offset: int) -> None:
    """Raises PyTorch's errors for a view that is not in a tensor's memory."""
    array, base, start = input._settled(), memory_of(input), start_of(input)
    held = base.nbytes if base.flags.c_contiguous else extent(base.shape, base.strides, base.itemsize)
    itemsize, first = array.itemsize, start + offset
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if min(stride, default=0) < 0:
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if type(array) is Batched:
        check_example(array, size, stride, start, first)
    if first < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {first}")
    needed = (extent(size, stride, 1) + (first if 0 not in size else 0)) * itemsize
    if needed > held:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {first}, and "
            f"itemsize {itemsize} requiring a storage size of {needed} are out of bounds for storage of size {held}"
        )


@lru_cache(maxsize=1024)
def windows_at(place: tuple[Any, ...], dtype: np.dtype) -> tuple[Window, ...]:
    """The windows of the view at a place and of its source in the memory that both need, with elements of a dtype."""
    size, steps, offset = in_bytes(place, dtype.itemsize)
    shape, held, itemsize = place[3:]
    strides = tuple([s // itemsize * dtype.itemsize for s in held])
    first = min(offset, 0)
    end = max(offset + extent(size, steps, dtype.itemsize), extent(shape, strides, dtype.itemsize)) - first
    memory = (end // dtype.itemsize,), (dtype.itemsize,), dtype
    return Window(memory, (size, steps, dtype), offset - first), Window(memory, (shape, strides, dtype), -first)
