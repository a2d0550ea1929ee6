"""Changing the shape of a tensor."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.batching import inserting, leading
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.turned import turning
from rushlight.kernels.parts import duplicate
from rushlight.layouts import fast, laid_over, reread, shown, strides_of_view, widened
from rushlight.ops.arguments.dims import INTEGERS, sequence, tensors_given, wrap_dim, wrap_dims
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor, share_memory

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "flatten",
    "is_tensor",
    "numel",
    "ravel",
    "reshape",
    "squeeze",
    "unflatten",
    "unsqueeze",
]


def inferred(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """A shape in which -1 is replaced by the right size; RuntimeError if it does not fit the number of elements."""
    if fast is not None and (found := fast.inferred(shape, size)) is not None:
        return found
    known = math.prod(shape)
    if known == size and min(shape, default=0) >= 0:
        return shape
    if known < 0 and min(shape) == -1 and shape.count(-1) == 1 and size % known == 0:
        return tuple([size // -known if n == -1 else n for n in shape])
    for i, n in enumerate(shape):
        if n == -1 and -1 in shape[:i]:
            raise RuntimeError(advised("only one dimension can be inferred"))
        if n < -1:
            raise RuntimeError(advised(f"invalid shape dimension {n} at index {i} of shape {list(shape)}"))
    known = math.prod(n for n in shape if n != -1)
    if -1 in shape and known == 0 and size == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size "
            "-1 can be any value and is ambiguous"
        )
    if -1 in shape or known != size:
        raise RuntimeError(advised(f"shape '{list(shape)}' is invalid for input of size {size}"))
    return shape


def enter_view(name: str, node: str, aten: str) -> Any:
    """Registers an operator that views the same memory with another shape."""
    enter = operator(
        name=name,
        node=node,
        aten=aten,
        view=True,
        batch=leading,
        layout="reshaped",
        input=lambda grad, input_shape: np.reshape(grad, input_shape),
    )
    return enter(reshaped_view)


def reshaped_view(input: Array, shape: tuple[int, ...]) -> Array:
    """A view of an array in another shape. ValueError if there is none."""
    if fast is not None and type(input) is np.ndarray and (found := fast.reshaped(input, shape)) is not None:
        return found
    if is_plain(input):
        return input.reshape(shape, copy=False)
    strides = strides_of_view(input.shape, shown(input), shape, input.itemsize)
    if strides is None:
        raise ValueError("no view has this shape")
    return laid_over(input, shape, strides)


def is_plain(array: Array) -> bool:
    """Whether NumPy gives views in other shapes PyTorch's strides: there are no dimensions of size 1 or 0."""
    shape = array.shape
    return (1 not in shape and 0 not in shape and array.flags.c_contiguous) or type(array) is not np.ndarray


_view = enter_view("view", "ViewBackward0", "view")
_reshape_alias = enter_view("reshape_alias", "ReshapeAliasBackward0", "_reshape_alias")


@operator(
    aten=("reshape", "_unsafe_view"),
    linear=True,
    batch=leading,
    node="UnsafeViewBackward0",
    input=lambda grad, input_shape: np.reshape(grad, input_shape),
)
def _reshape_copy(input: Array, shape: tuple[int, ...]) -> Array:
    return duplicate(input).reshape(shape)


def enter_reshaped(name: str, node: str, aten: str) -> Any:
    """Registers a reshaping operator whose input is a temporary copy, so that its result does not count as a view."""
    enter = operator(
        name=name,
        node=node,
        aten=aten,
        linear=True,
        batch=leading,
        layout="viewed",
        input=lambda grad, input_shape: np.reshape(grad, input_shape),
    )
    return enter(lambda input, shape: input.reshape(shape))


_unsafe_view, _squeezed = (
    enter_reshaped("unsafe_view", "UnsafeViewBackward0", "unsafe_view"),
    enter_reshaped("squeezed", "SqueezeBackward4", "squeeze_"),
)


@method
def reshape(input: Tensor, *sizes: int | Sequence[int], shape: tuple[int, ...] | None = None) -> Tensor:
    """The same elements in another shape, one size of which may be -1: a view if possible, else a copy.

    RuntimeError if the numbers of elements differ.

    >>> import rushlight as torch
    >>> torch.reshape(torch.tensor([1, 2, 3, 4]), (2, -1))
    tensor([[1, 2],
            [3, 4]])
    """
    return shaped(input, inferred(sequence("reshape", "shape", sizes, shape), input._array.size))


