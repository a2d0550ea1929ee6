"""Joining tensors: along an existing dimension (`cat`) or a new one (`stack`)."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.batched import grown, spread
from rushlight.core.batching import leading
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.meta import is_meta
from rushlight.core.recording import are_alike
from rushlight.kernels.parts import concatenated
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.out import write_out
from rushlight.ops.shapes.shape import atleast_1d, atleast_2d, atleast_3d, reshape
from rushlight.ops.shapes.slicing import _pile
from rushlight.ops.table import operator, retold, with_public_name
from rushlight.tensors import Tensor

__all__ = [
    "block_diag",
    "cat",
    "column_stack",
    "concat",
    "concatenate",
    "dstack",
    "hstack",
    "row_stack",
    "stack",
    "vstack",
]

Tensors = tuple[Tensor, ...] | list[Tensor]
array_of: Callable[[Tensor], Array] = attrgetter("_array")
shape_of: Callable[[Tensor], tuple[int, ...]] = attrgetter("_array.shape")
dtype_of: Callable[[Tensor], np.dtype[Any]] = attrgetter("_array.dtype")


def cat_cotangents(
    grad: Array, tensors_shape: Sequence[Sequence[int]], dim: int, dtype: np.dtype[Any], needs: Sequence[bool]
) -> list[Array | None]:
    """The slices of the gradient that belong to the joined tensors."""
    pieces, start = [], 0
    for shape, need in zip(tensors_shape, needs, strict=True):
        empty = shape == (0,)
        size = 0 if empty else shape[dim]
        piece: Array = grad[(slice(None),) * dim + (slice(start, start + size),)] if need else None
        pieces.append(np.zeros_like(grad, shape=shape) if need and empty and piece.shape != shape else piece)
        start += size
    return pieces


def joined_batch(op: Any, args: Sequence[Any], levels: Any) -> Array:
    """The batch rule of `cat`, which skips empty vectors."""
    tensors, *how = args
    return leading(op, ([x for x in tensors if x.shape != (0,)] or tensors, *how), levels)


@operator(
    in_steps=True,
    layout="joined",
    linear=True,
    batch=joined_batch,
    joint=cat_cotangents,
    inputs=("tensors",),
    lists=("tensors",),
)
def _cat(tensors: Sequence[Array], dim: int, dtype: np.dtype[Any]) -> Array:
    return concatenated(tensors, dim, dtype)


def concatenation(arrays: Sequence[Array], dim: int) -> Array:
    """Arrays or tensors of one dtype, concatenated."""
    return _cat(list(arrays), dim, None)


def check_list(name: str, tensors: Any) -> list[Tensor]:
    """Tensors as a list; TypeError for anything that is not a tensor."""
    if type(tensors) not in (tuple, list) and (isinstance(tensors, TensorBase) or not hasattr(tensors, "__iter__")):
        given = type(tensors).__name__
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {given}")
    tensors = list(tensors)
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, TensorBase):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(tensor).__name__}")
    return tensors


def cat(tensors: Tensors, dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors joined along a dimension. Their other sizes must be equal. The result has their common dtype.

    Empty vectors, of shape (0,), are skipped whatever the shapes of the others, as in PyTorch.

    >>> import rushlight as torch
    >>> torch.cat([torch.tensor([1, 2]), torch.tensor([3.0])])
    tensor([1., 2., 3.])
    """
    tensors = check_list("cat", tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    shape = tensors[0]._array.shape
    if shape not in ((), (0,)) and are_alike(tensors):
        result = _cat(tensors, wrap_dim(dim, len(shape)), None)
    else:
        result = _cat(tensors, checked_dim(tensors, dim), common_dtype(tensors))
    return result if out is None else write_out("cat", out, result, *tensors)


def checked_dim(tensors: Sequence[Tensor], dim: int) -> int:
    """The dimension that different tensors are joined along, as a non-negative number. Raises PyTorch's errors."""
    shapes = [*map(shape_of, tensors)]
    if () in shapes:
        raise RuntimeError(f"zero-dimensional tensor (at position {shapes.index(())}) cannot be concatenated")
    first = next((shape for shape in shapes if shape != (0,)), (0,))
    dim = 0 if first == (0,) else wrap_dim(dim, len(first))
    if shapes.count(first) < len(shapes):
        check_joined_sizes(shapes, first, dim)
    check_devices(tensors)
    return dim


def check_devices(tensors: Sequence[Tensor]) -> None:
    """Raises RuntimeError if tensors without memory, of the device meta, are to be joined with others."""
    if len({*map(type, map(array_of, tensors))}) == 1:
        return
    own = is_meta(tensors[0]._array)
    for tensor in tensors:
        if is_meta(tensor._array) != own:
            raise RuntimeError(f"Tensor on device {tensor.device} is not on the expected device {tensors[0].device}!")


def check_joined_sizes(shapes: Sequence[Sequence[int]], first: Any, dim: int) -> None:
    """Raises RuntimeError if sizes differ in a dimension other than `dim`."""
    for i, shape in enumerate(shapes):
        if shape == (0,) or shape == first:
            continue
        if len(shape) != len(first):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}")
        for d, (n, m) in enumerate(zip(first, shape, strict=True)):
            if d != dim and n != m:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {n} but got size {m} "
                    f"for tensor number {i} in the list."
                )


def common_dtype(tensors: Sequence[Tensor]) -> np.dtype | None:
    """The common dtype of tensors; None if they all have the same one."""
    found = [*map(dtype_of, tensors)]
    return None if found.count(found[0]) == len(found) else dtypes.result_dtype(*tensors)


