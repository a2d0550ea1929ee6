"""`x[key]` and `x[key] = value`."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.arrays import is_array
from rushlight.core.batched import Batched
from rushlight.core.graph import TensorBase, new_tensor, unbroadcast
from rushlight.core.inplace import change, check_history, is_followed, without_history
from rushlight.core.interpreters import noted
from rushlight.core.narrow import in_float32
from rushlight.core.operators import call
from rushlight.core.recording import recording
from rushlight.core.writing import check_apart, check_memory, shares
from rushlight.dtypes import TYPE_NAMES
from rushlight.kernels.accumulate import add_rows, flat_index
from rushlight.kernels.masks import scattered, selected
from rushlight.kernels.picking import put_along, take_along
from rushlight.kernels.steps import zeros
from rushlight.layouts import owned
from rushlight.ops.arguments.keys import (
    as_index,
    as_torch,
    basic_and_arrays,
    check_masks,
    check_step,
    is_basic,
    last_operation,
    with_ellipsis,
)
from rushlight.ops.changes.filling import checked_number
from rushlight.ops.picking.batched_indexing import picked, put_back, put_in
from rushlight.ops.shapes.dimensions import _alias
from rushlight.ops.shapes.slicing import ALL, _look, _select, _slice
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = ["index_put"]

ENTRIES: dict[str, Any] = {"select": _select, "slice": _slice, "unsqueeze": _look}
NUMBERS = (bool, int, float, complex, np.generic)
ASSIGNED: Any = (TensorBase, *NUMBERS)


def has_mask(arrays: Sequence[Array]) -> bool:
    """Whether one of the arrays is a mask."""
    return any(array.dtype == bool for array in arrays)


@operator(
    shape_of_values=has_mask,
    layout="indexed",
    linear=True,
    batch=picked,
    input=lambda grad, input_shape, key: _accumulate(grad, input_shape, key),
)
def _index(input: Array, key: tuple[Any, ...]) -> Array:
    """The elements at a key of index arrays, masks and full slices."""
    if (dim := place_of_array(key)) is not None:
        index = key[dim]
        if index.shape == input.shape and index.dtype == bool:
            return selected(input, index)
        found = take_along(input, index.reshape(-1), dim)
        if found is not None:
            return found if index.ndim == 1 else found.reshape(selected_shape(input, key))
    return np.ascontiguousarray(input[key], like=input)


@operator(aten=(), linear=True, batch=put_back, input=lambda grad, key: _index(grad, key), node="IndexPutBackward0")
@in_float32
def _accumulate(input: Array, shape: Sequence[int], key: tuple[Any, ...]) -> Array:
    """Zeros of a given shape with `input` added at a key: the adjoint of `_index`."""
    arrays = [item for item in key if is_array(item)]
    if len(arrays) == 1 and arrays[0].dtype == bool:
        out = zeros(shape, input)
        if arrays[0].shape == out.shape:
            return scattered(out, arrays[0], input)
        out[key] = input
        return out
    dims, index, apart = located(key)
    rest = [dim for dim in range(len(shape)) if dim not in dims]
    places = 0 if apart else dims[0]
    rows = np.moveaxis(input, range(places, places + index[0].ndim), range(index[0].ndim)) if places else input
    sizes = [shape[dim] for dim in dims]
    flat = flat_index([i.reshape(-1) for i in index], sizes)
    rows = np.ascontiguousarray(rows, like=rows).reshape(flat.size, *[shape[dim] for dim in rest])
    out = add_rows(flat, rows, math.prod(sizes)).reshape(*sizes, *[shape[dim] for dim in rest])
    if dims != list(range(len(dims))):
        out = np.moveaxis(out, range(len(dims)), dims)
    return np.ascontiguousarray(out, like=input)


def located(key: tuple[Any, ...]) -> tuple[list[int], Sequence[Array], bool]:
    """The dimensions of a key's index arrays, these arrays broadcast, and whether slices separate them.

    If they are separated, NumPy puts their dimensions first in the result.
    """
    dims: list[int] = []
    index: list[Array] = []
    blocks, dim = [], 0
    for number, item in enumerate(key):
        if is_array(item):
            found = item.nonzero() if item.dtype == bool else (item,)
            dims += range(dim, dim + len(found))
            index += found
            dim += len(found)
            blocks.append(number)
        else:
            dim += 1
    return dims, index if len(index) == 1 else np.broadcast_arrays(*index), blocks[-1] - blocks[0] >= len(blocks)


def __getitem__(self: Tensor, key: Any) -> Tensor:
    """The elements at a key: a view for integers, slices, None and Ellipsis; a copy for index tensors and masks."""
    kind = type(key)
    array = self._array
    try:
        if kind is int:
            if array.ndim == 0:
                raise scalar_index()
            return call(_select, (self, (key, ...)))
        if kind is slice:
            if array.ndim == 0:
                raise without_history((self,)) or IndexError("slice() cannot be applied to a 0-dim tensor.")
            if key.step is not None:
                check_step(key)
            return call(_slice, (self, (key,)))
        if key is None:
            return basic(self, (None,))
        if kind is tuple and is_basic(key):
            return basic(self, key)
        return general(self, key)
    except IndexError as error:
        raise as_torch(error, array) from None


def basic(input: Tensor, key: Any) -> Tensor:
    """The view that a basic key selects."""
    name = last_operation(key, input._array.shape)
    if name:
        return call(ENTRIES[name], (input, with_ellipsis(key)))
    input._array[key]  # raises if there are too many indices
    return call(_alias, (input,))


def copy_of(array: Array) -> Array:
    """A copy of an array, unaffected by later changes."""
    return array.copy()


kept: Callable[..., Any] = noted(copy_of)


def general(input: Tensor, key: Any) -> Tensor:
    """The view or copy that a general key selects."""
    viewed, arrays = viewed_and_arrays(input, key)
    if arrays is None:
        return viewed if viewed is not input else call(_alias, (input,))
    if viewed.requires_grad and recording():
        arrays = tuple([kept(item) if is_array(item) else item for item in arrays])
    return call(_index, (viewed, arrays))


def viewed_and_arrays(input: Tensor, key: Any, written: Tensor | None = None) -> Array | tuple[Any, ...]:
    """The view that the basic part of a key selects, and the key of index arrays for that view, None if there are none.

    `written` is the value to be assigned: PyTorch checks that the view may be written before it looks at the arrays.
    """
    key, arrays = basic_and_arrays(key, input._array.ndim)
    viewed = input if all(item == ALL for item in key) else basic(input, key)
    if not any(is_array(item) for item in arrays):
        return viewed, None
    if written is not None:
        check_write(viewed, written)
    check_masks(arrays, viewed._array.shape)
    return viewed, arrays if viewed._array.size else anywhere(viewed._array, arrays)


def check_write(target: Tensor, value: Any) -> None:
    """Raises PyTorch's errors for a tensor that must not be changed, or that shares memory with the value."""
    if recording():
        check_history(target, target.requires_grad)
    if isinstance(value, TensorBase) and value._array.size != 1:  # a single element is looked at with the arrays
        check_apart(target, (value,))


