"""Reductions: sums, means and the like, over all elements or over some dimensions."""

import numpy as np

from rushlight.dtypes import as_numpy, dtype
from rushlight.ops.protocol import REDUCTIONS
from rushlight.ops.table import method, operator
from rushlight.tensor import Tensor

__all__ = ["sum"]

REDUCTIONS[np.add] = lambda a, axis=0, keepdims=False: sum(a, axis, keepdims)

Dim = int | tuple[int, ...] | list[int] | None


def axes(dim: Dim, ndim: int) -> tuple[int, ...]:
    """Dimensions as non-negative numbers; all of them for None or an empty tuple. IndexError out of range."""
    if dim is None:
        return tuple(range(ndim))
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    for d in dims:
        if not -max(ndim, 1) <= d < max(ndim, 1):
            limit = max(ndim, 1)
            raise IndexError(f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {d})")
    found = tuple(d % ndim for d in dims) if ndim else ()
    if len(set(found)) < len(found):
        raise RuntimeError(f"dim {next(d for d in found if found.count(d) > 1)} appears multiple times in the list of dims")
    return found or tuple(range(ndim))


def spread(grad, shape, dims, keepdim):
    """The adjoint of a sum over `dims`: the cotangent repeated over them, without copying it."""
    if not keepdim and dims:
        grad = np.expand_dims(grad, dims)
    return np.broadcast_to(grad, shape)


@operator(input=lambda grad, input_shape, dims, keepdim: spread(grad, input_shape, dims, keepdim))
def _sum(input, dims, keepdim, dtype):
    return np.add.reduce(input, axis=dims, keepdims=keepdim, dtype=dtype)


@method
def sum(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The sum of all elements, or over one or several dimensions, which stay with size 1 with `keepdim`.

    Integers and bools are added up in int64. IndexError for a dimension that the tensor does not have.

    >>> import rushlight as torch
    >>> torch.sum(torch.ones(2, 3)), torch.sum(torch.ones(2, 3), dim=0)
    (tensor(6.), tensor([2., 2., 2.]))
    """
    d = as_numpy(dtype) or (np.dtype(np.int64) if input._array.dtype.kind in "biu" else None)
    return _sum(input, axes(dim, input._array.ndim), keepdim, d)
