"""Where the nonzero elements are."""

import math
from collections.abc import Sequence

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import by, dynamic
from rushlight.core.graph import new_tensor
from rushlight.kernels import parts
from rushlight.kernels.masks import places
from rushlight.layouts import laid_over
from rushlight.ops.out import takes_out, write_out
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = ["argwhere", "nonzero", "nonzero_static", "unravel_index"]


@method
def nonzero(input: Tensor, *, as_tuple: bool = False, out: Tensor | None = None) -> Tensor | tuple[Tensor, ...]:
    """The indices of the nonzero elements, one row for each element; with `as_tuple` one vector for each dimension.

    >>> import rushlight as torch
    >>> torch.nonzero(torch.tensor([0, 1, 1]))
    tensor([[1],
            [2]])
    """
    if as_tuple and isinstance(out, Tensor):
        raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
    if as_tuple and out is None:
        rows = input if input._array.ndim else input.reshape(1)
        return _nonzero(rows).unbind(1)
    result = _nonzero(input)
    return result if out is None else write_out("nonzero", out, result)


@operator(shape_of_values=True, batch=dynamic, layout="as computed")
def _nonzero(input: Array) -> Array:
    found = found_places(input)
    return found if len(found) else laid_over(found, found.shape, (found.itemsize, 0))  # the columns of no rows


def found_places(input: Array) -> Array:
    """The coordinates of the elements that are not zero, for large arrays in parts that threads share."""
    if type(input) is not np.ndarray or input.nbytes < parts.SLOW or not input.ndim:
        return places(input)

    def of_rows(start: int, stop: int) -> np.ndarray:
        found = places(input[start:stop]).T
        found[0] += start
        return found

    found = parts.of_parts(of_rows, len(input), max(1, len(input) // (2 * parts.MANY)))
    return np.concatenate(found, 1).T


def first_places_of_batch(n: int, input: Array, size: int, fill_value: int) -> Array:
    """The batch rule of `nonzero_static`."""
    batch = input.shape[:n]
    result = np.empty((*batch, size, input.ndim - n), np.int64)
    for example in np.ndindex(batch):
        result[example] = _nonzero_static.forward(input[example], size, fill_value)
    return result


@operator(batch=by(first_places_of_batch))
def _nonzero_static(input: Array, size: int, fill_value: int) -> Array:
    result = np.full((size, input.ndim), fill_value, np.int64)
    found = places(input)[:size]
    result[: len(found)] = found
    return result


@method
@takes_out
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The first `size` rows of `nonzero`, padded with rows of `fill_value` if there are fewer.

    The shape does not depend on the values, so it works inside `vmap`. RuntimeError for a negative size.

    >>> import rushlight as torch
    >>> torch.nonzero_static(torch.tensor([0, 1, 1]), size=3)
    tensor([[ 1],
            [ 2],
            [-1]])
    """
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    if type(fill_value) is not int:
        kind = type(fill_value).__name__
        raise TypeError(f"nonzero_static(): argument 'fill_value' must be int, not {kind}")
    return _nonzero_static(input, size, fill_value)


@method
def argwhere(input: Tensor) -> Tensor:
    """The indices of the nonzero elements, one row for each element.

    >>> import rushlight as torch
    >>> torch.argwhere(torch.tensor([[0, 1], [1, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    return _nonzero(input)


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Converts flat indices to coordinates in a tensor of the given shape: one tensor for each dimension.

    TypeError for indices or a shape that are not integers, ValueError for a negative shape.

    >>> import rushlight as torch
    >>> torch.unravel_index(torch.tensor([4, 1]), (3, 2))
    (tensor([2, 0]), tensor([0, 1]))
    """
    if indices._array.dtype.kind not in "iu":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, Sequence)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    if min(sizes, default=0) < 0:
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    steps = [math.prod(sizes[dim + 1 :]) for dim in range(len(sizes))]
    flat = indices._array.astype(np.int64)[..., None]
    return new_tensor(flat // np.array(steps, np.int64) % np.array(sizes, np.int64)).unbind(-1)
