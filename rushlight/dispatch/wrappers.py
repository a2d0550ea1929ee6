"""Objects of tensor subclasses without memory of their own, defined by their `__torch_dispatch__`."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from rushlight import dtypes
from rushlight.core.above import above
from rushlight.core.arithmetic import Arithmetic
from rushlight.devices import device as Device
from rushlight.dispatch.carried import Carried, carry
from rushlight.dispatch.interpreter import ask_class, count_object
from rushlight.layouts import compact, strided
from rushlight.ops.aten_namespace import aten
from rushlight.tensors import Tensor, disabled_torch_function, dispatches, noticed

__all__ = ["make_wrapper_subclass", "prepare_class"]


@above
def make_wrapper_subclass(
    cls: type,
    size: Sequence[int],
    strides: Sequence[int] | None = None,
    storage_offset: int | None = None,
    memory_format: Any = None,
    dtype: dtypes.dtype | None = None,
    layout: Any = strided,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    dispatch_sizes_strides_policy: str | None = None,
    dispatch_device: bool = False,
    dispatch_layout: bool = False,
    **kwargs: Any,
) -> Any:
    """An object of a tensor subclass with a shape, dtype and strides, but without elements.

    Its class must define `__torch_dispatch__`, which handles all functions of it (else TypeError). Attributes hold the
    actual data.

    >>> import rushlight as torch
    >>> from rushlight.utils._pytree import tree_map
    >>> class Doubled(torch.Tensor):
    ...     @staticmethod
    ...     def __new__(cls, half):
    ...         made = torch.Tensor._make_wrapper_subclass(cls, half.shape, dtype=half.dtype)
    ...         made.half = half
    ...         return made
    ...     @classmethod
    ...     def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
    ...         return func(*tree_map(lambda x: 2 * x.half if isinstance(x, cls) else x, args), **(kwargs or {}))
    >>> Doubled(torch.ones(2)) + 1
    tensor([3., 3.])
    """
    if not (isinstance(cls, type) and issubclass(cls, Tensor) and dispatches(cls)):
        raise TypeError(f"{getattr(cls, '__name__', cls)} must define __torch_dispatch__")
    if dispatch_sizes_strides_policy is not None or dispatch_device or dispatch_layout or kwargs:
        raise NotImplementedError(
            "rushlight asks no class for the sizes, device or layout of its objects: give size, dtype and strides to "
            "_make_wrapper_subclass, and define properties in the class for what it shows otherwise."
        )
    if device is not None and Device(device).type not in ("cpu", "meta"):
        raise RuntimeError(f"rushlight computes on the CPU: a wrapper cannot be on {device}.")
    made = Arithmetic.__new__(cls)
    noticed(cls)
    kind = (dtype or dtypes.get_default_dtype())._numpy
    steps = compact(size, kind.itemsize) if strides is None else [step * kind.itemsize for step in strides]
    carry(made, tuple(size), kind, tuple(steps))
    count_object(made._array)
    if requires_grad:
        made.requires_grad_()
    return made


def detach(self: Any) -> Any:
    """Calls the class's `detach`."""
    return ask_class(aten.detach.default, (self,)) if type(self._array) is Carried else Tensor.detach(self)


def wrapper_repr(self: Any) -> str:
    """The class and shape of a wrapper, as text."""
    if type(self._array) is not Carried:
        return Tensor.__repr__(self)
    return f"{type(self).__name__}(size={tuple(self.shape)}, dtype={self.dtype})"


@above
def prepare_class(cls: Any) -> None:
    """Adds to a class with `__torch_dispatch__` the methods that its objects need and that it does not define."""
    if getattr(cls.__torch_function__, "__func__", None) is Tensor.__torch_function__.__func__:
        cls.__torch_function__ = disabled_torch_function
    for name, method in {"detach": detach, "__repr__": wrapper_repr}.items():
        if getattr(cls, name) is getattr(Tensor, name):
            setattr(cls, name, method)


@above
def parameter_of(cls: type, data: Any) -> Any:
    """A parameter that is an object of the class of `data`, which has a `__torch_dispatch__`."""
    made = data.detach()
    if type(made) is type(data):
        made.__class__ = parameter_class(cls, type(data))  # type: ignore[arg-type]
    return made


@cache
def parameter_class(cls: Any, wrapper: Any) -> type:
    """A class of parameters that also inherits from the wrapper's class, whose name it has."""

    def initialize(self: Any, data: Any, requires_grad: bool = True) -> None:
        self.requires_grad_(requires_grad)

    names = {
        "__slots__": (),
        "__init__": initialize,
        "__module__": wrapper.__module__,
        "__qualname__": wrapper.__qualname__,
    }
    return type(wrapper.__name__, (wrapper, cls), names)
