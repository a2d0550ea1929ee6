"""Reductions, softmax, sorting and other operators along dimensions."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.onnx.errors import UnsupportedOperatorError
from rushlight.onnx.graph import Graph, element_type
from rushlight.onnx.operators.table import TRANSLATIONS, Operand, number, translates
from rushlight.onnx.recording import REFUSED


def axes(dims: Any) -> Any:
    """Dimensions as an operand; none if all are meant."""
    return None if dims is None or not len(tuple(dims)) else np.asarray(list(dims), np.int64)


def as_type(g: Any, input: Any, dtype: Any) -> Any:
    """The input converted to the dtype of the computation."""
    return input if dtype is None or np.dtype(dtype) == input.dtype else g.node("Cast", input, to=element_type(dtype))


def reduction_of_dims(kind: str) -> Any:
    """A translation of a reduction along dimensions, in a dtype."""

    def translate(g: Graph, input: Operand, dims: Sequence[int], keepdim: bool, dtype: Any = None) -> Any:
        if dtype is None and input.dtype.kind in "?biu" and kind in ("ReduceSum", "ReduceProd"):
            dtype = np.int64
        return g.node(kind, as_type(g, input, dtype), axes(dims), keepdims=int(keepdim))

    return translate


for _name, _kind in [("sum", "ReduceSum"), ("mean", "ReduceMean"), ("amax", "ReduceMax"), ("amin", "ReduceMin")]:
    TRANSLATIONS[_name if _name[0] == "a" else f"{_name}_dims"] = reduction_of_dims(_kind)
TRANSLATIONS["logsumexp"] = reduction_of_dims("ReduceLogSumExp")


def of_all_elements(kind: str) -> Any:
    """A translation of a reduction of all elements."""
    return lambda g, input: reduction_of_dims(kind)(g, input, None, False)


for _name in ("Sum", "Mean", "Prod", "Max", "Min"):
    TRANSLATIONS[_name.lower()] = of_all_elements(f"Reduce{_name}")


@translates("prod_dim")
def prod_dim(g: Graph, input: Operand, dim: int, keepdim: bool, dtype: Any) -> Any:
    return reduction_of_dims("ReduceProd")(g, input, [dim], keepdim, dtype)


def extreme(kind: str) -> Any:
    """A translation of a maximum or minimum along a dimension, with its index."""

    def translate(g: Graph, input: Operand, dim: int, keepdim: bool) -> Any:
        value = g.node(f"Reduce{kind}", input, np.asarray([dim]), keepdims=int(keepdim))
        return value, g.node(f"Arg{kind}", input, axis=dim, keepdims=int(keepdim))

    return translate


def place_of_extreme(kind: str) -> Any:
    """A translation of argmax or argmin."""

    def translate(g: Graph, input: Operand, dim: int, keepdim: bool) -> Any:
        if dim is None:
            input, dim = g.node("Reshape", input, np.asarray([-1])), 0
        return g.node(kind, input, axis=dim, keepdims=int(keepdim))

    return translate


for _kind in ("Max", "Min"):
    TRANSLATIONS[f"{_kind.lower()}_dim"] = extreme(_kind)
    TRANSLATIONS[f"arg{_kind.lower()}"] = place_of_extreme(f"Arg{_kind}")


def truth(kind: str) -> Any:
    """A translation of `all` or `any`."""

    def translate(g: Graph, input: Operand, dims: Sequence[int], keepdim: bool) -> Any:
        numbers = g.node("Cast", g.node("Cast", input, to=element_type(bool)), to=element_type(np.int32))
        return g.node("Cast", g.node(kind, numbers, axes(dims), keepdims=int(keepdim)), to=element_type(bool))

    return translate


TRANSLATIONS["all"], TRANSLATIONS["any"] = truth("ReduceMin"), truth("ReduceMax")


@translates("count_nonzero")
def count_nonzero(g: Graph, input: Operand, dims: Sequence[int]) -> Any:
    truths = g.node("Cast", input, to=element_type(bool))
    return g.node("ReduceSum", g.node("Cast", truths, to=element_type(np.int64)), axes(dims), keepdims=0)


@translates("var")
def var(g: Graph, input: Operand, dims: Sequence[int], correction: float, keepdim: bool) -> Any:
    sizes = [g.dims(input)[dim] for dim in (dims or range(len(input.shape)))]
    if any(not isinstance(one, int) for one in sizes):
        raise UnsupportedOperatorError(f"{REFUSED}: a variance over a dimension of any size. Fix that size.")
    count = math.prod(one for one in sizes if isinstance(one, int))
    centered = g.node("Sub", input, g.node("ReduceMean", input, axes(dims)))
    total = g.node("ReduceSumSquare", centered, axes(dims), keepdims=int(keepdim))
    return g.node("Div", total, number(max(count - correction, 0), input))


@translates("std")
def std(g: Graph, input: Operand, dims: Sequence[int], correction: float, keepdim: bool) -> Any:
    return g.node("Sqrt", var(g, input, dims, correction, keepdim))


@translates("var_mean")
def var_mean(g: Graph, input: Operand, dims: Sequence[int], correction: float, keepdim: bool) -> Any:
    mean = g.node("ReduceMean", input, axes(dims), keepdims=int(keepdim))
    return var(g, input, dims, correction, keepdim), mean


@translates("std_mean")
def std_mean(g: Graph, input: Operand, dims: Sequence[int], correction: float, keepdim: bool) -> Any:
    spread, mean = var_mean(g, input, dims, correction, keepdim)
    return g.node("Sqrt", spread), mean


@translates("linalg_vector_norm")
def vector_norm(g: Graph, input: Operand, order: float, dims: Sequence[int], keepdim: bool) -> Any:
    kinds: dict[float, str] = {1: "ReduceL1", 2: "ReduceL2"}
    if order in kinds:
        return g.node(kinds[order], input, axes(dims), keepdims=int(keepdim))
    if order in (np.inf, -np.inf):
        kind = "ReduceMax" if order > 0 else "ReduceMin"
        return g.node(kind, g.node("Abs", input), axes(dims), keepdims=int(keepdim))
    powers = g.node("Pow", g.node("Abs", input), number(order, input))
    return g.node("Pow", g.node("ReduceSum", powers, axes(dims), keepdims=int(keepdim)), number(1 / order, input))


@translates("softmax")
def softmax(g: Graph, input: Operand, dim: int, dtype: Any) -> Any:
    return g.node("Softmax", as_type(g, input, dtype), axis=dim)


@translates("log_softmax")
def log_softmax(g: Graph, input: Operand, dim: int, dtype: Any) -> Any:
    return g.node("LogSoftmax", as_type(g, input, dtype), axis=dim)


@translates("cumsum")
def cumsum(g: Graph, input: Operand, dim: int, dtype: Any, double: bool) -> Any:
    dtype = np.int64 if dtype is None and input.dtype.kind in "?biu" else dtype
    return g.node("CumSum", as_type(g, input, dtype), np.asarray(dim))


@translates("topk")
def topk(g: Graph, input: Operand, k: int, dim: int, largest: bool) -> Any:
    return g.node("TopK", input, g.shape([k]), axis=dim, largest=int(largest), outputs=2)


@translates("sort", "sort_stable")
def sort(g: Graph, input: Operand, dim: int, descending: bool) -> Any:
    return topk(g, input, g.dims(input)[dim], dim, descending)


@translates("argsort")
def argsort(g: Graph, input: Operand, dim: int, descending: bool) -> Any:
    return sort(g, input, dim, descending)[1]


@translates("median_dim")
def median_dim(g: Graph, input: Operand, dim: int, keepdim: bool) -> Any:
    """The middle element in sorted order, the lower of two, and its index."""
    count = g.dims(input)[dim]
    if not isinstance(count, int):
        raise UnsupportedOperatorError(f"{REFUSED}: the median over a dimension of any size. Fix that size.")
    middle = np.asarray([(count - 1) // 2] if keepdim else (count - 1) // 2)
    return tuple(g.node("Gather", one, middle, axis=dim) for one in sort(g, input, dim, False))
