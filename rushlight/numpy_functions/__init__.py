"""NumPy's functions on tensors, under NumPy's names and with NumPy's arguments; loaded on first use.

`np.median(x)` of a tensor is dispatched here by NumPy's protocols (`ops.protocol`). Each function is composed of
rushlight's functions, so it has all derivatives and supports batches. The documentation is NumPy's.
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
    polynomials,
    products,
    quantiles,
    reductions,
    running,
    transforms,
)
from rushlight.numpy_functions.calls import call_function, call_ufunc

__all__ = ["call_function", "call_ufunc"]
