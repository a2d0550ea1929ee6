"""NumPy's functions on tensors (NEP 13 and NEP 18): how formulas written in NumPy are recorded, and users' too.

`np.sin(x)` of a tensor is `rushlight.sin(x)`. What has no entry here raises TypeError, by name.
"""

from collections.abc import Callable

import numpy as np

from rushlight.core.batched import Batched
from rushlight.core.graph import new_tensor

UFUNCS: dict[np.ufunc, Callable] = {}  # ufunc -> the function on tensors
REDUCTIONS: dict[np.ufunc, Callable] = {}  # ufunc -> the function that `ufunc.reduce` is, with NumPy's keywords
FUNCTIONS: dict[Callable, Callable] = {}  # any other NumPy function -> the function on tensors, with NumPy's arguments


def implements(*functions):
    """Enters how NumPy functions (not ufuncs) act on tensors; arguments are as NumPy's."""

    def enter(implementation):
        for function in functions:
            FUNCTIONS[function] = implementation
        return implementation

    return enter


def ufunc_on_tensors(ufunc, method, inputs, kwargs):
    """What NumPy calls for a ufunc with a tensor among its operands."""
    given = {name: value for name, value in kwargs.items() if value is not np._NoValue}
    kwargs = {name: value for name, value in given.items() if value is not None or name == "axis"}  # None: all axes
    if method == "reduce" and ufunc in REDUCTIONS:
        return REDUCTIONS[ufunc](*inputs, **kwargs)
    if method != "__call__" or kwargs or ufunc not in UFUNCS:
        options = f" with {', '.join(kwargs)}" if kwargs else ""
        raise TypeError(
            f"np.{ufunc.__name__}{'' if method == '__call__' else '.' + method}{options} is not available for tensors: "
            "use the rushlight function, or detach and convert first (x.detach().numpy())."
        )
    return UFUNCS[ufunc](*[as_operand(x) for x in inputs])


def function_on_tensors(function, args, kwargs):
    """What NumPy calls for any other of its functions with a tensor among its arguments."""
    if function not in FUNCTIONS:
        raise TypeError(
            f"np.{function.__name__} is not available for tensors: use the rushlight function, or detach and convert "
            "first (x.detach().numpy())."
        )
    return FUNCTIONS[function](*args, **kwargs)


def as_operand(value):
    """An operand beside a tensor: arrays become tensors, NumPy's numbers Python's."""
    if type(value) is Batched:
        return new_tensor(value)
    if isinstance(value, np.generic):
        return value.item()
    return new_tensor(value) if isinstance(value, np.ndarray) else value


def filled_like(like):
    """The implementation of `np.zeros_like` and its kind: a constant tensor."""

    def implementation(a, dtype=None, shape=None, **options):
        return new_tensor(like(a._array, dtype=dtype, shape=shape, **options))

    return implementation


for like in (np.zeros_like, np.ones_like, np.empty_like):
    implements(like)(filled_like(like))
