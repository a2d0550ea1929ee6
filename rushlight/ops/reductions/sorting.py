"""Sorting, the k largest elements, and search in sorted sequences."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight import return_types
from rushlight.core.aliases import Array
from rushlight.core.batched import Batched, aligned, spread
from rushlight.core.batching import leading
from rushlight.core.graph import new_tensor
from rushlight.core.interpreters import answered
from rushlight.dtypes import TYPE_NAMES, arithmetic
from rushlight.kernels.parts import by_slices
from rushlight.kernels.ranking import first_along, in_order, places_in
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.arguments.keywords import keywords
from rushlight.ops.arguments.promotion import missing
from rushlight.ops.derivatives.series import nearby
from rushlight.ops.out import takes_out
from rushlight.ops.picking.gather import _gather, _put_back, picked
from rushlight.ops.table import method, operator
from rushlight.settings import warn_once
from rushlight.tensors import Tensor

__all__ = ["argsort", "bucketize", "msort", "searchsorted", "sort", "topk"]


def order_of(input: Array, dim: int, descending: bool) -> Array:
    """The indices that sort along a dimension; equal elements keep their order, and NaN counts as the largest."""
    if (found := in_order(input, dim, descending)) is not None:
        return found[1]
    if not descending:
        return by_slices(lambda part: part.argsort(dim, kind="stable"), input, dim)
    order = order_of(np.flip(input, dim), dim, False)
    return np.flip(input.shape[dim] - 1 - order, dim)


def ordered(input: Array, dim: int, descending: bool) -> tuple[Array, ...]:
    """Sorted values and their indices."""
    if input.ndim == 0:
        return input.copy(), np.zeros((), np.int64)
    if (found := in_order(input, dim, descending)) is not None:
        return found
    order = order_of(input, dim, descending)
    return _gather.forward(input, dim, order), order


@operator(
    layout="like first",
    batch=leading,
    nondifferentiable=(1,),
    tangent=picked,
    series=nearby,
    input=lambda grads, result1, input_shape, dim: _put_back(grads[0], dim, result1, input_shape, True),
    slopes={"input": "contiguous"},
)
def _sort(input: Array, dim: int, descending: bool) -> tuple[Array, ...]:
    return ordered(input, dim, descending)


@operator(
    aten="sort",
    layout="like first",
    batch=leading,
    name="sort_stable",
    node="SortBackward1",
    nondifferentiable=(1,),
    tangent=picked,
    series=nearby,
    input=lambda grads, result1, input_shape, dim: _put_back(grads[0], dim, result1, input_shape, True),
    slopes={"input": "contiguous"},
)
def _sort_stable(input: Array, dim: int, descending: bool) -> tuple[Array, ...]:
    return ordered(input, dim, descending)


def refuse_complex(input: Tensor) -> None:
    """Raises PyTorch's error for complex numbers, which have no order."""
    if input._array.dtype.kind == "c":
        raise RuntimeError(" Sort does not support complex dtypes on CPU")


@method
@keywords
def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> return_types.sort:
    """The elements sorted along a dimension, and their original indices. NaN counts as the largest.

    The sort is always stable, even with `stable=False`. RuntimeError for complex numbers.

    >>> import rushlight as torch
    >>> torch.sort(torch.tensor([3.0, 1.0, 2.0]))
    torch.return_types.sort(
    values=tensor([1., 2., 3.]),
    indices=tensor([1, 2, 0]))
    """
    dim = wrap_dim(dim, input._array.ndim)
    refuse_complex(input)
    return return_types.sort((_sort if stable is None else _sort_stable)(input, dim, descending))


@operator(layout="like first", batch=leading)
def _argsort(input: Array, dim: int, descending: bool) -> Array:
    return order_of(input, dim, descending) if input.ndim else np.zeros((), np.int64)


