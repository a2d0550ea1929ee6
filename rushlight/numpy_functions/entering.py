"""How NumPy's functions are entered, and what their arguments are as tensors."""

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
    """Enters a function: it is on tensors what NumPy's function of its name is on arrays."""
    served = getattr(home, function.__name__, None)  # older versions of NumPy lack some
    if served is not None:
        FUNCTIONS[served] = function
    return function


def writing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Enters a function that changes its first argument, a tensor: TypeError for an array, which has no history."""

    @wraps(function)
    def checked(target, *args, **kwargs):
        if not isinstance(target, TensorBase):
            raise no_history(function.__name__)
        return function(target, *args, **kwargs)

    return numpy(checked)


def no_history(name: str) -> TypeError:
    """The error for derivatives that would be lost, since an array is written into."""
    return TypeError(
        f"np.{name} cannot write a tensor that requires grad or is batched into a NumPy array: leave out= out (or "
        "write `a = a + x` for `a += x`), write into a tensor, or use x.detach()."
    )


linear_algebra: partial[Callable[..., Any]] = partial(numpy, home=np.linalg)
transform: partial[Callable[..., Any]] = partial(numpy, home=np.fft)


def as_tensor(value: Any, like: Tensor | None = None) -> Tensor:
    """An argument as a tensor: a tensor, an array, a number, or nested lists of numbers or of tensors.

    Python's numbers have no dtype of their own: they take that of `like`, if it can hold them.
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
    """Operands beside a tensor, as `as_operand` has them; lists become tensors too, whose numbers fit the others."""
    own = [as_operand(value) for value in values]
    like = next((x for x in own if isinstance(x, Tensor)), None)
    return [as_tensor(x, like) if isinstance(x, (list, tuple)) else x for x in own]


def as_tensors(values: Any, like: Tensor | None = None) -> list[Tensor]:
    """Several arguments as tensors of one dtype; a tensor is the sequence of its parts."""
    values = list(values)
    own = [as_tensor(value) for value in values if isinstance(value, (TensorBase, np.ndarray, np.generic, Batched))]
    like = torch.empty(0, dtype=common_dtype(own)) if own else like
    tensors = [as_tensor(value, like) for value in values]
    return [tensor.to(common_dtype(tensors)) for tensor in tensors]


def common_dtype(tensors: Sequence[Tensor]) -> torch.dtype:
    """The dtype that some tensors promote to."""
    return reduce(torch.promote_types, [tensor.dtype for tensor in tensors])


def as_dtype(dtype: Any) -> Any:
    """A dtype of rushlight for one of NumPy or of Python."""
    if dtype is None or isinstance(dtype, torch.dtype):
        return dtype
    return torch.dtypes.from_numpy_dtype(np.dtype(dtype))


def floating(a: Tensor) -> Tensor:
    """Integers and bools in the default dtype, all others as they are."""
    return a.to(torch.get_default_dtype()) if a._array.dtype.kind in "biu" else a


def all_axes(a: Tensor, axis: int | Sequence[int] | None) -> tuple[int, ...]:
    """The axes that NumPy's `axis` names: all of them for None."""
    if axis is None:
        return tuple(range(a.ndim))
    return (index(axis),) if isinstance(axis, SupportsIndex) else tuple(axis)


def flat_unless(a: Tensor, axis: int | None) -> tuple[Tensor, int]:
    """A tensor and the axis to work along: flattened, and its only one, where none is given."""
    return (a.reshape(-1), 0) if axis is None else (a, int(axis))


def broadcast_like(v: Tensor, ndim: int, axis: int) -> Tensor:
    """A vector along one axis of `ndim`, for broadcasting."""
    shape = [1] * ndim
    shape[axis] = -1
    return v.reshape(shape)


def masked(a: Tensor, where: Any, fill: Any) -> Tensor:
    """The tensor with another value where a mask does not hold."""
    return a if where is True else torch.where(as_tensor(where), a, torch.as_tensor(fill, dtype=a.dtype))
