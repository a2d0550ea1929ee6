"""`gather` and `scatter_add` along a dimension, each the adjoint of the other; and the other scatter functions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.above import ABOVE
from rushlight.core.aliases import Array
from rushlight.core.arrays import is_array
from rushlight.core.batched import values
from rushlight.core.batching import leading
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.interpreters import rely_on
from rushlight.core.kinds import INDICES
from rushlight.core.narrow import in_float32
from rushlight.dtypes import TYPE_NAMES
from rushlight.kernels.accumulate import add_along, are_indices
from rushlight.kernels.picking import put_along, take_along
from rushlight.kernels.steps import zeros
from rushlight.layouts import joint_shape, owned
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.arguments.promotion import missing
from rushlight.ops.changes.filling import checked_number
from rushlight.ops.out import takes_out, write_out
from rushlight.ops.picking.reducing_scatter import product_of_others, reduce_cotangents, reduced, reduced_by_kernel
from rushlight.ops.shapes.slicing import _look, _place
from rushlight.ops.table import in_place, method, no_derivative, operator
from rushlight.settings import warn_once
from rushlight.tensors import Tensor

__all__ = ["gather", "scatter", "scatter_add", "scatter_reduce", "take_along_dim"]


def grid(index: Array, dim: int) -> tuple[Array, ...]:
    """The index arrays that select `index` along `dim`; those of the other dimensions are plain ranges."""
    last = index.ndim - 1
    places = [np.arange(n).reshape(-1, *[1] * (last - i)) for i, n in enumerate(index.shape)]
    places[dim] = index
    return tuple(places)


def flat_places(index: Array, dim: int, shape: Sequence[int]) -> Array:
    """The flat positions, in an array of a given shape, of the elements that `index` selects along `dim`."""
    flat, step = 0, 1
    places = grid(index, dim)
    for i in reversed(range(len(shape))):
        flat = flat + places[i] * step
        step *= shape[i]
    return np.reshape(flat, -1)


@operator(
    linear=True, batch=leading, input=lambda grad, dim, index, input_shape: _put_back(grad, dim, index, input_shape)
)
def _gather(input: Array, dim: int, index: Array) -> Array:
    """The elements of `input` at `index` along `dim`; in other dimensions the index may be smaller."""
    if input.ndim == 0 or index.ndim != input.ndim:
        return np.reshape(input, -1)[index]
    found = take_along(input, index, dim)
    return input[grid(index, dim)] if found is None else found


def sparse_cotangent(grad: Array, dim: int, index: Array, input_shape: Sequence[int]) -> Any:
    """The gradient of `input` as a sparse tensor."""
    index = np.asarray(index)
    if index.ndim != len(input_shape):  # one of them has no dimensions
        places = index.reshape(1, -1)[: len(input_shape)]
    else:
        places = np.indices(index.shape).reshape(index.ndim, index.size)
        places[dim : dim + 1] = index.reshape(-1)
    return with_parts_at(places, np.reshape(grad, -1), input_shape)


def with_parts_at(places: np.ndarray, parts: Any, shape: Sequence[int]) -> Any:
    """A sparse tensor of a given shape from elements and their flat positions, which may repeat."""
    values: Any = parts if isinstance(parts, TensorBase) else new_tensor(parts)
    return ABOVE.sparse_of(places, values, shape)


@operator(linear=True, batch=leading, aten="gather", node="GatherBackward0", input=sparse_cotangent)
def _sparse_gather(input: Array, dim: int, index: Array) -> Array:
    """`_gather` with a sparse gradient for `input`."""
    return _gather.forward(input, dim, index)


@operator(
    aten=(),
    linear=True,
    batch=leading,
    input=lambda grad, dim, index: _gather(grad, dim, index),
    node="ScatterAddBackward0",
)
@in_float32
def _put_back(input: Array, dim: int, index: Array, shape: Sequence[int], distinct: bool = False) -> Array:
    """Zeros of a given shape with `input` added at `index` along `dim`: the adjoint of `_gather`.

    `distinct` promises that no position repeats, which is faster.
    """
    if not distinct and (out := add_along(input, index, dim, shape)) is not None:
        return out
    out = zeros(shape, input)
    if out.ndim == 0 or index.ndim != out.ndim:
        np.add.at(out.reshape(-1), index, input)
    elif distinct and not put_along(out, index, dim, input):
        out[grid(index, dim)] = input
    elif not distinct and input.size:
        out = zeros((out.size,), input)
        np.add.at(out, flat_places(index, dim, shape), np.reshape(input, -1))
        return out.reshape(shape)
    return out


def check_index(name: str, input: Tensor, dim: int, index: Tensor, src: Tensor | None = None) -> int:
    """The dimension, not negative; raises PyTorch's errors for an index or source that does not fit the tensor."""
    shape, sizes = input._array.shape or (1,), index._array.shape or (1,)
    dim = wrap_dim(dim, len(input._array.shape))
    if index._array.size and index._array.dtype not in INDICES:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if src is not None and src._array.dtype != input._array.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
    if index._array.size == 0:
        return dim
    source = sizes if src is None else src._array.shape or (1,)
    if not shape == sizes == source:
        if len(sizes) != len(shape):
            raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
        if src is not None:
            check_source(sizes, src._array.shape)
        check_extent(shape, sizes, dim, None if src is None else source, name == "gather")
    check_bounds(index._array, shape[dim], dim)
    return dim


