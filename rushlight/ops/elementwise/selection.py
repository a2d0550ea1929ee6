"""Elementwise selection between values, by a condition or by which is larger."""

from typing import Any, overload

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import elementwise
from rushlight.core.formulas import Formula, evaluate
from rushlight.core.fusion import fused
from rushlight.core.graph import TensorBase
from rushlight.core.kinds import kind_of
from rushlight.core.lines import warn
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES, result_dtype
from rushlight.kernels.selection import drop, keep, select
from rushlight.ops.arguments.promotion import NUMBERS, common, is_complex, real
from rushlight.ops.changes.filling import checked_number
from rushlight.ops.out import write_out
from rushlight.ops.table import (
    Binary,
    binary,
    in_place,
    method,
    no_derivative,
    operator,
    refuse,
)
from rushlight.tensors import Tensor

__all__ = ["fmax", "fmin", "heaviside", "maximum", "minimum", "where"]

Number = bool | int | float


def check_condition(dtype: np.dtype) -> None:
    """Raises RuntimeError for a condition that is not bool, as one may be that a hook for saved tensors made."""
    if dtype.kind != "b":
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{TYPE_NAMES[FROM_NUMPY[dtype]]}"
        )


@operator(
    aten=(), layout="elementwise", linear=True, batch=elementwise, input=lambda grad, condition: _keep(condition, grad)
)
def _keep(condition: Array, input: Array) -> Array:
    """The elements where a condition holds, 0 elsewhere; gradient formulas use it as a mask."""
    check_condition(condition.dtype)
    return keep(condition, input)


@operator(
    aten=(), layout="elementwise", linear=True, batch=elementwise, input=lambda grad, condition: _drop(condition, grad)
)
def _drop(condition: Array, input: Array) -> Array:
    """0 where a condition holds, the elements elsewhere."""
    check_condition(condition.dtype)
    return drop(condition, input)


def without_zeros(x: Array) -> tuple[Array, ...]:
    """`x` with each 0 replaced by 1, so that it can be divided by; and the mask of the zeros."""
    zero = x == 0
    return _where(zero, np.ones_like(x), x), zero


def ratio(x: Array, y: Array) -> Array:
    """x / y, but 0 where y is 0; the derivatives are 0 there too."""
    safe, zero = without_zeros(y)
    return _drop(zero, x / safe)


@fused
def are_same(x: Array, y: Array) -> Array:
    """Whether two numbers are equal."""
    return x == y


@fused
def where_same(x: Array, y: Array, share: Array) -> Array:
    """A share where two numbers are equal; elsewhere 0 times it."""
    return (x == y) * share


@fused
def times_each(x: Array, y: Array) -> Array:
    """The products of two arrays, which may broadcast."""
    return x * y


DIRECTION = Formula(np.sign, 1)


def side(x: Array) -> Array:
    """The derivative of |x|: -1, 0 or 1, and 0 for NaN as in PyTorch; of complex numbers the direction, NaN for NaN."""
    return evaluate(DIRECTION, x, None, None, None) if is_complex(x) else _drop(np.isnan(x), np.sign(x))


@operator(
    one_byte=True,
    input=lambda grad, condition: _keep(condition, grad),
    other=lambda grad, condition: _drop(condition, grad),
    promote=common,
    broadcasts=True,
)
def _where(condition: Array, input: Array, other: Array) -> Array:
    return select(condition, input, other)


def check_numbers(input: Any, other: Any) -> None:
    """Raises RuntimeError for a Python number that the dtype of the result cannot hold; in float16 it becomes inf."""
    for number, beside in ((input, other), (other, input)):
        if isinstance(number, NUMBERS) and isinstance(beside, TensorBase):
            real = type(number) in (int, float) and kind_of(beside._array.dtype) == "f"
            dtype = beside._array.dtype if real else result_dtype(input, other)
            if dtype != np.float16:
                checked_number(number, dtype)