@method
@keywords
def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = True) -> Tensor:
    """The indices that sort along a dimension. The sort is always stable, even with `stable=False`.

    >>> import rushlight as torch
    >>> torch.argsort(torch.tensor([3.0, 1.0, 2.0]))
    tensor([1, 2, 0])
    """
    dim = wrap_dim(dim, input._array.ndim)
    refuse_complex(input)
    return _argsort(input, dim, descending)


@keywords
def msort(input: Tensor) -> Tensor:
    """The elements sorted along the first dimension.

    >>> import rushlight as torch
    >>> torch.msort(torch.tensor([[3, 1], [2, 4]]))
    tensor([[2, 1],
            [3, 4]])
    """
    return sort(input, 0).values


Tensor.msort = msort


@operator(
    batch=leading,
    nondifferentiable=(1,),
    tangent=picked,
    series=nearby,
    input=lambda grads, result1, input_shape, dim: _put_back(grads[0], dim, result1, input_shape, True),
)
def _topk(input: Array, k: int, dim: int, largest: bool) -> tuple[Array, ...]:
    if input.ndim == 0:
        return (
            (input.copy(), np.zeros((), np.int64, like=input))
            if k
            else (input.reshape(1)[:0], np.zeros(0, np.int64, like=input))
        )
    found = first_along(input, k, dim, largest)
    if found is not None:
        return found
    n = input.shape[dim]
    first = (*[slice(None)] * dim, slice(k))
    if k * 4 >= n:
        order = order_of(input, dim, largest)[first]
        return _gather.forward(input, dim, order), order
    if largest:
        candidates = np.argpartition(input, min(n - k, n - 1), dim)[(*[slice(None)] * dim, slice(n - k, None))]
    else:
        candidates = np.argpartition(input, k, dim)[first]
    candidates = np.sort(candidates, dim)
    values = np.take_along_axis(input, candidates, dim)
    order = order_of(values, dim, largest)
    return np.take_along_axis(values, order, dim), np.take_along_axis(candidates, order, dim)


