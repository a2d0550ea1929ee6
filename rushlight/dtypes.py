"""Data types, and PyTorch's rules on which one a mixed operation computes in."""

import builtins
from functools import cache
from typing import overload

import numpy as np

from rushlight.core.graph import TensorBase

__all__ = [
    "bool", "can_cast", "cdouble", "cfloat", "complex64", "complex128", "double", "dtype", "finfo", "float", "float16",
    "float32", "float64", "get_default_dtype", "half", "iinfo", "int", "int8", "int16", "int32", "int64", "long",
    "promote_types", "result_type", "set_default_dtype", "short", "uint8",
]  # fmt: skip


class dtype:
    """The type of a tensor's elements, as `torch.dtype`. There is one object for each type.

    >>> import rushlight as torch
    >>> torch.float64, torch.float64.itemsize, torch.float64.is_floating_point
    (torch.float64, 8, True)
    """

    __slots__ = ("_name", "_numpy")

    def __init__(self, name, numpy_type):
        self._name = name
        self._numpy = np.dtype(numpy_type)

    @property
    def is_floating_point(self) -> builtins.bool:
        """Whether this is a type of real floating-point numbers."""
        return self._numpy.kind == "f"

    @property
    def is_complex(self) -> builtins.bool:
        """Whether this is a type of complex numbers."""
        return self._numpy.kind == "c"

    @property
    def is_signed(self) -> builtins.bool:
        """Whether the type has negative numbers."""
        return self._numpy.kind in "ifc"

    @property
    def itemsize(self) -> builtins.int:
        """The size of an element in bytes."""
        return self._numpy.itemsize

    def to_real(self) -> "dtype":
        """The real type of the same precision."""
        return {complex64: float32, complex128: float64}.get(self, self)

    def to_complex(self) -> "dtype":
        """The complex type of the same precision."""
        return {float32: complex64, float64: complex128}.get(self, self)

    def __repr__(self):
        return f"torch.{self._name}"

    def __reduce__(self):
        return self._name


bool = dtype("bool", np.bool_)
uint8 = dtype("uint8", np.uint8)
int8 = dtype("int8", np.int8)
int16 = short = dtype("int16", np.int16)
int32 = int = dtype("int32", np.int32)
int64 = long = dtype("int64", np.int64)
float16 = half = dtype("float16", np.float16)
float32 = float = dtype("float32", np.float32)
float64 = double = dtype("float64", np.float64)
complex64 = cfloat = dtype("complex64", np.complex64)
complex128 = cdouble = dtype("complex128", np.complex128)

DTYPES = (bool, uint8, int8, int16, int32, int64, float16, float32, float64, complex64, complex128)
FROM_NUMPY = {d._numpy: d for d in DTYPES}
TYPE_NAMES = {
    bool: "Bool", uint8: "Byte", int8: "Char", int16: "Short", int32: "Int", int64: "Long", float16: "Half",
    float32: "Float", float64: "Double", complex64: "ComplexFloat", complex128: "ComplexDouble",
}  # fmt: skip
SCALARS = {builtins.bool: bool, builtins.int: int64, builtins.float: float32, builtins.complex: complex64}

_default = float32


def set_default_dtype(d: dtype, /) -> None:
    """Sets the floating-point type that new tensors of Python floats get.

    Raises TypeError for a type that is not a floating-point one.

    >>> import rushlight as torch
    >>> torch.set_default_dtype(torch.float64)
    >>> torch.tensor(1.5).dtype
    torch.float64
    >>> torch.set_default_dtype(torch.float32)
    """
    global _default
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default type, not {d}")
    _default = d
    _result.cache_clear()


def get_default_dtype() -> dtype:
    """The floating-point type that new tensors of Python floats get.

    >>> import rushlight as torch
    >>> torch.get_default_dtype()
    torch.float32
    """
    return _default


@overload
def as_numpy(d: None) -> None: ...
@overload
def as_numpy(d: "dtype | type") -> np.dtype: ...
def as_numpy(d):
    """The NumPy type of a dtype (or of Python's `float`, `int`, `bool`, `complex`); None for None."""
    if d is None:
        return None
    if isinstance(d, dtype):
        return d._numpy
    if d in SCALARS:
        return {builtins.float: float64, builtins.complex: complex128}.get(d, SCALARS[d])._numpy
    raise TypeError(f"dtype must be a torch.dtype, not {type(d).__name__}")


def from_numpy_dtype(d: np.dtype) -> dtype:
    """The dtype of a NumPy type; TypeError with PyTorch's words for one that tensors cannot have."""
    try:
        return FROM_NUMPY[d]
    except KeyError:
        raise TypeError(
            f"can't convert np.ndarray of type {d}. The only supported types are: float64, float32, float16, "
            "complex64, complex128, int64, int32, int16, int8, uint8, and bool."
        ) from None


def canonical(array: np.ndarray) -> np.ndarray:
    """An array with the one dtype object of its type, which the core knows; arrays out of a pickle have others."""
    d = FROM_NUMPY[array.dtype]._numpy
    return array if array.dtype is d else array.view(d)


def category(d: np.dtype) -> builtins.int:
    """0 for bool, 1 for integers, 2 for floats, 3 for complex: a higher one wins over a lower."""
    return {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}[d.kind]


