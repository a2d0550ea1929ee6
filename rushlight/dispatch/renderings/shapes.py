"""Renderings of views, copies, indexing and joining."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.aliases import Array
from rushlight.dispatch.renderings.table import Rendering, is_tensor, renders, trimmed, with_defaults
from rushlight.layouts import preserve_format
from rushlight.ops.aten_namespace import aten

ENDLESS = 9223372036854775807  # the dispatcher's number for the open end of a slice


@renders("transpose")
def transpose(input: Array, first: int, second: int) -> Rendering:
    return Rendering(aten.transpose.int, (input, first, second))


@renders("squeeze0")
def squeeze(input: Array, dims: Sequence[int]) -> Rendering:
    return Rendering(aten.squeeze.default, (input,))


@renders("squeeze1")
def squeeze_dim(input: Array, dims: Sequence[int]) -> Rendering:
    """Squeezing a 0-dimensional tensor changes nothing, whichever dimension is named."""
    wide = next((dim for dim, n in enumerate(input._array.shape) if n != 1), 0)
    return Rendering(aten.squeeze.dim, (input, dims[0] if dims else wide))


@renders("squeeze2")
def squeeze_dims(input: Array, dims: Sequence[int]) -> Rendering:
    return Rendering(aten.squeeze.dims, (input, list(dims)))


@renders("unbind")
def unbind(input: Array, dim: int) -> Rendering:
    return Rendering(aten.unbind.int, trimmed((input, dim), 0))


@renders("split")
def split(input: Array, sizes: Sequence[int], dim: int) -> Rendering:
    size = sizes[0] if len(sizes) else 0
    if len(sizes) and all(one == size for one in sizes[:-1]) and 0 < sizes[-1] <= size:
        return Rendering(aten.split.Tensor, trimmed((input, size, dim), 0))
    return Rendering(aten.split_with_sizes.default, trimmed((input, list(sizes), dim), 0))


@renders("split_with_sizes")
def split_with_sizes(input: Array, sizes: Sequence[int], dim: int) -> Rendering:
    return Rendering(aten.split_with_sizes.default, trimmed((input, list(sizes), dim), 0))


@renders("cat")
def cat(tensors: Sequence[Array], dim: int, dtype: Any) -> Rendering | None:
    return Rendering(aten.cat.default, trimmed((list(tensors), dim), 0)) if dtype is None else None


@renders("pile")
def stack(tensors: Sequence[Array], dim: int, dtype: Any) -> Rendering | None:
    return Rendering(aten.stack.default, trimmed((list(tensors), dim), 0)) if dtype is None else None


@renders("clone")
def clone(input: Array, format: Any) -> Rendering:
    return Rendering(aten.clone.default, (input,), {} if format is preserve_format else {"memory_format": format})


@renders("to_copy")
def to_copy(input: Array, dtype: Any, format: Any) -> Rendering:
    return Rendering(aten._to_copy.default, (input,), {"dtype": dtypes.FROM_NUMPY[np.dtype(dtype)]})


@renders("zero_")
def zero_(input: Array, value: Any) -> Rendering:
    return Rendering(aten.zero_.default, (input,))


@renders("fill_", "fill_tensor_")
def fill_(input: Array, value: Any) -> Rendering:
    return Rendering(aten.fill_.Tensor if is_tensor(value) else aten.fill_.Scalar, (input, value))


@renders("copy_")
def copy_(input: Array, value: Any) -> Rendering:
    return Rendering(aten.copy_.default, (input, value))


@renders("unfold")
def unfold(*args: Any) -> Rendering:
    if len(args) == 4:
        return Rendering(aten.unfold.default, args)
    input, kernel, dilation, padding, stride = args
    return Rendering(aten.im2col.default, (input, list(kernel), list(dilation), list(padding), list(stride)))


@renders("roll")
def roll(input: Array, shifts: Sequence[int], dims: Sequence[int]) -> Rendering:
    return Rendering(aten.roll.default, trimmed((input, list(shifts), list(dims)), []))


@renders("constant_pad_nd")
def pad(input: Array, widths: Sequence[Sequence[int]], value: Any) -> Rendering:
    flat = [width for pair in reversed(list(widths)) for width in pair]
    while flat[-2:] == [0, 0]:
        flat = flat[:-2]
    return Rendering(aten.constant_pad_nd.default, (input, flat, float(value)))


def place_of(key: tuple[Any, ...], ndim: int) -> tuple[int, Any] | None:
    """The only dimension that a key indexes, and its index; None if it indexes several."""
    said = [item for item in key if item is not Ellipsis and item != slice(None)]
    if len(said) != 1 or isinstance(said[0], np.ndarray):
        return None
    before = list(key[: key.index(said[0])])
    after = key[len(before) + 1 :]
    dim = ndim - (said[0] is not None) - len(after) if Ellipsis in before else len(before)
    return dim, said[0]


@renders("select")
def select(input: Array, key: Any) -> Rendering | None:
    place = place_of(tuple(key), input._array.ndim)
    return None if place is None else Rendering(aten.select.int, (input, *place))


@renders("slice")
def slice_along(input: Array, key: Any) -> Rendering | None:
    place = place_of(tuple(key), input._array.ndim)
    if place is None:
        return None
    part = place[1]
    end = ENDLESS if part.stop is None else part.stop
    return Rendering(aten.slice.Tensor, trimmed((input, place[0], part.start or 0, end, part.step or 1), 1))


@renders("look")
def look(input: Array, key: Any) -> Rendering | None:
    place = place_of(tuple(key), input._array.ndim + 1)
    return None if place is None or place[1] is not None else Rendering(aten.unsqueeze.default, (input, place[0]))


def indices_of(key: Any) -> list[Any] | None:
    """A key of arrays and full slices as aten's list of tensors and None; None for any other key."""
    found = [None if isinstance(item, slice) and item == slice(None) else item for item in key]
    if any(item is not None and not (is_tensor(item) and item.shape) for item in found):
        return None
    return found


