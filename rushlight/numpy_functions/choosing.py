"""NumPy's functions that take, choose and place elements; triangles and diagonals."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.core.graph import TensorBase
from rushlight.numpy_functions.entering import as_operands, as_tensor, as_tensors, flat_unless, numpy, writing
from rushlight.ops.elementwise import selection
from rushlight.ops.picking import flat, gather, indexed
from rushlight.ops.protocol import as_operand
from rushlight.ops.shapes import diagonals, slicing
from rushlight.tensors import Tensor


@numpy
def take(a: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> Tensor:
    if mode == "raise" and isinstance(indices, Tensor) and isinstance(a, Tensor) and indices.ndim < 2:
        return flat.take(a, indices) if axis is None else indexed.index_select(a, axis, indices)
    a, axis = flat_unless(as_tensor(a), axis)
    indices, n = as_tensor(indices), a.shape[axis]
    if mode == "wrap":
        indices = torch.remainder(indices, n)
    elif mode == "clip":
        indices = torch.clamp(indices, 0, n - 1)
    else:
        indices = torch.where(indices < 0, indices + n, indices)
    axis %= a.ndim
    taken = torch.index_select(a, axis, indices.reshape(-1))
    return taken.reshape((*a.shape[:axis], *indices.shape, *a.shape[axis + 1 :]))


@numpy
def take_along_axis(arr: Tensor, indices: Tensor, axis: int = -1) -> Tensor:
    return gather.take_along_dim(as_tensor(arr), as_tensor(indices), axis)


@numpy
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        return tuple(torch.where(as_tensor(condition)))
    condition = as_tensor(condition)
    if condition._array.dtype.kind != "b":
        condition = condition != 0
    return selection.where(condition, *as_operands((x, y)))


@numpy
def choose(a: Any, choices: Any, mode: str = "raise") -> Tensor:
    a, choices = as_tensor(a), torch.broadcast_tensors(*as_tensors(choices))
    n = len(choices)
    if mode == "raise" and bool(torch.any((a < 0) | (a >= n))):
        raise ValueError("invalid entry in choice array")
    a = torch.remainder(a, n) if mode == "wrap" else torch.clamp(a, 0, n - 1)
    shape = torch.broadcast_shapes(a.shape, choices[0].shape)
    choices = torch.stack([torch.broadcast_to(choice, shape) for choice in choices])
    return torch.take_along_dim(choices, torch.broadcast_to(a, shape).to(torch.int64)[None], 0)[0]


@numpy
def select(condlist: Sequence[Tensor], choicelist: Sequence[Tensor], default: Tensor | complex = 0) -> Tensor:
    if len(condlist) != len(choicelist) or not condlist:
        raise ValueError("list of cases must be same length as list of conditions, and not empty")
    *choices, result = as_tensors([*choicelist, default])
    for condition, choice in reversed(list(zip(condlist, choices, strict=True))):
        result = torch.where(as_tensor(condition), choice, result)
    return result


@numpy
def compress(condition: Tensor | Sequence[bool], a: Tensor, axis: int | None = None) -> Tensor:
    a, axis = flat_unless(as_tensor(a), axis)
    return torch.index_select(a, axis, torch.nonzero(as_tensor(condition) != 0)[:, 0])


@numpy
def extract(condition: Tensor, arr: Tensor) -> Tensor:
    return as_tensor(arr).reshape(-1)[as_tensor(condition).reshape(-1) != 0]


@numpy
def nonzero(a: Tensor) -> tuple[Tensor, ...]:
    return tuple(torch.nonzero(as_tensor(a), as_tuple=True))


@numpy
def argwhere(a: Tensor) -> Tensor:
    return torch.nonzero(as_tensor(a))


@numpy
def flatnonzero(a: Tensor) -> Tensor:
    return torch.nonzero(as_tensor(a).reshape(-1))[:, 0]


@numpy
def clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Tensor:
    a, low, high = as_tensor(a), a_min if min is None else min, a_max if max is None else max
    if low is None and high is None:
        return torch.clone(a)
    if not any(isinstance(bound, (TensorBase, np.ndarray, list)) for bound in (low, high)):
        return torch.clamp(a, *[as_operand(bound) for bound in (low, high)])
    return torch.clamp(a, *[None if bound is None else as_tensor(bound, a) for bound in (low, high)])


# triangles and diagonals


@numpy
def tril(m: Tensor, k: int = 0) -> Tensor:
    return diagonals._tril(m, k) if m.ndim > 1 else diagonals._tril(torch.broadcast_to(m, (len(m), len(m))), k)


@numpy
def triu(m: Tensor, k: int = 0) -> Tensor:
    return diagonals._triu(m, k) if m.ndim > 1 else diagonals._triu(torch.broadcast_to(m, (len(m), len(m))), k)


@numpy
def diag(v: Tensor, k: int = 0) -> Tensor:
    return torch.diag(as_tensor(v), k)


@numpy
def diagflat(v: Tensor, k: int = 0) -> Tensor:
    return torch.diagflat(as_tensor(v), k)


@numpy
def diagonal(a: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    return slicing.diagonal(a, offset, axis1, axis2)


@numpy
def diag_indices_from(arr: Any) -> Any:
    if arr.ndim < 2 or len(set(arr.shape)) != 1:
        raise ValueError("input array must be at least 2-d, and all dimensions of equal length")
    return tuple([torch.arange(arr.shape[0]) for _ in arr.shape])


@numpy
def tril_indices_from(arr: Tensor, k: int = 0) -> tuple[Tensor, ...]:
    rows, columns = arr.shape
    return tuple(torch.tril_indices(rows, columns, offset=k))


@numpy
def triu_indices_from(arr: Tensor, k: int = 0) -> tuple[Tensor, ...]:
    rows, columns = arr.shape
    return tuple(torch.triu_indices(rows, columns, offset=k))


# functions that write into a given tensor


@writing
def copyto(dst: Tensor, src: Any, casting: str = "same_kind", where: Tensor | bool = True) -> None:
    src = as_tensor(src, dst)
    dst.copy_(src if where is True else torch.where(as_tensor(where), src.to(dst.dtype), dst))


@writing
def fill_diagonal(a: Any, val: Any, wrap: Any = False) -> None:
    val = as_tensor(val, a)
    if not val.ndim and a.ndim == 2:
        a.fill_diagonal_(val.item() if not val.requires_grad else val, wrap)
        return
    places = np.zeros(tuple(a.shape), np.int64)
    np.fill_diagonal(places, 1, wrap)
    flat = torch.as_tensor(np.flatnonzero(places))
    put(a, flat, val)


@writing
def put(a: Tensor, ind: Any, v: Any, mode: str = "raise") -> None:
    ind, v = as_tensor(ind).reshape(-1), as_tensor(v, a).to(a.dtype).reshape(-1)
    if mode != "raise":
        n = a.numel()
        ind = torch.remainder(ind, n) if mode == "wrap" else torch.clamp(ind, 0, n - 1)
    a.put_(ind, torch.tile(v, (-(-len(ind) // max(len(v), 1)),))[: len(ind)])


@writing
def place(arr: Tensor, mask: Tensor, vals: Tensor) -> None:
    places = torch.nonzero(as_tensor(mask).reshape(-1))[:, 0]
    vals = as_tensor(vals, arr).reshape(-1)
    if len(places) and not len(vals):
        raise ValueError("Cannot insert from an empty array!")
    put(arr, places, vals)


@writing
def putmask(a: Tensor, mask: Tensor, values: Tensor) -> None:
    places = torch.nonzero(as_tensor(mask).reshape(-1))[:, 0]
    values = as_tensor(values, a).reshape(-1)
    put(a, places, values[torch.remainder(places, len(values))])


@writing
def put_along_axis(arr: Tensor, indices: Tensor, values: Tensor, axis: int) -> None:
    if axis is None:
        put(arr, indices, values)
        return
    indices, values = as_tensor(indices), as_tensor(values, arr).to(arr.dtype)
    axis %= arr.ndim
    shape = [n if d != axis else indices.shape[axis] for d, n in enumerate(arr.shape)]
    indices = torch.where(indices < 0, indices + arr.shape[axis], indices)
    arr.scatter_(axis, torch.broadcast_to(indices, shape), torch.broadcast_to(values, shape))
