"""MindSpore's names of data types."""

from typing import Any, overload

import numpy as np

import rushlight as torch
from rushlight.absent.misses import no_such_name


class Type:
    """A data type that prints as in MindSpore.

    >>> import rushlight.interop.mindspore as ms
    >>> ms.float32, ms.bool_
    (Float32, Bool)
    """

    def __init__(self, name: str, native: torch.dtype):
        self.name = name
        self.native = native

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> Any:
        return from_native, (self.native,)


bool_: Type = Type("Bool", torch.bool)
uint8: Type = Type("UInt8", torch.uint8)
int8: Type = Type("Int8", torch.int8)
byte: Type = int8
int16: Type = Type("Int16", torch.int16)
short: Type = int16
int32: Type = Type("Int32", torch.int32)
intc: Type = int32
int64: Type = Type("Int64", torch.int64)
int_: Type = int64
intp: Type = int64
float16: Type = Type("Float16", torch.float16)
half: Type = float16
float32: Type = Type("Float32", torch.float32)
single: Type = float32
float_: Type = float32
float64: Type = Type("Float64", torch.float64)
double: Type = float64
complex64: Type = Type("Complex64", torch.complex64)
complex128: Type = Type("Complex128", torch.complex128)

TYPES = (bool_, uint8, int8, int16, int32, int64, float16, float32, float64, complex64, complex128)
float_type: tuple[Type, ...] = (float16, float32, float64)
int_type: tuple[Type, ...] = (int8, int16, int32, int64)
number_type: tuple[Type, ...] = TYPES[1:]

__all__ = [name for name, value in globals().items() if isinstance(value, Type)]
__all__ += ["dtype_to_nptype"]
OF_NATIVE = {t.native: t for t in TYPES}
PYTHON: dict[type, Type] = {bool: bool_, int: int64, float: float32, complex: complex64}


def from_native(native: torch.dtype) -> Type:
    """MindSpore's type for a rushlight dtype."""
    return OF_NATIVE[native]


@overload
def to_native(dtype: None) -> None: ...
@overload
def to_native(dtype: Type | str | type) -> torch.dtype: ...
def to_native(dtype: Any) -> Any:
    """The rushlight dtype for a MindSpore type, its name in any case, or a Python type; None for None."""
    if dtype is None:
        return None
    if isinstance(dtype, str):
        dtype = next((t for t in TYPES if t.name.lower() == dtype.lower()), dtype)
    found = PYTHON.get(dtype, dtype) if isinstance(dtype, type) else dtype
    if not isinstance(found, Type):
        raise TypeError(f"The type must be one of mindspore.dtype, such as mindspore.float32, but got {dtype!r}.")
    return found.native


def dtype_to_nptype(type_: Type) -> type:
    """The NumPy type of a type.

    >>> import rushlight.interop.mindspore as ms
    >>> ms.dtype_to_nptype(ms.int8)
    <class 'numpy.int8'>
    """
    return to_native(type_)._numpy.type


def __getattr__(name: str) -> Any:
    """Raises AttributeError for an unsupported type: unsigned types over 8 bits and bfloat16 are not supported."""
    raise no_such_name(__name__, name)


def from_numpy_dtype(dtype: np.dtype) -> Type:
    """MindSpore's type for a NumPy dtype; TypeError for one that tensors cannot have."""
    return from_native(torch.dtypes.from_numpy_dtype(dtype))
