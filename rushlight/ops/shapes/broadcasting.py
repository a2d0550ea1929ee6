"""Broadcasting: repeating dimensions without copying, and the sum that is its adjoint."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.batched import grown
from rushlight.core.batching import by
from rushlight.core.graph import unbroadcast
from rushlight.layouts import expanded_strides, fast, joint_shape, laid_over
from rushlight.ops.arguments.dims import sequence, tensors_given
from rushlight.ops.table import method, operator
from rushlight.size import Size
from rushlight.tensors import Tensor

__all__ = ["broadcast_shapes", "broadcast_tensors", "broadcast_to"]


def expand_batch(n: int, input: Array, shape: Sequence[int]) -> Array:
    """The batch rule of `expand`."""
    return _expand.forward(grown(input, n, len(shape)), (*input.shape[:n], *shape))


@operator(view=True, input=lambda grad, input_shape: unbroadcast(grad, input_shape), batch=by(expand_batch))
def _expand(input: Array, shape: Sequence[int]) -> Array:
    if type(input) is np.ndarray:  # faster than np.broadcast_to, with PyTorch's strides
        found = None if fast is None else fast.expanded(input, shape)
        return laid_over(input, shape, expanded_strides(input, shape)) if found is None else found
    out = np.broadcast_to(input, shape)
    out.flags.writeable = input.flags.writeable
    return out


def expand(input: Tensor, *sizes: int | Sequence[int], size: tuple[int, ...] | None = None) -> Tensor:
    """A view with dimensions of size 1, and new leading dimensions, repeated to the given sizes without copying.

    -1 keeps a size. RuntimeError for sizes that do not fit.

    >>> import rushlight as torch
    >>> torch.tensor([[1], [2]]).expand(-1, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
    shape = input._array.shape
    target = sequence("expand", "size", sizes, size)
    if target == shape:
        return _expand(input, shape)
    extra = len(target) - len(shape)
    if extra < 0:
        name = dtypes.TYPE_NAMES[input.dtype]
        raise RuntimeError(
            f"expand(torch.{name}Tensor{{{list(shape)}}}, size={list(target)}): the number of sizes provided "
            f"({len(target)}) must be greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    if target[extra:] == shape and min(target[:extra]) >= 0:
        return _expand(input, target)
    return _expand(input, tuple([expanded_size(i, n, i - extra, shape, target) for i, n in enumerate(target)]))


def expanded_size(dim: int, size: int, source: int, shape: Sequence[int], target: Sequence[int]) -> int:
    """One size of an expanded tensor; -1 stands for the present size. RuntimeError if it does not fit."""
    if source < 0:
        if size < 0:
            raise RuntimeError(
                f"The expanded size of the tensor ({size}) isn't allowed in a leading, non-existing dimension {dim}"
            )
        return size
    if size == -1 or size == shape[source]:
        return shape[source]
    if shape[source] != 1:
        said = (
            f"The expanded size of the tensor ({size}) must match the existing size ({shape[source]}) at non-singleton "
            f"dimension {dim}.  Target sizes: {list(target)}.  Tensor sizes: {list(shape)}"
        )
        raise RuntimeError(advised(said))
    return size


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """A view expanded to the shape of another tensor: `input.expand(other.size())`."""
    return expand(input, other._array.shape)


@method
def broadcast_to(input: Tensor, size: tuple[int, ...]) -> Tensor:
    """A view broadcast to a shape: `input.expand(size)`.

    >>> import rushlight as torch
    >>> torch.broadcast_to(torch.tensor([1, 2]), (2, 2))
    tensor([[1, 2],
            [1, 2]])
    """
    return expand(input, size)


def broadcast_shapes(*shapes: tuple[int, ...] | int) -> Size:
    """The shape that tensors of these shapes broadcast to. RuntimeError if they do not broadcast.

    >>> import rushlight as torch
    >>> torch.broadcast_shapes((2, 1), (3,))
    torch.Size([2, 3])
    """
    result: list[int] = []
    for number, shape in enumerate(shapes):
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        if any(n < 0 for n in sizes):
            raise ValueError("Attempting to broadcast a dimension with negative length!")
        result = [1] * (len(sizes) - len(result)) + result
        for i in range(-len(sizes), 0):
            if result[i] == 1:
                result[i] = sizes[i]
            elif sizes[i] not in (1, result[i]):
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {sizes[i]} at {i}! Mismatching argument at index "
                    f"{number} had {sizes}; but expected shape should be broadcastable to {result}"
                )
    return Size(result)


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Views of tensors, broadcast to their common shape.

    >>> import rushlight as torch
    >>> a, b = torch.broadcast_tensors(torch.zeros(2, 1), torch.zeros(3))
    >>> a.shape, b.shape
    (torch.Size([2, 3]), torch.Size([2, 3]))
    """
    arrays = tensors_given(tensors)
    shape = arrays[0]._array.shape if arrays else ()
    for tensor in arrays[1:]:
        shape = common_shape(shape, tensor._array.shape)
    return tuple([t if t._array.shape == shape else expand(t, shape) for t in arrays])


def common_shape(a: Any, b: Any) -> tuple[int, ...]:
    """The shape that two shapes broadcast to; RuntimeError if they do not."""
    try:
        return joint_shape(a, b)
    except ValueError:
        ndim = max(len(a), len(b))
        a, b = (1,) * (ndim - len(a)) + a, (1,) * (ndim - len(b)) + b
        dim = max(i for i in range(ndim) if a[i] != b[i] and 1 not in (a[i], b[i]))
        raise RuntimeError(
            f"The size of tensor a ({a[dim]}) must match the size of tensor b ({b[dim]}) at non-singleton "
            f"dimension {dim}"
        ) from None


def sum_to_size(input: Tensor, *sizes: int | Sequence[int], size: tuple[int, ...] | None = None) -> Tensor:
    """The sum over the dimensions that broadcasting from `size` would repeat: the adjoint of `expand`.

    >>> import rushlight as torch
    >>> torch.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]])
    """
    target, shape = sequence("sum_to_size", "size", sizes, size), input._array.shape
    pairs = zip(reversed(target), reversed(shape), strict=False)
    if len(target) > len(shape) or any(n not in (1, m) for n, m in pairs):
        raise RuntimeError(f"size {{{list(target)}}} is not expandable to size {{{list(shape)}}}.")
    return unbroadcast(input, target) if target else input.sum()


for only_method in (expand, expand_as, sum_to_size):
    method(only_method)
