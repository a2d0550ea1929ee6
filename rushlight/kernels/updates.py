"""Updates of parameters: rules that change arrays in place, one element after the other.

A rule is written in NumPy, in an optimizer's class: a function of a tuple of numbers, a parameter, its gradient, and
arrays of its state. It changes these arrays, but not the gradient. `python -m loops` makes a loop in Cython from it,
for each combination of its options (`compiled/update_loops.pxi`); such a loop passes over the memory only once. For
other dtypes and layouts NumPy runs the rule, in blocks that stay in the cache.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.compiled import load

fast: ModuleType | None = load("updates")
BLOCK = 16384  # elements

Rule = Callable[..., None]
Direction = tuple[bool, Any, Any]


def change(rule: Rule, rows: list[Any], direction: Direction, numbers: tuple[Any, ...]) -> None:
    """Updates rows of arrays, one for each parameter: the parameter, its gradient and its state.

    `direction` says how gradients are applied: whether their sign changes, the multiple of the parameters that is added
    to them (or None), and the factor by which the parameters are multiplied (or None).
    """
    if fast is not None:
        rows = fast.change(name_of(rule), rows, direction, numbers)  # returns the rows it does not support
    for row in rows:
        if row[0].dtype.kind == "c":
            row = [as_real(array) for array in row]
        in_blocks(partial(update, rule, direction, numbers), row)


@lru_cache(maxsize=64)
def name_of(rule: Rule) -> str:
    """The name by which the compiled module knows a rule."""
    return f"{rule.__module__}.{rule.__qualname__}"


def update(
    rule: Rule, direction: Direction, numbers: tuple[Any, ...], param: Array, grad: Array, *state: Array
) -> None:
    """Updates a parameter and its state by a rule."""
    maximize, decay, factor = direction
    if maximize:
        grad = -grad
    if decay is not None:
        grad = grad + np.copy(param) * decay
    if factor is not None:
        param *= factor
    rule(numbers, param, grad, *state)


def in_blocks(function: Callable[..., None], arrays: list[np.ndarray]) -> None:
    """Calls a function of arrays of one shape: in blocks if they are long, so that temporaries stay in the cache."""
    size = arrays[0].size
    if size <= 2 * BLOCK or not all(array.flags.c_contiguous for array in arrays):
        function(*arrays)
        return
    flat = [array.reshape(-1) for array in arrays]
    for start in range(0, size, BLOCK):
        function(*[array[start : start + BLOCK] for array in flat])


def as_real(array: np.ndarray) -> np.ndarray:
    """Complex numbers as pairs of real numbers, in the same memory."""
    return array[..., np.newaxis].view(array.real.dtype)
