"""Coordinate grids, and combinations of the elements of vectors."""

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import new_tensor
from rushlight.core.meta import is_meta
from rushlight.ops.arguments.dims import tensors_given
from rushlight.ops.picking.indexed import index_select
from rushlight.ops.shapes.broadcasting import _expand
from rushlight.ops.shapes.joining import stack
from rushlight.ops.shapes.shape import flatten, shaped
from rushlight.settings import warn_once
from rushlight.tensors import Tensor

__all__ = ["cartesian_prod", "combinations", "meshgrid"]


def meshgrid(*tensors: Tensor, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Expands vectors to a grid: the i-th result varies along dimension i only. The results are views.

    With `indexing="xy"` the first two dimensions are swapped. RuntimeError for tensors of more than one dimension.

    >>> import rushlight as torch
    >>> x, y = torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4, 5]), indexing="ij")
    >>> x
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
    vectors = tensors_given(tensors)
    if not vectors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    first = vectors[0]
    for vector in vectors:
        if vector._array.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {vector}")
        if vector._array.dtype is not first._array.dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
        if is_meta(vector._array) is not is_meta(first._array):
            raise RuntimeError("meshgrid expects all tensors to have the same device")
    if indexing is None:
        warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    elif indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    swap = indexing == "xy" and len(vectors) > 1
    order = [1, 0, *range(2, len(vectors))] if swap else range(len(vectors))
    shape = tuple([vectors[i]._array.size for i in order])
    ones = (1,) * len(vectors)
    return tuple(
        [
            _expand(shaped(v, (*ones[:i], v._array.size, *ones[i + 1 :])), shape)
            for i, v in zip(order, vectors, strict=True)
        ]
    )


def check_vector(tensor: Tensor) -> None:
    """Raises RuntimeError for a tensor that is not a vector."""
    if tensor._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(tensor._array.shape)}")


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """The Cartesian product of vectors, one combination a row; for a single vector, that vector itself.

    >>> import rushlight as torch
    >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    vectors = tensors_given(tensors)
    for vector in vectors:
        check_vector(vector)
    if len(vectors) == 1:
        return vectors[0]
    return stack([flatten(grid) for grid in meshgrid(*vectors, indexing="ij")], dim=1)


def chosen_places(n: int, r: int, again: bool) -> Array:
    """All sequences of r increasing indices below n, one a row, sorted; with `again`, indices may repeat."""
    rows = np.arange(n)[:, None]
    for _ in range(r - 1):
        first = rows[:, -1] + (0 if again else 1)
        counts = n - first
        begins = np.repeat(np.cumsum(counts) - counts - first, counts)
        rows = np.column_stack([np.repeat(rows, counts, 0), np.arange(counts.sum()) - begins])
    return rows


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All combinations of r elements of a vector, one a row, in the order of Python's `itertools`.

    >>> import rushlight as torch
    >>> torch.combinations(torch.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    check_vector(input)
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return new_tensor(np.empty(0, input._array.dtype))
    rows = chosen_places(input._array.size, r, with_replacement)
    return stack([index_select(input, 0, new_tensor(column.copy())) for column in rows.T], dim=1)