def anywhere(array: Array, arrays: Sequence[Array]) -> Any:
    """A key of arrays for an empty tensor: nothing is selected, so no index is out of range.

    IndexError for indices along a dimension of size 0.
    """
    dim = 0
    for item in arrays:
        mask = is_array(item) and item.dtype.kind == "b"
        if is_array(item) and not mask and item.size and not array.shape[dim]:
            raise IndexError("index is out of bounds for dimension with size 0")
        dim += item.ndim if mask else 1
    if 0 not in selected_shape(array, arrays):
        return arrays
    return tuple([np.zeros_like(x) if is_array(x) and x.dtype != bool else x for x in arrays])


def scalar_index() -> Any:
    """The error for indexing a tensor without dimensions."""
    return IndexError(
        "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert "
        "a 0-dim tensor to a number"
    )


# assignment


def __setitem__(self: Tensor, key: Any, value: Any) -> None:
    """Assigns to the elements at a key, in place and differentiable; the value is broadcast and cast to the dtype."""
    if not isinstance(value, ASSIGNED):
        raise TypeError(f"can't assign a {type(value).__name__} to a torch.{TYPE_NAMES[self.dtype]}Tensor")
    kind = type(key)
    try:
        if kind is bool:
            if key:
                assign(self.unsqueeze(0), value)
        elif kind is int:
            assign(self[key], value)
        elif key is ... or kind is slice or (kind is tuple and is_basic(key)):
            viewed = self[key]
            assign(viewed if last_operation(key if kind is tuple else (key,), self._array.shape) else self, value)
        else:
            viewed, arrays = viewed_and_arrays(self, key, value)
            if arrays is None:
                assign(viewed, value)
            else:
                put_at_arrays(viewed, arrays, value, False, single_mask(arrays), trimmed=True)
    except IndexError as error:
        raise as_torch(error, self._array) from None


