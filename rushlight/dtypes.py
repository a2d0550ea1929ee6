"""Data types, and PyTorch's type promotion."""

import builtins
import math
from collections.abc import Callable
from functools import cache
from typing import Any, overload

import numpy as np

from rushlight.core import narrow
from rushlight.core.graph import TensorBase
from rushlight.core.kinds import kind_of

__all__ = [
    "bfloat16",
    "bool",
    "can_cast",
    "cdouble",
    "cfloat",
    "complex64",
    "complex128",
    "double",
    "dtype",
    "finfo",
    "float",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float16",
    "float32",
    "float64",
    "get_default_dtype",
    "half",
    "iinfo",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "long",
    "promote_types",
    "result_type",
    "set_default_dtype",
    "short",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]


class dtype:
    """The type of a tensor's elements, as `torch.dtype`. There is one object for each type.

    >>> import rushlight as torch
    >>> torch.float64, torch.float64.itemsize, torch.float64.is_floating_point
    (torch.float64, 8, True)
    """

    __slots__ = ("_name", "_numpy")

    def __init__(self, name: str, numpy_type: type | np.dtype):
        self._name = name
        self._numpy: np.dtype = np.dtype(numpy_type)

    @property
    def is_floating_point(self) -> builtins.bool:
        """Whether this is a type of real floating-point numbers."""
        return kind_of(self._numpy) == "f"

    @property
    def is_complex(self) -> builtins.bool:
        """Whether this is a complex type."""
        return self._numpy.kind == "c"

    @property
    def is_signed(self) -> builtins.bool:
        """Whether the type can hold negative numbers."""
        return kind_of(self._numpy) in "ifc"

    @property
    def itemsize(self) -> builtins.int:
        """The size of an element in bytes."""
        return self._numpy.itemsize

    @property
    def __numpy_dtype__(self) -> np.dtype:
        """The NumPy dtype, for NumPy and libraries based on it: `np.dtype(torch.float32)`."""
        return self._numpy

    @property
    def kind(self) -> str:
        """NumPy's letter for the kind of dtype, which pandas and xarray ask for: "f" for floating-point types."""
        return kind_of(self._numpy)

    @property
    def type(self) -> builtins.type[np.generic]:
        """NumPy's scalar class, which SciPy's optimizers ask for: they convert a loss to it."""
        return self._numpy.type

    def to_real(self) -> "dtype":
        """The real type of the same precision."""
        return {complex64: float32, complex128: float64}.get(self, self)

    def to_complex(self) -> "dtype":
        """The complex type of the same precision; for bfloat16 that of float32. RuntimeError if there is none."""
        found = {bfloat16: complex64, float32: complex64, float64: complex128}.get(self, self)
        if not found.is_complex:
            raise RuntimeError(f"Unknown Complex ScalarType for {TYPE_NAMES[self]}")
        return found

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


class NarrowType(dtype):
    """A floating-point type of the package ml_dtypes, which is loaded at the type's first use."""

    __slots__ = ("_loaded",)

    def __init__(self, name: str):
        self._name = name
        self._loaded: np.dtype | None = None

    @property
    def _numpy(self) -> np.dtype:  # type: ignore[override]
        if self._loaded is None:
            self._loaded = load_narrow_type(self)
        return self._loaded

    @property
    def is_floating_point(self) -> builtins.bool:
        """Whether this is a real floating-point type: True."""
        return True

    is_signed = is_floating_point

    @property
    def is_complex(self) -> builtins.bool:
        """Whether this is a complex type: False."""
        return False

    @property
    def itemsize(self) -> builtins.int:
        """The size of an element in bytes."""
        return 2 if self is bfloat16 else 1


def load_narrow_type(d: NarrowType) -> np.dtype:
    """The NumPy dtype of a narrow type, registered with `core.narrow`. ModuleNotFoundError without ml_dtypes."""
    try:
        import ml_dtypes
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{d} needs the package ml_dtypes: pip install ml_dtypes, or pip install rushlight[dtypes]"
        ) from error
    numpy_type = np.dtype(getattr(ml_dtypes, d._name))
    narrow.serve(numpy_type, builtins.float(ml_dtypes.finfo(numpy_type).max), d is float8_e4m3fn)
    FROM_NUMPY[numpy_type] = d
    return numpy_type


def meet(numpy_type: np.dtype) -> None:
    """Registers the narrow type that a NumPy dtype is of, if it is one: an array from a pickle may be its first use."""
    if numpy_type not in FROM_NUMPY and isinstance(found := globals().get(numpy_type.name), NarrowType):
        load_narrow_type(found)


