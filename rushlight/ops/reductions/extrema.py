"""Maxima and minima: their values, their indices, and both at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight import return_types
from rushlight.core.aliases import Array
from rushlight.core.batching import leading, over_all
from rushlight.core.fusion import fused
from rushlight.core.graph import TensorBase
from rushlight.core.operators import unary as call_unary
from rushlight.core.recording import recording
from rushlight.kernels.codes import LARGEST, SMALLEST, SUM
from rushlight.kernels.ranking import extreme_along
from rushlight.kernels.reductions import reduced, total
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.arguments.keywords import keywords
from rushlight.ops.derivatives.series import nearby
from rushlight.ops.derivatives.tangents import weighed
from rushlight.ops.elementwise.selection import _keep, are_same, where_same
from rushlight.ops.picking.gather import _put_back, picked
from rushlight.ops.reductions.reduction import Dim, axes, kept_shape, repeated, repeated_over, type_name
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = ["amax", "amin", "aminmax", "argmax", "argmin", "max", "min"]


def as_given(input: Any) -> Array:
    """The array of a tensor, without type promotion, for operators that take any dtype."""
    return input._array if isinstance(input, TensorBase) else input


@operator(aten=(), batch=leading)
def _shares(input: Array, extreme: Array, dims: Sequence[int] | None) -> Array:
    """The factor of the gradient of each element: elements that are equal to the maximum or minimum share it equally.

    If that is NaN, all NaN elements share the gradient in a reduction over all elements; over dimensions the factor is
    NaN, as in PyTorch.
    """
    ties = (input == extreme) if dims is not None else are_equal(input, extreme)
    return ties / np.add.reduce(ties, dims, input.dtype, None, True)


def shared(grad: Array, input: Array, result: Array, dims: Sequence[int], keepdim: bool) -> Array:
    """The gradient of a maximum or minimum over dimensions."""
    shape = kept_shape(input.shape, dims)
    extreme = result.reshape(shape)
    if type(input) is not np.ndarray or type(grad) is not np.ndarray:
        return repeated_over(grad, input.shape, dims, keepdim) * _shares(input, extreme, dims)
    number = reduced(are_same(input, extreme), tuple(dims), True, SUM).astype(grad.dtype)
    return where_same(input, extreme, grad.reshape(shape) / number)


def shared_by_all(grad: Array, input: Array, result: Array) -> Array:
    """The gradient of the maximum or minimum of all elements: zero at the others, even where the cotangent is NaN."""
    if type(input) is not np.ndarray:
        shares = _shares(input, result, None)
        return np.where(shares != 0, repeated(grad, input.shape) * shares, 0)
    number = np.count_nonzero(are_equal(input, result))
    return where_equal(input, result, (grad / number).astype(grad.dtype))


@fused
def are_equal(x: Array, y: Array) -> Array:
    """Whether two numbers are equal, or both NaN."""
    return (x == y) | (np.isnan(x) & np.isnan(y))


@fused
def where_equal(x: Array, y: Array, value: Array) -> Array:
    """A value where two numbers are equal, or both NaN, else 0."""
    return _keep(are_equal(x, y), value)


@operator(
    node="MaxBackward1",
    batch=over_all(np.maximum.reduce),
    promote=as_given,
    tangent=weighed,
    series=nearby,
    input=lambda grad, input, result: shared_by_all(grad, input, result),
)
def _max(input: Array) -> Array:
    return total(input, LARGEST)


@operator(
    node="MinBackward1",
    batch=over_all(np.minimum.reduce),
    promote=as_given,
    tangent=weighed,
    series=nearby,
    input=lambda grad, input, result: shared_by_all(grad, input, result),
)
def _min(input: Array) -> Array:
    return total(input, SMALLEST)


@operator(
    layout="kept",
    batch=leading,
    tangent=weighed,
    series=nearby,
    input=lambda grad, input, result, dims, keepdim: shared(grad, input, result, dims, keepdim),
    slopes={"input": "reduced"},
)
def _amax(input: Array, dims: tuple[int, ...], keepdim: bool) -> Array:
    return reduced(input, dims, keepdim, LARGEST)


@operator(
    layout="kept",
    batch=leading,
    tangent=weighed,
    series=nearby,
    input=lambda grad, input, result, dims, keepdim: shared(grad, input, result, dims, keepdim),
    slopes={"input": "reduced"},
)
def _amin(input: Array, dims: tuple[int, ...], keepdim: bool) -> Array:
    return reduced(input, dims, keepdim, SMALLEST)


@operator(
    layout="kept",
    batch=leading,
    input=lambda grads, input, result0, result1, dims, keepdim: (
        shared(grads[0], input, result0, dims, keepdim) + shared(grads[1], input, result1, dims, keepdim)
    ),
)
def _aminmax(input: Array, dims: tuple[int, ...], keepdim: bool) -> tuple[Array, ...]:
    return reduced(input, dims, keepdim, SMALLEST), reduced(input, dims, keepdim, LARGEST)


def returned(grads: Sequence[Array], index: Array, input_shape: Sequence[int], dim: int) -> Array:
    """The gradient of values selected along a dimension: zeros but at the selected indices."""
    if not input_shape:
        return grads[0].reshape(input_shape)
    shape = kept_shape(input_shape, (dim,))
    return _put_back(grads[0].reshape(shape), dim, index.reshape(shape), input_shape, True)


def extreme_in(input: Array, dim: int, keepdim: bool, kind: int) -> Array:
    """The largest or smallest elements along a dimension; an array without dimensions is its own."""
    return reduced(input, (dim,) if input.ndim else (), keepdim, kind)


@operator(
    aten="max",
    layout="kept",
    batch=leading,
    name="max_dim",
    node="MaxBackward0",
    nondifferentiable=(1,),
    tangent=picked,
    series=nearby,
    input=lambda grads, result1, input_shape, dim: returned(grads, result1, input_shape, dim),
)
def _max_dim(input: Array, dim: int, keepdim: bool) -> tuple[Array, ...]:
    return extreme_in(input, dim, keepdim, LARGEST), extreme_along(input, dim, keepdim, True)


@operator(
    aten="min",
    layout="kept",
    batch=leading,
    name="min_dim",
    node="MinBackward0",
    nondifferentiable=(1,),
    tangent=picked,
    series=nearby,
    input=lambda grads, result1, input_shape, dim: returned(grads, result1, input_shape, dim),
)
def _min_dim(input: Array, dim: int, keepdim: bool) -> tuple[Array, ...]:
    return extreme_in(input, dim, keepdim, SMALLEST), extreme_along(input, dim, keepdim, False)


def refuse_complex(name: str, input: Tensor) -> None:
    """Raises PyTorch's error for complex numbers, which have no order."""
    if input._array.dtype.kind == "c":
        raise NotImplementedError(f"\"{name}\" not implemented for '{type_name(input)}'")


