"""Elements held between bounds: `clamp` and its variants."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import elementwise
from rushlight.core.errors import lower_result
from rushlight.core.graph import TensorBase
from rushlight.core.inplace import change, changed_at_once, check_first, rank
from rushlight.core.kinds import kind_of
from rushlight.dtypes import FROM_NUMPY, keeping, result_dtype
from rushlight.kernels.selection import bound, bounded, passed
from rushlight.ops.arguments.mismatch import C_NAMES
from rushlight.ops.arguments.promotion import common, is_complex, kinds_kept, missing, only, refused
from rushlight.ops.changes.filling import checked_number
from rushlight.ops.derivatives.series import nearby
from rushlight.ops.derivatives.tangents import symmetric
from rushlight.ops.elementwise.selection import Number, _keep
from rushlight.ops.out import write_out
from rushlight.ops.table import (
    alias,
    method,
    operator,
    refuse_operands,
)
from rushlight.tensors import Tensor

__all__ = ["clamp", "clamp_", "clamp_max", "clamp_max_", "clamp_min", "clamp_min_", "clip", "clip_"]


Bound = TensorBase | Number | complex


def clamp_cotangent(grad: Array, input: Array, min: Any, max: float | None) -> Array:
    """`grad` where the input is within its bounds, 0 elsewhere."""
    values = passed(grad, input, min, max)
    return _keep(within(input, min, max), grad) if values is None else values


@operator(
    layout="elementwise",
    batch=elementwise,
    node="ClampBackward1",
    tangent=symmetric,
    series=nearby,
    input=clamp_cotangent,
)
def _clamp(input: Array, min: Any, max: Any) -> Array:
    return bounded(input, min, max)


@operator(
    layout="elementwise",
    batch=elementwise,
    node="ClampMinBackward0",
    tangent=symmetric,
    series=nearby,
    input=lambda grad, input, min: clamp_cotangent(grad, input, min, None),
)
def _clamp_min(input: Array, min: Any) -> Array:
    return bounded(input, min, None)


@operator(
    layout="elementwise",
    batch=elementwise,
    node="ClampMaxBackward0",
    tangent=symmetric,
    series=nearby,
    input=lambda grad, input, max: clamp_cotangent(grad, input, None, max),
)
def _clamp_max(input: Array, max: Any) -> Array:
    return bounded(input, None, max)


def within(input: Array, min: Array, max: Array) -> Array:
    """Whether each element is within its bounds, either of which may be None."""
    if min is None:
        return input <= max
    return input >= min if max is None else (input >= min) & (input <= max)


def between_tensors(grad: Array, input: Array, min: Array, max: Array, needs: Sequence[bool]) -> list[Array | None]:
    """The gradients of `clamp` with tensors as bounds: each element's goes to the operand that was chosen."""
    cotangents = [_keep(within(input, min, max), grad) if needs[0] else None, None, None]
    if needs[1]:
        cotangents[1] = _keep(input < min if max is None else (input < min) & (min < max), grad)
    if needs[2]:
        cotangents[2] = _keep(input > max if min is None else (input > max) | (max < min), grad)
    return cotangents


def with_bounds(promote: Callable[..., Any]) -> Callable[..., Any]:
    """Type promotion of an input and its bounds, either of which may be None."""

    @keeping(kinds_kept(promote, "biufc"))
    def promote_given(*operands: Any) -> Any:
        arrays = iter(promote(*[operand for operand in operands if operand is not None]))
        return [None if operand is None else next(arrays) for operand in operands]

    return promote_given


@keeping("iuf")
def numbers_only(*operands: Tensor) -> list[Array]:
    """Type promotion of `clamp`, which does not accept complex numbers, nor bools with two bounds."""
    if operands[0]._array.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    arrays = common(*operands)
    if arrays[0].dtype.kind == "c" or (arrays[0].dtype.kind == "b" and len(arrays) == 3):
        raise refused(missing("clamp_cpu", arrays[0].dtype), arrays)
    return arrays


