"""NumPy's functions on tensors (NEP 13 and NEP 18), for gradient formulas written in NumPy, and for users.

`np.sin(x)` of a tensor is `rushlight.sin(x)`. An elementwise operator that computes with a ufunc is registered for that
ufunc; the other NumPy functions for tensors are in `rushlight.numpy_functions`, which is loaded on first use.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.above import ABOVE, above
from rushlight.core.aliases import Array
from rushlight.core.batched import Batched
from rushlight.core.graph import new_tensor

UFUNCS: dict[np.ufunc, Callable[..., Any]] = {}  # ufunc -> the function on tensors
REDUCTIONS: dict[np.ufunc, Callable[..., Any]] = {}  # ufunc -> the function for `ufunc.reduce`, with NumPy's keywords
ACCUMULATIONS: dict[np.ufunc, Callable[..., Any]] = {}  # ufunc -> the function for `ufunc.accumulate`
FUNCTIONS: dict[
    Callable[..., Any], Callable[..., Any]
] = {}  # any other NumPy function -> the function on tensors, with NumPy's arguments


@above
def ufunc_on_tensors(ufunc: Any, method: str, inputs: Sequence[Array], kwargs: dict[str, Any]) -> Array:
    """Called by NumPy for a ufunc with a tensor among its operands.

    If the direct call fails, it is repeated with converted operands. Operations that begin with a NumPy number or array
    do not come here: `np.float64(2) - x` calls an operator of the tensor `x`.
    """
    if method == "__call__" and not kwargs and ufunc in UFUNCS:
        try:
            result = UFUNCS[ufunc](*[as_operand(x) for x in inputs])
        except Exception:
            if isinstance(inputs[0], (np.generic, np.ndarray)):
                raise
            result = NotImplemented
        if result is not NotImplemented:
            return result
    return ABOVE.call_ufunc(ufunc, method, inputs, kwargs)


@above
def function_on_tensors(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Array:
    """Called by NumPy for any of its other functions with a tensor among the arguments."""
    if function in FUNCTIONS and not kwargs:
        try:
            return FUNCTIONS[function](*args)
        except Exception as error:
            failure = error
    else:
        failure = None
    return ABOVE.call_function(function, args, kwargs, failure)


def as_operand(value: Any) -> Any:
    """The other operand of a tensor: arrays become tensors, NumPy numbers become Python numbers."""
    if type(value) is Batched:
        return new_tensor(value)
    if isinstance(value, np.generic):
        return value.item()
    return new_tensor(value) if isinstance(value, np.ndarray) else value
