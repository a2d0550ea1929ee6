"""DLPack: the memory of arrays in capsules, which libraries pass on to each other.

NumPy makes and reads capsules. It does not know the types of ml_dtypes, so these pass as unsigned integers of their
size, and the number of their kind is written into the capsule, or read from it, here.
"""

import ctypes
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.layouts import Memory

__all__ = ["capsule_of", "is_capsule", "memory_exported", "of_capsule"]

UNSIGNED = 1
KINDS = {  # DLPack's numbers for the kinds of numbers that NumPy lacks
    4: dtypes.bfloat16,
    10: dtypes.float8_e4m3fn,
    11: dtypes.float8_e4m3fnuz,
    12: dtypes.float8_e5m2,
    13: dtypes.float8_e5m2fnuz,
}
NAME = ctypes.pythonapi.PyCapsule_GetName
NAME.restype, NAME.argtypes = ctypes.c_char_p, [ctypes.py_object]
POINTER = ctypes.pythonapi.PyCapsule_GetPointer
POINTER.restype, POINTER.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class Capsule:
    """Wraps a DLPack capsule, such as `tensor.__dlpack__()` returns, as the object that NumPy expects."""

    def __init__(self, exported: Any):
        self.exported = exported

    def __dlpack__(self, **_: Any) -> Any:
        return self.exported

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # the CPU; NumPy refuses memory of other devices


def is_capsule(obj: Any) -> bool:
    """Whether an object is a DLPack capsule."""
    return type(obj).__name__ == "PyCapsule"


def kind_in(capsule: Any) -> Any:
    """The number of the kind in a capsule's structure, which can be changed there."""
    name = NAME(capsule)
    start = 32 if name.endswith(b"versioned") else 0  # version, manager, deleter and flags come first
    return ctypes.c_uint8.from_address(POINTER(capsule, name) + start + 20)  # after the address, device and dimensions


def capsule_of(array: np.ndarray, **options: Any) -> Any:
    """A capsule for the memory of an array."""
    number = next((number for number, d in KINDS.items() if d._name == array.dtype.name), None)
    if number is None:
        return array.__dlpack__(**options)
    capsule = array.view(f"u{array.itemsize}").__dlpack__(**options)
    kind_in(capsule).value = number
    return capsule


def of_capsule(capsule: Any, copy: bool | None = None) -> np.ndarray:
    """The memory of a DLPack capsule, writable also where the capsule does not say so."""
    kind = kind_in(capsule)
    dtype = KINDS.get(kind.value)
    if dtype is not None:
        kind.value = UNSIGNED
    found = np.from_dlpack(Capsule(capsule))
    place = found.__array_interface__["data"][0], False
    array = np.asarray(Memory({**found.__array_interface__, "data": place}, found))
    array = array if dtype is None else array.view(dtype._numpy)
    return array.copy(order="K") if copy else array


def memory_exported(obj: Any, copy: bool | None = None) -> np.ndarray:
    """The memory of an object that has `__dlpack__`."""
    if any(d._name in str(getattr(obj, "dtype", "")) for d in KINDS.values()):
        return of_capsule(obj.__dlpack__(), copy)
    return np.from_dlpack(obj, copy=copy)
