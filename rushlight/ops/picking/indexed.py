"""Functions with an index tensor for one dimension: `index_select`, `index_add`, ..."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.arrays import as_array
from rushlight.core.batched import values
from rushlight.core.batching import with_index
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.interpreters import rely_on
from rushlight.core.kinds import INDICES
from rushlight.core.narrow import in_float32
from rushlight.dtypes import TYPE_NAMES
from rushlight.kernels.accumulate import add_rows, are_indices
from rushlight.kernels.picking import put_along, take_along
from rushlight.kernels.steps import zeros
from rushlight.layouts import owned
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.arguments.promotion import is_complex, missing
from rushlight.ops.changes.filling import checked_number
from rushlight.ops.out import takes_out, write_out
from rushlight.ops.picking.gather import check_bounds, check_picked, outside
from rushlight.ops.picking.reducing_scatter import product_of_others, reduce_cotangents, reduced, reduced_by_kernel
from rushlight.ops.table import in_place, method, operator
from rushlight.tensors import Tensor

__all__ = ["index_add", "index_copy", "index_fill", "index_reduce", "index_select"]


@operator(
    linear=True, batch=with_index, input=lambda grad, input_shape, dim, index: _add_at(grad, input_shape, dim, index)
)
def _index_select(input: Array, dim: int, index: Array) -> Array:
    if input.ndim > 1 and not input.shape[dim] and index.size:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if not input.ndim:
        return input.copy()
    places = index.reshape(-1)
    found = take_along(input, places, dim)
    return np.take(input, places, axis=dim) if found is None else found


@operator(
    aten=(),
    linear=True,
    batch=with_index,
    input=lambda grad, dim, index: _index_select(grad, dim, index),
    node="IndexAddBackward0",
)
@in_float32
def _add_at(input: Array, shape: Sequence[int], dim: int, index: Array) -> Array:
    """Zeros of a given shape with `input` added at `index` along `dim`: the adjoint of `index_select`."""
    if not shape:
        return as_array(np.add.reduce(input, axis=None))
    if dim:
        out = zeros(shape, input)
        if put_along(out, np.reshape(index, -1), dim, input, "sum"):
            return out
    rows = np.ascontiguousarray(np.swapaxes(input, dim, 0), like=input)
    added = add_rows(np.reshape(index, -1), rows, shape[dim])
    return np.ascontiguousarray(np.swapaxes(added, 0, dim), like=input)


def vector_index(name: str, index: Tensor) -> None:
    """Raises PyTorch's errors for an index that is not a vector of integers."""
    if index._array.ndim > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector")


def check_selected(index: Array, shape: Sequence[int], dim: int) -> None:
    """Raises IndexError for an index out of range; of a tensor without elements it is a RuntimeError."""
    size = shape[dim]
    if len(shape) < 2 or 0 not in shape:
        check_picked(index, size)
    elif size and not are_indices(index, size):
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={outside(index, size)} axis_dim={size}")


