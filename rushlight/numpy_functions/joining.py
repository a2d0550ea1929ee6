"""NumPy's functions that join, repeat, pad and split tensors."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.numpy_functions.entering import as_dtype, as_tensor, as_tensors, flat_unless, numpy
from rushlight.numpy_functions.padding import pad  # noqa: F401
from rushlight.ops.protocol import FUNCTIONS
from rushlight.ops.shapes import joining
from rushlight.tensors import Tensor


@numpy
def concatenate(
    arrays: Sequence[Tensor], /, axis: int | None = 0, *, dtype: Any = None, casting: str = "same_kind"
) -> Tensor:
    tensors = as_tensors(arrays)
    tensors = tensors if axis is not None else [a.reshape(-1) for a in tensors]
    tensors = tensors if dtype is None else [a.to(as_dtype(dtype)) for a in tensors]
    return joining.cat(tensors, 0 if axis is None else axis)


FUNCTIONS[np.concat] = FUNCTIONS[np.concatenate]


@numpy
def stack(arrays: Any, axis: int = 0, *, dtype: Any = None, casting: str = "same_kind") -> Tensor:
    tensors = as_tensors(arrays)
    return joining.stack(tensors if dtype is None else [a.to(as_dtype(dtype)) for a in tensors], axis)


def side_by_side(name: str, function: Callable[..., Any]) -> None:
    """Registers `hstack` or a similar function."""

    def implementation(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Tensor:
        tensors = as_tensors(tup)
        return function(tensors if dtype is None else [a.to(as_dtype(dtype)) for a in tensors])

    FUNCTIONS[getattr(np, name)] = implementation


for name in ("hstack", "vstack", "dstack", "column_stack"):
    side_by_side(name, getattr(joining, name))


@numpy
def block(arrays: Sequence[Any]) -> Tensor:
    depth = depth_of(arrays)
    ndim = max(depth, *[a.ndim for a in leaves(arrays)])
    return assembled(arrays, depth, ndim)


def depth_of(arrays: Sequence[Any] | Tensor) -> int:
    """The nesting depth of lists."""
    return 1 + depth_of(arrays[0]) if isinstance(arrays, list) else 0


def leaves(arrays: Sequence[Any] | Tensor) -> list[Tensor]:
    """The tensors in nested lists."""
    return [a for part in arrays for a in leaves(part)] if isinstance(arrays, list) else [as_tensor(arrays)]


def assembled(arrays: Sequence[Any] | Tensor, depth: int, ndim: int) -> Tensor:
    """Nested lists joined into one tensor: the innermost lists along the last dimension."""
    if not isinstance(arrays, list):
        a = as_tensor(arrays)
        return a.reshape((1,) * (ndim - a.ndim) + tuple(a.shape))
    return torch.cat(as_tensors([assembled(part, depth - 1, ndim) for part in arrays]), -depth)


@numpy
def append(arr: Any, values: Any, axis: int | None = None) -> Tensor:
    return concatenate((arr, values), axis)


# repeating


@numpy
def repeat(a: Tensor, repeats: Any, axis: Any = None) -> Tensor:
    a, axis = flat_unless(as_tensor(a), axis)
    repeats = as_tensor(repeats)
    repeats = repeats.reshape(-1) if repeats.ndim else repeats
    return torch.repeat_interleave(a, int(repeats) if repeats.numel() == 1 else repeats, axis)


@numpy
def tile(A: Tensor, reps: Sequence[int] | int) -> Tensor:
    return torch.tile(as_tensor(A), tuple(int(n) for n in np.atleast_1d(np.asarray(reps))))


@numpy
def meshgrid(*xi: Tensor, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Tensor, ...]:
    grids = [as_tensor(a).reshape(-1) for a in xi]
    if sparse:
        order = {0: 1, 1: 0} if indexing == "xy" and len(grids) > 1 else {}
        shapes = [[-1 if d == order.get(i, i) else 1 for d in range(len(grids))] for i in range(len(grids))]
        return tuple([a.reshape(shape) for a, shape in zip(grids, shapes, strict=True)])
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    dtypes = [a.dtype for a in grids]
    found = torch.meshgrid(*as_tensors(grids), indexing=indexing) if grids else ()
    return tuple([a.to(dtype) for a, dtype in zip(found, dtypes, strict=True)])


# splitting


@numpy
def array_split(ary: Tensor, indices_or_sections: Sequence[int] | int, axis: int = 0) -> list[Tensor]:
    sections = indices_or_sections
    if isinstance(sections, (TensorBase, np.ndarray)):
        sections = sections.tolist()
    return list(torch.tensor_split(as_tensor(ary), sections if isinstance(sections, int) else list(sections), axis))


@numpy
def split(ary: Any, indices_or_sections: Sequence[int] | int, axis: int = 0) -> list[Tensor]:
    if isinstance(indices_or_sections, (int, np.integer)) and ary.shape[axis] % indices_or_sections:
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


@numpy
def hsplit(ary: Tensor, indices_or_sections: Sequence[int] | int) -> list[Tensor]:
    if ary.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


@numpy
def vsplit(ary: Tensor, indices_or_sections: Sequence[int] | int) -> list[Tensor]:
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


@numpy
def dsplit(ary: Tensor, indices_or_sections: Sequence[int] | int) -> list[Tensor]:
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


@numpy
def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    return tuple(torch.unbind(x, axis))


# inserting and deleting


@numpy
def delete(arr: Tensor, obj: Any, axis: int | None = None) -> Tensor:
    arr, axis = flat_unless(as_tensor(arr), axis)
    kept = np.delete(np.arange(arr.shape[axis]), places_in(obj))
    return torch.index_select(arr, axis, torch.as_tensor(kept))


def places_in(obj: Any) -> Array | slice:
    """An index, a slice or a mask in the form that NumPy takes."""
    return obj if isinstance(obj, slice) else np.asarray(obj.detach() if isinstance(obj, TensorBase) else obj)


@numpy
def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Tensor:
    arr, axis = flat_unless(as_tensor(arr), axis)
    n, axis = arr.shape[axis], axis % arr.ndim
    spots: Any = places_in(obj)
    single = not isinstance(spots, slice) and spots.ndim == 0
    marks = np.insert(np.arange(n), spots, -1)
    count = len(marks) - n
    values = as_tensor(values, arr).to(arr.dtype)
    if (single and values.ndim > 1) or (single and values.ndim == 1 and arr.ndim == 1):
        values = values.movedim(0, axis) if values.ndim == arr.ndim and arr.ndim > 1 else values
        count = values.shape[axis] if values.ndim == arr.ndim else count
        marks = np.insert(np.arange(n), [int(spots)] * count, -1)
    shape = list(arr.shape)
    shape[axis] = count
    given = torch.broadcast_to(values, shape)
    asked: Any = [spots] if single else range(n)[spots] if isinstance(spots, slice) else spots
    order = np.argsort(np.where(np.asarray(list(asked)) < 0, np.asarray(list(asked)) + n, asked), kind="stable")
    sources = marks.copy()
    sources[marks == -1] = n + (np.arange(count) if single else order)
    return torch.index_select(torch.cat([arr, given], axis), axis, torch.as_tensor(sources))
