"""Operators and functions as methods of Tensor."""

import operator
from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.interop.mindspore.common.dtype import Type, to_native
from rushlight.interop.mindspore.common.lifting import lifted, wrapped
from rushlight.interop.mindspore.common.tensor import Tensor
from rushlight.interop.mindspore.ops import functional

SAME = """
    abs acos acosh addmm all amax amin any argmin argsort asin asinh atan atan2 atanh bmm broadcast_to ceil clamp
    clip cos cosh cross cumprod cumsum diag div divide dot eq erf erfc exp expand_dims expm1 flip floor fmod gather
    gather_elements ge greater greater_equal gt inner inverse isfinite isinf isnan le lerp less less_equal log log10
    log1p log2 logical_and logical_not logical_or logical_xor logsumexp lt masked_fill masked_select matmul maximum
    mean minimum mm mul multiply ne neg negative nonzero norm not_equal outer pow prod reciprocal remainder
    repeat_interleave roll round rsqrt select sigmoid sign sin sinc sinh sort split sqrt square squeeze std sub
    subtract swapaxes tan tanh tile topk tril triu trunc unbind unsqueeze unstack var where xlogy softmax
    log_softmax
""".split()

for _name in SAME:
    setattr(Tensor, _name, getattr(functional, _name))

OPERATORS = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and_",
    "or_",
    "xor",
    "lt",
    "le",
    "gt",
    "ge",
    "eq",
    "ne",
    "neg",
    "pos",
    "abs",
    "invert",
    "getitem",
]
REFLECTED = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and_",
    "or_",
    "xor",
]


def reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    """An operator with its operands swapped."""
    return lambda other, self: function(self, other)


for _name in OPERATORS:
    _operator = getattr(operator, _name)
    setattr(Tensor, f"__{_name.strip('_')}__", lifted(_operator))
    if _name in REFLECTED:
        setattr(Tensor, f"__r{_name.strip('_')}__", lifted(reflected(_operator), f"r{_name}"))


def method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function a method of Tensor."""
    setattr(Tensor, function.__name__, function)
    return function


@method
def add(self: Tensor, other: Any) -> Tensor:
    """The sum."""
    return self + other


@method
def sum(self: Tensor, axis: Any = None, dtype: Type | None = None, keepdims: bool = False) -> Tensor:
    """The sum over axes; integers and booleans give int64."""
    return functional.sum(self, axis, keepdims, dtype=dtype)


@method
def max(self: Tensor, axis: Any = None, keepdims: bool = False, *, return_indices: bool = False) -> Any:
    """The largest value over axes; with `return_indices` (values, indices) along one."""
    return functional.max(self, axis, keepdims) if return_indices else functional.amax(self, axis, keepdims)


@method
def min(self: Tensor, axis: Any = None, keepdims: bool = False, *, return_indices: bool = False) -> Any:
    """The smallest value over axes; with `return_indices` (values, indices) along one."""
    return functional.min(self, axis, keepdims) if return_indices else functional.amin(self, axis, keepdims)


@method
def argmax(self: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index of the largest value along an axis, or in the flattened tensor."""
    return functional.argmax(self, axis, keepdims)


@method
def reshape(self: Tensor, *shape: Any) -> Tensor:
    """The same elements in another shape, given as numbers or as a tuple."""
    return functional.reshape(self, sequence(shape))


@method
def view(self: Tensor, *shape: Any) -> Tensor:
    """The same elements in another shape, given as numbers or as a tuple."""
    return functional.reshape(self, sequence(shape))


@method
def transpose(self: Tensor, *axes: Any) -> Tensor:
    """Permutes the dimensions, given as numbers or as a tuple; without arguments reverses them."""
    return functional.transpose(self, sequence(axes)) if axes and axes != (None,) else self.T


@method
def permute(self: Tensor, *axis: Any) -> Tensor:
    """Permutes the dimensions, given as numbers or as a tuple."""
    return functional.transpose(self, sequence(axis))


@method
def flatten(self: Tensor, order: str = "C", *, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Flattens the dimensions from `start_dim` to `end_dim`."""
    return functional.flatten(self, order, start_dim=start_dim, end_dim=end_dim)


@method
def ravel(self: Tensor) -> Tensor:
    """The elements in one dimension."""
    return functional.reshape(self, -1)


@method
def astype(self: Tensor, dtype: Any) -> Tensor:
    """Casts the values to another type, which may be given by name."""
    return wrapped(self._value.to(to_native(dtype)))


@method
def to(self: Tensor, dtype: Any) -> Tensor:
    """Casts the values to another type."""
    return astype(self, dtype)


@method
def expand_as(self: Tensor, x: Tensor) -> Tensor:
    """Broadcast to the shape of another tensor."""
    return wrapped(self._value.broadcast_to(x.shape))


def sequence(numbers: tuple[Any, ...]) -> tuple[Any, ...]:
    """Numbers given as separate arguments, or as one tuple or list."""
    return tuple(numbers[0]) if len(numbers) == 1 and isinstance(numbers[0], (tuple, list)) else numbers


for _name, _type in {
    "float": torch.float32,
    "int": torch.int32,
    "long": torch.int64,
    "bool": torch.bool,
    "half": torch.float16,
}.items():
    setattr(Tensor, _name, lifted(lambda value, _type=_type: value.to(_type), _name))