@method
def index_select(input: Tensor, dim: int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of the slices of `input` along `dim` at the indices in the vector `index`.

    IndexError for an index out of range, or negative.

    >>> import rushlight as torch
    >>> torch.index_select(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([1, 0]))
    tensor([[2, 1],
            [4, 3]])
    """
    dim = wrap_dim(dim, input._array.ndim)
    vector_index("index_select", index)
    if index._array.dtype not in INDICES:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if input._array.ndim == 0 and index._array.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index._array.size} value(s)")
    check_selected(index._array, input._array.shape or (1,), dim)
    result = _index_select(input, dim, index)
    return result if out is None else write_out("index_select", out, result, input)


# writing along a dimension


def beyond(index: Array, size: int) -> Any:
    """The first index that is not from -size to size - 1; None if there is none."""
    if are_indices(index, size) or (index.min() >= -size and index.max() < size):
        return None
    found = values(index)
    return found[(found < -size) | (found >= size)].flat[0]


def at(dim: int, index: Array) -> tuple[Any, ...]:
    """The NumPy key that selects `index` along a dimension."""
    return (*(slice(None),) * dim, np.reshape(index, -1))


def overwritten(input: Array, dim: int, index: Array, source: Any) -> Array:
    """A copy of an array with other slices at `index` along a dimension."""
    out = owned(input)
    if not put_along(out, index, dim, source):
        as_rows(out)[at(dim, index)] = source
    return out


def as_rows(array: Any) -> Array:
    """An array with at least one dimension, as a view, so that writing to it changes the original."""
    return array.reshape(1) if array.ndim == 0 else array


def check_source(name: str, input: Tensor, dim: int, index: Tensor, source: Tensor) -> int:
    """The dimension as a non-negative number; raises PyTorch's errors for an index and a source that do not fit."""
    dim, count = wrap_dim(dim, input._array.ndim), index._array.size
    vector_index(name, index)
    if index._array.dtype not in INDICES:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: {TYPE_NAMES[index.dtype]}")
    if source._array.dtype != input._array.dtype:
        raise RuntimeError(
            f"{name}(): self ({TYPE_NAMES[input.dtype]}) and source ({TYPE_NAMES[source.dtype]}) must have the "
            "same scalar type"
        )
    shape, given = input._array.shape, source._array.shape
    if dim and dim >= len(given):
        raise RuntimeError(f"{name}(): Indexing dim {dim} is out of bounds of the source tensor with dim {len(given)}")
    if (given or (1,))[dim] != count:
        if not given:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        raise RuntimeError(
            f"{name}(): Number of indices ({count}) should be equal to source.size(dim): ({given[dim]}), for dim: {dim}"
        )
    if (without(shape, dim) != without(given, dim)) if shape and given else shape != given:
        raise RuntimeError(
            f"source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(shape)} source.shape = {list(given)}"
        )
    if name == "index_reduce_" and count and not (shape or (1,))[dim]:
        raise IndexError(f"select(): index 0 out of range for tensor of size {list(shape)} at dimension {dim}")
    if name == "index_reduce_" or len(shape) < 2:
        check_picked(index._array, (shape or (1,))[dim])
    elif count and input._array.size:
        check_bounds(index._array, shape[dim], dim)
    return dim


def without(shape: Any, dim: int) -> tuple[int, ...]:
    """A shape without one of its dimensions."""
    return shape[:dim] + shape[dim + 1 :]


def scaled(array: Array, factor: float) -> Array:
    """An array multiplied by a number, which is often 1."""
    return array if factor == 1 else array * factor


@operator(
    batch=with_index,
    additive=True,
    input=lambda grad: grad,
    source=lambda grad, dim, index, alpha, source_shape: np.reshape(
        scaled(_index_select(grad, dim, index), alpha), source_shape
    ),
    name="index_add",
)
@in_float32
def _index_add(input: Array, dim: int, index: Array, source: Array, alpha: float) -> Array:
    if not input.size:
        return owned(input)
    found = reduced_by_kernel(input, dim, index, scaled(source, alpha), "sum", True)
    if found is not None:
        return found
    added = _add_at.forward(as_rows(source), input.shape or (1,), dim, index)
    factor = np.asarray(alpha).astype(added.dtype) if added.dtype.kind in "iu" else alpha
    return (input + np.reshape(added * factor, input.shape)).astype(input.dtype, copy=False)


@takes_out
@in_place
@method
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """A copy of `input` with `alpha * source` added along `dim`: slice i at `index[i]`. Repeated indices add up.

    >>> import rushlight as torch
    >>> torch.index_add(torch.zeros(3), 0, torch.tensor([0, 0, 2]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([3., 0., 3.])
    """
    dim = check_source("index_add_", input, dim, index, source)
    return _index_add(input, dim, index, source, checked_number(alpha, input._array.dtype))


@operator(
    batch=with_index,
    additive=True,
    input=lambda grad, dim, index: _index_fill(grad, dim, index, 0),
    source=lambda grad, dim, index, source_shape: np.reshape(_index_select(grad, dim, index), source_shape),
    name="index_copy",
)
def _index_copy(input: Array, dim: int, index: Array, source: Array) -> Array:
    return overwritten(input, dim, index, as_rows(source))


@takes_out
@in_place
@method
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """A copy of `input` with the slices of `source` written along `dim`: slice i at `index[i]`.

    >>> import rushlight as torch
    >>> torch.index_copy(torch.zeros(3), 0, torch.tensor([2, 0]), torch.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """
    ndims, array = (source._array.ndim, input._array.ndim), index._array
    if array.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {array.ndim})")
    if not ndims[0] and array.size != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {array.size})")
    if ndims[0] != ndims[1] and all(ndims):
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({ndims[0]}), destination dimensionality ({ndims[1]})"
        )
    if array.dtype != np.int64:
        raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {TYPE_NAMES[index.dtype]}")
    if source._array.dtype != input._array.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{TYPE_NAMES[input.dtype]} and (source) {TYPE_NAMES[source.dtype]}"
        )
    dim = wrap_dim(dim, ndims[1])
    shape, given = input._array.shape, source._array.shape
    if without(shape, dim) != without(given, dim):
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{list(without(shape, dim))} at dimension {dim} and source slice shape: {list(without(given, dim))}."
        )
    if given and array.size != given[dim]:
        raise IndexError(
            f"index_copy_(): Number of indices ({array.size}) should be equal to source.size(dim) ({given[dim]})"
        )
    try:
        check_bounds(array, (shape or (1,))[dim], dim)
    except RuntimeError as error:
        raise IndexError(f"index_copy_(): {error}") from None
    return _index_copy(input, dim, index, source)


