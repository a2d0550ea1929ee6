"""NumPy's functions that give a tensor another shape or order."""

import numpy as np

import rushlight as torch
from rushlight.numpy_functions.entering import all_axes, as_dtype, as_tensor, linear_algebra, numpy
from rushlight.numpy_functions.plain import in_numpy, is_plain
from rushlight.ops.making import conversion, copying
from rushlight.ops.protocol import FUNCTIONS
from rushlight.ops.shapes import broadcasting, dimensions, rearranging, shape


@numpy
def reshape(a, /, shape, order="C", *, copy=None):
    if order == "C" and copy is None:
        return in_shape(a, shape)
    a = as_tensor(a)
    if copy is False:
        return a.view(shape)
    result = in_shape(a, shape) if order == "C" else in_columns(a, shape, order)
    return torch.clone(result) if copy else result


def in_shape(a, sizes):
    """A tensor in another shape, row by row."""
    return shape.reshape(a, sizes)


def in_columns(a, sizes, order):
    """A tensor in another shape, column by column. TypeError for orders that depend on memory."""
    if order != "F":
        raise TypeError(f"order={order!r} depends on where elements lie in memory: use order='C' or order='F'.")
    sizes = tuple(sizes) if hasattr(sizes, "__len__") else (sizes,)
    return reversed_axes(in_shape(reversed_axes(a), sizes[::-1]))


def reversed_axes(a):
    """A view with the dimensions in the opposite order."""
    return dimensions.permute(a, tuple(reversed(range(a.ndim))))


@numpy
def ravel(a, order="C"):
    return as_tensor(a).reshape(-1) if order in "CK" else in_columns(a, -1, order)


@numpy
def resize(a, new_shape):
    a = as_tensor(a).reshape(-1)
    sizes = tuple(new_shape) if hasattr(new_shape, "__len__") else (new_shape,)
    n = int(np.prod(sizes))
    if not a.numel():
        return torch.zeros(sizes, dtype=a.dtype)
    return torch.tile(a, (-(-n // a.numel()),))[:n].reshape(sizes)


@numpy
def transpose(a, axes=None):
    return reversed_axes(a) if axes is None else dimensions.permute(a, axes)


FUNCTIONS[np.permute_dims] = FUNCTIONS[np.transpose]


@numpy
@linear_algebra
def matrix_transpose(x, /):
    return dimensions.transpose(x, -1, -2)


@numpy
def swapaxes(a, axis1, axis2):
    return dimensions.transpose(a, axis1, axis2)


@numpy
def moveaxis(a, source, destination):
    return dimensions.movedim(a, source, destination)


@numpy
def rollaxis(a, axis, start=0):
    start = start + a.ndim if start < 0 else start
    axis = axis % a.ndim
    return dimensions.movedim(a, axis, start - 1 if axis < start else start)


@numpy
def expand_dims(a, axis):
    axes = (axis,) if isinstance(axis, int) else axis
    ndim = a.ndim + len(axes)
    for dim in sorted(d + ndim if d < 0 else d for d in axes):
        if not 0 <= dim < ndim:
            raise np.exceptions.AxisError(dim, ndim)
        a = shape._unsqueeze(a, dim)
    return a


@numpy
def squeeze(a, axis=None):
    if axis is not None:
        for dim in all_axes(a, axis):
            if a.shape[dim] != 1:
                raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return shape.squeeze(a, axis)


def at_least(name, function):
    """Enters a function that gives one or several tensors at least so many dimensions.

    Of plain values it makes arrays, as in PyTorch: SciPy takes in by it what it is given.
    """
    of_arrays = getattr(np, name)

    def implementation(*arys):
        if is_plain(arys):
            return of_arrays(*in_numpy(arys))
        results = tuple([function(as_tensor(a)) for a in arys])
        return results[0] if len(results) == 1 else results

    FUNCTIONS[of_arrays] = implementation


for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    at_least(name, getattr(shape, name))


@numpy
def broadcast_to(array, shape, subok=False):
    return broadcasting.expand(array, shape if hasattr(shape, "__len__") else (shape,))


@numpy
def broadcast_arrays(*args, subok=False):
    return tuple(torch.broadcast_tensors(*[as_tensor(a) for a in args]))


@numpy
def copy(a, order="K", subok=False):
    return copying.clone(a)


@numpy
def astype(x, dtype, /, *, copy=True, device=None):
    return conversion.convert(x, dtype if isinstance(dtype, np.dtype) else as_dtype(dtype)._numpy)


# other orders of elements


@numpy
def flip(m, axis=None):
    return rearranging.flip(m, tuple(range(m.ndim)) if axis is None else axis)


@numpy
def fliplr(m):
    return torch.fliplr(m)


@numpy
def flipud(m):
    return torch.flipud(m)


@numpy
def roll(a, shift, axis=None):
    return rearranging.roll(a, shift, () if axis is None else axis)


@numpy
def rot90(m, k=1, axes=(0, 1)):
    return torch.rot90(m, k, tuple(axes))