@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
@overload
def where(
    condition: Tensor, input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor: ...
@method
def where(
    condition: Tensor,
    input: Tensor | Number | None = None,
    other: Tensor | Number | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """`input` where the condition holds, `other` elsewhere, with broadcasting; either may be a number.

    With the condition alone, the indices where it holds, one tensor for each dimension. Elements that are not chosen
    get zero gradient. RuntimeError for a condition that is not bool.

    >>> import rushlight as torch
    >>> x = torch.tensor([-1.0, 2.0])
    >>> torch.where(x > 0, x, 0.0), torch.where(x > 0)
    (tensor([0., 2.]), (tensor([1]),))
    """
    if not isinstance(condition, TensorBase):
        raise TypeError(
            f"where() received an invalid combination of arguments - got ({type(condition).__name__}, "
            "...), but expected (Tensor condition) or (Tensor condition, Tensor input, Tensor other)."
        )
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    if input is None or other is None:
        raise TypeError("where() takes both input and other, or neither.")
    dtype = condition._array.dtype
    if dtype.kind != "b":
        if dtype != np.uint8:
            check_condition(dtype)
        warn(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
            "version of PyTorch. Use a boolean condition instead."
        )
        condition = condition != 0
    check_numbers(input, other)
    result = _where(condition, input, other)
    return result if out is None else write_out("where", out, result, input, other)


def method_where(self: Any, condition: Any, other: Array) -> Any:
    """`torch.where(condition, self, other)`."""
    return where(condition, self, other)


Tensor.where = method_where


def shared(grad: Array, lost: Array, tie: Array) -> Array:
    """The gradient of an operand of `maximum` or `minimum`: 0 where the other was chosen, half where both are equal."""
    return _where(tie, grad / 2, _drop(lost, grad))


maximum: Binary = binary(
    "maximum",
    np.maximum,
    lambda grad, input, other: shared(grad, input < other, input == other),
    lambda grad, input, other: shared(grad, input > other, input == other),
    """The maximum of two elements; NaN if one is NaN. Equal elements share the gradient.

    >>> import rushlight as torch
    >>> torch.maximum(torch.tensor([1.0, 4.0]), torch.tensor([3.0, 2.0]))
    tensor([3., 4.])
    """,
    promote=real("maximum not implemented for complex tensors."),
    inplace=False,
    numbers="",
)
minimum: Binary = binary(
    "minimum",
    np.minimum,
    lambda grad, input, other: shared(grad, input > other, input == other),
    lambda grad, input, other: shared(grad, input < other, input == other),
    """The minimum of two elements; NaN if one is NaN. Equal elements share the gradient.

    >>> import rushlight as torch
    >>> torch.minimum(torch.tensor([1.0, 4.0]), torch.tensor([3.0, 2.0]))
    tensor([1., 2.])
    """,
    promote=real("minimum not implemented for complex tensors."),
    inplace=False,
    numbers="",
)
fmax: Binary = binary(
    "fmax",
    np.fmax,
    lambda grad, input, other: _keep((input >= other) | np.isnan(other), grad),
    lambda grad, input, other: _drop((input >= other) | np.isnan(other), grad),
    """The maximum of two elements; if one is NaN, the other. If they are equal, `input` gets the gradient.

    >>> import rushlight as torch
    >>> torch.fmax(torch.tensor([1.0, torch.nan]), torch.tensor([0.5, 2.0]))
    tensor([1., 2.])
    """,
    promote=real("fmax not implemented for complex tensors."),
    inplace=False,
    numbers="",
)
fmin: Binary = binary(
    "fmin",
    np.fmin,
    lambda grad, input, other: _keep((input <= other) | np.isnan(other), grad),
    lambda grad, input, other: _drop((input <= other) | np.isnan(other), grad),
    """The minimum of two elements; if one is NaN, the other. If they are equal, `input` gets the gradient.

    >>> import rushlight as torch
    >>> torch.fmin(torch.tensor([1.0, torch.nan]), torch.tensor([0.5, 2.0]))
    tensor([0.5000, 2.0000])
    """,
    promote=real("fmin not implemented for complex tensors."),
    inplace=False,
    numbers="",
)


def of_one_dtype(*operands: Any) -> Any:
    """The arrays of two tensors, which must have the same real dtype."""
    arrays = [operand._array for operand in operands]
    if arrays[0].dtype.kind == "c":
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if arrays[0].dtype != arrays[1].dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return arrays


@in_place
@method
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The step function: 0 for negative elements, 1 for positive ones, `values` for 0. It has no derivative.

    >>> import rushlight as torch
    >>> torch.heaviside(torch.tensor([-1.5, 0.0, 2.0]), torch.tensor([0.5]))
    tensor([0.0000, 0.5000, 1.0000])
    """
    if not isinstance(input, TensorBase):
        return refuse("heaviside", "input", 1, input)
    if not isinstance(values, TensorBase):
        return refuse("heaviside", "values", 2, values)
    result = _heaviside(input, values)
    return result if out is None else write_out("heaviside", out, result, input, values)


@operator(
    input=no_derivative("heaviside"),
    values=no_derivative("heaviside"),
    node="NotImplemented",
    promote=of_one_dtype,
    broadcasts=True,
)
def _heaviside(input: Array, values: Array) -> Array:
    return np.where(input == 0, values, (input > 0).astype(input.dtype))