@cache
def _promote(a: np.dtype, b: np.dtype) -> np.dtype:
    """The type of an operation between tensors of two types, of equal standing."""
    if category(a) < category(b):
        a, b = b, a
    if category(a) == category(b) or category(a) == 3:
        return np.result_type(a, b) if category(b) > 1 or category(a) < 2 else a
    return a


@cache
def _result(kinds: tuple) -> np.dtype:
    """The type of an operation between operands, each given as (rank, NumPy type): 2 a tensor with dimensions,
    1 one without, 0 a Python number. Lower ranks count only where their category is higher."""
    by_rank: dict[builtins.int, np.dtype] = {}
    for rank, d in kinds:
        by_rank[rank] = _promote(by_rank[rank], d) if rank in by_rank else d
    result = None
    for rank in (2, 1, 0):
        d = by_rank.get(rank)
        if d is None or (result is not None and category(d) <= category(result)):
            continue
        if result is None:
            result = d
        elif d.kind == "c" and result.kind == "f":
            result = np.dtype(np.complex128 if result == np.float64 else np.complex64)
        else:
            result = _promote(result, d)
    assert result is not None
    return result


def _kind(value) -> tuple:
    """An operand's rank and type, for `_result`."""
    if isinstance(value, TensorBase):
        return (2 if value._array.ndim else 1), value._array.dtype
    if isinstance(value, np.ndarray):
        return (2 if value.ndim else 1), value.dtype
    for python, d in SCALARS.items():
        if isinstance(value, python):
            if python is builtins.float:
                return 0, _default._numpy
            return 0, (_default.to_complex() if python is builtins.complex else d)._numpy
    if isinstance(value, np.generic):
        return _kind(value.item())
    raise TypeError(f"unsupported operand type {type(value).__name__!r}: expected a Tensor or a number")


def result_dtype(*operands) -> np.dtype:
    """The NumPy type that an operation between these tensors and numbers computes in."""
    return _result(tuple(_kind(operand) for operand in operands))


def result_type(tensor1, tensor2) -> dtype:
    """The dtype of an arithmetic operation between two tensors or numbers.

    >>> import rushlight as torch
    >>> torch.result_type(torch.tensor([1, 2], dtype=torch.int), 1.0)
    torch.float32
    """
    return FROM_NUMPY[result_dtype(tensor1, tensor2)]


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that is not smaller nor of a lower kind than either.

    >>> import rushlight as torch
    >>> torch.promote_types(torch.int32, torch.float32)
    torch.float32
    """
    return FROM_NUMPY[_promote(type1._numpy, type2._numpy)]


def can_cast(from_: dtype, to: dtype) -> builtins.bool:
    """Whether PyTorch's rules allow a result of one dtype to be written into a tensor of another.

    >>> import rushlight as torch
    >>> torch.can_cast(torch.float64, torch.float32), torch.can_cast(torch.float32, torch.int64)
    (True, False)
    """
    return category(from_._numpy) <= category(to._numpy)


class finfo:
    """The limits of a floating-point dtype: `bits`, `eps`, `max`, `min`, `tiny`, `smallest_normal`, `resolution`.

    >>> import rushlight as torch
    >>> torch.finfo(torch.float32).eps
    1.1920928955078125e-07
    """

    def __init__(self, type: dtype | None = None):
        self.dtype = type or _default
        if not (self.dtype.is_floating_point or self.dtype.is_complex):
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle {type}")
        info = np.finfo(self.dtype._numpy)
        self.bits = info.bits
        self.eps, self.max, self.min = info.eps.item(), info.max.item(), info.min.item()
        self.tiny = self.smallest_normal = info.tiny.item()
        self.resolution = info.resolution.item()


class iinfo:
    """The limits of an integer dtype: `bits`, `max`, `min`.

    >>> import rushlight as torch
    >>> torch.iinfo(torch.int8).max
    127
    """

    def __init__(self, type: dtype):
        if type._numpy.kind not in "iu":
            raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to handle {type}")
        info = np.iinfo(type._numpy)
        self.dtype, self.bits, self.max, self.min = type, info.bits, builtins.int(info.max), builtins.int(info.min)


def cast(value, d: np.dtype):
    """An operand's array (a number becomes one without dimensions) in a given type."""
    array = value._array if isinstance(value, TensorBase) else np.asarray(value)
    return array if array.dtype == d else array.astype(d)


def arithmetic(*operands):
    """Brings operands to the arrays that arithmetic and comparisons compute with; NotImplemented for what is none."""
    for operand in operands:
        if not isinstance(operand, OPERANDS):
            return NotImplemented
    d = result_dtype(*operands)
    arrays = tuple([cast(operand, d) for operand in operands])
    return arrays if len(arrays) > 1 else arrays[0]


def floating(*operands):
    """The same for operations whose results are never integers: those compute in the default dtype."""
    for operand in operands:
        if not isinstance(operand, OPERANDS):
            return NotImplemented
    d = result_dtype(*operands)
    if d.kind not in "fc":
        d = _default._numpy
    arrays = tuple([cast(operand, d) for operand in operands])
    return arrays if len(arrays) > 1 else arrays[0]


OPERANDS = (TensorBase, np.ndarray, np.generic, builtins.bool, builtins.int, builtins.float, builtins.complex)
