"""Masks: filling, selecting and overwriting the elements where a mask is true."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.arrays import is_array
from rushlight.core.batched import Batched, aligned, grown
from rushlight.core.batching import by, dynamic
from rushlight.core.formulas import Formula, evaluate, evaluate_into
from rushlight.core.graph import TensorBase
from rushlight.core.inplace import changed_at_once
from rushlight.core.kinds import kind_of
from rushlight.dtypes import TYPE_NAMES
from rushlight.kernels.masks import scattered, selected
from rushlight.kernels.steps import zeros
from rushlight.layouts import owned
from rushlight.ops.changes.filling import checked_number
from rushlight.ops.derivatives.series import masking
from rushlight.ops.elementwise.selection import _drop, _keep
from rushlight.ops.out import write_out
from rushlight.ops.shapes.broadcasting import broadcast_tensors
from rushlight.ops.table import in_place, method, operator
from rushlight.tensors import Tensor

__all__ = ["masked_fill", "masked_scatter", "masked_select"]

BOOL = np.dtype(bool)
FILL = Formula(lambda input, mask, value: np.where(mask, value, input), 3)


def fill_batch(n: int, input: Array, mask: Array, value: Any) -> Array:
    """The batch rule of `masked_fill`; an array as value has one number for each example."""
    value = grown(value, n, input.ndim - n) if is_array(value) else value
    return _masked_fill.forward(input, mask, value)


@operator(
    batch=by(fill_batch),
    series=masking,
    input=lambda grad, mask: _drop(mask, grad),
    slopes={"input": "contiguous"},
    name="masked_fill",
)
def _masked_fill(input: Array, mask: Array, value: complex) -> Array:
    if type(input) is np.ndarray and takes_steps(input, mask, value):
        return evaluate(FILL, input, mask, value, None)
    out = owned(input)
    np.copyto(out, value, where=mask, casting="unsafe")
    return out


def takes_steps(input: Array, mask: Array, value: Any) -> bool:
    """Whether the formula computes a filled array by its steps, which are faster than `np.copyto`."""
    number = type(value) in (int, float) or (
        type(value) is np.ndarray and not value.ndim and value.dtype == input.dtype
    )
    return number and input.dtype.char in "fd" and input.flags.forc and mask.shape == input.shape


@operator(
    aten="masked_fill",
    batch=by(fill_batch),
    additive=True,
    input=lambda grad, mask: _drop(mask, grad),
    value=lambda grad, mask: np.add.reduce(_keep(mask, grad), axis=None),
    slopes={"input": "contiguous"},
    node="MaskedFillBackward1",
)
def _masked_fill_tensor(input: Array, mask: Array, value: Array) -> Array:
    return _masked_fill.forward(input, mask, value)


def filled_over(input: Tensor, mask: Tensor, value: Tensor | complex) -> bool:
    """Fills a float tensor itself, without a temporary array, if possible; returns whether it did."""
    if type(value) not in (int, float) or not isinstance(mask, TensorBase) or kind_of(input._array.dtype) != "f":
        return False
    where = mask._array
    if type(where) is not np.ndarray or where.dtype != BOOL or where.shape != input._array.shape:
        return False
    number = checked_number(value, input._array.dtype)
    return changed_at_once(input, write_where, number, where)


def write_where(array: np.ndarray, number: float, where: np.ndarray) -> bool:
    """Overwrites the elements at which a condition holds."""
    if not evaluate_into(FILL, array, where, number):
        np.copyto(array, number, where=where)
    return True


@partial(in_place, at_once=filled_over)
@method
def masked_fill(input: Tensor, mask: Tensor, value: Tensor | complex) -> Tensor:
    """A copy of `input` with one value where the mask is true: a number, or a tensor without dimensions.

    The mask is broadcast.

    >>> import rushlight as torch
    >>> torch.masked_fill(torch.zeros(3), torch.tensor([True, False, True]), 5)
    tensor([5., 0., 5.])
    """
    if mask._array.dtype != BOOL:
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype}".replace(
                "torch.float32", "float"
            )
        )
    if isinstance(value, TensorBase) and value._array.ndim:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._array.ndim} dimension(s)."
        )
    if mask._array.shape != input._array.shape:
        mask, input = broadcast_tensors(mask, input)
    if isinstance(value, TensorBase):
        if type(value._array) is np.ndarray:
            checked_number(value._array.item(), input._array.dtype)
        return _masked_fill_tensor(input, mask, value.to(input.dtype))
    return _masked_fill(input, mask, checked_number(value, input._array.dtype))


def select_batch(op: Any, args: Any, levels: Any) -> Any:
    """The batch rule of `masked_select`, if all examples have the same mask; masks of their own cannot be batched."""
    input, mask = args
    return dynamic(op, args, levels) if type(mask) is Batched else aligned(input, levels)[..., mask]


@operator(
    shape_of_values=True,
    linear=True,
    batch=select_batch,
    input=lambda grad, mask: _place_masked(grad, mask),
    slopes={"input": "like input"},
)
def _masked_select(input: Array, mask: Array) -> Array:
    return selected(input, mask)


def place_batch(op: Any, args: Any, levels: Any) -> Any:
    """The batch rule of putting selected elements back, if all examples have the same mask."""
    input, mask = args
    rows = aligned(input, levels)
    out = zeros((*rows.shape[:-1], *mask.shape), input)
    out[..., mask] = rows
    return out


@operator(
    aten=(),
    linear=True,
    batch=place_batch,
    input=lambda grad, mask: _masked_select(grad, mask),
    node="MaskedScatterBackward0",
)
def _place_masked(input: Array, mask: Array) -> Array:
    """Zeros with the elements of a vector, in order, where the mask is true: the adjoint of `masked_select`."""
    return scattered(zeros(mask.shape, input), mask, input)


@method
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements where the mask is true, as a vector; the two are broadcast together.

    >>> import rushlight as torch
    >>> torch.masked_select(torch.tensor([1, 2, 3]), torch.tensor([True, False, True]))
    tensor([1, 3])
    """
    if mask._array.dtype != BOOL:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    if mask._array.shape != input._array.shape:
        mask, input = broadcast_tensors(mask, input)
    result = _masked_select(input, mask)
    return result if out is None else write_out("masked_select", out, result, input)


