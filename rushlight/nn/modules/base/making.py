"""Helpers of layers: uninitialized parameters, and sizes given once for all dimensions."""

from collections.abc import Callable, Iterable
from typing import Any

from rushlight import dtypes
from rushlight.devices import device
from rushlight.nn.parameter import Parameter
from rushlight.ops.making import creation
from rushlight.refusals.guard import guarded
from rushlight.tensors import Tensor

Device = device | str | None
Sizes = int | tuple[int, ...]


new_empty: Callable[..., Any] = guarded(creation.empty, ".empty")


def uninitialized(shape: Sizes, device: Device, dtype: dtypes.dtype | None, requires_grad: bool = True) -> Parameter:
    """A parameter without values yet, in the default dtype unless another is given.

    RuntimeError for an unsupported device.
    """
    return Parameter(empty(shape, device, dtype), requires_grad)


def empty(shape: Sizes, device: Device, dtype: dtypes.dtype | None) -> Tensor:
    """An uninitialized tensor."""
    return new_empty(shape if isinstance(shape, tuple) else (shape,), device=device, dtype=dtype)


def repeated(value: Any, n: int) -> tuple[Any, ...]:
    """A size for each of `n` dimensions, from one size for all or from a sequence."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * n


def shown(module: Any, *names: str) -> str:
    """Some attributes of a module as its `repr` shows them: `eps=1e-05, affine=True`."""
    return ", ".join(f"{name}={getattr(module, name)}" for name in names)