def assign(target: Tensor, value: Tensor | complex) -> None:
    """Assigns a number or a tensor to a whole tensor; the value may have additional leading dimensions of size 1."""
    if not isinstance(value, TensorBase):
        target.fill_(value)
        return
    if value._array.ndim == 0:
        target.fill_(value if value._counter is not target._counter else value.clone())  # it may share its memory
        return
    shape = target._array.shape
    if value._array.shape != shape:
        sizes = value._array.shape
        if shape and target._array.size == 1:  # what is repeated has gaps, but for a single time
            check_apart(target, (value,))
        while sizes and sizes[0] == 1:
            sizes = sizes[1:]
        value = (value if sizes == value._array.shape else value.reshape(sizes)).expand(shape)
    target.copy_(value)


def single_mask(arrays: Sequence[Array]) -> bool:
    """Whether a key is a single mask, which PyTorch fills with a value of any dtype."""
    found = [item for item in arrays if is_array(item)]
    return len(found) == 1 and found[0].dtype == bool


@operator(
    layout="like first",
    batch=put_in,
    additive=True,
    input=lambda grad, key, accumulate: (
        grad if accumulate else _index_put(grad, np.zeros_like(grad, shape=()), key, False)
    ),
    values=lambda grad, values_shape, key: unbroadcast(_index(grad, key), values_shape),
)
def _index_put(input: Array, values: Array, key: tuple[Any, ...], accumulate: bool) -> Array:
    if accumulate:
        return added_at(input, values, key)
    out, vector = owned(input), place_of_vector(key)
    if vector is None or not put_along(out, key[vector], vector, values):
        out[key] = values
    return out


def place_of_array(key: Sequence[Any]) -> int | None:
    """The place of a key's only array: its dimension if it is one of indices."""
    place = None
    for number, item in enumerate(key):
        if is_array(item):
            if place is not None:
                return None
            place = number
    return place


def place_of_vector(key: Sequence[Any]) -> int | None:
    """The dimension of a key's only array of indices, if it is a vector."""
    place = place_of_array(key)
    return place if place is not None and key[place].ndim == 1 else None


@in_float32
def added_at(input: Array, values: Array, key: Any) -> Array:
    """A copy of `input` with `values` added at a key."""
    if (vector := place_of_vector(key)) is not None:
        out = owned(input)
        if put_along(out, key[vector], vector, values, "sum"):
            return out
    shape = selected_shape(input, key)
    values = values if values.shape == shape else np.broadcast_to(values, shape)
    return input + _accumulate.forward(values, input.shape, key).astype(input.dtype, copy=False)


def check_key(target: Tensor, key: Sequence[Array], value: Any) -> None:
    """Raises if an index shares memory with the tensor that is written to, unless it is a mask for a single value."""
    shared = [item for item in key if type(item) is np.ndarray and np.may_share_memory(item, target._array)]
    if shared and not (single_mask(key) and (not isinstance(value, TensorBase) or value._array.size == 1)):
        check_apart(target, [new_tensor(item) for item in shared])


def put_at_arrays(
    target: Tensor, key: Sequence[Array], value: Any, accumulate: bool, any_dtype: bool, trimmed: bool = False
) -> Tensor:
    """Assigns to the elements at a key of arrays, in place."""
    array = target._array
    check_key(target, key, value)
    if isinstance(value, TensorBase):
        if value._array.size == 1 and shares(target, value):
            if not single_mask(key):
                check_apart(target, (value,))
            value = value.clone()
        value = checked_values(target, key, value, any_dtype, trimmed)
    else:
        value = np.asarray(checked_number(value, array.dtype)).astype(array.dtype)
    if is_followed(target, value):
        key = tuple([kept(item) if is_array(item) else item for item in key])
        return change(target, _index_put, value, key, accumulate)
    check_memory(target, (value,))
    values = value._array if isinstance(value, TensorBase) else value
    if accumulate:
        array[...] = _index_put.forward(array, values, key, True)
    else:
        array[key] = values
    target._bump()
    return target


