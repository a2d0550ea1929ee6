"""Order statistics: median, k-th smallest element, mode, quantiles."""

import math
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from rushlight import return_types
from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.batched import grown
from rushlight.core.batching import by, leading
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.guards import asking
from rushlight.core.kinds import kind_of
from rushlight.core.operators import unary as call_unary
from rushlight.kernels import ranking
from rushlight.kernels.codes import LARGEST
from rushlight.kernels.parts import by_slices
from rushlight.kernels.reductions import reduced
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.arguments.keywords import keywords
from rushlight.ops.elementwise.blending import lerp
from rushlight.ops.picking.gather import _gather
from rushlight.ops.reductions.extrema import as_given, refuse_complex_derivative, refuse_empty, returned, shared_by_all
from rushlight.ops.reductions.reduction import axes, kept_shape, type_name
from rushlight.ops.reductions.sorting import order_of
from rushlight.ops.shapes.shape import _squeezed
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = ["kthvalue", "median", "mode", "nanmedian", "nanquantile", "quantile"]

MIDDLE = -1  # stands for the rank of the lower median
FEW = 1 << 16  # elements from which on NumPy selects faster


def picked(input: Array, index: Array, dim: int, keepdim: bool) -> tuple[Array, ...]:
    """The values at one index in each row along a dimension, and the indices."""
    if input.ndim == 0:
        return input.copy(), np.zeros((), np.int64, like=input)
    kept = index.reshape(kept_shape(input.shape, (dim,)))
    values = _gather.forward(input, dim, kept)
    return (values, kept) if keepdim else (values.squeeze(dim), index)


def ranked(rows: Array, rank: Any) -> Array:
    """The index of the element of a given rank (a number, or one for each row) along the last dimension."""
    if isinstance(rank, int):
        if (found := ranking.place_in_rows(rows, rank)) is not None:
            return found
        return by_slices(lambda part: part.argpartition(rank, -1)[..., rank], rows, rows.ndim - 1)
    return at_places(order_of(rows, rows.ndim - 1, False), rank)


def at_places(rows: Array, places: Array) -> Array:
    """The element at one index of each row along the last dimension."""
    return _gather.forward(rows, rows.ndim - 1, places[..., None])[..., 0]