def with_tensors(name: str, aten: str, node: str, promote: Callable[..., Any]) -> Callable[..., Any]:
    """Registers `clamp` with tensors as bounds, under one of its names."""

    @operator(
        name=name,
        aten=aten,
        node=node,
        joint=between_tensors,
        inputs=("input", "min", "max"),
        promote=with_bounds(promote),
        slopes=dict.fromkeys(("input", "min", "max"), "elementwise, grad last"),
        broadcasts=True,
    )
    def between(input: Array, min: Array | None, max: Array | None) -> Array:
        if min is not None:
            input = np.maximum(input, min)
        return input if max is None else np.minimum(input, max)

    return between


_clamp_tensors = with_tensors("clamp_tensors", "clamp", "ClampBackward0", numbers_only)
_clamp_min_tensor = with_tensors(
    "clamp_min_tensor", "clamp_min", "ClampMinBackward1", only("biuf", "maximum_cpu", common)
)
_clamp_max_tensor = with_tensors(
    "clamp_max_tensor", "clamp_max", "ClampMaxBackward1", only("biuf", "minimum_cpu", common)
)


def without_imaginary(bound: Any) -> Any:
    """A bound of `clamp`, as a real number if it is complex; RuntimeError for one with an imaginary part."""
    return checked_number(bound, np.dtype(np.float64)) if isinstance(bound, (complex, np.complexfloating)) else bound


def refuse_complex(bound: Any) -> None:
    """Raises PyTorch's error for a complex bound of `clamp_min` or `clamp_max`."""
    if isinstance(bound, (complex, np.complexfloating)):
        raise NotImplementedError("clamp is not supported for complex types")


def refuse_complex_tensor(input: Tensor, min: Tensor | None, max: Tensor | None) -> None:
    """Raises PyTorch's error for a single complex tensor as a bound of `clamp`, which names another kernel."""
    bound = max if min is None else min
    if (min is None or max is None) and is_complex(bound) and not is_complex(input):
        raise missing("maximum_cpu" if max is None else "minimum_cpu", common(input, bound)[0].dtype)


def with_numbers(input: Tensor, min: Any, max: Any) -> Any:
    """Promotes a tensor with its bounds, which are numbers; RuntimeError for a bound that the dtype cannot hold."""
    dtype = input._array.dtype
    if kind_of(dtype) == "f":
        min, max = without_imaginary(min), without_imaginary(max)
        return input, *[bound if bound is None else checked_number(bound, dtype) for bound in (min, max)]
    numbers = [bound for bound in (min, max) if bound is not None]
    common = result_dtype(input, *numbers)
    if common.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    if common.kind == "b":
        which = "" if len(numbers) == 2 else "_max" if min is None else "_min"
        raise missing(f"clamp{which}_scalar_cpu", common)
    bounds = [bound if bound is None else checked_number(bound, common) for bound in (min, max)]
    return input if common is dtype else input.to(FROM_NUMPY[common]), *bounds


