"""Forward-mode rules, named in operator entries, for operators whose gradient formulas would be slower to transpose.

A rule is a function of (op, outs, args, tangents): the operator, its outputs, its arguments without tangents, and the
tangents by position, None where an argument has none. It returns the tangent of each output, or None to leave the
operator to the general rule. It consists of tensor operations, so it can be differentiated again.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.forward import apply_formula
from rushlight.core.graph import TensorBase


def is_complex(values: Sequence[Any]) -> bool:
    """Whether any of the values is a complex tensor."""
    return any(isinstance(value, TensorBase) and value._array.dtype.kind == "c" for value in values)


def symmetric(op: Any, outs: Sequence[Array], args: Any, tangents: Sequence[Array]) -> Any:
    """For operators with a symmetric Jacobian: the gradient formula, applied to the tangent."""
    return None if is_complex((*args, *outs)) else [apply_formula(op, 0, tangents[op.inputs[0]], args, outs)]


def weighed(op: Any, outs: Sequence[Array], args: Any, tangents: Sequence[Array]) -> list[Array | None] | None:
    """For reductions: the sum of the tangents, each times the derivative that the gradient formula gives."""
    if is_complex(args):
        return None
    weights = apply_formula(op, 0, np.ones_like(outs[0]), args, outs)
    if weights is None:
        return [None]
    given = dict(zip(op.params, args, strict=True))
    axes = given.get("dims", given.get("dim"))
    return [np.add.reduce(weights * tangents[0], axis=axes, keepdims=bool(given.get("keepdim", False)))]