@operator(
    layout="like first",
    batch=with_index,
    input=lambda grad, dim, index: _index_fill(grad, dim, index, 0),
    name="index_fill",
)
def _index_fill(input: Array, dim: int, index: Array, value: complex) -> Array:
    return overwritten(input, dim, index, value)


@operator(
    aten="index_fill",
    layout="like first",
    batch=with_index,
    additive=True,
    input=lambda grad, dim, index: _index_fill(grad, dim, index, 0),
    value=lambda grad, dim, index: np.add.reduce(_index_select(grad, dim, np.unique(index)), axis=None),
    node="IndexFillBackward1",
)
def _index_fill_tensor(input: Array, dim: int, index: Array, value: Array) -> Array:
    return _index_fill.forward(input, dim, index, value)


@in_place
@method
def index_fill(input: Tensor, dim: int, index: Tensor, value: Tensor | complex) -> Tensor:
    """A copy of `input` with one value in all slices at `index` along `dim`: a number, or a tensor without dimensions.

    >>> import rushlight as torch
    >>> torch.index_fill(torch.zeros(3), 0, torch.tensor([0, -1]), 5)
    tensor([5., 0., 5.])
    """
    dim = wrap_dim(dim, input._array.ndim)
    vector_index("index_fill_", index)
    if index._array.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    shape, array = input._array.shape or (1,), index._array
    size = shape[dim]
    if 0 in (*shape[:dim], *shape[dim + 1 :]):  # nothing is filled, wherever it is
        array = array[:0]
        index = new_tensor(array)
    if array.size and not size:
        raise RuntimeError(f"index_fill_(): {array.size} indices are out of bounds for dimension {dim} of size 0")
    if (wrong := beyond(array, size)) is not None:
        raise IndexError(f"index {wrong} is out of bounds for dimension {dim} with size {size}")
    if are_indices(array, size):
        rely_on(are_indices, array, size)
    else:
        index = new_tensor(array % size)
    if is_complex(value) and not is_complex(input):
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    if not isinstance(value, TensorBase):
        return _index_fill(input, dim, index, checked_number(value, input._array.dtype))
    if value._array.ndim:
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._array.ndim} dimension(s)."
        )
    return _index_fill_tensor(input, dim, index, value)


def index_shaped(index: Array, dim: int, shape: Sequence[int]) -> Array:
    """An index into a dimension, reshaped to broadcast against the tensor."""
    return np.broadcast_to(index.reshape(-1, *[1] * (len(shape) - dim - 1)), shape) if shape else index


def index_reduce_cotangents(
    grad: Array,
    input: Array,
    dim: int,
    index: Array,
    source: Array,
    reduce: str,
    include_self: bool,
    result: Array,
    needs: Sequence[bool],
) -> list[Array]:
    """The gradients of `input` and `source`; see `reduce_cotangents`."""
    take = lambda values: _index_select(values, dim, index)
    add = lambda values: _add_at(values, input.shape, dim, index)
    product = lambda base, factors: _index_reduce(base, dim, index, factors, "prod", True)
    others = lambda factors: product_of_others(factors, index_shaped(index, dim, factors.shape), dim)
    return list(reduce_cotangents(grad, input, source, result, take, add, product, others, reduce, include_self, needs))


@operator(
    batch=with_index,
    joint=index_reduce_cotangents,
    inputs=("input", "source"),
    name="index_reduce",
    holomorphic=False,
)
@in_float32
def _index_reduce(input: Array, dim: int, index: Array, source: Array, reduce: str, include_self: bool) -> Array:
    found = reduced_by_kernel(input, dim, index, source, reduce, include_self)
    if found is not None:
        return found
    rows = as_rows(input)
    places = np.arange(rows.size, like=rows).reshape(rows.shape)[at(dim, index)]
    return reduced(input, places.reshape(-1), source, reduce, include_self)


@takes_out
@in_place
@method
def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """A copy of `input` with the slices of `source` reduced into it along `dim`: slice i at `index[i]`.

    `reduce` is "prod", "mean", "amax" or "amin"; `include_self` says whether the old elements are included.

    >>> import rushlight as torch
    >>> torch.index_reduce(torch.ones(2), 0, torch.tensor([0, 0]), torch.tensor([2.0, 3.0]), "prod")
    tensor([6., 1.])
    """
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    dim = check_source("index_reduce_", input, dim, index, source)
    if input._array.ndim < 2 and input._array.dtype.kind in "bc":
        raise missing("index_func_", input._array.dtype)
    if reduce in ("amax", "amin") and input._array.dtype.kind == "c":
        raise missing("maximum_cpu" if reduce == "amax" else "minimum_cpu", input._array.dtype)
    return _index_reduce(input, dim, index, source, reduce, include_self)
