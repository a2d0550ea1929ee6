"""Elementwise functions that are taken in one go, step by step for each part of the arrays: see `formulas`."""

from collections.abc import Callable
from functools import lru_cache, wraps
from inspect import signature
from typing import Any

import numpy as np

from rushlight.core.formulas import Formula, evaluate

MOST = 4  # operands of a formula
VALUES = 16  # choices of options beyond these for each of which there is a formula


def fused(function: Callable[..., Any]) -> Callable[..., Any]:
    """An elementwise function of arrays, then numbers and options, that computes arrays as a formula.

    On anything else, such as tensors, it works as it is.
    """
    arity = len(signature(function).parameters)
    formula = Formula(function, arity)
    rest = (None,) * (MOST - arity)

    @lru_cache(maxsize=VALUES)
    def with_options(*options):
        return Formula(lambda *operands: function(*operands, *options), MOST)

    @wraps(function)
    def run(*operands):
        if type(operands[0]) is not np.ndarray:
            return function(*operands)
        if arity > MOST:
            return evaluate(with_options(*operands[MOST:]), *operands[:MOST])
        return evaluate(formula, *operands, *rest)

    return run