def scatter_arguments(input: Tensor, dim: int, index: Tensor, src: Tensor) -> tuple[int, Tensor, Tensor]:
    """The dimension, index and source of a scatter; raises PyTorch's errors where they do not fit the input.

    An index without elements may have any shape, and so may its source: both get the input's number of dimensions.
    """
    dim = check_index("scatter", input, dim, index, src)
    if index._array.size:
        return dim, index, src
    ndim = max(1, input.ndim)
    if not (index.ndim == src.ndim == ndim and covers(src._array.shape, index._array.shape)):
        return dim, index.reshape((0,) * ndim), src.reshape(-1)[:0].reshape((0,) * ndim)
    return dim, index, src


def covers(source: Sequence[int], sizes: Sequence[int]) -> bool:
    """Whether a source is at least as large as an index in every dimension."""
    return all(n <= m for n, m in zip(sizes, source, strict=True))


def check_source(sizes: Sequence[int], source: Sequence[int]) -> None:
    """Raises PyTorch's errors for a source whose number of dimensions is not that of the index."""
    if max(1, len(source)) == len(sizes):
        return
    if source and len(source) < len(sizes) and all(n <= m for n, m in zip(sizes, source, strict=False)):
        n = len(source)
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {n})")
    raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")


def check_extent(
    shape: Sequence[int], sizes: Sequence[int], dim: int, source: Sequence[int] | None, gathers: bool
) -> None:
    """Raises RuntimeError for an index that is larger than the tensor (except along `dim`) or than its source."""
    beyond = [d for d, (n, m) in enumerate(zip(sizes, shape, strict=True)) if d != dim and n > m]
    if gathers and beyond:
        raise RuntimeError(
            f"Size does not match at dimension {beyond[0]} expected index {list(sizes)} to be no larger than self "
            f"{list(shape)} apart from dimension {dim}"
        )
    if beyond or (source is not None and not covers(source, sizes)):
        clause = "" if source is None else f" and to be no larger size than src {list(source)}"
        raise RuntimeError(
            f"Expected index {list(sizes)} to be no larger than self {list(shape)} apart from dimension {dim}{clause}"
        )


def check_bounds(index: Array, size: int, dim: int) -> None:
    """Raises RuntimeError for an index out of range."""
    if not are_indices(index, size):
        raise RuntimeError(f"index {outside(index, size)} is out of bounds for dimension {dim} with size {size}")
    rely_on(are_indices, index, size)


def check_picked(index: Array, size: int) -> None:
    """Raises IndexError for a row index out of range."""
    if not are_indices(index, size):
        raise IndexError(f"index out of range in self: {outside(index, size)} for a size of {size}")
    rely_on(are_indices, index, size)


def outside(index: Array, size: int) -> Any:
    """The first index that is out of range."""
    found = values(index)
    return found[(found < 0) | (found >= size)].flat[0]


@method
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False, out: Tensor | None = None) -> Tensor:
    """The elements of `input` at `index` along a dimension: `out[i][j] = input[index[i][j]][j]` for `dim=0`.

    The index has as many dimensions as `input` and, except along `dim`, is no larger; the result has its shape.
    RuntimeError if it does not fit. With `sparse_grad` the gradient of `input` is a sparse tensor that holds only the
    selected elements.

    >>> import rushlight as torch
    >>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0], [1]]))
    tensor([[1],
            [4]])
    """
    dim = check_index("gather", input, dim, index)
    result = (_sparse_gather if sparse_grad else _gather)(input, dim, index)
    return result if out is None else write_out("gather", out, result, input)