def middle(rows: Array) -> Array:
    """The index of the lower median of each row, or of its first NaN."""
    if (found := ranking.place_in_rows(rows, MIDDLE)) is not None:
        return found
    index = ranked(rows, (rows.shape[-1] - 1) // 2)
    if not has_missing(rows):
        return index
    missing = np.isnan(rows)
    return np.where(missing.any(-1), missing.argmax(-1), index)


def has_missing(rows: Array) -> bool:
    """Whether there is a NaN: then the largest element is one."""
    return kind_of(rows.dtype) == "f" and rows.size > 0 and bool(np.isnan(np.maximum.reduce(rows, None)))


def middle_number(rows: Array) -> Array:
    """The index of the lower median of the numbers in each row; NaN is sorted last and ignored."""
    if (found := ranking.place_in_rows(rows, MIDDLE, True)) is not None:
        return found
    if not has_missing(rows):
        return ranked(rows, (rows.shape[-1] - 1) // 2)
    missing = np.isnan(rows)
    numbers = np.add.reduce(~missing, -1, np.int64)
    return ranked(rows, np.maximum(numbers - 1, 0) // 2)


def most_frequent(rows: Array) -> Array:
    """The index of the most frequent element of each row: of several such, the smallest, and its last index."""
    if (found := ranking.most_frequent(rows)) is not None:
        return found
    order = order_of(rows, rows.ndim - 1, False)
    values = _gather.forward(rows, rows.ndim - 1, order)
    place = np.arange(rows.shape[-1], like=rows)
    first = np.ones(rows.shape, bool, like=rows)
    first[..., 1:] = values[..., 1:] != values[..., :-1]
    start = np.maximum.accumulate(np.where(first, place, 0), -1)
    longest = (place - start).argmax(-1)
    return at_places(order, longest)


def selecting(name: str, node: str, choose: Callable[..., Any]) -> Any:
    """Registers an operator that selects one element of each row along a dimension; `choose` returns their indices."""

    def forward(input: Array, dim: int, keepdim: bool, *options: Any) -> tuple[Array, Array]:
        rows = input if dim >= input.ndim - 1 else np.moveaxis(input, dim, -1)
        places = choose(rows, *options) if input.ndim else 0
        return picked(input, places, dim, keepdim)

    def formula(grads: Sequence[Array], result1: Array, input_shape: Sequence[int], dim: int) -> Array:
        return returned(grads, result1, input_shape, dim)

    forward.__name__ = name
    return operator(batch=leading, node=node, aten=name.removesuffix("_dim"), nondifferentiable=(1,), input=formula)(
        forward
    )


_kthvalue = selecting("kthvalue", "KthvalueBackward0", lambda rows, k: ranked(rows, k - 1))
_median_dim = selecting("median_dim", "MedianBackward1", middle)
_nanmedian_dim = selecting("nanmedian_dim", "NanmedianBackward1", middle_number)
_mode = selecting("mode", "ModeBackward0", most_frequent)


@operator(
    promote=as_given,
    batch=by(lambda n, input: middle_of_all(input, middle, n)),
    input=lambda grad, input, result: shared_by_all(grad, input, result),
)
def _median(input: Array) -> tuple[Array, ...]:
    return middle_of_all(input, middle)


@operator(
    promote=as_given,
    batch=by(lambda n, input: middle_of_all(input, middle_number, n)),
    input=lambda grad, input, result: shared_by_all(grad, input, result),
)
def _nanmedian(input: Array) -> tuple[Array, ...]:
    return middle_of_all(input, middle_number)


def middle_of_all(input: Array, choose: Callable[..., Any], n: int = 0) -> Array:
    """The median of all elements, or of each example if there are `n` batch dimensions; NaN for no elements."""
    batch = input.shape[:n]
    rows = input.reshape(*batch, math.prod(input.shape[n:]))
    if rows.shape[-1] == 0 or rows.size == 0:
        return np.full(batch, np.nan).astype(input.dtype)
    if not batch:
        return middle_value(rows, choose is middle_number)
    return at_places(rows, choose(rows))


def middle_value(row: Array, numbers_only: bool) -> Array:
    """The lower median of a row, without its index: NaN if the row has NaN, unless `numbers_only`."""
    if row.size <= FEW and (place := ranking.place_in_rows(row, MIDDLE, numbers_only)) is not None:
        return np.asarray(row[place])
    missing = np.count_nonzero(np.isnan(row)) if kind_of(row.dtype) == "f" else 0
    if missing and not numbers_only:
        return np.full((), np.nan, row.dtype, like=row)
    rank = max(row.size - missing - 1, 0) // 2
    return np.asarray(np.partition(row, rank)[rank], like=row)  # NaN is sorted after the numbers


def ranked_in_dim(
    name: str, entry: Any, result_type: Any, input: Tensor, dim: Any, keepdim: bool, *options: int
) -> Any:
    """The part that the functions which select an element along a dimension share."""
    array = input._array
    dim = wrap_dim(dim, array.ndim)
    alone = not array.ndim and name in ("kthvalue", "mode")  # there is nothing to compare
    if not alone and (array.dtype.kind == "c" or (array.dtype.kind == "b" and name != "mode")):
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{type_name(input)}'")
    refuse_complex_derivative(name, input)
    if array.size == 0:
        refuse_empty(name, input, (dim,))
    return result_type(entry(input, dim, keepdim, *options))


def of_all(name: str, entry: Any, input: Tensor) -> Tensor:
    """The part that `median` and `nanmedian` of all elements share."""
    if input._array.dtype.kind in "bc":
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{type_name(input)}'")
    return call_unary(entry, input)


@method
@keywords
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | return_types.median:
    """The median of all elements, or values and indices of the medians along a dimension.

    For an even number of elements it is the lower of the two in the middle. With a NaN among the elements it is NaN.

    >>> import rushlight as torch
    >>> torch.median(torch.tensor([3.0, 1.0, 2.0, 4.0]))
    tensor(2.)
    """
    if dim is None:
        return of_all("median", _median, input)
    return ranked_in_dim("median", _median_dim, return_types.median, input, dim, keepdim)


@method
@keywords
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | return_types.nanmedian:
    """The median of the elements that are not NaN, or values and indices of the medians along a dimension.

    >>> import rushlight as torch
    >>> torch.nanmedian(torch.tensor([3.0, 1.0, float("nan"), 4.0]))
    tensor(3.)
    """
    if dim is None:
        return of_all("median", _nanmedian, input)
    return ranked_in_dim("median", _nanmedian_dim, return_types.nanmedian, input, dim, keepdim)


@method
@keywords
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> return_types.mode:
    """The most frequent element along a dimension (the smallest of several), and the last index where it occurs.

    >>> import rushlight as torch
    >>> torch.mode(torch.tensor([2, 1, 2, 1, 3]))
    torch.return_types.mode(
    values=tensor(1),
    indices=tensor(3))
    """
    return ranked_in_dim("mode", _mode, return_types.mode, input, dim, keepdim)


@method
@keywords
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> return_types.kthvalue:
    """The k-th smallest element along a dimension, counted from 1, and its index.

    RuntimeError unless k is from 1 to the size of the dimension.

    >>> import rushlight as torch
    >>> torch.kthvalue(torch.tensor([3.0, 1.0, 2.0]), 2)
    torch.return_types.kthvalue(
    values=tensor(2.),
    indices=tensor(2))
    """
    array = input._array
    wrapped = wrap_dim(dim, array.ndim)
    n = array.shape[wrapped] if array.ndim else 1
    if n and not 1 <= k <= n:
        raise RuntimeError(advised(f"kthvalue(): selected number k out of range for dimension {wrapped}"))
    return ranked_in_dim("kthvalue", _kthvalue, return_types.kthvalue, input, dim, keepdim, index(k))


ROUNDED: dict[str, Callable[..., Any]] = {
    "lower": np.floor,
    "higher": np.ceil,
    "nearest": np.round,
}  # interpolations whose result is one of the elements


@operator(
    aten=(), batch=by(lambda n, input, q, *how: _quantile_places.forward(input, grown(q, n, input.ndim - n), *how))
)
def _quantile_places(input: Array, q: Array, interpolation: str, ignore_nan: bool) -> tuple[Array, ...]:
    """The indices of the elements below and above each quantile, and the factor and offset of the interpolation.

    The indices are along the last dimension, of shape (*rows, quantiles). `q * factor + offset` is the weight of the
    element above.
    """
    order = order_of(input, input.ndim - 1, False)
    last = input.shape[-1] - 1
    missing = np.isnan(reduced(input, (input.ndim - 1,), True, LARGEST))
    if not missing.any():
        factor, offset = np.full(missing.shape, last, q.dtype), np.zeros(missing.shape, q.dtype)
    elif ignore_nan:
        missing = np.add.reduce(np.isnan(input), -1, np.int64)[..., None]
        factor, offset = np.maximum(last - missing, 0).astype(q.dtype), np.zeros_like(missing, q.dtype)
    else:
        factor, offset = (np.where(hole, last, 0).astype(q.dtype) for hole in (~missing, missing))
    ranks = q * factor + offset
    ranks = ROUNDED[interpolation](ranks) if interpolation in ROUNDED else ranks
    below, above = np.floor(ranks).astype(np.int64), np.ceil(ranks).astype(np.int64)
    low, high = (_gather.forward(order, order.ndim - 1, ranks) for ranks in (below, above))
    return low, high, factor, offset - below.astype(q.dtype)


def interpolated(input: Tensor, q: Tensor, interpolation: str, ignore_nan: bool) -> Tensor:
    """The quantiles along the last dimension, which they replace."""
    below, above, factor, offset = _quantile_places(input, q, interpolation, ignore_nan)
    last = input._array.ndim - 1
    low = _gather(input, last, below)
    if interpolation in ROUNDED:
        return low
    part = 0.5 if interpolation == "midpoint" else q * factor + offset
    return lerp(low, _gather(input, last, above), part)


def checked_quantiles(name: str, input: Tensor, q: Tensor | float, interpolation: str) -> Tensor:
    """The quantiles as a tensor of the input's dtype; raises PyTorch's errors."""
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    array = input._array
    if array.size == 0:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if array.dtype not in (np.float32, np.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if not isinstance(q, TensorBase):
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q}")
        return new_tensor(np.asarray(q, array.dtype))
    if q._array.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if q._array.dtype != array.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if not ((q._array >= 0) & (q._array <= 1)).all():
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    return q


def quantiles(
    name: str, input: Tensor, q: Tensor | float, dim: int | None, keepdim: bool, interpolation: str, ignore_nan: bool
) -> Tensor:
    """The part that `quantile` and `nanquantile` share. Several quantiles are the first dimension of the result."""
    q = checked_quantiles(name, input, q, interpolation)
    shape = input._array.shape
    dims = axes(dim, len(shape))
    rows = input.movedim(dims[0], -1) if dim is not None and shape else input.reshape(-1)
    result = interpolated(rows, q.reshape(-1), interpolation, ignore_nan).movedim(-1, 0)
    if keepdim:
        result = result.reshape(-1, *kept_shape(shape, dims))
    return result if q._array.ndim else _squeezed(result, result._array.shape[1:])


@method
@keywords
@asking
def quantile(
    input: Tensor, q: float | Tensor, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The q-quantiles (0 <= q <= 1) of all elements or along a dimension; NaN if an element is NaN.

    `q` is a number, or a vector of them, which becomes the first dimension of the result. `interpolation` says what a
    quantile between two elements is: "linear", "lower", "higher", "nearest" or "midpoint".

    >>> import rushlight as torch
    >>> torch.quantile(torch.tensor([1.0, 2.0, 4.0]), 0.75)
    tensor(3.)
    """
    return quantiles("quantile", input, q, dim, keepdim, interpolation, False)


@method
@keywords
@asking
def nanquantile(
    input: Tensor, q: float | Tensor, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The q-quantiles of the elements that are not NaN. See `quantile`.

    >>> import rushlight as torch
    >>> torch.nanquantile(torch.tensor([1.0, 2.0, 4.0, float("nan")]), 0.75)
    tensor(3.)
    """
    return quantiles("nanquantile", input, q, dim, keepdim, interpolation, True)