@renders("index")
def index(input: Array, key: Any) -> Rendering | None:
    indices = indices_of(key)
    return None if indices is None else Rendering(aten.index.Tensor, (input, indices))


@renders("gather")
def gather(*args: Any) -> Rendering | None:
    return Rendering(aten.gather.default, args) if isinstance(args[1], int) else None


@renders("scatter")
def scatter(*args: Any) -> Rendering | None:
    return Rendering(aten.scatter.src, args) if isinstance(args[1], int) else None


@renders("scatter_value")
def scatter_value(input: Array, dim: int, index: Array, value: Any) -> Rendering:
    return Rendering(aten.scatter.value, (input, dim, index, value))


@renders("index_add")
def index_add(input: Array, dim: int, index: Array, source: Array, alpha: float) -> Rendering:
    return Rendering(aten.index_add.default, (input, dim, index, source), {} if alpha == 1 else {"alpha": alpha})


@renders("masked_fill", "masked_fill_tensor")
def masked_fill(input: Array, mask: Array, value: Any) -> Rendering:
    return Rendering(aten.masked_fill.Tensor if is_tensor(value) else aten.masked_fill.Scalar, (input, mask, value))


@renders("unsafe_view")
def unsafe_view(input: Array, shape: Sequence[int]) -> Rendering:
    return Rendering(aten._unsafe_view.default, (input, list(shape)))


with_defaults("tril", 0)
with_defaults("triu", 0)
with_defaults("diagonal", 0, 0, 1)
with_defaults("diag_embed", 0, -2, -1)
with_defaults("flip")
with_defaults("repeat")
with_defaults("expand")
with_defaults("view")
with_defaults("permute")
with_defaults("unsqueeze")
with_defaults("t")
with_defaults("index_select")
with_defaults("masked_select")
with_defaults("masked_scatter")
with_defaults("scatter_add")
with_defaults("nonzero")
