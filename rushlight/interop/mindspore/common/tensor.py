"""MindSpore's Tensor: a thin wrapper around a rushlight tensor.

It is not a subclass, because MindSpore's methods have PyTorch's names with other meanings (`size` is a number,
`transpose` takes a permutation, `max` returns no indices), and results of rushlight's operators would not be of the
subclass.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

import rushlight as torch
from rushlight.core.above import ABOVE
from rushlight.interop.mindspore.common.dtype import Type, from_native, to_native
from rushlight.interop.mindspore.common.text import tensor_repr

__all__ = ["Tensor", "is_tensor", "tensor"]


class Tensor:
    """An array with MindSpore's methods: made from numbers, sequences, NumPy arrays or tensors, or a shape and `init`.

    Python floats become float32, integers int64; NumPy arrays keep their dtype; `dtype` overrides both. The data are
    copied. No graph is recorded on a tensor: gradients come from `grad` and similar functions.

    TypeError for a dtype that tensors cannot have, ValueError if neither data nor shape, dtype and init are given.

    >>> import rushlight.interop.mindspore as ms
    >>> x = ms.Tensor([[1, 2], [3, 4]], dtype=ms.float32)
    >>> print(x)
    [[1. 2.]
     [3. 4.]]
    >>> x
    Tensor(shape=[2, 2], dtype=Float32, value=
    [[ 1.00000000e+00,  2.00000000e+00],
     [ 3.00000000e+00,  4.00000000e+00]])
    """

    __slots__ = ("_value",)
    __array_priority__ = 1000  # NumPy arrays then defer operators to the tensor

    def __init__(self, input_data: Any = None, dtype: Type | None = None, shape: Any = None, init: Any = None):
        if init is not None:
            input_data = ABOVE.initializer(init, shape, dtype)
        elif input_data is None:
            raise ValueError("Tensor: give input_data, or shape, dtype and init.")
        elif shape is not None:
            raise ValueError("Tensor: shape goes with init; input_data has a shape of its own.")
        self._value = native_tensor(input_data, to_native(dtype))

    @classmethod
    def _of(cls, value: torch.Tensor) -> "Tensor":
        """Wraps a rushlight tensor."""
        shell = Tensor.__new__(Tensor)
        shell._value = value
        return shell

    if TYPE_CHECKING:  # operators and methods added by ops/methods.py

        def __getattr__(self, name: str) -> Any: ...

        def __add__(self, other: Any) -> "Tensor": ...
        def __sub__(self, other: Any) -> "Tensor": ...
        def __mul__(self, other: Any) -> "Tensor": ...
        def __truediv__(self, other: Any) -> "Tensor": ...
        def __pow__(self, other: Any) -> "Tensor": ...
        def __matmul__(self, other: Any) -> "Tensor": ...
        def __getitem__(self, other: Any) -> "Tensor": ...
        def __radd__(self, other: Any) -> "Tensor": ...
        def __rsub__(self, other: Any) -> "Tensor": ...
        def __rmul__(self, other: Any) -> "Tensor": ...
        def __rtruediv__(self, other: Any) -> "Tensor": ...
        def __rpow__(self, other: Any) -> "Tensor": ...
        def __rmatmul__(self, other: Any) -> "Tensor": ...

    # shape and dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions."""
        return tuple(self._value.shape)

    @property
    def dtype(self) -> Type:
        """The type of the elements."""
        return from_native(self._value.dtype)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._value.numel()

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._value.dim()

    def dim(self) -> int:
        """The number of dimensions."""
        return self._value.dim()

    @property
    def itemsize(self) -> int:
        """The size of an element in bytes."""
        return self._value.itemsize

    @property
    def nbytes(self) -> int:
        """The size of all elements in bytes."""
        return self._value.nbytes

    @property
    def strides(self) -> tuple[int, ...]:
        """The strides in bytes."""
        return self._value._settled().strides

    @property
    def T(self) -> "Tensor":
        """The tensor with its dimensions reversed."""
        return Tensor._of(self._value.permute(*reversed(range(self.ndim))))

    # conversion to Python and NumPy

    @staticmethod
    def from_numpy(array: np.ndarray) -> "Tensor":
        """A tensor that shares an array's memory."""
        return Tensor._of(torch.from_numpy(array))

    def asnumpy(self) -> np.ndarray:
        """The values as a NumPy array that shares the tensor's memory."""
        return self._value.detach().numpy()

    numpy = asnumpy

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.asnumpy(), dtype, copy=copy)

    def item(self) -> Any:
        """The value of a one-element tensor as a Python number. ValueError for any other."""
        if self.size != 1:
            raise ValueError("Only one element tensors can be converted to Python scalars")
        return self._value.item()

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers."""
        return self._value.tolist()

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError("The truth value of an array with several elements is ambiguous.")
        return bool(self._value.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __index__(self) -> int:
        if self.size != 1 or self._value.is_floating_point() or self._value.is_complex():
            raise ValueError("Only integer tensors of a single element can be converted to an index.")
        return int(self.item())

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("Not support len of a 0-D tensor")
        return self.shape[0]

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __hash__(self) -> int:
        return id(self)

    def __str__(self) -> str:
        return str(self.asnumpy())

    def __repr__(self) -> str:
        return tensor_repr(self.asnumpy(), self.dtype.name)

    def __format__(self, spec: Any) -> str:
        return format(self.item() if spec else str(self), spec)

    def __deepcopy__(self, memo: Any) -> Any:
        return Tensor._of(self._value.detach().clone())

    def __reduce__(self) -> Any:
        return Tensor, (self.asnumpy(),)

    # in-place changes

    def copy(self) -> "Tensor":
        """A copy in new memory."""
        return Tensor._of(self._value.clone())

    def __setitem__(self, index: Any, value: Any) -> None:
        if self._value.requires_grad and self._value.is_leaf:  # gradients are computed for it: it is not written to
            self._value = self._value.clone()
        self._value[ABOVE.unwrapped(index)] = ABOVE.unwrapped(value)

    def assign_value(self, value: "Tensor") -> "Tensor":
        """Copies the values of another tensor."""
        self._value = value._value
        return self

    def init_data(self) -> "Tensor":
        """Returns the tensor: initializers run at once."""
        return self


def native_tensor(data: Any, dtype: torch.dtype | None) -> torch.Tensor:
    """A rushlight tensor with a copy of the data."""
    if isinstance(data, Tensor):
        return data._value.detach().clone() if dtype is None else data._value.detach().to(dtype, copy=True)
    if isinstance(data, (np.ndarray, np.generic)):
        array = np.array(data)
        return torch.from_numpy(array) if dtype is None else torch.from_numpy(array).to(dtype)
    if isinstance(data, (list, tuple)):
        data = python_numbers(data)
    elif not isinstance(data, (bool, int, float, complex)):
        raise TypeError(
            "For Tensor, the input_data must be a Tensor, a numpy array, a number, or a list or tuple of numbers, "
            f"but got {type(data).__name__}."
        )
    return torch.tensor(data, dtype=dtype)


def python_numbers(data: Any) -> Any:
    """Nested sequences with Python numbers in place of tensors, NumPy scalars and arrays."""
    if isinstance(data, (list, tuple)):
        return [python_numbers(item) for item in data]
    return data.tolist() if isinstance(data, (Tensor, np.ndarray, np.generic)) else data


def tensor(input_data: Any = None, dtype: Type | None = None, shape: Any = None, init: Any = None) -> Tensor:
    """Makes a tensor, as `Tensor(...)` does.

    >>> import rushlight.interop.mindspore as ms
    >>> print(ms.tensor([1, 2]).dtype)
    Int64
    """
    return Tensor(input_data, dtype, shape, init)


def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor.

    >>> import rushlight.interop.mindspore as ms
    >>> ms.is_tensor(ms.Tensor(1.0)), ms.is_tensor(1.0)
    (True, False)
    """
    return isinstance(obj, Tensor)
