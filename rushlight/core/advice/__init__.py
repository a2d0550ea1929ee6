"""Advice on the most frequent mistakes: a sentence after PyTorch's words, from tables that the first error loads."""

import re
from collections.abc import Iterable
from typing import Any

from rushlight.core.above import ABOVE

__all__ = ["advised", "listed", "with_advice"]


def advised(text: str) -> str:
    """A message with the advice that fits it.

    >>> from rushlight.core.advice import advised
    >>> advised("Class values must be smaller than num_classes.")
    'Class values must be smaller than num_classes. num_classes is the largest class plus 1, or more.'
    """
    for pattern, words in ABOVE.patterns_of_advice():
        found = re.search(pattern, text)
        if found:
            advice = words.format(found[0], *found.groups())
            return text if advice in text else f"{text.rstrip()}{'' if text.rstrip()[-1] in '.:!?' else '.'} {advice}"
    return text


def with_advice(error: Exception) -> Exception:
    """The same error, its message followed by the advice that fits it."""
    if isinstance(error, (RuntimeError, ValueError, IndexError, TypeError, AssertionError)) and len(error.args) == 1:
        error.args = (advised(str(error)),)
    return error


def listed(values: Iterable[Any]) -> list[Any]:
    """A list of the values; Python's TypeError, with advice, for an object that is not iterable.

    >>> from rushlight.core.advice import listed
    >>> listed(1.5)
    Traceback (most recent call last):
    TypeError: 'float' object is not iterable. Give tensors in a list, [w], or those of a model: model.parameters().
    """
    try:
        walk = iter(values)
    except TypeError as error:
        raise TypeError(advised(str(error))) from None
    return list(walk)