@method
@keywords
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> return_types.topk:
    """The k largest (or smallest) elements along a dimension, and their indices. NaN counts as the largest.

    They are sorted even with `sorted=False`. RuntimeError if there are fewer than k.

    >>> import rushlight as torch
    >>> torch.topk(torch.tensor([3.0, 1.0, 2.0]), 2)
    torch.return_types.topk(
    values=tensor([3., 2.]),
    indices=tensor([0, 2]))
    """
    array = input._array
    dim = wrap_dim(dim, array.ndim)
    if not 0 <= k <= (array.shape[dim] if array.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if array.dtype.kind in "bc":
        kind = "bool" if array.dtype.kind == "b" else " complex"
        raise RuntimeError(f"{'' if kind == 'bool' else ' '}topk does not support {kind.strip()} dtypes on CPU")
    return return_types.topk(_topk(input, k, dim, largest))


def searchsorted_batch(op: Any, args: Sequence[Any], levels: Any) -> Array:
    """The batch rule of `searchsorted`: the values of an example, next to the sequence they are inserted in."""
    sequence, values, right, sorter = args
    if type(sequence) is not Batched and type(sorter) is not Batched and sequence.ndim == 1:
        return op.forward(sequence, aligned(values, levels), right, sorter)
    sequence_rows, wanted = spread(sequence, levels), spread(values, levels)
    batch = sequence_rows.shape[:-1]
    rows = wanted.reshape(*batch, math.prod(wanted.shape[len(batch) :]))
    sorter = None if sorter is None else spread(sorter, levels)
    return op.forward(sequence_rows, rows, right, sorter).reshape(wanted.shape)


@operator(batch=searchsorted_batch)
def _searchsorted(sequence: Array, values: Array, right: bool, sorter: Array | None) -> Array:
    """The insertion positions of values: in one sequence for all values, or in one sequence for each row of values."""
    side = "right" if right else "left"
    if sequence.ndim == 1:
        if sorter is None and (found := places_in(sequence, values, right)) is not None:
            return found
        return by_slices(lambda part: np.searchsorted(sequence, part, side, sorter), values, values.ndim)
    out = np.empty(values.shape, np.int64)
    for row in np.ndindex(sequence.shape[:-1]):
        out[row] = np.searchsorted(sequence[row], values[row], side, None if sorter is None else sorter[row])
    return out


def right_side(name: str, right: bool, side: str | None) -> bool:
    """Whether values go after equal elements, by `right` and `side`; RuntimeError if they contradict."""
    if side not in (None, "left", "right"):
        raise RuntimeError(f"{name}(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(f"{name}(): side and right can't be set to opposites, got side of left while right was True")
    return right or side == "right"


@keywords
def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor | float,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """The positions at which to insert values in sorted sequences (the last dimension) to keep them sorted.

    Values go before equal elements, or after them with `right=True` or `side="right"`. For a sequence that is not
    sorted, `sorter` has the indices that sort it. RuntimeError if the dimensions before the last differ, and for bools
    and complex numbers.

    >>> import rushlight as torch
    >>> torch.searchsorted(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([2.0, 2.5]))
    tensor([1, 2])
    """
    from_right = right_side("torch.searchsorted", right, side)
    return searched(sorted_sequence, input, out_int32, from_right, sorter)


def searched(
    sorted_sequence: Tensor, input: Tensor | float, out_int32: bool, right: bool, sorter: Tensor | None = None
) -> Tensor:
    """The part that `searchsorted` and `bucketize` share."""
    sequence, wanted = arithmetic(sorted_sequence, input)
    if not wanted.ndim and sequence.ndim != 1:
        raise RuntimeError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
            f"boundaries tensor dim({sequence.ndim}) and input value's dim(0) numel(1)"
        )
    if not sequence.ndim:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension"
        )
    if sequence.ndim != 1 and sequence.shape[:-1] != wanted.shape[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
            "boundaries tensor and input value tensor must match, but we got boundaries tensor "
            f"{list(sequence.shape)} and input value tensor {list(wanted.shape)}"
        )
    if sorter is not None and sorter._array.shape != sequence.shape:
        raise RuntimeError(
            "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
            f"{list(sequence.shape)} and got sorter tensor {list(sorter._array.shape)}"
        )
    if sorter is not None:
        check_sorter(sorter)
    for what, array in (("input value", wanted), ("boundary", sequence)):
        if not array.flags.c_contiguous:
            warn_once(NOT_CONTIGUOUS.format(what))
    if sequence.dtype.kind in "bc" and wanted.size:
        raise missing("searchsorted_out_cpu", sequence.dtype)
    places = _searchsorted(new_tensor(sequence), new_tensor(wanted), right, sorter)
    return places.int() if out_int32 else places


def check_sorter(sorter: Tensor) -> None:
    """Raises RuntimeError for a tensor that does not sort a sequence: of another type, or out of its range."""
    array = sorter._array
    if array.dtype != np.int64:
        name = TYPE_NAMES[sorter.dtype]
        raise RuntimeError(f"torch.searchsorted(): sorter must be a tensor of long dtype but got dtype {name}")
    if type(array) is np.ndarray and array.size and not answered(within, array):
        raise RuntimeError("torch.searchsorted(): sorter index out of range")


def within(order: Array) -> Any:
    """Whether all numbers are indices into the last dimension."""
    return order.min() >= 0 and order.max() < order.shape[-1]


NOT_CONTIGUOUS = (
    "torch.searchsorted(): {0} tensor is non-contiguous, this will lower the performance due to extra data copy when "
    "converting non-contiguous tensor to contiguous, please use contiguous {0} tensor if possible. This message will "
    "only appear once per program."
)


@takes_out
def bucketize(input: Tensor | float, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """The number of the bucket between sorted boundaries that each element falls into.

    An element equal to a boundary is in the bucket that ends there, or with `right=True` in the one that begins there.

    >>> import rushlight as torch
    >>> torch.bucketize(torch.tensor([0.5, 2.0, 9.0]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([0, 1, 3])
    """
    if boundaries._array.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries._array.ndim})")
    return searched(boundaries, input, out_int32, right)
