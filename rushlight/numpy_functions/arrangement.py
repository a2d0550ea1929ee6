"""NumPy's functions that change the shape or order of a tensor."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.numpy_functions.entering import all_axes, as_dtype, as_tensor, linear_algebra, numpy
from rushlight.numpy_functions.plain import in_numpy, is_plain
from rushlight.ops.making import conversion, copying
from rushlight.ops.protocol import FUNCTIONS
from rushlight.ops.shapes import broadcasting, dimensions, rearranging, shape
from rushlight.tensors import Tensor


@numpy
def reshape(a: Any, /, shape: Sequence[int] | int, order: str = "C", *, copy: bool | None = None) -> Tensor:
    if order == "C" and copy is None:
        return in_shape(a, shape)
    a = as_tensor(a)
    if copy is False:
        return a.view(shape)
    result = in_shape(a, shape) if order == "C" else in_columns(a, shape, order)
    return torch.clone(result) if copy else result


def in_shape(a: Tensor, sizes: Sequence[int] | int) -> Tensor:
    """A tensor reshaped in row-major order."""
    return shape.reshape(a, sizes)


def in_columns(a: Tensor, sizes: Any, order: str) -> Tensor:
    """A tensor reshaped in column-major order. TypeError for orders that depend on the memory layout."""
    if order != "F":
        raise TypeError(f"order={order!r} depends on where elements lie in memory: use order='C' or order='F'.")
    sizes = tuple(sizes) if hasattr(sizes, "__len__") else (sizes,)
    return reversed_axes(in_shape(reversed_axes(a), sizes[::-1]))


def reversed_axes(a: Tensor) -> Tensor:
    """A view with the dimensions reversed."""
    return dimensions.permute(a, tuple(reversed(range(a.ndim))))


@numpy
def ravel(a: Tensor, order: str = "C") -> Tensor:
    return as_tensor(a).reshape(-1) if order in "CK" else in_columns(a, -1, order)


@numpy
def resize(a: Tensor, new_shape: Any) -> Tensor:
    a = as_tensor(a).reshape(-1)
    sizes = tuple(new_shape) if hasattr(new_shape, "__len__") else (new_shape,)
    n = int(np.prod(sizes))
    if not a.numel():
        return torch.zeros(sizes, dtype=a.dtype)
    return torch.tile(a, (-(-n // a.numel()),))[:n].reshape(sizes)


@numpy
def transpose(a: Tensor, axes: Sequence[int] | None = None) -> Tensor:
    return reversed_axes(a) if axes is None else dimensions.permute(a, axes)


FUNCTIONS[np.permute_dims] = FUNCTIONS[np.transpose]


@numpy
@linear_algebra
def matrix_transpose(x: Tensor, /) -> Tensor:
    return dimensions.transpose(x, -1, -2)


@numpy
def swapaxes(a: Tensor, axis1: int, axis2: int) -> Tensor:
    return dimensions.transpose(a, axis1, axis2)


@numpy
def moveaxis(a: Tensor, source: Sequence[int] | int, destination: Sequence[int] | int) -> Tensor:
    return dimensions.movedim(a, source, destination)


@numpy
def rollaxis(a: Tensor, axis: int, start: int = 0) -> Tensor:
    start = start + a.ndim if start < 0 else start
    axis = axis % a.ndim
    return dimensions.movedim(a, axis, start - 1 if axis < start else start)


@numpy
def expand_dims(a: Tensor, axis: Sequence[int] | int) -> Tensor:
    axes = (axis,) if isinstance(axis, int) else axis
    ndim = a.ndim + len(axes)
    for dim in sorted(d + ndim if d < 0 else d for d in axes):
        if not 0 <= dim < ndim:
            raise np.exceptions.AxisError(dim, ndim)
        a = shape._unsqueeze(a, dim)
    return a


@numpy
def squeeze(a: Tensor, axis: Sequence[int] | int | None = None) -> Tensor:
    if axis is not None:
        for dim in all_axes(a, axis):
            if a.shape[dim] != 1:
                raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return shape.squeeze(a, axis)


def at_least(name: str, function: Callable[..., Any]) -> None:
    """Registers a function that gives one or several tensors a minimum number of dimensions.

    For plain values it returns arrays, as in PyTorch: SciPy converts its arguments with it.
    """
    of_arrays = getattr(np, name)

    def implementation(*arys: Any) -> Any:
        if is_plain(arys):
            return of_arrays(*in_numpy(arys))
        results = tuple([function(as_tensor(a)) for a in arys])
        return results[0] if len(results) == 1 else results

    FUNCTIONS[of_arrays] = implementation


for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    at_least(name, getattr(shape, name))


@numpy
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Tensor:
    return broadcasting.expand(array, shape if hasattr(shape, "__len__") else (shape,))


@numpy
def broadcast_arrays(*args: Tensor, subok: bool = False) -> tuple[Tensor, ...]:
    return tuple(torch.broadcast_tensors(*[as_tensor(a) for a in args]))


@numpy
def copy(a: Tensor, order: str = "K", subok: bool = False) -> Tensor:
    return copying.clone(a)


@numpy
def astype(x: Tensor, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:
    return conversion.convert(x, dtype if isinstance(dtype, np.dtype) else as_dtype(dtype)._numpy)


# other orders of elements


@numpy
def flip(m: Tensor, axis: Sequence[int] | int | None = None) -> Tensor:
    return rearranging.flip(m, tuple(range(m.ndim)) if axis is None else axis)


@numpy
def fliplr(m: Tensor) -> Tensor:
    return torch.fliplr(m)


@numpy
def flipud(m: Tensor) -> Tensor:
    return torch.flipud(m)


@numpy
def roll(a: Tensor, shift: Sequence[int] | int, axis: Sequence[int] | int | None = None) -> Tensor:
    return rearranging.roll(a, shift, () if axis is None else axis)


@numpy
def rot90(m: Tensor, k: int = 1, axes: Sequence[int] = (0, 1)) -> Tensor:
    return torch.rot90(m, k, tuple(axes))
