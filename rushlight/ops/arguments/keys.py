"""Indexing keys (what stands in brackets), converted from PyTorch's rules to NumPy's.

PyTorch first applies the integers, slices, None and Ellipsis of a key, from left to right, which gives a view. Then it
applies all index tensors and masks together, which gives a copy. So one key is split into two: one for each step.
"""

from operator import index as as_int
from typing import Any

import numpy as np

from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.arrays import is_array
from rushlight.core.batched import Batched
from rushlight.core.graph import TensorBase
from rushlight.core.lines import warn

ALL = slice(None)
UINT8 = np.dtype(np.uint8)
KEY_TYPES = np.dtype(np.int64), np.dtype(bool), np.dtype(np.int32)
BASIC: dict[type, str] = {
    int: "select",
    slice: "slice",
    type(None): "unsqueeze",
    type(...): "",
}  # the operations that PyTorch records for them


def is_basic(key: tuple[Any, ...]) -> bool:
    """Whether a key consists only of plain integers, slices, None and Ellipsis."""
    for item in key:
        kind = type(item)
        if kind not in BASIC:
            return False
        if kind is slice and item.step is not None:
            check_step(item)
    return True


def check_step(item: slice) -> None:
    """Raises ValueError for slices with a step that is not positive."""
    step = as_int(item.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step < 0:
        raise ValueError(advised("step must be greater than zero"))


def with_ellipsis(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """A basic key with an Ellipsis, for which NumPy returns a view even if a single element is selected."""
    if ... not in key:
        return (*key, ...)
    first = key.index(...)
    return (*key[: first + 1], *[item for item in key[first + 1 :] if item is not ...])


def last_operation(key: tuple[Any, ...], shape: tuple[int, ...]) -> str:
    """The operation that PyTorch applies last for a basic key, "" for none. Whole slices do not count."""
    for i in reversed(range(len(key))):
        item = key[i]
        if item is not ... and not (type(item) is slice and is_whole(item, key, i, shape)):
            return BASIC[type(item)]
    return ""


def is_whole(item: slice, key: tuple[Any, ...], i: int, shape: tuple[int, ...]) -> bool:
    """Whether the i-th item of a key is a slice of a whole dimension."""
    if item.start or (item.step is not None and item.step != 1):
        return False
    if item.stop is None:
        return True
    before = sum(other is not None for other in key[:i])
    dim = len(shape) - sum(other is not None for other in key[i:]) if ... in key[:i] else before
    return 0 <= dim < len(shape) and as_int(item.stop) >= shape[dim]


def as_tuple(key: Any) -> tuple[Any, ...]:
    """A key as a tuple of items. A list that holds more than numbers is taken as a tuple, as in older NumPy."""
    if isinstance(key, tuple):
        return key
    if isinstance(key, list) and len(key) <= 32 and any(is_no_number(item) for item in key):
        warn(NO_TUPLE)
        return tuple(key)
    return (key,)


NO_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], "
    "which will result either in an error or a different result"
)
BYTES = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."


def is_no_number(item: Any) -> bool:
    """Whether this item of a list means that the list is to be taken as a tuple."""
    return isinstance(item, (TensorBase, list, tuple, slice)) or is_array(item) or item is None or item is ...


def basic_and_arrays(key: Any, ndim: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Splits a key for a tensor of `ndim` dimensions in two: the basic key, and the index arrays for its result."""
    items = [as_item(item) for item in as_tuple(key)]
    taken = sum([consumed(item) for item in items])
    if taken > ndim:
        raise IndexError(advised(f"too many indices for tensor of dimension {ndim}"))
    basic: list[Any] = []
    arrays: list[Any] = []
    rest = ndim - taken
    for item in items:
        if item is ...:
            basic += [ALL] * rest
            arrays += [ALL] * rest
            rest = 0
        elif isinstance(item, bool):
            basic.append(None)
            arrays.append(np.zeros(int(item), np.int64))
        elif is_array(item):
            basic += [ALL] * consumed(item)
            arrays.append(item)
        else:
            basic.append(item)
            if not isinstance(item, int):
                arrays.append(ALL)
    return tuple(basic), tuple(arrays)


def consumed(item: Any) -> int:
    """How many of the tensor's dimensions an item indexes."""
    if is_array(item):
        return item.ndim if item.dtype.kind == "b" else 1
    return 1 if isinstance(item, slice) or type(item) is int else 0


def as_item(item: Any) -> Any:
    """An item of a key as int, bool, slice, None, Ellipsis or array. Raises PyTorch's errors for anything else."""
    if item is None or item is ... or type(item) in (int, bool):
        return item
    if isinstance(item, slice):
        if item.step is not None:
            check_step(item)
        return item
    if isinstance(item, TensorBase):
        return as_index(item._array)
    if is_array(item):
        return as_index(item)
    if isinstance(item, (str, bytes)):
        raise TypeError(advised(f"new(): invalid data type '{type(item).__name__}' as an index"))
    if isinstance(item, (list, tuple, range)):
        return as_index(from_sequence(item))
    if hasattr(item, "__index__") and not isinstance(item, np.bool_):
        return as_int(item)
    given = f"numpy.{type(item).__name__}" if isinstance(item, np.generic) else type(item).__name__
    raise IndexError(
        advised(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
            f"{given})"
        )
    )


def from_sequence(items: Any) -> np.ndarray:
    """Nested sequences of numbers as an array of indices or a mask."""
    items = [item._array if isinstance(item, TensorBase) else item for item in items]
    for item in items:
        if isinstance(item, (str, bytes)):
            raise TypeError(advised(f"new(): invalid data type '{type(item).__name__}' as an index"))
    array = np.array(items)
    return array if array.dtype == bool else array.astype(np.int64)


def as_index(array: Array, warned: bool = False) -> Array:
    """An array of indices or a mask; an array without dimensions becomes the int or bool that it holds."""
    if array.dtype == UINT8:
        if not warned:
            warn(BYTES)
        array = array.astype(bool)
    if array.ndim == 0 and array.dtype.kind in "iub" and type(array) is not Batched:
        return array.item()
    if array.dtype not in KEY_TYPES:
        raise IndexError(advised("tensors used as indices must be long, int, byte or bool tensors"))
    return array


def check_masks(arrays: tuple[Any, ...], shape: tuple[int, ...]) -> None:
    """Raises IndexError for a mask whose shape differs from that of the dimensions it indexes."""
    dim = 0
    for item in arrays:
        if is_array(item) and item.dtype.kind == "b":
            if item.shape != shape[dim : dim + item.ndim]:
                at = next(i for i, n in enumerate(item.shape) if n != shape[dim + i])
                raise IndexError(
                    advised(
                        f"The shape of the mask {list(item.shape)} at index {at} does not match the shape of the "
                        f"indexed tensor {list(shape)} at index {dim + at}"
                    )
                )
            dim += item.ndim
        else:
            dim += 1


def as_torch(error: IndexError, array: np.ndarray) -> IndexError:
    """NumPy's IndexError, reworded as PyTorch words it."""
    message = str(error)
    if "too many indices" in message:
        return IndexError(advised(f"too many indices for tensor of dimension {array.ndim}"))
    if "could not be broadcast" in message:
        shapes = message.split("with shapes ")[1].strip().replace("(", "[").replace(",)", "]").replace(")", "]")
        return IndexError(
            "shape mismatch: indexing tensors could not be broadcast together with shapes "
            + shapes.replace(",", ", ").replace("] [", "], [")
        )
    return IndexError(advised(message.replace("for axis", "for dimension")))
