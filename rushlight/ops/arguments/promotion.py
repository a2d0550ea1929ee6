"""Type promotion for operators that PyTorch has for some kinds of dtypes only."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import values
from rushlight.core.errors import about, sizes_differ
from rushlight.core.graph import TensorBase
from rushlight.core.interpreters import rely_on
from rushlight.core.kinds import is_half, kind_of
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES, arithmetic, keeping

__all__ = ["NUMBERS", "common", "is_complex", "missing", "no_zero", "only", "real"]

NUMBERS = (bool, int, float, complex, np.generic)


def missing(kernel: str, dtype: np.dtype) -> NotImplementedError:
    """PyTorch's error for a dtype that an operator does not support; `kernel` is the name in the message."""
    return about(
        NotImplementedError(f"\"{kernel}\" not implemented for '{TYPE_NAMES[FROM_NUMPY[dtype]]}'"), absent=dtype
    )


def dtype_of(arrays: Any) -> np.dtype:
    """The dtype that one or several operands were promoted to: half precision, if numbers beside it stay wider."""
    if not isinstance(arrays, (tuple, list)):
        return arrays.dtype
    for array in arrays:
        if is_half(array.dtype):
            return array.dtype
    return arrays[0].dtype


def refused(error: Exception, arrays: Sequence[Array]) -> Exception:
    """The error for operands of an unsupported dtype. As in PyTorch, shapes that do not match are reported first."""
    return sizes_differ(error, [array.shape for array in arrays if isinstance(array, np.ndarray)])


def kinds_kept(promote: Callable[..., Any], kinds: str) -> str:
    """The kinds of dtypes in `kinds` that a promotion leaves unchanged."""
    return "".join(kind for kind in getattr(promote, "kept", "") if kind in kinds)


def only(kinds: str, kernel: str, promote: Callable[..., Any] = arithmetic, halves: bool = True) -> Callable[..., Any]:
    """`promote`, plus NotImplementedError if the NumPy kind of the result dtype is not in `kinds`.

    Without `halves` it is raised for half precision too.
    """

    @keeping(kinds_kept(promote, kinds) if halves else "")
    def promote_and_check(*operands: Any) -> Any:
        if halves and len(operands) == 1 and "f" in kinds and kind_of(operands[0]._array.dtype) == "f":
            return operands[0]._array
        arrays = promote(*operands)
        if arrays is not NotImplemented:
            dtype = dtype_of(arrays)
            if kind_of(dtype) not in kinds or (is_half(dtype) and not halves):
                raise refused(missing(kernel, dtype), arrays if len(operands) > 1 else ())
        return arrays

    return promote_and_check


def real(
    message: str, promote: Callable[..., Any] = arithmetic, error: type[Exception] = RuntimeError
) -> Callable[..., Any]:
    """`promote`, plus an error with the given message for complex operands."""

    @keeping(kinds_kept(promote, "biuf"))
    def promote_and_check(*operands: Any) -> Any:
        arrays = promote(*operands)
        if arrays is not NotImplemented and dtype_of(arrays).kind == "c":
            raise refused(error(message), arrays if len(operands) > 1 else ())
        return arrays

    return promote_and_check


def no_zero(promote: Callable[..., Any]) -> Callable[..., Any]:
    """`promote` for a division, plus PyTorch's error for the division of integers by 0."""

    @keeping(kinds_kept(promote, "fc"))
    def promote_and_check(*operands: Any) -> Any:
        arrays = promote(*operands)
        if arrays is not NotImplemented and arrays[0].dtype.kind in "iu" and not values(arrays[1]).all():
            raise RuntimeError("ZeroDivisionError")
        if arrays is not NotImplemented and arrays[0].dtype.kind in "iu" and isinstance(operands[1], TensorBase):
            rely_on(np.all, operands[1]._array)
        return arrays

    return promote_and_check


def rounding(promote: Callable[..., Any]) -> Callable[..., Any]:
    """`promote`, where numbers are rounded to the half precision of the tensors, as PyTorch's kernels of sums do.

    Those of products, and others, compute with the number as it is: a promotion leaves it in float32.
    """

    @keeping(kinds_kept(promote, "biufc"))
    def promote_and_round(*operands: Any) -> Any:
        arrays = promote(*operands)
        halves = [array.dtype for array in arrays if is_half(array.dtype)] if arrays is not NotImplemented else []
        return tuple([array.astype(halves[0], copy=False) for array in arrays]) if halves else arrays

    return promote_and_round


@keeping("biufc")
def common(*operands: Any) -> Any:
    """Arithmetic's type promotion, with a fast path for tensors of one dtype, and for floats with Python numbers."""
    dtype = None
    numbers = False
    for operand in operands:
        if not isinstance(operand, TensorBase):
            numbers = True
        elif dtype is None:
            dtype = operand._array.dtype
        elif operand._array.dtype is not dtype:
            return arithmetic(*operands)
    if not numbers:
        return [operand._array for operand in operands]
    if dtype is None or kind_of(dtype) != "f" or not all(isinstance(x, TensorBase | int | float) for x in operands):
        return arithmetic(*operands)
    return [x._array if isinstance(x, TensorBase) else np.array(x, dtype) for x in operands]


def is_complex(value: Any) -> bool:
    """Whether a tensor, an array or a number is complex."""
    if isinstance(value, TensorBase):
        value = value._array
    return isinstance(value, complex) if isinstance(value, (bool, int, float, complex)) else value.dtype.kind == "c"
