"""Registering NumPy functions, and converting their arguments to tensors."""

from collections.abc import Callable, Sequence
from functools import partial, reduce, wraps
from operator import index
from typing import Any, SupportsIndex

import numpy as np

import rushlight as torch
from rushlight.core.batched import Batched
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.ops.protocol import FUNCTIONS, as_operand
from rushlight.tensors import Tensor


def numpy(function: Callable[..., Any], home: Any = np) -> Callable[..., Any]:
    """Registers a function for tensors in place of NumPy's function of the same name."""
    served = getattr(home, function.__name__, None)  # older versions of NumPy lack some
    if served is not None:
        FUNCTIONS[served] = function
    return function


def writing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Registers a function that changes its first argument, a tensor; TypeError for an array, which has no graph."""

    @wraps(function)
    def checked(target: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(target, TensorBase):
            raise no_history(function.__name__)
        return function(target, *args, **kwargs)

    return numpy(checked)


def no_history(name: str) -> TypeError:
    """The error for gradients that would be lost because an array is written into."""
    return TypeError(
        f"np.{name} cannot write a tensor that requires grad or is batched into a NumPy array: leave out= out (or "
        "write `a = a + x` for `a += x`), write into a tensor, or use x.detach()."
    )


linear_algebra: partial[Callable[..., Any]] = partial(numpy, home=np.linalg)
transform: partial[Callable[..., Any]] = partial(numpy, home=np.fft)


def as_tensor(value: Any, like: Tensor | None = None) -> Tensor:
    """An argument as a tensor: a tensor, an array, a number, or nested lists of numbers or tensors.

    Python numbers have no dtype of their own: they take that of `like`, if it can hold them.
    """
    if isinstance(value, Tensor):
        return value
    if type(value) is Batched:
        return new_tensor(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return torch.as_tensor(np.ascontiguousarray(value) if value.ndim else value)
    if isinstance(value, (list, tuple)) and any(isinstance(item, (TensorBase, list, tuple)) for item in value):
        return torch.stack(as_tensors(value, like))
    if value is None:
        raise TypeError(
            "NumPy's functions take no None beside tensors that require grad or are batched: detach and convert them "
            "first (x.detach().numpy())."
        )
    tensor = torch.as_tensor(value)
    if like is None or not tensor.is_floating_point() or not (like.is_floating_point() or like.is_complex()):
        return tensor
    return torch.as_tensor(value, dtype=like.dtype)


def as_operands(values: Sequence[Any]) -> list[Any]:
    """The operands next to a tensor, converted by `as_operand`; lists become tensors of a matching dtype."""
    own = [as_operand(value) for value in values]
    like = next((x for x in own if isinstance(x, Tensor)), None)
    return [as_tensor(x, like) if isinstance(x, (list, tuple)) else x for x in own]


def as_tensors(values: Any, like: Tensor | None = None) -> list[Tensor]:
    """Several arguments as tensors of one dtype; a tensor stands for its slices along the first dimension."""
    values = list(values)
    own = [as_tensor(value) for value in values if isinstance(value, (TensorBase, np.ndarray, np.generic, Batched))]
    like = torch.empty(0, dtype=common_dtype(own)) if own else like
    tensors = [as_tensor(value, like) for value in values]
    return [tensor.to(common_dtype(tensors)) for tensor in tensors]


def common_dtype(tensors: Sequence[Tensor]) -> torch.dtype:
    """The dtype that tensors promote to."""
    return reduce(torch.promote_types, [tensor.dtype for tensor in tensors])


def as_dtype(dtype: Any) -> Any:
    """The rushlight dtype for one of NumPy or Python."""
    if dtype is None or isinstance(dtype, torch.dtype):
        return dtype
    return torch.dtypes.from_numpy_dtype(np.dtype(dtype))


def floating(a: Tensor) -> Tensor:
    """Converts integers and bools to the default dtype; others unchanged."""
    return a.to(torch.get_default_dtype()) if a._array.dtype.kind in "biu" else a


def all_axes(a: Tensor, axis: int | Sequence[int] | None) -> tuple[int, ...]:
    """NumPy's `axis` as a tuple: all axes for None."""
    if axis is None:
        return tuple(range(a.ndim))
    return (index(axis),) if isinstance(axis, SupportsIndex) else tuple(axis)


def flat_unless(a: Tensor, axis: int | None) -> tuple[Tensor, int]:
    """A tensor and the axis to work along; without an axis, the flattened tensor and its only axis."""
    return (a.reshape(-1), 0) if axis is None else (a, int(axis))


def broadcast_like(v: Tensor, ndim: int, axis: int) -> Tensor:
    """A vector reshaped to lie along one of `ndim` axes, for broadcasting."""
    shape = [1] * ndim
    shape[axis] = -1
    return v.reshape(shape)


def masked(a: Tensor, where: Any, fill: Any) -> Tensor:
    """The tensor with `fill` where the mask is False."""
    return a if where is True else torch.where(as_tensor(where), a, torch.as_tensor(fill, dtype=a.dtype))
