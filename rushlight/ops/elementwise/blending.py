"""Linear interpolation (`lerp`), and `addcmul` and `addcdiv`."""

from functools import partial

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.core.inplace import computed_over
from rushlight.core.operators import Operator
from rushlight.ops.arguments.mismatch import C_NAMES
from rushlight.ops.arguments.promotion import common, only
from rushlight.ops.changes.filling import checked_number
from rushlight.ops.out import write_out
from rushlight.ops.table import in_place, method, operator, refuse
from rushlight.tensors import Tensor

__all__ = ["addcdiv", "addcmul", "lerp"]


def ways(input: Array, end: Array, weight: Array) -> tuple[Array, ...]:
    """`input + weight * (end - input)`, computed from `input` and from `end`.

    Each is exact at the end it starts from, so the one that is nearer is used.
    """
    difference = end - input
    return input + weight * difference, end - difference * (1 - weight)


@operator(
    input=lambda grad, weight: grad * (1 - weight),
    end=lambda grad, weight: grad * weight,
    promote=only("fc", "lerp_kernel_scalar", common),
    broadcasts=True,
)
def _lerp(input: Array, end: Array, weight: complex) -> Array:
    near, far = ways(input, end, weight)
    return near if abs(weight) < 0.5 else far


@operator(
    aten="lerp",
    input=lambda grad, weight: grad * (1 - weight),
    end=lambda grad, weight: grad * weight,
    weight=lambda grad, input, end: grad * (end - input),
    node="LerpBackward1",
    promote=only("fc", "lerp_kernel_tensor", common),
    broadcasts=True,
)
def _lerp_tensor(input: Array, end: Array, weight: Array) -> Array:
    return np.where(np.absolute(weight) < 0.5, *ways(input, end, weight))


def lerp_over(input: Tensor, end: Tensor, weight: Tensor | float) -> bool:
    """Writes `lerp` over `input` without a temporary array, if possible; returns whether it did."""
    if not isinstance(end, TensorBase):
        return False
    return computed_over(_lerp_tensor if isinstance(weight, TensorBase) else _lerp, input, (end, weight))


@partial(in_place, at_once=lerp_over)
@method
def lerp(input: Tensor, end: Tensor, weight: Tensor | float, *, out: Tensor | None = None) -> Tensor:
    """Linear interpolation between `input` and `end`: `input + weight * (end - input)`.

    RuntimeError for tensors of different dtypes; only a weight without dimensions may have any dtype.

    >>> import rushlight as torch
    >>> torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([1.0, 20.0]), 0.5)
    tensor([ 0.5000, 15.0000])
    """
    if not isinstance(end, TensorBase):
        return refuse("lerp", "end", 2, end)
    if not isinstance(weight, TensorBase) and input._array.dtype.kind in "fc":
        weight = checked_number(weight, input._array.dtype)
    for name, value in (("end", end), ("weight", weight)):
        if isinstance(value, TensorBase) and value._array.dtype != input._array.dtype:
            if name == "weight" and not value._array.ndim:
                continue  # it is promoted like a number
            own, other = (C_NAMES[t.dtype.name] for t in (input._array, value._array))
            raise RuntimeError(f"expected dtype {own} for `{name}` but got dtype {other}")
    result = (_lerp_tensor if isinstance(weight, TensorBase) else _lerp)(input, end, weight)
    return result if out is None else write_out("lerp", out, result, input, end, weight)


def products_added(entry: Operator, input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> bool:
    """Writes `addcmul` or `addcdiv` over `input` without a temporary array, if possible; returns whether it did."""
    if not (isinstance(tensor1, TensorBase) and isinstance(tensor2, TensorBase)):
        return False
    return computed_over(entry, input, (tensor1, tensor2, value))


@operator(
    input=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * (tensor2 * value),
    tensor2=lambda grad, tensor1, value: grad * (tensor1 * value),
    promote=only("iufc", "addcmul_cpu_out", common),
    broadcasts=True,
)
def _addcmul(input: Array, tensor1: Array, tensor2: Array, value: float) -> Array:
    if input.dtype.kind in "iu":
        value = int(value)
    return input + value * tensor1 * tensor2


@partial(in_place, at_once=partial(products_added, _addcmul))
@method
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1, out: Tensor | None = None) -> Tensor:
    """`input + value * tensor1 * tensor2`, with broadcasting.

    >>> import rushlight as torch
    >>> torch.addcmul(torch.tensor([1.0]), torch.tensor([2.0]), torch.tensor([3.0]), value=0.5)
    tensor([4.])
    """
    result = _addcmul(input, tensor1, tensor2, value)
    return result if out is None else write_out("addcmul", out, result, input, tensor1, tensor2)


def is_integer(operand: object) -> bool:
    """Whether an operand is a tensor of integers or bools."""
    return isinstance(operand, TensorBase) and operand._array.dtype.kind in "biu"


def quotient_cotangent(grad: Array, tensor1: Array, tensor2: Array, value: float) -> Array:
    """The gradient of the divisor."""
    return -grad * (value * tensor1 / (tensor2 * tensor2))


@operator(
    input=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * (value / tensor2),
    tensor2=quotient_cotangent,
    promote=only("fc", "addcdiv_cpu_out", common),
    broadcasts=True,
)
def _addcdiv(input: Array, tensor1: Array, tensor2: Array, value: float) -> Array:
    return input + value * tensor1 / tensor2


@partial(in_place, at_once=partial(products_added, _addcdiv))
@method
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1, out: Tensor | None = None) -> Tensor:
    """`input + value * tensor1 / tensor2`, with broadcasting. RuntimeError for a quotient of integers.

    >>> import rushlight as torch
    >>> torch.addcdiv(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([2.0]), value=2)
    tensor([4.])
    """
    if is_integer(tensor1) and is_integer(tensor2):
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv "
            "will perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be "
            "implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for "
            "integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future "
            "addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), "
            "for all dtypes."
        )
    result = _addcdiv(input, tensor1, tensor2, value)
    return result if out is None else write_out("addcdiv", out, result, input, tensor1, tensor2)
