"""Views, copies, joining and splitting."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.onnx.errors import UnsupportedOperatorError
from rushlight.onnx.graph import Graph, element_type, holds_size
from rushlight.onnx.operators.table import Operand, number, translates
from rushlight.onnx.recording import REFUSED
from rushlight.onnx.sizes import Size


@translates("view", "reshape_copy", "reshape_alias", "unsafe_view", "view_copy")
def reshape(g: Graph, input: Operand, shape: Sequence[Any]) -> Any:
    """One size may be inferred by ONNX: one that depends on the inputs in an unknown way, or the only variable one."""
    open_ones = [i for i, one in enumerate(shape) if isinstance(one, Size)]
    unknown = [i for i in open_ones if shape[i].terms is None]
    left = (unknown or open_ones)[:1] if len(unknown) == 1 or len(open_ones) == 1 else []
    return g.node("Reshape", input, g.shape([-1 if i in left else one for i, one in enumerate(shape)]))


@translates("transpose")
def transpose(g: Graph, input: Operand, dim0: int, dim1: int) -> Any:
    order = list(range(len(input.shape)))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return g.node("Transpose", input, perm=order)


@translates("t")
def t(g: Graph, input: Operand) -> Any:
    return g.node("Transpose", input, perm=list(range(len(input.shape)))[::-1])


@translates("permute")
def permute(g: Graph, input: Operand, dims: Sequence[int]) -> Any:
    return g.node("Transpose", input, perm=[dim % len(input.shape) for dim in dims])


@translates("unsqueeze")
def unsqueeze(g: Graph, input: Operand, dim: int) -> Any:
    return g.node("Unsqueeze", input, np.asarray([dim]))


@translates("squeeze0", "squeeze1", "squeeze2")
def squeeze(g: Graph, input: Operand, dims: Sequence[int]) -> Any:
    return g.node("Squeeze", input, np.asarray(list(dims), np.int64)) if len(dims) else g.node("Identity", input)


@translates("expand", "broadcast_to")
def expand(g: Graph, input: Operand, shape: Sequence[Any]) -> Any:
    """In the shape, dimensions that are not expanded are 1."""
    own = g.dims(input)
    own = [*[1] * (len(shape) - len(own)), *own]
    return g.node("Expand", input, g.shape([1 if one == mine else one for one, mine in zip(shape, own, strict=True)]))


@translates("spread()")
def spread(g: Graph, input: Operand, shape: Sequence[Any], dtype: Any) -> Any:
    from_input = input if input.dtype == dtype else g.node("Cast", input, to=element_type(dtype))
    return g.node("Expand", from_input, g.shape(shape))


@translates("copy_", "fill_tensor", "fill_tensor_", "fill", "fill_", "zero_")
def overwritten(g: Graph, input: Operand, value: Any) -> Any:
    """The value written over a tensor, in its shape and dtype."""
    value = number(value, input)
    if value.dtype != input.dtype:
        value = g.node("Cast", value, to=element_type(input.dtype))
    return g.node("Expand", value, g.shape(g.dims(input)))


@translates("full_array()")
def constant_like(g: Graph, input: Operand, dtype: Any, format: Any, value: Any) -> Any:
    return g.node("Expand", np.asarray(value, dtype), g.shape(g.dims(input)))


@translates("diagonal")
def diagonal(g: Graph, input: Operand, offset: int, dim1: int, dim2: int) -> Any:
    """The elements whose two indices differ by the offset, gathered by their flat indices."""
    if holds_size([g.dims(input)[dim] for dim in (dim1, dim2)]):
        raise UnsupportedOperatorError(f"{REFUSED}: the diagonal of a matrix of any size. Fix that size.")
    rows, columns = input.shape[dim1], input.shape[dim2]
    places = np.arange(rows * columns).reshape(rows, columns).diagonal(offset).copy()
    others = [dim for dim in range(len(input.shape)) if dim not in (dim1, dim2)]
    turned = g.node("Transpose", input, perm=[*others, dim1, dim2])
    kept = [g.dims(input)[dim] for dim in others]
    flat = g.node("Reshape", turned, g.shape([*kept, rows * columns]))
    return g.node("Gather", flat, places, axis=len(others))


@translates("trace")
def trace(g: Graph, input: Operand) -> Any:
    numbers = g.node("Cast", input, to=element_type(np.int64)) if input.dtype.kind in "?iu" else input
    identity = g.node("EyeLike", input, dtype=element_type(np.int64 if input.dtype.kind in "?iu" else input.dtype))
    return g.node("ReduceSum", g.node("Mul", numbers, identity), keepdims=0)


@translates("repeat")
def repeat(g: Graph, input: Operand, repeats: Sequence[Any]) -> Any:
    added = len(repeats) - len(input.shape)
    wide = g.node("Unsqueeze", input, np.arange(added)) if added else input
    return g.node("Tile", wide, g.shape(repeats))


@translates("cat")
def cat(g: Graph, tensors: Sequence[Operand], dim: int, dtype: Any) -> Any:
    return g.node("Concat", *[one for one in tensors if one.shape != (0,)], axis=dim)


@translates("pile")
def stack(g: Graph, tensors: Sequence[Operand], dim: int, dtype: Any) -> Any:
    return g.node("Concat", *[g.node("Unsqueeze", one, np.asarray([dim])) for one in tensors], axis=dim)


@translates("split", "split_with_sizes", "unsafe_split", "unsafe_split_with_sizes")
def split(g: Graph, input: Operand, sizes: Sequence[Any], dim: int) -> Any:
    if len(sizes) == 1:
        return (g.node("Identity", input),)
    return g.node("Split", input, g.shape(sizes), axis=dim, outputs=len(sizes))


@translates("unbind")
def unbind(g: Graph, input: Operand, dim: int) -> Any:
    count = g.dims(input)[dim]
    if not isinstance(count, int):
        raise UnsupportedOperatorError(f"{REFUSED}: unbind along a dimension of any size. Fix that size.")
    return tuple(g.node("Gather", input, np.asarray(i), axis=dim) for i in range(count))


@translates("tril")
def tril(g: Graph, input: Operand, diagonal: int) -> Any:
    return g.node("Trilu", input, np.asarray(diagonal), upper=0)


@translates("triu")
def triu(g: Graph, input: Operand, diagonal: int) -> Any:
    return g.node("Trilu", input, np.asarray(diagonal), upper=1)


@translates("flip")
def flip(g: Graph, input: Operand, dims: Sequence[int]) -> Any:
    count = len(dims)
    ends = np.full(count, np.iinfo(np.int64).min)
    return g.node("Slice", input, np.full(count, -1), ends, np.asarray(list(dims), np.int64), np.full(count, -1))


@translates("roll")
def roll(g: Graph, input: Operand, shifts: Sequence[int], dims: Sequence[int]) -> Any:
    made: Any = input
    for shift, dim in zip(shifts, dims, strict=True):
        steps = shift % max(input.shape[dim], 1)
        if steps:
            last = along(g, made, dim, -steps, None)
            made = g.node("Concat", last, along(g, made, dim, 0, -steps), axis=dim)
    return made if made is not input else g.node("Identity", input)


@translates("constant_pad_nd")
def pad(g: Graph, input: Operand, widths: Sequence[Sequence[int]], value: Any) -> Any:
    flat = [before for before, _ in widths] + [after for _, after in widths]
    return g.node("Pad", input, g.shape(flat), number(value, input))


@translates(*(f"{kind}{n}d_pad" for kind in ("reflect", "replicate", "circular") for n in (1, 2, 3)))
def pad_from_places(g: Graph, input: Operand, places: Sequence[Any]) -> Any:
    """Builds each of the last dimensions by gathering its own indices."""
    made: Any = input
    for axis, one in zip(range(len(input.shape) - len(places), len(input.shape)), places, strict=True):
        made = g.node("Gather", made, one, axis=axis)
    return made


def along(g: Any, input: Any, dim: int, start: Any, stop: Any, step: int = 1) -> str:
    """A slice along a dimension."""
    end = np.iinfo(np.int64).max if stop is None else stop
    return g.node("Slice", input, g.shape([start]), g.shape([end]), np.asarray([dim]), np.asarray([step]))


@translates("select", "slice", "look", "select_copy", "slice_copy")
def basic(g: Graph, input: Operand, key: Sequence[Any]) -> Any:
    """A key of numbers, slices, None and an ellipsis."""
    key = whole_key(key, len(input.shape))
    made: Any = input
    dim = 0
    taken: list[int] = []
    added: list[int] = []
    for item in key:
        if item is None:
            added.append(dim - len(taken) + len(added))
            continue
        if isinstance(item, slice):
            if item != slice(None):
                made = along(g, made, dim, item.start or 0, item.stop, item.step or 1)
        else:
            made = along(g, made, dim, item, None if item == -1 else following(item))
            taken.append(dim)
        dim += 1
    if taken:
        made = g.node("Squeeze", made, np.asarray(taken))
    if added:
        made = g.node("Unsqueeze", made, np.asarray(added))
    return made if made is not input else g.node("Identity", input)


def following(place: Any) -> Any:
    """The index after another."""
    return Size(place.terms, place.constant + 1) if holds_size(place) else place + 1


def whole_key(key: Sequence[Any], ndim: int) -> list[Any]:
    """A key with full slices in place of its ellipsis."""
    key = list(key) if isinstance(key, (tuple, list)) else [key]
    if Ellipsis not in [one for one in key if one is Ellipsis]:
        return key
    at = next(i for i, one in enumerate(key) if one is Ellipsis)
    missing = ndim - sum(one is not None and one is not Ellipsis for one in key)
    return [*key[:at], *[slice(None)] * missing, *key[at + 1 :]]
