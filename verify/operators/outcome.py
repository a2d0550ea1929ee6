"""The results of an operator in both libraries, and the judgement of a difference."""

import warnings
from collections.abc import Callable
from typing import Any

from verify.compare import differences
from verify.libraries import LIBRARIES
from verify.operators.cases import Case, Side


class Raised:
    """An exception that a use ended with."""

    def __init__(self, error: Exception):
        self.type, self.words = type(error).__name__, str(error)

    def __str__(self) -> str:
        return f"{self.type}: {self.words[:160]}"


def outcome(use: Callable[[Side], Any], case: Case, library) -> Any:
    """What a use gives, or the exception that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return use(case.side(library))
        except Exception as error:
            return Raised(error)


def difference(ours: Any, theirs: Any) -> str:
    """In what two outcomes differ, or nothing."""
    if isinstance(ours, Raised) or isinstance(theirs, Raised):
        if isinstance(ours, Raised) and isinstance(theirs, Raised):
            return "" if ours.type == theirs.type else f"raises {ours}\non PyTorch {theirs}"
        if isinstance(ours, Raised):
            return f"raises {ours}\non PyTorch nothing"
        return f"raises nothing\non PyTorch {theirs}"
    return next(differences((ours,), (theirs,), "result", LIBRARIES), "")
