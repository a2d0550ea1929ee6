"""The standard's functions of arrays: NumPy's of the same name on tensors, and those that have other arguments."""

from collections.abc import Callable, Sequence
from functools import cache, wraps
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.numpy_functions import call_function, call_ufunc
from rushlight.numpy_functions.entering import as_dtype
from rushlight.tensors import Tensor

ELEMENTWISE = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "reciprocal",
    "remainder",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
    "matmul",
]
OTHERS = [
    "all",
    "any",
    "argmax",
    "argmin",
    "broadcast_arrays",
    "broadcast_to",
    "clip",
    "concat",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "flip",
    "imag",
    "matrix_transpose",
    "max",
    "mean",
    "meshgrid",
    "min",
    "moveaxis",
    "nonzero",
    "permute_dims",
    "prod",
    "real",
    "repeat",
    "reshape",
    "roll",
    "round",
    "searchsorted",
    "squeeze",
    "stack",
    "sum",
    "take",
    "take_along_axis",
    "tensordot",
    "tile",
    "tril",
    "triu",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "where",
]
OWN = ["argsort", "astype", "broadcast_shapes", "expand_dims", "isin", "sign", "sort", "std", "var", "vecdot"]
__all__ = [*ELEMENTWISE, *OTHERS, *OWN]


def __getattr__(name: str) -> Any:
    """A function of the standard that NumPy has under the same name."""
    if name in ELEMENTWISE or name in OTHERS:
        return on_tensors(getattr(np, name))
    raise AttributeError(f"the array API standard has no {name}")


@cache
def on_tensors(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy's, made to work on tensors."""

    @wraps(function)
    def served(*args: Any, **kwargs: Any) -> Any:
        if isinstance(function, np.ufunc):
            return call_ufunc(function, "__call__", args, kwargs)
        return call_function(function, args, kwargs)

    return served


def astype(x: Tensor, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:
    """Converts an array to another dtype; if it has the dtype already, it is copied unless `copy` is False.

    >>> from rushlight import array_api as xp
    >>> xp.astype(xp.asarray([1.5, 2.5]), xp.int64)
    tensor([1, 2])
    """
    return x.to(device=device, dtype=as_dtype(dtype), copy=copy)


def broadcast_shapes(*shapes: Any) -> Any:
    """The shape that arrays of these shapes broadcast to.

    >>> from rushlight import array_api as xp
    >>> xp.broadcast_shapes((3, 1), (1, 4))
    (3, 4)
    """
    return tuple(torch.broadcast_shapes(*shapes))


def expand_dims(x: Tensor, /, *, axis: int = 0) -> Tensor:
    """A view with new axes of size 1. IndexError for an axis that is out of range.

    >>> from rushlight import array_api as xp
    >>> xp.expand_dims(xp.ones(3), axis=1).shape
    torch.Size([3, 1])
    """
    return on_tensors(np.expand_dims)(x, axis)


def isin(x1: Tensor, x2: Tensor, /, *, invert: bool = False) -> Tensor:
    """Whether each element of an array is among those of another.

    >>> from rushlight import array_api as xp
    >>> xp.isin(xp.asarray([1, 2, 3]), xp.asarray([2, 5]))
    tensor([False,  True, False])
    """
    return on_tensors(np.isin)(x1, x2, invert=invert)


def sign(x: Tensor, /) -> Tensor:
    """-1, 0 or 1 for each number, nan for nan; complex numbers over their absolute values.

    >>> from rushlight import array_api as xp
    >>> xp.sign(xp.asarray([-2.0, 0.0, xp.nan]))
    tensor([-1.,  0., nan])
    """
    result = torch.sgn(x)
    return result.masked_fill(torch.isnan(x), torch.nan) if x.is_floating_point() or x.is_complex() else result


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The array sorted along an axis.

    >>> from rushlight import array_api as xp
    >>> xp.sort(xp.asarray([3, 1, 2]), descending=True)
    tensor([3, 2, 1])
    """
    return torch.sort(x, dim=axis, descending=descending, stable=stable)[0]


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The indices that sort an array along an axis.

    >>> from rushlight import array_api as xp
    >>> xp.argsort(xp.asarray([3, 1, 2]), descending=True)
    tensor([0, 2, 1])
    """
    return torch.argsort(x, dim=axis, descending=descending, stable=stable)


def std(
    x: Tensor, /, *, axis: Sequence[int] | int | None = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """The standard deviation over some axes.

    >>> from rushlight import array_api as xp
    >>> xp.std(xp.asarray([1.0, 3.0])), xp.std(xp.asarray([1.0, 3.0]), correction=1.0)
    (tensor(1.), tensor(1.4142))
    """
    return on_tensors(np.std)(x, axis, correction=correction, keepdims=keepdims)


def var(
    x: Tensor, /, *, axis: Sequence[int] | int | None = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """The variance over some axes.

    >>> from rushlight import array_api as xp
    >>> xp.var(xp.asarray([1.0, 3.0])), xp.var(xp.asarray([1.0, 3.0]), correction=1.0)
    (tensor(1.), tensor(2.))
    """
    return on_tensors(np.var)(x, axis, correction=correction, keepdims=keepdims)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The vector dot product along an axis; the first vector is conjugated.

    >>> from rushlight import array_api as xp
    >>> xp.vecdot(xp.asarray([[1.0, 2.0], [3.0, 4.0]]), xp.asarray([1.0, 1.0]))
    tensor([3., 7.])
    """
    return on_tensors(np.linalg.vecdot)(x1, x2, axis=axis)