def shaped(input: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """`reshape` to known sizes."""
    array = input._array
    if array.flags.c_contiguous or input._unsettled:
        return _view(input, sizes)
    if type(array) is np.ndarray and strides_of_view(array.shape, shown(array), sizes, array.itemsize) is None:
        return _reshape_copy(input, sizes)
    try:
        return _reshape_alias(input, sizes)
    except ValueError:
        return _reshape_copy(input, sizes)


def view(
    input: Tensor,
    *sizes: int | Sequence[int] | dtypes.dtype,
    size: tuple[int, ...] | None = None,
    dtype: dtypes.dtype | None = None,
) -> Tensor:
    """A view with another shape, one size of which may be -1; or a view of the bytes as another dtype.

    RuntimeError if a copy would be needed, which `reshape` makes. A view as another dtype is not differentiable.

    >>> import rushlight as torch
    >>> torch.tensor([1, 2, 3, 4]).view(2, -1)
    tensor([[1, 2],
            [3, 4]])
    >>> torch.tensor([1.0]).view(torch.int32)
    tensor([1065353216], dtype=torch.int32)
    """
    if len(sizes) == 1 and isinstance(sizes[0], dtypes.dtype):
        dtype = sizes[0]
    if dtype is not None:
        return view_as_dtype(input, dtype)
    shape = inferred(sequence("view", "size", sizes, size), input._array.size)
    try:
        return _view(input, shape)
    except ValueError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        ) from None


def view_as_dtype(input: Array, dtype: Any) -> Any:
    """A view of the bytes as another dtype, outside the graph; both share the version counter."""
    array, target = input._settled(), dtype._numpy
    if any(turning(array)):
        kind = "conjugate view tensors" if input.is_conj() else "tensors with negative bit set"
        raise RuntimeError(f"torch.Tensor.view is not supported for {kind} when converting to a different dtype.")
    if target.itemsize != array.itemsize:
        check_divisible(array, target, input.storage_offset())
    out = new_tensor(reread(array, target))
    out._counter = input._versions()
    share_memory(out, input)
    return out


def check_divisible(array: Array, target: Array, offset: int) -> None:
    """Raises RuntimeError if the last dimension cannot be read as elements of another size.

    Larger ones have to begin where PyTorch's would, at a multiple of their size in the memory.
    """
    names = [dtypes.TYPE_NAMES[dtypes.FROM_NUMPY[d]] for d in (array.dtype, target)]
    change = f"to view {names[0]} as {names[1]} (different element sizes)"
    if array.ndim == 0:
        raise RuntimeError(f"self.dim() cannot be 0 {change}")
    ratio = target.itemsize // array.itemsize
    if ratio and array.shape[-1] % ratio:
        raise RuntimeError(f"self.size(-1) must be divisible by {ratio} {change}, but got {array.shape[-1]}")
    if ratio and offset % ratio:
        raise RuntimeError(f"self.storage_offset() must be divisible by {ratio} {change}, but got {offset}")
    if array.size and array.strides[-1] != array.itemsize:
        raise RuntimeError(f"self.stride(-1) must be 1 {change}, but got {array.strides[-1] // array.itemsize}")
    for dim, step in enumerate(array.strides[:-1]):
        if ratio and step % target.itemsize:
            raise RuntimeError(
                f"self.stride({dim}) must be divisible by {ratio} {change}, but got {step // array.itemsize}"
            )


def view_as(input: Tensor, other: Tensor) -> Tensor:
    """A view with the shape of another tensor: `input.view(other.size())`."""
    return view(input, other._array.shape)


def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """The same elements in the shape of another tensor: `input.reshape(other.size())`."""
    return reshape(input, other._array.shape)


