"""Products: of all elements, along a dimension, cumulative. Derivatives of any order are right even at zeros."""

from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import leading, over_all
from rushlight.core.fusion import fused
from rushlight.core.graph import TensorBase
from rushlight.core.guards import asking
from rushlight.core.narrow import in_float32
from rushlight.core.operators import unary as call_unary
from rushlight.dtypes import as_numpy, dtype
from rushlight.kernels.codes import PRODUCT
from rushlight.kernels.compiled import load
from rushlight.kernels.parts import by_slices
from rushlight.kernels.reductions import reduced, total
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.arguments.keywords import keywords
from rushlight.ops.arguments.promotion import missing
from rushlight.ops.derivatives.tangents import weighed
from rushlight.ops.reductions.reduction import integers_widened, kept_shape, repeated, repeated_over
from rushlight.ops.table import in_place, method, operator
from rushlight.tensors import Tensor

__all__ = ["cumprod", "prod"]

fast: ModuleType | None = load("cumulative")
WIDER = {np.dtype(narrow): np.dtype(wide) for narrow, wide in (("f2", "f4"), ("f4", "f8"), ("c8", "c16"))}


def key_of_place(dim: int, place: slice) -> tuple[slice, ...]:
    """The index that selects `place` (a slice or number) in one dimension."""
    return (*[slice(None)] * dim, place)


@operator(aten=(), linear=True, batch=leading, input=lambda grad, dim, back: _shift(grad, dim, not back))
def _shift(input: Array, dim: int, back: bool) -> Array:
    """Each element moved one position forwards or back along a dimension, with 0 filled in."""
    out = np.zeros_like(input)
    if input.ndim == 0:
        return out
    later, earlier = key_of_place(dim, slice(1, None)), key_of_place(dim, slice(None, -1))
    if back:
        out[earlier] = input[later]
    else:
        out[later] = input[earlier]
    return out


def recurrence_cotangents(grad: Array, factors: Any, result: Array, dim: int, back: Any) -> Any:
    """The gradients of a linear recurrence, which form a recurrence in the other direction."""
    cotangent = _recur(grad, _shift(factors, dim, not back), dim, not back)
    return [cotangent, cotangent * _shift(result, dim, back)]


@operator(aten=(), batch=leading, joint=recurrence_cotangents, inputs=("input", "factors"))
def _recur(input: Array, factors: Array, dim: int, back: bool) -> Array:
    """The recurrence y[i] = input[i] + factors[i] * y[i - 1] along a dimension, or y[i + 1] with `back`."""
    if fast is not None and (found := fast.recurrence(input, factors, dim, back)) is not None:
        return found
    out = np.array(input, like=input)
    if input.ndim == 0:
        return out
    rows, scale = np.moveaxis(out, dim, 0), np.moveaxis(factors, dim, 0)
    order = range(len(rows) - 2, -1, -1) if back else range(1, len(rows))
    if rows.ndim == 1:
        rows[...] = recur_numbers(rows.tolist(), scale.tolist(), order)
        return out
    step = 1 if back else -1
    for i in order:
        rows[i] += scale[i] * rows[i + step]
    return out


def recur_numbers(values: Any, factors: Any, order: range) -> Any:
    """The recurrence on lists of numbers, which plain Python computes faster than NumPy."""
    previous = values[order[0] - order.step] if order else 0
    for i in order:
        previous = values[i] = values[i] + factors[i] * previous
    return values


def product_before_cotangent(grad: Array, input: Array, result: Array, dim: int, back: bool) -> Array:
    """x[i] is a factor of all later products, so its gradient is the sum over k > i of g[k] times the others."""
    return result * _shift(_recur(grad, input, dim, not back), dim, not back)


@operator(
    aten=(),
    batch=leading,
    input=lambda grad, input, result, dim, back: product_before_cotangent(grad, input, result, dim, back),
)
def _product_before(input: Array, dim: int, back: bool) -> Array:
    """For each element, the product of all elements before it along a dimension; with `back`, of those after it."""
    out = np.ones_like(input)
    if input.ndim == 0:
        return out
    later, earlier = key_of_place(dim, slice(1, None)), key_of_place(dim, slice(None, -1))
    if back:
        out[earlier] = input[later]
    else:
        out[later] = input[earlier]
    if fast is not None and (found := fast.cumulative_product(out, dim, back)) is not None:
        return found
    turned = out[key_of_place(dim, slice(None, None, -1 if back else 1))]
    np.multiply.accumulate(turned, dim, out=turned)
    return out


def product_of_others(input: Array, dim: int) -> Array:
    """For each element, the product of all other elements along a dimension."""
    return _product_before(input, dim, False) * _product_before(input, dim, True)


@fused
def times_quotient(grad: Array, result: Array, input: Array) -> Array:
    """The gradient of a product of numbers that are not zero."""
    return grad * (result / input)


def has_no_zeros(input: Any) -> bool:
    """Whether all elements of an array, or of a tensor, are different from zero; False for batched ones."""
    array = input._array if isinstance(input, TensorBase) else input
    return type(array) is np.ndarray and bool(array.all())


