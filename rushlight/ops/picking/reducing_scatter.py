"""Reducing values into indexed elements: what `scatter_reduce` and `index_reduce` share."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import leading
from rushlight.core.fusion import fused
from rushlight.core.kinds import kind_of
from rushlight.kernels.picking import put_along
from rushlight.layouts import owned
from rushlight.ops.elementwise.selection import _drop, _keep, _where, are_same, where_same
from rushlight.ops.reductions.prod import _recur, _shift
from rushlight.ops.table import operator

UFUNCS: dict[str, np.ufunc] = {
    "sum": np.add,
    "mean": np.add,
    "prod": np.multiply,
    "amax": np.maximum,
    "amin": np.minimum,
}


def start_of(reduce: str, dtype: np.dtype) -> float:
    """The initial value of a reduction."""
    if reduce in ("sum", "mean", "prod"):
        return 1 if reduce == "prod" else 0
    if kind_of(dtype) in "fc":
        return -np.inf if reduce == "amax" else np.inf
    if dtype.kind == "b":
        return reduce == "amin"
    return np.iinfo(dtype).min if reduce == "amax" else np.iinfo(dtype).max


def reduced(input: Any, places: Array, values: Array, reduce: str, include_self: bool) -> Array:
    """A copy of `input` with `values` reduced into its elements at the flat indices `places`."""
    out = np.array(input, order="C", like=input).reshape(-1)
    values = np.reshape(values, -1)
    if not include_self:
        out[places] = start_of(reduce, out.dtype)
    UFUNCS[reduce].at(out, places, values)
    if reduce == "mean":
        counts = np.ones(out.size, np.int64, like=out)
        if not include_self:
            counts[places] = 0
        np.add.at(counts, places, 1)
        divide = np.floor_divide if out.dtype.kind in "biu" else np.divide
        out = divide(out, np.maximum(counts, 1)).astype(out.dtype)
    return out.reshape(input.shape)


def reduced_by_kernel(
    input: Array, dim: int, index: Array, values: Array, reduce: str, include_self: bool
) -> Array | None:
    """A copy of `input` with `values` reduced into it at `index` along a dimension; None without a kernel for it."""
    out = owned(input)
    if not include_self and not put_along(out, index, dim, start_of(reduce, out.dtype)):
        return None
    if not put_along(out, index, dim, values, "sum" if reduce == "mean" else reduce):
        return None
    return divided(out, dim, index, include_self) if reduce == "mean" else out


def divided(sums: Array, dim: int, index: Array, include_self: bool) -> Array:
    """Sums of what was added at `index` along a dimension, divided by how much that was."""
    counts = np.ones(sums.shape)
    if not include_self:
        put_along(counts, index, dim, 0)
    put_along(counts, index, dim, 1, "sum")
    np.divide(sums, np.maximum(counts, 1, out=counts), out=sums, casting="same_kind")
    return sums


@operator(batch=leading)
def _order(index: Array, dim: int) -> Array:
    """The order that sorts indices along a dimension, so that equal ones are adjacent."""
    return np.argsort(index, dim, kind="stable")


def product_of_others(factors: Array, index: Array, dim: int) -> Array:
    """For each factor, the product of all other factors with the same index along a dimension.

    With equal indices adjacent, it is the product of those before times the product of those after. Both are linear
    recurrences without divisions, so derivatives of every order are right even if factors are zero.
    """
    if not factors.shape:
        return np.ones_like(factors)
    order = _order(index, dim)
    factors = np.take_along_axis(factors, order, dim)
    index = np.take_along_axis(index, order, dim) + 1  # never 0, which `_shift` fills in
    products = np.ones_like(factors)
    for back in (False, True):
        alone = index != _shift(index, dim, back)
        others = _drop(alone, _shift(factors, dim, back))
        products = products * _recur(_keep(alone, np.ones_like(factors)), others, dim, back)
    return np.take_along_axis(products, _order(order, dim), dim)


def reduce_cotangents(
    grad: Array,
    input: Array,
    src: Array,
    result: Array,
    take: Callable[..., Any],
    add: Callable[..., Any],
    product: Callable[..., Any],
    others: Callable[..., Any],
    reduce: str,
    include_self: bool,
    needs: Sequence[bool],
) -> tuple[Array, ...]:
    """The gradients of the input and of the source.

    `take` selects the elements at the source's destinations, and `add` is its adjoint. `product` multiplies the input's
    elements by the source; `others` gives for each element of the source the product of all others with the same
    destination. Maxima and minima that are equal share the gradient evenly.
    """
    if reduce == "prod":
        own, sent = prod_cotangents(grad, input, src, take, product, others, include_self, needs)
    else:
        own, sent = COTANGENTS[reduce](grad, input, src, result, take, add, include_self, needs)
    if own is not None and not include_self:
        own = np.where(add(np.ones_like(src)) == 0, grad, 0)
    return own, sent


def sum_cotangents(
    grad: Array,
    input: Array,
    src: Array,
    result: Array,
    take: Callable[..., Any],
    add: Callable[..., Any],
    include_self: bool,
    needs: Sequence[bool],
) -> tuple[Array, ...]:
    """The gradients of sums."""
    return grad, take(grad) if needs[1] else None


def mean_cotangents(
    grad: Array,
    input: Array,
    src: Array,
    result: Array,
    take: Callable[..., Any],
    add: Callable[..., Any],
    include_self: bool,
    needs: Sequence[bool],
) -> tuple[Array, ...]:
    """The gradients of means: divided by the number of values."""
    counts = add(np.ones_like(src)) + (1 if include_self else 0)
    share = grad / np.where(counts == 0, np.ones_like(counts), counts)
    return share, take(share) if needs[1] else None


def prod_cotangents(
    grad: Array,
    input: Array,
    src: Array,
    take: Callable[..., Any],
    product: Callable[..., Any],
    others: Callable[..., Any],
    include_self: bool,
    needs: Sequence[bool],
) -> tuple[Array, ...]:
    """The gradients of products: the products of the other factors."""
    own = grad * product(np.ones_like(input), src) if needs[0] else None
    return own, take(grad * input if include_self else grad) * others(src) if needs[1] else None


def extreme_cotangents(
    grad: Array,
    input: Array,
    src: Array,
    result: Array,
    take: Callable[..., Any],
    add: Callable[..., Any],
    include_self: bool,
    needs: Sequence[bool],
) -> tuple[Array, ...]:
    """The gradients of maxima and minima: shared evenly among all equal ones."""
    taken = take(result)
    counts = add(are_same(src, taken).astype(src.dtype))
    share = shares_of_all(grad, input, result, counts) if include_self else shares(grad, counts)
    return where_same(input, result, share), where_same(src, taken, take(share)) if needs[1] else None


@fused
def shares(grad: Array, counts: Array) -> Array:
    """A gradient divided by how many share it, if any do."""
    return grad / _where(counts == 0, 1, counts)


@fused
def shares_of_all(grad: Array, input: Array, result: Array, counts: Array) -> Array:
    """`shares` where the input's own element is one of those that are counted if it is equal to the result."""
    return shares(grad, counts + (input == result))


COTANGENTS = {
    "sum": sum_cotangents,
    "mean": mean_cotangents,
    "amax": extreme_cotangents,
    "amin": extreme_cotangents,
}