def renamed(name: str, function: Any) -> Callable[..., Any]:
    """A function of a list of tensors, under another name."""

    def other(tensors: Tensors, dim: int = 0, *, out: Tensor | None = None) -> Tensor:
        return function(tensors, dim, out=out)

    own = function.__name__
    return with_public_name(other, name, f"Another name of `{own}`.{retold(function.__doc__, own, name)}")


concat: Callable[..., Any] = renamed("concat", cat)
concatenate: Callable[..., Any] = renamed("concatenate", cat)


def stack(tensors: Tensors, dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors of the same shape, joined along a new dimension.

    >>> import rushlight as torch
    >>> torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])], dim=1)
    tensor([[1, 3],
            [2, 4]])
    """
    tensors = check_list("stack", tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    place = wrap_dim(dim, tensors[0]._array.ndim + 1)
    if are_alike(tensors):
        result = _pile(tensors, place, None)
    else:
        check_stacked(tensors)
        result = _pile(tensors, place, common_dtype(tensors))
    return result if out is None else write_out("stack", out, result, *tensors)


def check_stacked(tensors: Sequence[Tensor]) -> None:
    """Raises RuntimeError if tensors have different shapes or devices."""
    shape = tensors[0]._array.shape
    for i, tensor in enumerate(tensors):
        if tensor._array.shape != shape:
            sizes = f"{list(shape)} at entry 0 and {list(tensor._array.shape)} at entry {i}"
            raise RuntimeError(advised(f"stack expects each tensor to be equal size, but got {sizes}"))
    check_devices(tensors)


def joined(name: str, tensors: Sequence[Tensor], ndim: int, widen: Callable[..., Any], dim: int, out: Any) -> Tensor:
    """Tensors joined after each was given the number of dimensions that it needs."""
    tensors = check_list(name, tensors)
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    vectors = name == "hstack" and tensors[0]._array.ndim <= 1
    wide = [tensor if tensor._array.ndim >= ndim else widen(tensor) for tensor in tensors]
    return cat(wide, 0 if vectors else dim, out=out)


def hstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors joined horizontally: along the second dimension, or the first for vectors.

    >>> import rushlight as torch
    >>> torch.hstack([torch.tensor([1, 2]), torch.tensor([3])])
    tensor([1, 2, 3])
    """
    return joined("hstack", tensors, 1, atleast_1d, 1, out)


def vstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors joined vertically, along the first dimension; vectors are rows.

    >>> import rushlight as torch
    >>> torch.vstack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    return joined("vstack", tensors, 2, atleast_2d, 0, out)


def row_stack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Another name for `vstack`.

    >>> import rushlight as torch
    >>> torch.row_stack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[1, 2],
            [3, 4]])
    """
    return vstack(tensors, out=out)


def dstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors joined along the third dimension.

    >>> import rushlight as torch
    >>> torch.dstack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[[1, 3],
             [2, 4]]])
    """
    return joined("dstack", tensors, 3, atleast_3d, 2, out)


def column_stack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors joined horizontally; vectors and scalars are columns.

    >>> import rushlight as torch
    >>> torch.column_stack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 3],
            [2, 4]])
    """
    return joined("column_stack", tensors, 2, lambda t: reshape(t, t._array.size, 1), 1, out)


# block diagonals


def block_cotangents(grad: Array, tensors_shape: Sequence[Sequence[int]], needs: Sequence[bool]) -> list[Array]:
    """The blocks of the gradient."""
    blocks, row, column = [], 0, 0
    for shape, need in zip(tensors_shape, needs, strict=True):
        n, m = (1, 1, *shape)[-2:]
        blocks.append(np.reshape(grad[row : row + n, column : column + m], shape) if need else None)
        row, column = row + n, column + m
    return blocks


def blocks_of_batch(op: Any, args: Sequence[Any], levels: Any) -> Array:
    """The batch rule of `block_diag`: each block with all examples."""
    tensors, dtype = args
    return on_diagonal([grown(spread(x, levels), len(levels), 2) for x in tensors], dtype)


def on_diagonal(blocks: Sequence[Array], dtype: np.dtype) -> Array:
    """Matrices (*batch, n, m) as blocks on a diagonal, with zeros elsewhere."""
    sizes = [sum(block.shape[i] for block in blocks) for i in (-2, -1)]
    out = np.zeros((*blocks[0].shape[:-2], *sizes), dtype, like=blocks[0])
    row = column = 0
    for block in blocks:
        n, m = block.shape[-2:]
        out[..., row : row + n, column : column + m] = block
        row, column = row + n, column + m
    return out


@operator(
    linear=True,
    batch=blocks_of_batch,
    joint=block_cotangents,
    inputs=("tensors",),
    lists=("tensors",),
    name="block_diag",
)
def _block_diag(tensors: Sequence[Array], dtype: np.dtype[Any]) -> Array:
    return on_diagonal([np.atleast_2d(a) for a in tensors], dtype)


def block_diag(*tensors: Tensor) -> Tensor:
    """A matrix with the tensors as blocks on its diagonal; vectors are rows.

    >>> import rushlight as torch
    >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor([3]))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    blocks = check_list("block_diag", tensors)
    for i, block in enumerate(blocks):
        if block._array.ndim > 2:
            raise RuntimeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input "
                f"{i} has {block._array.ndim} dimensions"
            )
    if not blocks:
        return new_tensor(np.empty((1, 0), dtypes.get_default_dtype()._numpy))
    return _block_diag(blocks, common_dtype(blocks) or blocks[0]._array.dtype)