def refuse_complex_derivative(name: str, input: Tensor) -> None:
    """Raises PyTorch's error for complex numbers that require grad: they have an extreme value but no derivative."""
    if input._array.dtype.kind == "c" and input.requires_grad and recording():
        raise RuntimeError(f"{name} does not support automatic differentiation for outputs with complex dtype.")


def refuse_empty(name: str, input: Tensor, dims: Any) -> None:
    """Raises PyTorch's errors for the extreme value of no elements; `dims` is None for a reduction over all."""
    shape = input._array.shape
    if dims is None:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
            "dim with the 'dim' argument."
        )
    for d in dims:
        if shape and shape[d] == 0:
            raise IndexError(
                f"{name}{'' if name == 'aminmax' else '()'}: Expected reduction dim {d} to have non-zero size."
            )


def extreme_of_dim(name: str, entry: Any, result_type: Any, input: Tensor, dim: Any, keepdim: bool) -> Any:
    """The part that `max` and `min` along a dimension share: returns values and indices."""
    dim = wrap_dim(dim, input._array.ndim)
    if input._array.dtype.kind == "c":
        raise RuntimeError(f"{name}(): does not support complex input")
    if input._array.size == 0:
        refuse_empty(name, input, (dim,))
    return result_type(entry(input, dim, keepdim))


@method
@keywords
def max(
    input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, other: Tensor | None = None
) -> Tensor:
    """The maximum of all elements, or values and indices along a dimension, or `maximum(input, other)`.

    The maximum of elements with NaN is NaN. Of equal elements, the first one is chosen along a dimension; over all
    elements, they share the gradient equally. RuntimeError or IndexError if there are no elements.

    >>> import rushlight as torch
    >>> torch.max(torch.tensor([1.0, 3.0, 2.0]))
    tensor(3.)
    >>> torch.max(torch.tensor([[1, 3], [4, 2]]), dim=1)
    torch.return_types.max(
    values=tensor([3, 4]),
    indices=tensor([1, 0]))
    """
    if dim is None and other is None:
        return extreme_of_all("max", _max, input)
    if other is not None or isinstance(dim, TensorBase):
        return input.maximum(dim if other is None else other)  # type: ignore[arg-type]  # `dim` is a tensor here
    return extreme_of_dim("max", _max_dim, return_types.max, input, dim, keepdim)


