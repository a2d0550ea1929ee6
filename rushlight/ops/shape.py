"""Shapes: views of the same memory under another shape, and broadcasting."""

import math

import numpy as np

from rushlight.core.graph import TensorBase, unbroadcast
from rushlight.ops.protocol import implements
from rushlight.ops.table import method, operator
from rushlight.tensor import Tensor

__all__ = ["broadcast_to", "reshape", "transpose", "unsqueeze"]


def wrap_dim(dim: int, ndim: int) -> int:
    """A dimension as a non-negative number; IndexError out of range."""
    limit = max(ndim, 1)
    if not -limit <= dim < limit:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})")
    return dim % limit


def as_shape(sizes) -> tuple[int, ...]:
    """A shape given as numbers or as one sequence of them."""
    if len(sizes) == 1 and not isinstance(sizes[0], int) and not isinstance(sizes[0], TensorBase):
        sizes = sizes[0]
    return tuple(int(n) for n in sizes)


def inferred(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """A shape with its -1 computed; RuntimeError where it does not fit the number of elements."""
    known = math.prod(n for n in shape if n != -1)
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if -1 in shape and known and size % known == 0:
        return tuple(size // known if n == -1 else n for n in shape)
    if -1 in shape or known != size:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {size}")
    return shape


@operator(name="view", view=True, input=lambda grad, input_shape: np.reshape(grad, input_shape))
def _view(input, shape):
    return np.reshape(input, shape, copy=False)


@operator(node="UnsafeViewBackward0", input=lambda grad, input_shape: np.reshape(grad, input_shape))
def _reshape_copy(input, shape):
    return np.array(input, order="C").reshape(shape)


@method
def reshape(input: Tensor, *shape: int) -> Tensor:
    """The same elements in another shape, of which one size may be -1: a view where that is possible, else a copy.

    RuntimeError where the numbers of elements differ.

    >>> import rushlight as torch
    >>> torch.reshape(torch.tensor([1, 2, 3, 4]), (2, -1))
    tensor([[1, 2],
            [3, 4]])
    """
    array = input._array
    sizes = inferred(as_shape(shape), array.size)
    if array.flags.c_contiguous:
        return _view(input, sizes)
    try:
        return _view(input, sizes)
    except ValueError:
        return _reshape_copy(input, sizes)


implements(np.reshape)(lambda a, shape, **_: reshape(a, shape))


@operator(view=True, node="ExpandBackward0", input=lambda grad, input_shape: unbroadcast(grad, input_shape))
def _expand(input, shape):
    return np.broadcast_to(input, shape)


@method
def broadcast_to(input: Tensor, size) -> Tensor:
    """A view in which dimensions of size 1, and new ones before the others, are repeated without copying.

    >>> import rushlight as torch
    >>> torch.broadcast_to(torch.tensor([1, 2]), (2, 2))
    tensor([[1, 2],
            [1, 2]])
    """
    return _expand(input, as_shape((size,)))


implements(np.broadcast_to)(broadcast_to)


@operator(view=True, input=lambda grad, dim: np.squeeze(grad, dim))
def _unsqueeze(input, dim):
    return np.expand_dims(input, dim)


@method
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A view with a new dimension of size 1.

    >>> import rushlight as torch
    >>> torch.unsqueeze(torch.tensor([1, 2]), 1).shape
    torch.Size([2, 1])
    """
    return _unsqueeze(input, wrap_dim(dim, input._array.ndim + 1))


@operator(view=True, input=lambda grad, dims: np.expand_dims(grad, dims))
def _squeeze(input, dims):
    return np.squeeze(input, dims)


@implements(np.expand_dims)
def expand_dims(a, axis):
    """NumPy's `expand_dims` on tensors: several new dimensions at once."""
    axes = (axis,) if isinstance(axis, int) else axis
    for dim in sorted(d % (a.ndim + len(axes)) for d in axes):
        a = _unsqueeze(a, dim)
    return a


implements(np.squeeze)(lambda a, axis=None: _squeeze(a, axis))


@operator(view=True, input=lambda grad, dim0, dim1: np.swapaxes(grad, dim0, dim1))
def _transpose(input, dim0, dim1):
    return np.swapaxes(input, dim0, dim1)


@method
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """A view with two dimensions exchanged.

    >>> import rushlight as torch
    >>> torch.transpose(torch.tensor([[1, 2], [3, 4]]), 0, 1)
    tensor([[1, 3],
            [2, 4]])
    """
    ndim = input._array.ndim
    return _transpose(input, wrap_dim(dim0, ndim), wrap_dim(dim1, ndim))


implements(np.swapaxes)(lambda a, axis1, axis2: transpose(a, axis1, axis2))