bool: dtype = dtype("bool", np.bool_)
uint8: dtype = dtype("uint8", np.uint8)
uint16: dtype = dtype("uint16", np.uint16)
uint32: dtype = dtype("uint32", np.uint32)
uint64: dtype = dtype("uint64", np.uint64)
int8: dtype = dtype("int8", np.int8)
int16: dtype = dtype("int16", np.int16)
short: dtype = int16
int32: dtype = dtype("int32", np.int32)
int: dtype = int32
int64: dtype = dtype("int64", np.int64)
long: dtype = int64
float8_e4m3fn: NarrowType = NarrowType("float8_e4m3fn")
float8_e4m3fnuz: NarrowType = NarrowType("float8_e4m3fnuz")
float8_e5m2: NarrowType = NarrowType("float8_e5m2")
float8_e5m2fnuz: NarrowType = NarrowType("float8_e5m2fnuz")
bfloat16: NarrowType = NarrowType("bfloat16")
float16: dtype = dtype("float16", np.float16)
half: dtype = float16
float32: dtype = dtype("float32", np.float32)
float: dtype = float32
float64: dtype = dtype("float64", np.float64)
double: dtype = float64
complex64: dtype = dtype("complex64", np.complex64)
cfloat: dtype = complex64
complex128: dtype = dtype("complex128", np.complex128)
cdouble: dtype = complex128

TYPE_NAMES: dict[dtype, str] = {
    bool: "Bool",
    uint8: "Byte",
    int8: "Char",
    int16: "Short",
    int32: "Int",
    int64: "Long",
    float16: "Half",
    float32: "Float",
    float64: "Double",
    complex64: "ComplexFloat",
    complex128: "ComplexDouble",
    uint16: "UInt16",
    uint32: "UInt32",
    uint64: "UInt64",
    bfloat16: "BFloat16",
    float8_e4m3fn: "Float8_e4m3fn",
    float8_e4m3fnuz: "Float8_e4m3fnuz",
    float8_e5m2: "Float8_e5m2",
    float8_e5m2fnuz: "Float8_e5m2fnuz",
}
DTYPES: tuple[dtype, ...] = tuple(TYPE_NAMES)
NARROW = {d._name: d for d in DTYPES if isinstance(d, NarrowType)}
FROM_NUMPY: dict[np.dtype, dtype] = {
    d._numpy: d for d in DTYPES if d._name not in NARROW
}  # narrow types are added when they are loaded
WIDE_UNSIGNED = frozenset(d._numpy for d in (uint16, uint32, uint64))
SCALARS: dict[type, dtype] = {
    builtins.bool: bool,
    builtins.int: int64,
    builtins.float: float32,
    builtins.complex: complex64,
}

_default = float32


