"""The names of dtypes in PyTorch's error messages, and the errors for unsupported dtypes."""

from collections.abc import Set

import numpy as np

from rushlight.core.narrow import when_served

SCALAR_TYPES: dict[np.dtype, str] = {
    np.dtype(np.bool): "Bool",
    np.dtype(np.uint8): "Byte",
    np.dtype(np.int8): "Char",
    np.dtype(np.int16): "Short",
    np.dtype(np.int32): "Int",
    np.dtype(np.int64): "Long",
    np.dtype(np.uint16): "UInt16",
    np.dtype(np.uint32): "UInt32",
    np.dtype(np.uint64): "UInt64",
    np.dtype(np.float16): "Half",
    np.dtype(np.float32): "Float",
    np.dtype(np.float64): "Double",
    np.dtype(np.complex64): "ComplexFloat",
    np.dtype(np.complex128): "ComplexDouble",
}

C_TYPES: dict[np.dtype, str] = {
    np.dtype(np.bool): "bool",
    np.dtype(np.uint8): "unsigned char",
    np.dtype(np.int8): "signed char",
    np.dtype(np.int16): "short",
    np.dtype(np.int32): "int",
    np.dtype(np.int64): "long",
    np.dtype(np.uint16): "short unsigned int",
    np.dtype(np.uint32): "unsigned int",
    np.dtype(np.uint64): "long unsigned int",
    np.dtype(np.float16): "c10::Half",
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
}

FLOATING = set(map(np.dtype, ["f2", "f4", "f8"]))
SINGLE_OR_DOUBLE = frozenset(map(np.dtype, ["f4", "f8"]))
NUMBERS = FLOATING | frozenset(map(np.dtype, ["u1", "i1", "i2", "i4", "i8"]))
NUMBERS_AND_BOOL = NUMBERS | {np.dtype(np.bool)}


@when_served
def take(dtype: np.dtype) -> None:
    """Adds bfloat16 to the tables, once ml_dtypes is loaded."""
    if dtype.name == "bfloat16":
        SCALAR_TYPES[dtype], C_TYPES[dtype] = "BFloat16", "c10::BFloat16"
        for types in (FLOATING, NUMBERS, NUMBERS_AND_BOOL):
            types.add(dtype)


def require(dtype: np.dtype, allowed: Set[np.dtype], kernel: str) -> None:
    """Raise NotImplementedError, naming PyTorch's kernel, if `dtype` is not one of the allowed ones."""
    if dtype not in allowed:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_TYPES.get(dtype, dtype)}'")
