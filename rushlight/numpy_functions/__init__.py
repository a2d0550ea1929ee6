"""NumPy's functions on tensors, under NumPy's names and with NumPy's arguments; loaded when the first one is called.

`np.median(x)` of a tensor comes here by NumPy's dispatch protocols (`ops.protocol`). Each function is written with
those of rushlight, so that it has all derivatives and takes batches. Their documentation is NumPy's.
"""

from rushlight.numpy_functions import (
    applying,
    arrangement,
    choosing,
    elementwise,
    facts,
    joining,
    linear_algebra,
    order,
    products,
    reductions,
    running,
    transforms,
)
from rushlight.numpy_functions.calls import call_function, call_ufunc

__all__ = ["call_function", "call_ufunc"]
