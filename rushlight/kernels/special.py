"""SciPy's special functions, loaded at the first call."""

from collections.abc import Callable
from functools import cache
from types import ModuleType

import numpy as np

from rushlight.core.aliases import Array

__all__ = ["special"]


@cache
def scipy_special() -> ModuleType:
    """The module `scipy.special`."""
    import scipy.special

    return scipy.special


def special(name: str) -> Callable[..., np.ndarray]:
    """SciPy's function of a name, with results in the dtype of the arrays: SciPy does not support half precision."""

    def function(*arrays: Array) -> Array:
        result = getattr(scipy_special(), name)(*arrays)
        dtype = next(array.dtype for array in arrays if hasattr(array, "dtype"))
        return result if result.dtype is dtype else result.astype(dtype)

    function.__name__ = name
    return function
