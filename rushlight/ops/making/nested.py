"""Arrays from nested sequences of numbers, with PyTorch's rules for shape and dtype, and its errors."""

from collections.abc import Mapping, Set
from functools import reduce
from itertools import chain
from types import ModuleType
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.graph import TensorBase
from rushlight.core.kinds import kind_of
from rushlight.core.lines import warn
from rushlight.kernels.compiled import load
from rushlight.tensors import leaving, one_of

fast: ModuleType | None = load("lists")
MOST_LEVELS = 128  # of sequences in sequences
SLOW = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a "
    "single numpy.ndarray with numpy.array() before converting to a tensor."
)


def array_of(data: Any, dtype: np.dtype | None) -> np.ndarray:
    """A new array from nested sequences of numbers, or from one number; the dtype is inferred if none is given."""
    if fast is not None:
        found = fast.numbers(data, dtypes.get_default_dtype()._numpy, dtype)
        if found is not None:
            return found
    items, shape = flattened(data)
    kinds = set(map(type, items))
    inferred = common_type(kinds, items, dtype)
    if any(issubclass(kind, TensorBase) for kind in kinds):
        items = [one_of(leaving(x)) if isinstance(x, TensorBase) else x for x in items]
    if items and type(items[0]) is np.ndarray:
        shape.extend(items[0].shape)
    return converted(items, dtype or inferred).reshape(shape)


def flattened(data: Any) -> tuple[list[Any], list[int]]:
    """The innermost elements, and the shape, which is read off the first element of each level.

    If all innermost elements are arrays they are kept as they are. Raises ValueError and TypeError for ragged
    sequences.
    """
    level: list[Any] = [data]
    shape: list[int] = []
    while level and is_sequence(level[0]):
        if isinstance(level[0], np.ndarray):
            warn(SLOW)
            if len({x.shape if isinstance(x, np.ndarray) else None for x in level}) == 1:
                return level, shape
        length = len(level[0])
        for sequence in level:
            if not is_sequence(sequence):
                raise TypeError("not a sequence")
            if len(sequence) != length:
                raise ValueError(f"expected sequence of length {length} at dim {len(shape)} (got {len(sequence)})")
        shape.append(length)
        if len(shape) > MOST_LEVELS:
            raise ValueError(f"too many dimensions '{type(level[0]).__name__}'")
        level = elements_of(level)
    if shape and level and isinstance(level[0], (str, bytes)):
        raise ValueError(f"too many dimensions '{type(level[0]).__name__}'")
    return level, shape


def elements_of(level: list[Any]) -> list[Any]:
    """The elements of all sequences of a level, one after the other."""
    try:
        return list(chain.from_iterable(level))
    except Exception as error:
        raise ValueError(f"could not determine the shape of object type '{type(level[0]).__name__}'") from error


def is_sequence(data: Any) -> bool:
    """Whether data is a sequence of elements. Tensors count as numbers here, as in PyTorch."""
    kind = type(data)
    if kind is list or kind is tuple:
        return True
    if kind in dtypes.SCALARS or isinstance(data, (str, bytes, TensorBase, np.generic, Mapping, Set)):
        return False
    if isinstance(data, np.ndarray):
        return data.ndim > 0
    return hasattr(data, "__getitem__") and hasattr(data, "__len__")


def common_type(kinds: set[type], items: list[Any], given: np.dtype | None) -> np.dtype:
    """The dtype that holds elements of all these classes; the default dtype if there are none.

    Raises PyTorch's errors for elements that are not numbers; the messages differ if a dtype is given.
    """
    found: set[Any] = set()
    for kind in kinds:
        if issubclass(kind, TensorBase):
            found.update(x._array.dtype for x in items if type(x) is kind)
        elif issubclass(kind, np.ndarray):
            found.update(x.dtype for x in items if type(x) is kind)
        else:
            found.add(type_of_kind(kind, given is None))
    default = dtypes.get_default_dtype()._numpy
    if list in found or tuple in found:
        if given is None and any(any(one is x for one in x) for x in items if type(x) in (list, tuple)):
            raise TypeError("new(): self-referential lists are incompatible")
        wrapped = next(kind for kind in (list, tuple) if kind in found).__name__
        real = any(kind_of(d) == "f" for d in ([given] if given else found - {list, tuple}))
        raise TypeError(
            f"must be real number, not {wrapped}" if real else f"'{wrapped}' object cannot be interpreted as an integer"
        )
    return reduce(dtypes._promote, found) if found else default


def type_of_kind(kind: type, inferring: bool) -> np.dtype | type:
    """The dtype for elements of a Python or NumPy class; for list and tuple, the class itself."""
    if kind in dtypes.SCALARS:
        return dtypes._kind(kind())[1]
    if issubclass(kind, np.generic) and np.dtype(kind) in dtypes.FROM_NUMPY:
        return dtypes.FROM_NUMPY[np.dtype(kind)]._numpy
    for python in (bool, int, float, complex):
        if issubclass(kind, python):
            return dtypes._kind(python())[1]
    if kind is list or kind is tuple:
        return kind
    plain = kind.__flags__ & HEAP or kind.__module__ == "builtins"
    name = kind.__name__ if plain else f"{kind.__module__}.{kind.__name__}"
    if issubclass(kind, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{name}'")
    if not inferring:
        raise TypeError(f"must be real number, not {name}")
    raise RuntimeError(f"Could not infer dtype of {name}")


HEAP = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class defined in Python, whose name C prints without its module


def converted(items: list[Any], dtype: np.dtype) -> np.ndarray:
    """Numbers as a flat array; raises PyTorch's errors for those that do not fit the dtype."""
    try:
        return np.array(items, dtype)
    except TypeError:
        raise TypeError("must be real number, not complex") from None
    except (OverflowError, ValueError):
        if any(isinstance(x, int) and not -(2**63) <= x < 2**63 for x in items):
            raise ValueError("Overflow when unpacking long long") from None
        if dtype.kind == "u" and all(-np.iinfo(dtype).max <= x <= np.iinfo(dtype).max for x in items):
            return np.array(items, np.int64).astype(dtype)  # as in PyTorch, negative numbers wrap around
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow") from None
