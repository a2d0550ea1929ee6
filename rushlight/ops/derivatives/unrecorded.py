"""Gradient formulas in passes that run on tensors for the sake of memory layouts alone."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.interpreters import STACK
from rushlight.core.recording import recording


def with_kernels(formula: Callable[..., Any]) -> Callable[..., Any]:
    """Has a formula, whose gradients are contiguous, compute with arrays where nothing is recorded, for its kernels."""

    @wraps(formula)
    def computed(*values: Any) -> Any:
        if not isinstance(values[0], TensorBase) or STACK.depth or recording():
            return formula(*values)
        arrays = [value._array if isinstance(value, TensorBase) else value for value in values]
        if any(isinstance(value, TensorBase) and type(value._array) is not np.ndarray for value in values):
            return formula(*values)
        found = formula(*arrays)
        return [new_tensor(grad) for grad in found] if type(found) is list else new_tensor(found)

    return computed
