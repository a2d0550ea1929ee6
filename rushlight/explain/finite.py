"""The sum of squares of an array, and whether all of it is finite.

This is the Python version: where the core is compiled, `finite.pyx` replaces it.
"""

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.kinds import kind_of


def sum_of_squares(array: Array) -> float:
    """The sum of the elements' squared absolute values: not finite if one of them is not; 0 for non-float dtypes."""
    if type(array) is not np.ndarray or kind_of(array.dtype) not in "fc":
        return 0.0
    large = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    return float(np.vdot(large, large).real)


def is_bad(array: Array) -> bool:
    """Whether a float array contains a NaN or an infinity."""
    total = sum_of_squares(array)
    return total - total != 0 and not np.isfinite(array).all()
