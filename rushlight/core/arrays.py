"""The seam for arrays: the one place that asks whether a value is an array, and makes one of what is none.

Formulas are NumPy expressions, which reach whatever array they are given (NEP 13, NEP 18). A tensor may hold any kind
of array that answers to NumPy's functions: `admit` makes a kind known. Compiled kernels take NumPy's arrays alone.
"""

from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import Batched
from rushlight.core.turned import Turned

_kinds: tuple[type, ...] = (np.ndarray, Batched, Turned)


def admit(kind: type) -> None:
    """Makes a kind of array known. It answers to NumPy's functions, and has `shape`, `dtype`, `strides` and `copy`."""
    global _kinds
    if kind not in _kinds:
        _kinds = (*_kinds, kind)


def is_array(value: Any) -> bool:
    """Whether a value is an array of a known kind."""
    return isinstance(value, _kinds)


def is_foreign(value: Any) -> bool:
    """Whether a value is an array of a kind that was admitted: neither NumPy's nor a batch or turned."""
    return isinstance(value, _kinds[3:])


def as_array(value: Any) -> Array:
    """A result as an array: a number becomes an array without dimensions, an array of any kind stays as it is."""
    return value if isinstance(value, _kinds) else np.asarray(value)