def prod_cotangent(grad: Array, input: Array, result: Array) -> Array:
    """The gradient of the product of all elements."""
    if not input.shape:
        return grad
    if has_no_zeros(input):
        return times_quotient(grad, result, input)
    return repeated(grad, input.shape) * product_of_others(input.reshape(-1), 0).reshape(input.shape)


def prod_dim_cotangent(grad: Array, input: Array, result: Array, dim: int, keepdim: bool) -> Array:
    """The gradient of the products along a dimension."""
    if input.shape and has_no_zeros(input):
        kept = kept_shape(input.shape, (dim,))
        return times_quotient(grad.reshape(kept), result.reshape(kept), input)
    return repeated_over(grad, input.shape, (dim,), keepdim) * product_of_others(input, dim)


@operator(
    promote=integers_widened,
    batch=over_all(np.multiply.reduce),
    tangent=weighed,
    input=lambda grad, input, result: prod_cotangent(grad, input, result),
    slopes={"input": "elementwise of tensors"},
)
def _prod(input: Array) -> Array:
    return total(input, PRODUCT)


@operator(
    aten="prod",
    layout="kept",
    batch=leading,
    node="ProdBackward1",
    tangent=weighed,
    input=lambda grad, input, result, dim, keepdim: prod_dim_cotangent(grad, input, result, dim, keepdim),
    slopes={"input": "reduced"},
)
def _prod_dim(input: Array, dim: int, keepdim: bool, dtype: np.dtype[Any] | None) -> Array:
    if input.dtype == dtype and input.ndim:
        return reduced(input, (dim,), keepdim, PRODUCT).astype(dtype, copy=False)
    return np.multiply.reduce(input, dim, dtype, None, keepdim)


def widened(input: Tensor, dtype: Any) -> np.dtype:
    """The NumPy dtype of a product or sum: the one asked for, else int64 for integers, else the input's."""
    d = as_numpy(dtype)
    return d or (np.dtype(np.int64) if input._array.dtype.kind in "biu" else input._array.dtype)


def cumulative_dtype(name: str, input: Tensor, dtype: Any) -> np.dtype:
    """The dtype of a cumulative product or sum, as `widened` returns it. NotImplementedError for bool, unless 0-d."""
    d = widened(input, dtype)
    if d.kind == "b" and input._array.ndim:
        raise missing(f"{name}_out_cpu", d)
    return d


@method
@keywords
@asking
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The product of all elements, or along a dimension. Integers are multiplied in int64.

    The gradient is right at zeros too: it is computed from the products of all other elements.

    >>> import rushlight as torch
    >>> torch.prod(torch.tensor([[1.0, 2.0], [3.0, 4.0]])), torch.prod(torch.tensor([[1, 2], [3, 4]]), dim=0)
    (tensor(24.), tensor([3, 8]))
    """
    if dim is None:
        return call_unary(_prod, input) if dtype is None else call_unary(_prod, input.to(dtype)).to(dtype)
    array = input._array
    dim = wrap_dim(dim, array.ndim)
    if array.ndim == 0:
        return prod(input, dtype=dtype)
    return _prod_dim(input, dim, keepdim, widened(input, dtype))


@in_float32
def cumprod_cotangent(grad: Array, input: Array, dim: int) -> Array:
    """The gradient of the cumulative product; for a single element it is the gradient of the result."""
    if not input.shape or input.shape[dim] == 1:
        return grad
    return _product_before(input, dim, False) * _recur(grad, _shift(input, dim, True), dim, True)


def in_double(dtype: np.dtype) -> bool:
    """Whether cumulative sums and products of a dtype are kept in double precision, as in PyTorch: not of halves."""
    return dtype.itemsize > 2


def accumulated(ufunc: np.ufunc, array: Array, dim: int, dtype: np.dtype | None, double: bool) -> Array:
    """Cumulative sums or products of the elements, cast to `dtype` if given; what is kept is in the next wider type.

    The elements of bfloat16 come here in float32; their totals are kept in it, without `double`.
    """
    dtype = dtype or array.dtype
    if not array.ndim:
        return np.array(array, dtype, like=array)
    total = WIDER.get(dtype, dtype) if double or dtype == np.float16 else dtype

    def of_part(part: Array) -> Array:
        return ufunc.accumulate(part.astype(dtype, copy=False), dim, total).astype(dtype, copy=False)

    return by_slices(of_part, array, dim)


@operator(kernel=True, batch=leading, input=lambda grad, input, result, dim: cumprod_cotangent(grad, input, dim))
def _cumprod(input: Array, dim: int, dtype: np.dtype[Any] | None, double: bool) -> Array:
    if fast is not None and double and dtype == input.dtype:
        result = fast.cumulative_product(input, dim, False)
        if result is not None:
            return result
    return accumulated(np.multiply, input, dim, dtype, double)


@in_place
@method
@keywords
def cumprod(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """The cumulative product along a dimension. Integers are multiplied in int64.

    >>> import rushlight as torch
    >>> torch.cumprod(torch.tensor([1.0, 2.0, 3.0]), dim=0)
    tensor([1., 2., 6.])
    """
    dim = wrap_dim(dim, input._array.ndim)
    if dtype is not None and input._array.dtype.kind == "f":
        input = input.to(dtype)
    d = cumulative_dtype("cumprod", input, dtype)
    return _cumprod(input, dim, d, in_double(d))