@method
def clamp(
    input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Each element limited to the range from `min` to `max`: two numbers or two tensors, one of which may be left out.

    Where `min` is greater than `max` the result is `max`; NaN stays NaN. The gradient goes to elements that are within
    the bounds or equal to one. RuntimeError without any bound.

    >>> import rushlight as torch
    >>> torch.clamp(torch.tensor([-1.0, 0.5, 2.0]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    if not isinstance(input, TensorBase):
        refuse_operands("clamp", input, min, max)
    if isinstance(min, TensorBase) or isinstance(max, TensorBase):
        if not isinstance(min, TensorBase | None) or not isinstance(max, TensorBase | None):
            names = ", ".join(type(value).__name__ for value in (input, min, max))
            raise TypeError(
                f"clamp() received an invalid combination of arguments - got ({names}), but expected "
                "numbers for both bounds, or tensors for both."
            )
        refuse_complex_tensor(input, min, max)
        result = _clamp_tensors(input, min, max)
    elif min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    else:
        result = _clamp(*with_numbers(input, min, max))
    return result if out is None else write_out("clamp", out, result, input, min, max)


@method
def clamp_min(input: Tensor, min: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`max(input, min)`, element by element.

    >>> import rushlight as torch
    >>> torch.clamp_min(torch.tensor([-1.0, 0.5]), 0)
    tensor([0.0000, 0.5000])
    """
    if not isinstance(input, TensorBase):
        refuse_operands("clamp_min", input, min)
    if isinstance(min, TensorBase):
        result = _clamp_min_tensor(input, min, None)
    else:
        refuse_complex(min)
        result = _clamp_min(*with_numbers(input, min, None)[:2])
    return result if out is None else write_out("clamp_min", out, result, input, min)


@method
def clamp_max(input: Tensor, max: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`min(input, max)`, element by element.

    >>> import rushlight as torch
    >>> torch.clamp_max(torch.tensor([0.5, 2.0]), 1)
    tensor([0.5000, 1.0000])
    """
    if not isinstance(input, TensorBase):
        refuse_operands("clamp_max", input, max)
    if isinstance(max, TensorBase):
        result = _clamp_max_tensor(input, None, max)
    else:
        refuse_complex(max)
        input_in_common, _, bound = with_numbers(input, None, max)
        result = _clamp_max(input_in_common, bound)
    return result if out is None else write_out("clamp_max", out, result, input, max)


def bounded_in_place(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """The in-place variant of a `clamp` function whose bounds have these names.

    As in PyTorch, a bound whose dtype cannot be cast to the tensor's is reported before other errors.
    """
    kinds = Bound if function is clamp else TensorBase | Number

    @functools.wraps(function, updated=())
    def variant(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if not kwargs and len(args) == len(names) and bounded_at_once(self, dict(zip(names, args, strict=True))):
            return self
        bounds = [x for x in (*args, *kwargs.values()) if isinstance(x, kinds)]
        check_numbers(self, bounds)
        try:
            return change(self, function, *args, **kwargs)
        except NotImplementedError:
            if tensors := [x for x in bounds if isinstance(x, TensorBase)]:
                check_first(function, self, *tensors)
            raise

    variant.__name__ = variant.__qualname__ = f"{function.__name__}_"
    return variant


def check_numbers(tensor: Tensor, bounds: Sequence[Any]) -> None:
    """Raises PyTorch's error for a bound that is a number and gives a result that the tensor cannot hold."""
    if not isinstance(tensor, TensorBase) or kind_of(tensor._array.dtype) == "f":  # it keeps its dtype
        return
    own = tensor._array.dtype
    if any(rank(np.dtype(type(x))) > rank(own) for x in bounds if not isinstance(x, TensorBase)):
        raise lower_result(result_dtype(tensor, *bounds), own, C_NAMES.get(own.name, own.name))


def bounded_at_once(tensor: Tensor, bounds: dict[str, Any]) -> bool:
    """Clamps a float tensor to numbers without a temporary array, if possible; returns whether it did."""
    if not isinstance(tensor, TensorBase) or type(tensor._array) is not np.ndarray:
        return False
    dtype = tensor._array.dtype
    if kind_of(dtype) != "f" or any(type(x) is not float and type(x) is not int for x in bounds.values()):
        return False
    low, high = [None if x is None else checked_number(x, dtype) for x in (bounds.get("min"), bounds.get("max"))]
    return changed_at_once(tensor, bound, low, high)


Tensor.clamp_ = bounded_in_place(clamp, "min", "max")
Tensor.clamp_min_, Tensor.clamp_max_ = bounded_in_place(clamp_min, "min"), bounded_in_place(clamp_max, "max")
clip: Callable[..., Any] = alias("clip", clamp)
clamp_, clip_ = Tensor.clamp_, Tensor.clip_
clamp_min_, clamp_max_ = Tensor.clamp_min_, Tensor.clamp_max_
