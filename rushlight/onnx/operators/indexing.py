"""Indexing with tensors, and scattering."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from rushlight.compiler.memories import look as look_at
from rushlight.compiler.program import Value
from rushlight.onnx.errors import UnsupportedOperatorError
from rushlight.onnx.graph import Graph
from rushlight.onnx.operators.shapes import whole_key
from rushlight.onnx.operators.table import Operand, number, translates
from rushlight.onnx.recording import REFUSED


@translates("embedding")
def embedding(g: Graph, weight: Operand, indices: Operand, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    return g.node("Gather", weight, indices, axis=0)


@translates("index_select")
def index_select(g: Graph, input: Operand, dim: int, index: Operand) -> Any:
    return g.node("Gather", input, index, axis=dim)


@translates("gather")
def gather(g: Graph, input: Operand, dim: int, index: Operand) -> Any:
    return g.node("GatherElements", input, index, axis=dim)


@translates("scatter")
def scatter(g: Graph, input: Operand, dim: int, index: Operand, src: Operand) -> Any:
    return g.node("ScatterElements", input, index, src, axis=dim)


@translates("scatter_value")
def scatter_value(g: Graph, input: Operand, dim: int, index: Operand, value: Any) -> Any:
    filled = g.node("Expand", number(value, input), g.node("Shape", index))
    return g.node("ScatterElements", input, index, filled, axis=dim)


@translates("scatter_add")
def scatter_add(g: Graph, input: Operand, dim: int, index: Operand, src: Operand) -> Any:
    """The source may be larger than the indices: then its first elements are added."""
    if src.shape != index.shape:
        every = np.arange(len(src.shape))
        src = g.node("Slice", src, np.zeros_like(every), g.shape(g.dims(index)), every)
    return g.node("ScatterElements", input, index, src, axis=dim, reduction="add")


@translates("index_add")
def index_add(g: Graph, input: Operand, dim: int, index: Operand, source: Operand, alpha: Any) -> Any:
    """The index is spread over the slices that it numbers."""
    scaled = source if alpha == 1 else g.node("Mul", source, number(alpha, source))
    line = np.asarray([-1 if i == dim else 1 for i in range(len(input.shape))])
    places = g.node("Expand", g.node("Reshape", index, line), g.shape(g.dims(source)))
    return g.node("ScatterElements", input, places, scaled, axis=dim, reduction="add")


@translates("nonzero")
def nonzero(g: Graph, input: Operand) -> Any:
    return g.node("Transpose", g.node("NonZero", input), perm=[1, 0])


@translates("counted_rows()")
def counted_rows(g: Graph, bags: Operand, indices: Operand, padding: int, mode: str, n: int) -> Any:
    """How many rows a bag has: known where no index stands for padding."""
    known = g.known(bags)
    if known is None or padding >= 0:
        raise UnsupportedOperatorError(f"{REFUSED}: embedding_bag with offsets, or with a padding_idx. Use embedding.")
    return g.constant(np.bincount(known, minlength=n))


@translates("embedding_bag", "weighted_embedding_bag")
def embedding_bag(
    g: Graph,
    weight: Operand,
    indices: Operand,
    bags: Operand,
    per_sample_weights: Operand,
    counts: Operand,
    mode: str,
    padding: int,
    scale_grad_by_freq: bool,
) -> Any:
    """Bags of one size, as the rows of a matrix of indices are: the rows of each are reduced."""
    numbers = g.known(bags)
    count = counts.shape[0]
    if numbers is None or padding >= 0 or (numbers != np.arange(numbers.size) * count // max(numbers.size, 1)).any():
        raise UnsupportedOperatorError(f"{REFUSED}: embedding_bag with offsets, or with a padding_idx. Use embedding.")
    rows: Any = g.node("Gather", weight, indices, axis=0)
    if per_sample_weights is not None:
        rows = g.node("Mul", rows, g.node("Unsqueeze", per_sample_weights, np.asarray([-1])))
    each = g.node("Reshape", rows, np.asarray([count, -1, weight.shape[1]]))
    kinds = {"sum": "ReduceSum", "mean": "ReduceMean", "max": "ReduceMax"}
    return (g.node(kinds[mode], each, np.asarray([1]), keepdims=0),)


@translates("index")
def index(g: Graph, input: Operand, key: Sequence[Any]) -> Any:
    """One index tensor along a dimension, or several for the first dimensions."""
    key = whole_key(key, len(input.shape))
    places = [i for i, one in enumerate(key) if isinstance(one, Value)]
    if len(key) == 1 and places and key[0].dtype == bool:
        return g.node("GatherND", input, g.node("Transpose", g.node("NonZero", key[0]), perm=[1, 0]))
    rest = [one for one in key if not isinstance(one, Value) and one != slice(None)]
    if rest or any(key[i].dtype.kind not in "iu" for i in places) or not places:
        raise UnsupportedOperatorError(
            f"{REFUSED}: this way of indexing has no counterpart in ONNX. Index in two steps."
        )
    if len(places) == 1:
        return g.node("Gather", input, key[places[0]], axis=places[0])
    if places != list(range(len(places))):
        raise UnsupportedOperatorError(f"{REFUSED}: indices of dimensions that are not the first. Permute them first.")
    shape = g.node("Shape", sum_of(g, [key[i] for i in places]))
    together = [g.node("Unsqueeze", g.node("Expand", key[i], shape), np.asarray([-1])) for i in places]
    return g.node("GatherND", input, g.node("Concat", *together, axis=-1))


def sum_of(g: Graph, indices: Sequence[Operand]) -> Any:
    """The sum of index tensors, which has the shape that they broadcast to."""
    total = indices[0]
    for one in indices[1:]:
        total = g.node("Add", total, one)
    return total


@translates("expanded_classes()")
def one_hot(g: Graph, input: Operand, count: int) -> Any:
    return g.node("OneHot", input, np.asarray(count), np.asarray([0, 1]), axis=-1)


@translates("with_part_replaced()")
def with_part_replaced(
    g: Graph, whole: Operand, value: Any, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any
) -> Any:
    """A tensor after a view of it was overwritten."""
    places = places_of(whole, offset, shape, strides)
    flat = g.node("Reshape", whole, np.asarray([-1]))
    updates = g.node("Reshape", value, np.asarray([-1]))
    changed = g.node("ScatterElements", flat, places.ravel(), updates, axis=0)
    return g.node("Reshape", changed, np.asarray(whole.shape, np.int64))


@translates("look()")
def look(g: Graph, whole: Operand, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> Any:
    """A view of a tensor that was overwritten."""
    return g.node(
        "Gather", g.node("Reshape", whole, np.asarray([-1])), places_of(whole, offset, shape, strides), axis=0
    )


def places_of(whole: Operand, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray:
    """The indices of a view's elements among those of a contiguous tensor."""
    factor = 8 // whole.dtype.itemsize
    if whole.strides is not None or factor * whole.dtype.itemsize != 8:
        raise UnsupportedOperatorError(f"{REFUSED}: it writes to a part of a tensor that does not lie in order.")
    assert whole.shape is not None, "a tensor has a shape"
    numbers = np.arange(prod(whole.shape)).reshape(whole.shape)
    return look_at(numbers, offset * factor, shape, tuple(step * factor for step in strides), numbers.dtype).copy()