@method
@keywords
def min(
    input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, other: Tensor | None = None
) -> Tensor:
    """The minimum of all elements, or values and indices along a dimension, or `minimum(input, other)`.

    The minimum of elements with NaN is NaN. Of equal elements, the first one is chosen along a dimension; over all
    elements, they share the gradient equally. RuntimeError or IndexError if there are no elements.

    >>> import rushlight as torch
    >>> torch.min(torch.tensor([1.0, 3.0, 2.0]))
    tensor(1.)
    """
    if dim is None and other is None:
        return extreme_of_all("min", _min, input)
    if other is not None or isinstance(dim, TensorBase):
        return input.minimum(dim if other is None else other)  # type: ignore[arg-type]  # `dim` is a tensor here
    return extreme_of_dim("min", _min_dim, return_types.min, input, dim, keepdim)


def extreme_of_all(name: str, entry: Any, input: Tensor) -> Tensor:
    """The part that `max` and `min` of all elements share."""
    array = input._array
    if array.dtype.kind == "c":
        refuse_complex(f"{name}_all", input)
    if array.size == 0:
        refuse_empty(name, input, None)
    return call_unary(entry, input)


def extreme(name: str, entry: Any, input: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """The part that `amax` and `amin` share."""
    dims = axes(dim, input._array.ndim)
    refuse_complex("max_values_cpu" if name == "amax" else "min_values_cpu", input)
    if input._array.size == 0:
        refuse_empty(name, input, None if dim == () else dims)
    return entry(input, dims, keepdim)


@method
@keywords
def amax(input: Tensor, dim: Dim = (), keepdim: bool = False) -> Tensor:
    """The maximum over all or some dimensions. Equal elements share the gradient equally.

    >>> import rushlight as torch
    >>> torch.amax(torch.tensor([[1.0, 3.0], [4.0, 2.0]]), dim=0)
    tensor([4., 3.])
    """
    return extreme("amax", _amax, input, dim, keepdim)


@method
@keywords
def amin(input: Tensor, dim: Dim = (), keepdim: bool = False) -> Tensor:
    """The minimum over all or some dimensions. Equal elements share the gradient equally.

    >>> import rushlight as torch
    >>> torch.amin(torch.tensor([[1.0, 3.0], [4.0, 2.0]]), dim=0)
    tensor([1., 2.])
    """
    return extreme("amin", _amin, input, dim, keepdim)


@method
@keywords
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> return_types.aminmax:
    """The minimum and the maximum, of all elements or along a dimension, as a named tuple `(min, max)`.

    >>> import rushlight as torch
    >>> torch.aminmax(torch.tensor([1.0, 3.0, 2.0]))
    torch.return_types.aminmax(
    min=tensor(1.),
    max=tensor(3.))
    """
    dims = axes(dim, input._array.ndim)
    refuse_complex("aminmax_cpu", input)
    if input._array.size == 0:
        if dim is None:
            raise RuntimeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
            )
        refuse_empty("aminmax", input, dims)
    return return_types.aminmax(_aminmax(input, dims, keepdim))


@operator(batch=leading)
def _argmax(input: Array, dim: int | None, keepdim: bool) -> Array:
    return extreme_along(input, dim, keepdim, True)


@operator(batch=leading)
def _argmin(input: Array, dim: int | None, keepdim: bool) -> Array:
    return extreme_along(input, dim, keepdim, False)


def place_of(name: str, entry: Any, input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    """The part that `argmax` and `argmin` share."""
    array = input._array
    if array.dtype.kind in "bc":
        raise RuntimeError(f"{name}(): does not support {'bool' if array.dtype.kind == 'b' else 'complex'} input")
    dim = None if dim is None else wrap_dim(dim, array.ndim)
    if array.size == 0:
        if dim is None:
            raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
        refuse_empty(name, input, (dim,))
    return entry(input, dim if array.ndim else None, keepdim)


@method
@keywords
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the maximum, in the flattened tensor or along a dimension; of equal elements, the first one.

    >>> import rushlight as torch
    >>> x = torch.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> torch.argmax(x), torch.argmax(x, dim=1)
    (tensor(2), tensor([1, 0]))
    """
    return place_of("argmax", _argmax, input, dim, keepdim)


@method
@keywords
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the minimum, in the flattened tensor or along a dimension; of equal elements, the first one.

    >>> import rushlight as torch
    >>> torch.argmin(torch.tensor([[1.0, 3.0], [4.0, 2.0]]))
    tensor(0)
    """
    return place_of("argmin", _argmin, input, dim, keepdim)
