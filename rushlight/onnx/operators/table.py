"""The table of translations of operators to ONNX.

A translation is a function of the graph and of the operator's arguments, entered under the operator's name; functions
of arrays that are not operators have names that end in parentheses. It adds nodes, and returns the name of the result
or the names of the results, as many as ONNX has counterparts for.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from rushlight.compiler.program import Value

__all__ = ["TRANSLATIONS", "Operand", "number", "numbers", "translates"]

# What a node takes: a value of the recording, an array, or the name of another node's result.
Operand: TypeAlias = Any
TRANSLATIONS: dict[str, Callable[..., Any]] = {}


def translates(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enters a function as the translation of the named operators."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        TRANSLATIONS.update(dict.fromkeys(names, function))
        return function

    return enter


def number(value: Any, like: Value) -> Any:
    """An operand; a Python number gets the dtype of another value."""
    return value if isinstance(value, (Value, str)) else np.asarray(value, like.dtype)


def numbers(*operands: Any) -> list[Any]:
    """The operands; Python numbers among them get the dtype of the tensors."""
    like = next(one for one in operands if isinstance(one, Value))
    return [number(one, like) for one in operands]