@method
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` merged: the tensor itself, a view or a copy, as for `reshape`.

    >>> import rushlight as torch
    >>> torch.flatten(torch.zeros(2, 3, 4), start_dim=1).shape
    torch.Size([2, 12])
    """
    shape = input._array.shape
    start, end = wrap_dim(start_dim, len(shape)), wrap_dim(end_dim, len(shape))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not shape:
        return reshape(input, 1)
    if start == end:
        return input
    return reshape(input, *shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :])


@method
def ravel(input: Tensor) -> Tensor:
    """The tensor as a vector: the tensor itself, a view or a copy.

    >>> import rushlight as torch
    >>> torch.ravel(torch.zeros(2, 3)).shape
    torch.Size([6])
    """
    return view(input.contiguous(), -1)


@method
def unflatten(input: Tensor, dim: int, sizes: tuple[int, ...]) -> Tensor:
    """A dimension split into several, one of which may be -1. RuntimeError if the product of the sizes does not fit.

    >>> import rushlight as torch
    >>> torch.unflatten(torch.zeros(2, 12), 1, (3, -1)).shape
    torch.Size([2, 3, 4])
    """
    shape = input._array.shape
    given, dim = dim, wrap_dim(dim, len(shape))
    if not shape:
        raise RuntimeError(
            f"unflatten got an unexpected error:\nDimension specified as {given} but tensor has no dimensions"
        )
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    try:
        parts = inferred(sequence("unflatten", "sizes", (tuple(sizes),)), shape[dim])
    except RuntimeError:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({shape[dim]}) in the "
            "input tensor"
        ) from None
    return view(input, *shape[:dim], *parts, *shape[dim + 1 :])


# dimensions of size 1


@operator(batch=inserting, view=True, input=lambda grad, input_shape: np.reshape(grad, input_shape))
def _unsqueeze(input: Array, dim: int) -> Array:
    if fast is not None and type(input) is np.ndarray:
        return fast.unsqueezed(input, dim)
    shape = input.shape
    if is_plain(input):
        return input.reshape((*shape[:dim], 1, *shape[dim:]))
    strides = input.strides
    step = shape[dim] * strides[dim] if dim < len(shape) else input.itemsize
    return laid_over(input, (*shape[:dim], 1, *shape[dim:]), (*strides[:dim], step, *strides[dim:]))


@method
def unsqueeze(input: Tensor, dim: Any = None, *, axis: Any = None) -> Tensor:
    """A view with a new dimension of size 1.

    >>> import rushlight as torch
    >>> torch.unsqueeze(torch.tensor([1, 2]), 1).shape
    torch.Size([2, 1])
    """
    return _unsqueeze(input, wrap_dim(axis if dim is None else dim, input._array.ndim + 1))


def enter_squeeze(node: int) -> Any:
    """Registers one of the three operators of `squeeze`, for which PyTorch has different nodes."""
    enter = operator(
        name=f"squeeze{node}",
        node=f"SqueezeBackward{node}",
        aten="squeeze",
        view=True,
        batch=leading,
        input=lambda grad, input_shape, dims: widened(grad, input_shape, dims),
    )
    return enter(lambda input, dims: input.squeeze(dims))


_squeeze_all, _squeeze_dim, _squeeze_dims = enter_squeeze(0), enter_squeeze(1), enter_squeeze(2)


@method
def squeeze(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """A view without the dimensions of size 1, or without those of the given dimensions that have size 1.

    >>> import rushlight as torch
    >>> x = torch.zeros(1, 2, 1)
    >>> torch.squeeze(x).shape, torch.squeeze(x, 0).shape
    (torch.Size([2]), torch.Size([2, 1]))
    """
    shape = input._array.shape
    if dim is None:
        return _squeeze_all(input, tuple([i for i, n in enumerate(shape) if n == 1]))
    entry = _squeeze_dim if isinstance(dim, INTEGERS) else _squeeze_dims
    return entry(input, tuple([d for d in wrap_dims(dim, len(shape)) if shape and shape[d] == 1]))


# minimum numbers of dimensions


def with_dims(tensors: Sequence[Tensor], ndim: int, widen: Callable[..., Any]) -> Any:
    """One or several tensors, each with at least `ndim` dimensions."""
    single = len(tensors) == 1 and isinstance(tensors[0], TensorBase)
    results = tuple([t if t._array.ndim >= ndim else widen(t) for t in tensors_given(tensors)])
    return results[0] if single else results


def as_row(tensor: Tensor) -> Tensor:
    """A vector, or a tensor without dimensions, as a matrix of one row."""
    return unsqueeze(tensor, 0) if tensor._array.ndim else reshape(tensor, 1, 1)


def atleast_1d(*tensors: Tensor) -> Tensor | tuple[Tensor, ...]:
    """Views with at least one dimension; several tensors, or a sequence of them, give a tuple.

    >>> import rushlight as torch
    >>> torch.atleast_1d(torch.tensor(1.0))
    tensor([1.])
    """
    return with_dims(tensors, 1, lambda t: reshape(t, 1))


def atleast_2d(*tensors: Tensor) -> Tensor | tuple[Tensor, ...]:
    """Views with at least two dimensions; new ones are leading.

    >>> import rushlight as torch
    >>> torch.atleast_2d(torch.tensor([1.0, 2.0]))
    tensor([[1., 2.]])
    """
    return with_dims(tensors, 2, as_row)


def atleast_3d(*tensors: Tensor) -> Tensor | tuple[Tensor, ...]:
    """Views with at least three dimensions: (n, m) becomes (n, m, 1), and (n) becomes (1, n, 1).

    >>> import rushlight as torch
    >>> torch.atleast_3d(torch.tensor([1.0, 2.0])).shape
    torch.Size([1, 2, 1])
    """
    return with_dims(tensors, 3, lambda t: unsqueeze(t if t._array.ndim == 2 else as_row(t), -1))


def is_tensor(obj: object, /) -> bool:
    """Whether an object is a tensor.

    >>> import rushlight as torch
    >>> torch.is_tensor(torch.ones(1)), torch.is_tensor([1.0])
    (True, False)
    """
    return isinstance(obj, TensorBase)


def numel(input: Tensor) -> int:
    """The number of elements.

    >>> import rushlight as torch
    >>> torch.numel(torch.zeros(2, 3))
    6
    """
    if not isinstance(input, TensorBase):
        raise TypeError(f"numel(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    return input._array.size


for only_method in (view, view_as, reshape_as):
    method(only_method)
