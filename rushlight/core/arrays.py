"""The only file that asks whether a value is an array, and makes an array of a value that is not.

Formulas are NumPy expressions, which work on whatever array they are given (NEP 13, NEP 18). A tensor may hold any kind
of array that implements NumPy's functions: `admit` registers a kind. Compiled kernels take only NumPy's arrays.
"""

from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import Batched
from rushlight.core.turned import Turned

_kinds: tuple[type, ...] = (np.ndarray, Batched, Turned)


def admit(kind: type) -> None:
    """Registers a kind of array.

    It must implement NumPy's functions, and have `shape`, `dtype`, `strides` and `copy`.
    """
    global _kinds
    if kind not in _kinds:
        _kinds = (*_kinds, kind)


def is_array(value: Any) -> bool:
    """Whether a value is an array of a registered kind."""
    return isinstance(value, _kinds)


def is_foreign(value: Any) -> bool:
    """Whether a value is an array of a kind registered from outside: not NumPy's, and not one of the core's own."""
    return isinstance(value, _kinds[3:])


def as_array(value: Any) -> Array:
    """A result as an array: a number becomes a 0-dimensional array, an array of any kind is returned as it is."""
    return value if isinstance(value, _kinds) else np.asarray(value)