def rows_of(array: Array, n: int) -> Array:
    """A batch with `n` leading dimensions as a matrix, one row for each example."""
    return array.reshape(*array.shape[:n], math.prod(array.shape[n:]))


def scatter_batch(n: int, input: Array, mask: Array, source: Array) -> Array:
    """The batch rule of `masked_scatter`: the k-th true position of the mask gets the k-th element of `source`."""
    held, values = rows_of(mask, n), rows_of(source, n)
    ranks = np.cumsum(held, -1) - 1
    if held.size and ranks[..., -1].max() >= values.shape[-1]:
        raise RuntimeError(TOO_FEW)
    taken = np.take_along_axis(values, np.maximum(ranks, 0), -1) if values.shape[-1] else np.zeros(held.shape)
    return np.where(held, taken, rows_of(input, n)).reshape(input.shape).astype(input.dtype, copy=False)


def gather_batch(n: int, input: Array, mask: Array, shape: Sequence[int]) -> Array:
    """The batch rule of its adjoint: the elements where the mask is true, followed by zeros."""
    held, rows = rows_of(mask, n), rows_of(input, n)
    out = zeros((*mask.shape[:n], math.prod(shape) + 1), input)
    np.put_along_axis(out, np.where(held, np.cumsum(held, -1) - 1, out.shape[-1] - 1), rows, -1)
    return out[..., :-1].reshape((*mask.shape[:n], *shape))


@operator(
    aten=(),
    linear=True,
    batch=by(gather_batch),
    input=lambda grad, mask: _masked_scatter(np.zeros_like(grad, shape=mask.shape), mask, grad),
)
def _masked_gather(input: Array, mask: Array, shape: Sequence[int]) -> Array:
    """The elements where the mask is true, followed by zeros: the adjoint of `masked_scatter`."""
    return gather_batch(0, input, mask, shape)


TOO_FEW = "Number of elements of source < number of ones in mask"


@operator(
    batch=by(scatter_batch),
    additive=True,
    input=lambda grad, mask: _drop(mask, grad),
    source=lambda grad, mask, source_shape: _masked_gather(grad, mask, source_shape),
    slopes={"input": "like first"},
    name="masked_scatter",
)
def _masked_scatter(input: Array, mask: Array, source: Array) -> Array:
    try:
        return scattered(input, mask, source)
    except ValueError:
        raise RuntimeError(TOO_FEW) from None


@in_place
@method
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy of `input` in which the elements where the mask is true are replaced by those of `source`, in order.

    RuntimeError if `source` has too few elements.

    >>> import rushlight as torch
    >>> torch.masked_scatter(torch.zeros(3), torch.tensor([True, False, True]), torch.tensor([1.0, 2.0]))
    tensor([1., 0., 2.])
    """
    if mask._array.dtype != BOOL:
        raise RuntimeError("masked_scatter_ only supports boolean masks, but got mask with dtype " + str(mask.dtype))
    if source._array.dtype != input._array.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{TYPE_NAMES[input.dtype]} and {TYPE_NAMES[source.dtype]}"
        )
    if mask._array.shape != input._array.shape:
        mask, input = broadcast_tensors(mask, input)
    return _masked_scatter(input, mask, source)
