"""Arrays without elements that stand for an object of a tensor subclass with `__torch_dispatch__` (a wrapper).

`Tensor._make_wrapper_subclass` makes such an object. Nodes save arrays, so the array must lead back to the object:
while that is alive to the object itself, later to a copy with the same attributes. There is no reference cycle between
array and object.
"""

import weakref
from copyreg import _slotnames  # type: ignore[attr-defined]
from typing import Any, NoReturn

import numpy as np

from rushlight.core.above import ABOVE
from rushlight.core.arithmetic import Arithmetic
from rushlight.core.arrays import admit
from rushlight.core.graph import TensorBase
from rushlight.ops.aten_namespace import aten

__all__ = ["Carried", "array_of", "carry"]


class Carried:
    """The shape, dtype and strides of a wrapper, and a reference to it."""

    shape: tuple[int, ...]
    ndim: int
    size: int
    itemsize: int
    nbytes: int
    cls: type[Any]

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype, strides: tuple[int, ...]):
        self.looks: np.ndarray = np.lib.stride_tricks.as_strided(
            np.empty(1, dtype), shape, strides
        )  # its elements are never read
        self.shape, self.dtype, self.strides = self.looks.shape, self.looks.dtype, self.looks.strides
        self.ndim, self.size, self.itemsize = self.looks.ndim, self.looks.size, self.looks.itemsize
        self.nbytes, self.flags = self.looks.nbytes, self.looks.flags
        self.base = None

    def carries(self, wrapper: Any) -> None:
        """Sets the wrapper whose array this is."""
        self.cls, self.wrapper = type(wrapper), weakref.ref(wrapper)
        self.state: Any = getattr(wrapper, "__dict__", None)
        self.slots: dict[str, Any] = {}

    def look_again(self) -> None:
        """Updates the copies of the object's slots: they are not shared with it, as its `__dict__` is."""
        wrapper = self.wrapper()
        if wrapper is not None:
            self.slots = {name: getattr(wrapper, name) for name in _slotnames(self.cls) if hasattr(wrapper, name)}

    def object(self) -> Any:
        """The object, or a copy if it no longer exists."""
        found = self.wrapper()
        if found is None:
            found = Arithmetic.__new__(self.cls)
            found._array = self
            if self.state is not None:
                found.__dict__ = self.state
            for name, value in self.slots.items():
                setattr(found, name, value)
            self.wrapper = weakref.ref(found)
        return found

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise RuntimeError(
            f"{self.cls.__name__} is a wrapper without elements of its own: its `__torch_dispatch__` says what "
            "functions make of it, and its attributes hold the tensors."
        )

    def __len__(self) -> int:
        return len(self.looks)

    def copy(self, order: str = "C") -> "Carried":
        """The array itself: there are no elements that could be changed."""
        return self

    def item(self) -> Any:
        """The element of a one-element wrapper, as its class returns it."""
        return ABOVE.ask_class(aten._local_scalar_dense.default, (self.object(),))

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return ABOVE.function_on_wrappers(function, args, kwargs)


def array_of(tensor: TensorBase) -> Any:
    """The array of a tensor, updated so that it may outlive a wrapper."""
    array = tensor._settled()
    if type(array) is Carried:
        array.look_again()
    return array


def carry(wrapper: Any, shape: tuple[int, ...], dtype: Any, strides: Any) -> None:
    """Gives a wrapper an array that stands for it."""
    admit(Carried)
    wrapper._array = Carried(shape, dtype, strides)
    wrapper._array.carries(wrapper)