def checked_values(
    target: Tensor, key: Sequence[Array], value: Tensor, any_dtype: bool, trimmed: bool = False
) -> Tensor:
    """The values to assign, after PyTorch's errors for those that do not fit.

    With `trimmed`, leading dimensions of size 1 are removed.
    """
    array, given = target._array, value._array
    shape = selected_shape(array, key)
    if given.shape == shape and given.dtype is array.dtype:
        return value
    trimmed = trimmed or (any_dtype and given.size == 1)  # a single element fills a mask, whatever its dimensions
    while trimmed and value._array.ndim > len(shape) and value._array.shape[0] == 1:
        value = value.squeeze(0)
    ndim = value._array.ndim
    if ndim > len(shape) or any(n not in (1, m) for n, m in zip(given.shape[::-1], shape[::-1], strict=False)):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(given.shape)} cannot be broadcast to indexing result of "
            f"shape {list(shape)}"
        )
    if given.dtype is array.dtype:
        return value
    if not (any_dtype and given.size == 1):
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{TYPE_NAMES[target.dtype]} for the destination and {TYPE_NAMES[value.dtype]} for the source."
        )
    return value.to(target.dtype)


def selected_shape(array: Array, key: Sequence[Array]) -> tuple[int, ...]:
    """The shape that a key of arrays selects, even if its indices are out of range."""
    place = place_of_array(key)
    if place is not None and type(only := key[place]) is np.ndarray and only.dtype.kind != "b":
        return array.shape[:place] + only.shape + array.shape[place + 1 :]
    dims = [dim for dim, item in enumerate(key) if is_array(item)]
    if all(type(key[dim]) is np.ndarray and key[dim].dtype.kind != "b" for dim in dims):
        shapes = {key[dim].shape for dim in dims}
        if len(shapes) == 1:
            rest = [n for dim, n in enumerate(array.shape) if dim not in dims]
            place = dims[0] if dims[-1] - dims[0] < len(dims) else 0
            return (*rest[:place], *shapes.pop(), *rest[place:])
    within = [np.zeros_like(item) if is_array(item) and item.dtype != bool else item for item in key]
    within = tuple([item.example() if type(item) is Batched else item for item in within])
    return np.broadcast_to(np.empty((), bool, like=array), array.shape)[within].shape


@method
def index_put(input: Tensor, indices: tuple[Tensor | None, ...], values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of `input` with `values` written (or added, with `accumulate`) at the indices.

    `indices` has one tensor for each dimension, or None for the whole dimension.

    >>> import rushlight as torch
    >>> torch.zeros(3).index_put((torch.tensor([0, 0]),), torch.tensor([1.0, 2.0]), accumulate=True)
    tensor([3., 0., 0.])
    """
    key = put_key(input, indices)
    values = checked_values(input, key, values, single_mask(key))
    if recording():
        key = tuple([kept(item) if is_array(item) else item for item in key])
    return _index_put(input, values, key, accumulate)


def index_put_(self: Tensor, indices: tuple[Tensor | None, ...], values: Tensor, accumulate: bool = False) -> Tensor:
    """Writes `values` at the indices, or adds them with `accumulate`, in place.

    >>> import rushlight as torch
    >>> torch.index_put_(torch.zeros(3), [torch.tensor([0, 2])], torch.tensor([1.0, 2.0]))
    tensor([1., 0., 2.])
    """
    check_write(self, values)
    key = put_key(self, indices)
    return put_at_arrays(self, key, values, accumulate, single_mask(key))


def put_key(input: Tensor, indices: Any) -> tuple[Array, ...]:
    """The key of arrays for the `indices` of `index_put`."""
    items = tuple([ALL if item is None else item for item in indices])
    _, arrays = basic_and_arrays(items, input._array.ndim)
    for place, item in enumerate(items):
        number = as_index(item._array, warned=True) if isinstance(item, TensorBase) and not item._array.ndim else item
        if type(number) is int:  # from a tensor without dimensions
            arrays = (*arrays[:place], np.asarray(number), *arrays[place:])
    check_masks(arrays, input._array.shape)
    return arrays if input._array.size else anywhere(input._array, arrays)


for special in (__getitem__, __setitem__, index_put_):
    method(special)
