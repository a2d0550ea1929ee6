"""Reshaping, joining, gathering, casting."""

from collections.abc import Sequence
from typing import Any

import rushlight as torch
from rushlight.interop.mindspore.common.dtype import Type, to_native
from rushlight.interop.mindspore.common.lifting import unwrapped, wrapped
from rushlight.interop.mindspore.common.tensor import Tensor

__all__ = [
    "cast",
    "cat",
    "clamp",
    "clip",
    "clip_by_value",
    "concat",
    "dot",
    "dtype",
    "expand_dims",
    "flatten",
    "gather",
    "gather_elements",
    "is_tensor",
    "one_hot",
    "permute",
    "rank",
    "reshape",
    "shape",
    "size",
    "split",
    "squeeze",
    "stack",
    "stop_gradient",
    "tensor_scatter_elements",
    "transpose",
    "unsqueeze",
    "unstack",
]

Sizes = int | Sequence[int]


def reshape(input: Tensor, shape: Sizes) -> Tensor:
    """The same elements in another shape; one size may be -1."""
    return wrapped(input._value.reshape((shape,) if isinstance(shape, int) else tuple(shape)))


def transpose(input: Tensor, input_perm: Sequence[int]) -> Tensor:
    """Permutes the dimensions.

    >>> import rushlight.interop.mindspore as ms
    >>> print(ms.ops.transpose(ms.Tensor([[1, 2], [3, 4]]), (1, 0)))
    [[1 3]
     [2 4]]
    """
    return wrapped(input._value.permute(*input_perm))


def permute(input: Tensor, axis: Sequence[int]) -> Tensor:
    """Permutes the dimensions."""
    return transpose(input, axis)


def squeeze(input: Tensor, axis: Any = None) -> Tensor:
    """Removes dimensions of size 1: all of them, or the given ones. ValueError for a dimension of another size."""
    if axis is None or axis == ():
        return wrapped(input._value.squeeze())
    places = (axis,) if isinstance(axis, int) else tuple(axis)
    for place in places:
        if input.shape[place] != 1:
            raise ValueError(f"Cannot select an axis to squeeze out which has size not equal to one: {place}.")
    return wrapped(input._value.squeeze(places))


def expand_dims(input_x: Tensor, axis: int) -> Tensor:
    """Inserts a dimension of size 1 at an axis."""
    return wrapped(input_x._value.unsqueeze(axis))


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Inserts a dimension of size 1 at an axis."""
    return expand_dims(input, dim)


def flatten(input: Tensor, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Tensor:
    """Flattens the dimensions from `start_dim` to `end_dim`; with `order="F"` in column-major order."""
    if order not in ("C", "F"):
        raise ValueError(f"For 'flatten', argument 'order' must be 'C' or 'F', but got {order!r}.")
    value = input._value
    if order == "F":
        value = value.permute(0, *range(value.dim() - 1, 0, -1)) if value.dim() > 1 else value
    if value.dim() < 2 and start_dim == 1:
        return wrapped(value.reshape(-1))
    return wrapped(value.flatten(start_dim, end_dim))


def cat(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Concatenates tensors along an axis."""
    return wrapped(torch.cat(unwrapped(list(tensors)), axis))


concat = cat


