"""How large what is in an array is, and whether all of it is finite.

This is the plain twin: where the core is compiled, `finite.pyx` takes its place.
"""

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.kinds import kind_of


def sum_of_squares(array: Array) -> float:
    """The sum of the squares of all elements' sizes: NaN or infinite where one of them is; 0 for what has no floats."""
    if type(array) is not np.ndarray or kind_of(array.dtype) not in "fc":
        return 0.0
    large = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    return float(np.vdot(large, large).real)


def is_bad(array: Array) -> bool:
    """Whether there is a NaN or an infinity in an array of floats."""
    total = sum_of_squares(array)
    return total - total != 0 and not np.isfinite(array).all()
