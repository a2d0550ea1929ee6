"""Parameters: tensors with a name, which cells hold and `grad` finds by `weights`."""

from collections.abc import Iterable
from typing import Any

import rushlight as torch
from rushlight.core.above import ABOVE
from rushlight.interop.mindspore.common.tensor import Tensor, native_tensor

__all__ = ["Parameter", "ParameterTuple"]

UNNAMED = "Parameter"


class Parameter(Tensor):
    """A trainable tensor. Without a name it gets that of the cell's attribute that it is assigned to.

    `requires_grad` decides whether it is among a cell's `trainable_params()`. TypeError for data that are not a tensor,
    number, list or NumPy array.

    >>> import rushlight.interop.mindspore as ms
    >>> ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)
    """

    __slots__ = ("_name", "requires_grad")

    def __init__(self, default_input: Any, name: str | None = None, requires_grad: bool = True):
        if isinstance(default_input, bool):
            raise ValueError("Parameter data can not be `bool`")
        self._value = native_tensor(default_input, torch.int32 if isinstance(default_input, int) else None)
        self.name = name
        self.requires_grad: bool = requires_grad

    @property
    def name(self) -> str:
        """The parameter's name."""
        return self._name

    @name.setter
    def name(self, name: str | None) -> None:
        if not (name is None or isinstance(name, str)):
            raise ValueError(f"The type of the Parameter's name should be 'string' or 'None', but got {type(name)}.")
        self._name = (name or "").strip() or UNNAMED

    def __str__(self) -> str:
        return (
            f"Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype}, requires_grad={self.requires_grad})"
        )

    __repr__ = __str__

    @property
    def data(self) -> "Parameter":
        """The parameter itself."""
        return self

    def value(self) -> Tensor:
        """The values, as a tensor."""
        return Tensor._of(self._value)

    def set_data(self, data: Any, slice_shape: bool = False) -> "Parameter":
        """Sets the values, cast to the parameter's type.

        ValueError for another shape, unless `slice_shape` is given.
        """
        values = native_tensor(data, self._value.dtype)
        if values.shape == self._value.shape:
            self._value.copy_(values)
        elif slice_shape:
            self._value = values
        else:
            raise ValueError(
                f"Can not change the shape of Parameter which has been initialized. Current shape is {self.shape}, and "
                f"incoming is {tuple(values.shape)}."
            )
        return self

    def assign_value(self, value: Tensor) -> "Parameter":
        """Copies the values of a tensor."""
        return self.set_data(value)

    def clone(self, init: Any = "same") -> "Parameter":
        """A parameter of the same name and shape, with the same values or those of an initializer."""
        data = Tensor._of(self._value) if init == "same" else ABOVE.initializer(init, self.shape, self.dtype)
        return Parameter(data, self.name, self.requires_grad)

    def __deepcopy__(self, memo: Any) -> Any:
        return Parameter(Tensor._of(self._value), self.name, self.requires_grad)

    def __copy__(self) -> Any:
        return self.__deepcopy__({})

    def __reduce__(self) -> Any:
        return Parameter, (self.asnumpy(), self.name, self.requires_grad)


class ParameterTuple(tuple[Parameter, ...]):
    """A tuple of parameters; those without a name are numbered. TypeError for anything else.

    >>> import rushlight.interop.mindspore as ms
    >>> [p.name for p in ms.ParameterTuple([ms.Parameter(1.0, "a"), ms.Parameter(2.0)])]
    ['a', 'Parameter$2']
    """

    __slots__ = ()

    def __new__(cls, iterable: Iterable[Parameter]) -> "ParameterTuple":
        """Checks and names the parameters."""
        parameters = tuple(iterable)
        for number, parameter in enumerate(parameters, 1):
            if not isinstance(parameter, Parameter):
                raise TypeError(f"ParameterTuple input should be `Parameter` collection. But got a {type(parameter)}")
            if parameter.name == UNNAMED:
                parameter.name = f"{UNNAMED}${number}"
        return super().__new__(cls, parameters)

    def clone(self, prefix: str, init: Any = "same") -> "ParameterTuple":
        """Parameters of the same shapes, with a prefix before their names."""
        clones = [parameter.clone(init) for parameter in self]
        for parameter in clones:
            parameter.name = f"{prefix}.{parameter.name}"
        return ParameterTuple(clones)