def set_default_dtype(d: dtype, /) -> None:
    """Sets the dtype of new tensors made from Python floats.

    Raises TypeError for a dtype that is not a floating-point type.

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
    """The dtype of new tensors made from Python floats.

    >>> import rushlight as torch
    >>> torch.get_default_dtype()
    torch.float32
    """
    return _default


@overload
def as_numpy(d: None) -> None: ...
@overload
def as_numpy(d: "dtype | type") -> np.dtype: ...
def as_numpy(d: Any) -> Any:
    """The NumPy type of a dtype (or of Python's `float`, `int`, `bool`, `complex`); None for None."""
    if d is None:
        return None
    if isinstance(d, dtype):
        return d._numpy
    if d in SCALARS:
        return {builtins.float: float64, builtins.complex: complex128}.get(d, SCALARS[d])._numpy
    raise TypeError(f"dtype must be a torch.dtype, not {type(d).__name__}")


def from_numpy_dtype(d: np.dtype) -> dtype:
    """The dtype for a NumPy dtype; TypeError, in PyTorch's words, for one that tensors cannot have."""
    try:
        return FROM_NUMPY[d]
    except KeyError:
        raise no_tensor_of(d) from None


def no_tensor_of(d: np.dtype) -> TypeError:
    """PyTorch's error for a dtype that tensors cannot have."""
    return TypeError(
        f"can't convert np.ndarray of type numpy.{d.type.__name__}. The only supported types are: float64, float32, "
        "float16, complex64, complex128, int64, int32, int16, int8, uint8, and bool."
    )


def canonical(array: np.ndarray) -> np.ndarray:
    """An array with the unique dtype object of its type, which the core compares by; unpickled arrays have others."""
    d = FROM_NUMPY[array.dtype]._numpy
    return array if array.dtype is d else array.view(d)


CATEGORIES = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def category(d: np.dtype) -> builtins.int:
    """0 for bool, 1 for integers, 2 for floats, 3 for complex: the higher one determines the result.

    TypeError for others.
    """
    found = CATEGORIES.get(kind_of(d))
    if found is None:
        raise no_tensor_of(d)
    return found


@cache
def _promote(a: np.dtype, b: np.dtype) -> np.dtype:
    """The dtype of an operation on tensors of two dtypes. RuntimeError if they have no common dtype."""
    if a == b:
        return a
    if category(a) < category(b):
        return _promote(b, a)
    if a in narrow.BYTES or b in narrow.BYTES:
        raise not_promoted("Float8 Types", a, b)
    if (a in WIDE_UNSIGNED or b in WIDE_UNSIGNED) and category(a) != 2:
        raise not_promoted("uint16, uint32, uint64 types", a, b)
    if category(a) == category(b) or category(a) == 3:
        return np.result_type(narrow.wide(a), narrow.wide(b)) if category(b) > 1 or category(a) < 2 else a
    return a


def not_promoted(kind: str, a: np.dtype, b: np.dtype) -> RuntimeError:
    """The error for dtypes without a common dtype."""
    first, second = (TYPE_NAMES[FROM_NUMPY[d]] for d in (a, b))
    return RuntimeError(
        f"Promotion for {kind} is not supported, attempted to promote {first} and {second}. Convert one of them first, "
        "with .to(dtype)."
    )


@cache
def _result(kinds: tuple[tuple[builtins.int, np.dtype], ...]) -> np.dtype:
    """The dtype of an operation on operands, each given as (rank, NumPy dtype).

    The rank is 2 for a tensor with dimensions, 1 for one without, 0 for a Python number. A lower rank counts only if
    its category is higher.
    """
    by_rank: dict[builtins.int, np.dtype] = {}
    for rank, kind in kinds:
        by_rank[rank] = _promote(by_rank[rank], kind) if rank in by_rank else kind
    result: np.dtype | None = None
    for rank in (2, 1, 0):
        d = by_rank.get(rank)
        if d is None or (result is not None and category(d) <= category(result)):
            continue
        if result is None:
            result = d
        elif d.kind == "c" and kind_of(result) == "f":
            if result in narrow.BYTES:
                raise RuntimeError(f"Unknown Complex ScalarType for {TYPE_NAMES[FROM_NUMPY[result]]}")
            result = np.dtype(np.complex128 if result == np.float64 else np.complex64)
        else:
            result = d if d.kind == "c" and result in WIDE_UNSIGNED else _promote(result, d)
    assert result is not None
    return result


def _kind(value: object) -> tuple[builtins.int, np.dtype]:
    """An operand's rank and type, for `_result`."""
    if isinstance(value, TensorBase):
        return (2 if value._array.ndim else 1), value._array.dtype
    if isinstance(value, np.ndarray):
        return (2 if value.ndim else 1), value.dtype
    if type(value) is builtins.float:
        return 0, _default._numpy
    for python, d in SCALARS.items():
        if isinstance(value, python):
            if python is builtins.float:
                return 0, _default._numpy
            return 0, (_default.to_complex() if python is builtins.complex else d)._numpy
    if isinstance(value, np.generic):
        return _kind(value.item())
    raise TypeError(f"unsupported operand type {type(value).__name__!r}: expected a Tensor or a number")


def type_of_number(value: complex) -> np.dtype:
    """The NumPy dtype of a tensor made from a number."""
    return _kind(value)[1]


def result_dtype(*operands: object) -> np.dtype:
    """The NumPy dtype that an operation on these tensors and numbers computes in."""
    return _result(tuple([_kind(operand) for operand in operands]))


def result_type(tensor: TensorBase | complex, other: TensorBase | complex) -> dtype:
    """The dtype of an arithmetic operation between two tensors or numbers.

    >>> import rushlight as torch
    >>> torch.result_type(torch.tensor([1, 2], dtype=torch.int), 1.0)
    torch.float32
    """
    return FROM_NUMPY[result_dtype(tensor, other)]


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that is of no smaller size and no lower kind than either of two.

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
        d = _default if type is None else type
        if not (d.is_floating_point or d.is_complex):
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle {type}")
        d = d.to_real()
        self.dtype: str = d._name
        limits = np.finfo(d._numpy) if d._numpy not in narrow.TYPES else ml_limits(d)
        digits = builtins.int(-math.log10(limits.eps))  # decimal digits that any number keeps
        self.bits: builtins.int = limits.bits
        self.resolution: builtins.float = 10.0**-digits
        self.eps: builtins.float = builtins.float(limits.eps)
        self.max: builtins.float = builtins.float(limits.max)
        self.min: builtins.float = builtins.float(limits.min)
        self.smallest_normal: builtins.float = builtins.float(limits.smallest_normal)
        self.tiny: builtins.float = self.smallest_normal

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


def ml_limits(d: dtype) -> Any:
    """The limits of a type of ml_dtypes."""
    from ml_dtypes import finfo as limits_of

    return limits_of(d._numpy)


class iinfo:
    """The limits of an integer dtype: `bits`, `max`, `min`.

    >>> import rushlight as torch
    >>> torch.iinfo(torch.int8).max
    127
    """

    def __init__(self, type: dtype):
        if type.is_floating_point or type.is_complex:
            raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to handle {type}")
        if type is bool:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        info = np.iinfo(type._numpy)
        self.dtype: str = type._name
        self.bits: builtins.int = info.bits
        self.max: builtins.int = builtins.int(info.max)
        self.min: builtins.int = builtins.int(info.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def cast(value: Any, d: np.dtype) -> np.ndarray:
    """An operand's array in a given dtype; a number becomes a 0-dimensional array.

    With arrays of a narrow type, Python numbers become float32, in which the computation runs.
    """
    array = value._array if isinstance(value, TensorBase) else np.asarray(value)
    if array.dtype == d:
        return array
    return array.astype(narrow.WIDE if array.ndim == 0 and d in narrow.WIDENED else d)


def cast_all(operands: Any, d: np.dtype) -> tuple[np.ndarray, ...]:
    """The arrays of several operands in a given dtype; of tensors without dimensions alone, all have it."""
    arrays = tuple([cast(operand, d) for operand in operands])
    if d in narrow.WIDENED and not any(array.ndim for array in arrays):
        pairs = zip(operands, arrays, strict=True)
        arrays = tuple([a.astype(d, copy=False) if isinstance(x, TensorBase) else a for x, a in pairs])
    return arrays


def keeping(kinds: str) -> Callable[[Any], Any]:
    """Marks a promotion that returns tensors of one dtype of these kinds unchanged: it is not called for those."""

    def mark(promote: Any) -> Any:
        promote.kept = kinds
        return promote

    return mark


def of_one_type(operands: Any) -> tuple[np.ndarray, ...] | None:
    """The arrays of tensors that share a dtype; None for other operands."""
    arrays: list[np.ndarray] = []
    for operand in operands:
        if not isinstance(operand, TensorBase) or (arrays and operand._array.dtype is not arrays[0].dtype):
            return None
        arrays.append(operand._array)
    return tuple(arrays)


def joint_type(operands: Any) -> np.dtype | None:
    """The dtype of arithmetic on some operands; None if one is no operand.

    A tensor beside a Python number that does not change its dtype is looked at first.
    """
    if len(operands) == 2:
        tensor, number = operands if isinstance(operands[0], TensorBase) else reversed(operands)
        if isinstance(tensor, TensorBase) and tensor._array.dtype.kind in UNCHANGED.get(type(number), ""):
            return tensor._array.dtype
    for operand in operands:
        if not isinstance(operand, OPERANDS):
            return None
    return result_dtype(*operands)


UNCHANGED = {builtins.int: "iufc", builtins.float: "fc"}  # kinds of dtypes that a number of a type does not change


@keeping("biufc")
def arithmetic(*operands: Any) -> Any:
    """Converts operands to the arrays that arithmetic and comparisons compute with; NotImplemented for other values."""
    alike = of_one_type(operands)
    if alike is not None:
        return alike if len(alike) > 1 else alike[0]
    d = joint_type(operands)
    if d is None:
        return NotImplemented
    arrays = cast_all(operands, d)
    return arrays if len(arrays) > 1 else arrays[0]


@keeping("fc")
def floating(*operands: Any) -> Any:
    """`arithmetic` for operations whose results are never integers: integers are converted to the default dtype."""
    d = joint_type(operands)
    if d is None:
        return NotImplemented
    if kind_of(d) not in "fc":
        d = _default._numpy
    arrays = cast_all(operands, d)
    return arrays if len(arrays) > 1 else arrays[0]


OPERANDS = (TensorBase, np.ndarray, np.generic, builtins.bool, builtins.int, builtins.float, builtins.complex)
