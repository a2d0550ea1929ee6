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


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """`repeated` for a certain number of dimensions, as a function of the value."""

    def parse(x: Any) -> tuple[Any, ...]:
        return repeated(x, n)

    parse.__name__ = name
    return parse


_single, _pair, _triple, _quadruple = (
    _ntuple(n, name) for n, name in enumerate(("_single", "_pair", "_triple", "_quadruple"), 1)
)


def _reverse_repeat_tuple(t: Iterable[Any], n: int) -> tuple[Any, ...]:
    """The elements in reverse order, each `n` times: the form in which `F.pad` takes the padding of layers."""
    return tuple(x for x in reversed(list(t)) for _ in range(n))


def as_text(module: Any, *names: str) -> str:
    """Some attributes of a module as its `repr` shows them: `eps=1e-05, affine=True`."""
    return ", ".join(f"{name}={getattr(module, name)}" for name in names)