def stack(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Stacks tensors along a new axis."""
    return wrapped(torch.stack(unwrapped(list(tensors)), axis))


def unstack(input_x: Tensor, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along an axis."""
    return wrapped(torch.unbind(input_x._value, axis))


def split(tensor: Tensor, split_size_or_sections: Sizes, axis: int = 0) -> tuple[Tensor, ...]:
    """Splits a tensor along an axis into parts of one size, or of several sizes."""
    sizes = split_size_or_sections
    return wrapped(torch.split(tensor._value, sizes if isinstance(sizes, int) else list(sizes), axis))


def gather(input_params: Tensor, input_indices: Tensor, axis: int, batch_dims: int = 0) -> Tensor:
    """The slices at indices along an axis: shape[:axis] + indices.shape + shape[axis + 1:].

    >>> import rushlight.interop.mindspore as ms
    >>> print(ms.ops.gather(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([2, 0]), 0))
    [3. 1.]
    """
    if batch_dims:
        raise NotImplementedError("gather: batch_dims is not served; use gather_elements.")
    value, indices = input_params._value, input_indices._value
    axis %= value.dim()
    found = value.index_select(axis, indices.reshape(-1))
    return wrapped(found.reshape(*value.shape[:axis], *indices.shape, *value.shape[axis + 1 :]))


def gather_elements(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The elements at indices along an axis, as PyTorch's `gather`."""
    return wrapped(torch.gather(input._value, dim, index._value.to(torch.int64)))


def tensor_scatter_elements(
    input_x: Tensor, indices: Tensor, updates: Tensor, axis: int = 0, reduction: str = "none"
) -> Tensor:
    """A copy with updates written at indices along an axis, or with `reduction="add"` added there."""
    value, places, new = input_x._value, indices._value.to(torch.int64), updates._value
    if reduction not in ("none", "add"):
        raise ValueError(f"tensor_scatter_elements: 'reduction' must be 'none' or 'add', but got {reduction!r}.")
    return wrapped((torch.scatter_add if reduction == "add" else torch.scatter)(value, axis, places, new))


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Clamps the values to bounds."""
    low, high = unwrapped(min), unwrapped(max)
    if isinstance(min, Tensor) or isinstance(max, Tensor):  # both as tensors
        low, high = (b if b is None else torch.as_tensor(b, dtype=input._value.dtype) for b in (low, high))
    return wrapped(torch.clamp(input._value, low, high))


clip = clamp


def clip_by_value(x: Tensor, clip_value_min: Any = None, clip_value_max: Any = None) -> Tensor:
    """Clamps the values to bounds."""
    return clamp(x, clip_value_min, clip_value_max)


def one_hot(indices: Tensor, depth: int, on_value: Any = 1, off_value: Any = 0, axis: int = -1) -> Tensor:
    """For each index a vector of `depth` values along `axis`: `on_value` at the index, `off_value` elsewhere."""
    hot = torch.nn.functional.one_hot(indices._value.to(torch.int64), depth).bool()
    on, off = (value if isinstance(value, Tensor) else Tensor(value) for value in (on_value, off_value))
    return wrapped(torch.moveaxis(on._value.where(hot, off._value), -1, axis))


def dot(input: Tensor, other: Tensor) -> Tensor:
    """The product-sum over the last axis of `input` and the second-to-last of `other`, as NumPy's `dot`."""
    return wrapped(torch.tensordot(input._value, other._value, ([-1], [max(-2, -other.ndim)])))


def cast(input: Any, dtype: Type) -> Tensor:
    """Casts the values to another dtype."""
    return wrapped((input if isinstance(input, Tensor) else Tensor(input))._value.to(to_native(dtype)))


def stop_gradient(value: Any) -> Any:
    """The value detached from gradients; also each in tuples and lists.

    >>> import rushlight.interop.mindspore as ms
    >>> print(ms.grad(lambda x: x * ms.ops.stop_gradient(x))(ms.Tensor(3.0)))
    3.0
    """
    if isinstance(value, Tensor):
        return wrapped(value._value.detach())
    return type(value)(map(stop_gradient, value)) if type(value) in (tuple, list) else value


def shape(input_x: Tensor) -> tuple[int, ...]:
    """The sizes of the dimensions."""
    return input_x.shape


def size(input_x: Tensor) -> int:
    """The number of elements."""
    return input_x.size


def rank(input_x: Tensor) -> int:
    """The number of dimensions."""
    return input_x.ndim


def dtype(input_x: Tensor) -> Type:
    """The type of the elements."""
    return input_x.dtype


def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)