@method
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The elements at `indices` along `dim`, broadcast in the other dimensions; without `dim`, of the flattened tensor.

    The indices may be those that `argmax` (with `keepdim`) and `argsort` return.

    >>> import rushlight as torch
    >>> torch.take_along_dim(torch.tensor([[3, 1], [2, 4]]), torch.tensor([[1], [0]]), dim=1)
    tensor([[1],
            [2]])
    """
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1), out=out)
    if indices._array.dtype != np.int64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {TYPE_NAMES[indices.dtype]}"
        )
    if input._array.ndim != indices._array.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input._array.ndim} dimensions for input, and {indices._array.ndim} dimensions for indices"
        )
    dim = wrap_dim(dim, input._array.ndim)
    shapes = [list(t._array.shape) for t in (input, indices)]
    shapes[0][dim] = shapes[1][dim] = 1
    common = list(joint_shape(*shapes))
    inner, outer = common.copy(), common.copy()
    inner[dim], outer[dim] = indices._array.shape[dim], input._array.shape[dim]
    size = max(outer[dim], 1)
    if indices._array.size and indices._array.min() < 0:
        indices = new_tensor(np.where(indices._array < 0, indices._array % size, indices._array))
    else:
        rely_on(are_indices, indices._array, size)
    if outer != [*input._array.shape]:
        input = input.expand(outer)
    if inner != [*indices._array.shape]:
        indices = indices.expand(inner)
    return gather(input, dim, indices, out=out)


def picked(op: Any, outs: Sequence[Array], args: Any, tangents: Sequence[Array]) -> Any:
    """Forward mode of operators that select elements along a dimension: the tangents at the same positions."""
    dim, index, tangent = dict(zip(op.params, args, strict=True))["dim"], outs[1], tangents[0]
    if tangent._array.ndim == 0:
        return [tangent, None]
    if index._array.ndim == tangent._array.ndim:
        return [_gather(tangent, dim, index), None]
    return [_gather(tangent, dim, index.unsqueeze(dim)).squeeze(dim), None]


# writing


@operator(
    batch=leading,
    additive=True,
    input=lambda grad, dim, index: _scatter_value(grad, dim, index, 0),
    src=lambda grad, dim, index, src_shape: padded(_gather(grad, dim, index), src_shape),
)
def _scatter(input: Array, dim: int, index: Array, src: Array) -> Array:
    return scattered(input, dim, index, corner(src, index.shape))


@operator(
    aten="scatter",
    batch=leading,
    input=lambda grad, dim, index: _scatter_value(grad, dim, index, 0),
    node="ScatterBackward1",
)
def _scatter_value(input: Array, dim: int, index: Array, value: complex) -> Array:
    return scattered(input, dim, index, value)


def scattered(input: Array, dim: int, index: Array, values: Array) -> Array:
    """A copy of `input` with `values` written at `index` along `dim`."""
    out = owned(input)
    if out.ndim == 0 or index.ndim == 0:
        out.reshape(-1)[index] = values
    elif index.size and not put_along(out, index, dim, values):
        out[grid(index, dim)] = values
    return out


def corner(src: Array, shape: Sequence[int]) -> Array:
    """The part of a source that is used if the index is smaller: from 0 up to its size in every dimension."""
    return src if src.shape == shape or not src.ndim else _look(src, beginning(shape))


def beginning(shape: Sequence[int]) -> Any:
    """The key that selects that part."""
    return tuple(slice(n) for n in shape) or (0, ...)


def padded(grad: Array, shape: Sequence[int]) -> Array:
    """The gradient of that part, padded with zeros to the shape of the whole source."""
    if grad.shape == tuple(shape):
        return grad
    if 0 in grad.shape:
        return np.zeros_like(grad, shape=shape)
    if not shape:
        return np.reshape(grad, shape)
    return _place(grad, shape, beginning(grad.shape))


@operator(
    batch=leading,
    additive=True,
    input=lambda grad: grad,
    src=lambda grad, dim, index, src_shape: padded(_gather(grad, dim, index), src_shape),
    name="scatter_add",
)
@in_float32
def _scatter_add(input: Array, dim: int, index: Array, src: Array) -> Array:
    if not index.size:
        return input.copy()
    values, out = corner(src, index.shape), owned(input)
    if put_along(out, index, dim, values, "sum"):
        return out
    added = _put_back.forward(values, dim, index, input.shape)
    return (input + added).astype(input.dtype, copy=False)


@operator(
    aten="scatter",
    batch=leading,
    input=no_derivative("scatter"),
    src=no_derivative("scatter"),
    name="scatter_with_reduce",
    node="NotImplemented",
)
def _scatter_with_reduce(input: Array, dim: int, index: Array, src: Array, reduce: str) -> Array:
    if is_array(src):
        values = corner(src, index.shape)
    else:
        number = np.asarray(src).astype(input.dtype) if input.dtype.char in "fdFD" else src  # rounded first
        values = np.broadcast_to(number, index.shape)
    return reduced_along(input, dim, index, values, {"add": "sum", "multiply": "prod"}[reduce], True)


def reduced_along(input: Array, dim: int, index: Array, values: Array, reduce: str, include_self: bool) -> Array:
    """A copy of `input` with `values` reduced into the elements at `index` along a dimension."""
    if (found := reduced_by_kernel(input, dim, index, values, reduce, include_self)) is not None:
        return found
    places = flat_places(index.reshape(index.shape or (1,)), dim, input.shape or (1,))
    return reduced(input, places, values, reduce, include_self)


@takes_out
@in_place
@method
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor | complex | None = None,
    *,
    value: complex | None = None,
    reduce: str | None = None,
) -> Tensor:
    """A copy of `input` with `src` (a tensor or number) written at `index` along `dim`: the reverse of `gather`.

    `out[index[i][j]][j] = src[i][j]` for `dim=0`. If an index repeats, one of its values is kept. `reduce` ("add" or
    "multiply", not differentiable) combines the values with the old ones. RuntimeError if the index does not fit.

    >>> import rushlight as torch
    >>> torch.scatter(torch.zeros(2, 2), 1, torch.tensor([[0], [1]]), 5.0)
    tensor([[5., 0.],
            [0., 5.]])
    """
    source = value if src is None else src
    tensor = source if isinstance(source, Tensor) else None
    if tensor is None:
        dim, source = check_index("scatter", input, dim, index), checked_number(source, input._array.dtype)
    else:
        dim, index, source = scatter_arguments(input, dim, index, tensor)
    if reduce is not None:
        if reduce not in ("add", "multiply"):
            raise RuntimeError("reduce argument must be either add or multiply.")
        if tensor is not None:
            warn_once(
                "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future "
                "PyTorch release. Use torch.scatter_reduce instead for more reduction options."
            )
        return _scatter_with_reduce(input, dim, index, source, reduce)
    return (_scatter_value if tensor is None else _scatter)(input, dim, index, source)


@takes_out
@in_place
@method
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """A copy of `input` with `src` added at `index` along a dimension: the adjoint of `gather`.

    >>> import rushlight as torch
    >>> torch.scatter_add(torch.zeros(3), 0, torch.tensor([0, 0, 2]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([3., 0., 3.])
    """
    return _scatter_add(input, *scatter_arguments(input, dim, index, src))


def scatter_reduce_cotangents(
    grad: Array,
    input: Array,
    dim: int,
    index: Array,
    src: Array,
    reduce: str,
    include_self: bool,
    result: Array,
    needs: Sequence[bool],
) -> list[Array]:
    """The gradients of `input` and `src`; see `reduce_cotangents`."""
    take = lambda values: _gather(values, dim, index)
    add = lambda values: _put_back(values, dim, index, input.shape)
    part = corner(src, index.shape)
    product = lambda base, factors: _scatter_reduce(base, dim, index, factors, "prod", True)
    others = lambda factors: product_of_others(factors, index, dim)
    first, second = reduce_cotangents(
        grad, input, part, result, take, add, product, others, reduce, include_self, needs
    )
    return [first, None if second is None else padded(second, src.shape)]


@operator(
    batch=leading, joint=scatter_reduce_cotangents, inputs=("input", "src"), name="scatter_reduce", holomorphic=False
)
@in_float32
def _scatter_reduce(input: Array, dim: int, index: Array, src: Array, reduce: str, include_self: bool) -> Array:
    return reduced_along(input, dim, index, corner(src, index.shape), reduce, include_self)


def check_reduction(index: Tensor, reduce: str, dtype: np.dtype) -> None:
    """Raises PyTorch's errors for a reduction that does not exist for a type of data."""
    halved = reduce == "mean" and dtype.kind == "b"
    if index._array.size and (halved or (reduce in ("amax", "amin") and dtype.kind == "c")):
        raise missing(f"scatter_gather_tensor_cpu_reduce_{reduce}", dtype)
    if halved:
        raise missing("div_floor_cpu", dtype)


@takes_out
@in_place
@method
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """A copy of `input` with the values of `src` reduced into the elements at `index` along a dimension.

    `reduce` is "sum", "prod", "mean", "amax" or "amin"; `include_self` says whether the old element is included.

    >>> import rushlight as torch
    >>> torch.scatter_reduce(torch.zeros(2), 0, torch.tensor([0, 0, 1]), torch.tensor([1.0, 3.0, 5.0]), "mean",
    ...                      include_self=False)
    tensor([2., 5.])
    """
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    dim, index, src = scatter_arguments(input, dim, index, src)
    check_reduction(index, reduce, input._array.dtype)
    return _scatter_reduce(input, dim, index, src, reduce, include_self)
