"""Elementwise functions that are fused: computed step by step for each part of the arrays; see `formulas`."""

from collections.abc import Callable
from functools import lru_cache, wraps
from inspect import signature
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.formulas import Formula, evaluate

MOST = 4  # the most operands of a formula
VALUES = 16  # the most combinations of further options that get a formula of their own


def fused(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes an elementwise function (of arrays, then numbers and options) compute arrays as one fused formula.

    Called with anything else, such as tensors, the function runs as it is written.
    """
    arity = len(signature(function).parameters)
    formula = Formula(function, arity)
    rest = (None,) * (MOST - arity)

    @lru_cache(maxsize=VALUES)
    def with_options(*options: Any) -> Formula:
        return Formula(lambda *operands: function(*operands, *options), MOST)

    @wraps(function)
    def run(*operands: Any) -> Array:
        if type(operands[0]) is not np.ndarray:
            return function(*operands)
        if arity > MOST:
            return evaluate(with_options(*operands[MOST:]), *operands[:MOST])
        return evaluate(formula, *operands, *rest)

    return run
