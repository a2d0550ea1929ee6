"""Sizes given as one number for all dimensions or one for each: kernels, strides, paddings."""

from collections.abc import Sequence
from typing import Any

Numbers = int | Sequence[int]
PLAIN = {int, float, bool, type(None)}


def hashable(*numbers: Sequence[float] | float | None) -> list[Any]:
    """Converts lists to tuples, so that results can be cached by them."""
    return [tuple(n) if type(n) is list else n for n in numbers]


def are_plain(*numbers: Any) -> bool:
    """Whether numbers, and those in tuples, are Python's, so that results can be kept by their values."""
    for given in numbers:
        for number in given if type(given) is tuple else (given,):
            if type(number) not in PLAIN:
                return False
    return True


def repeated(numbers: Numbers, dims: int) -> tuple[int, ...] | None:
    """One number for each of `dims` dimensions; None if neither one nor that many are given."""
    if isinstance(numbers, int):
        return (numbers,) * dims
    found = tuple(int(n) for n in numbers)
    if len(found) == 1:
        return found * dims
    return found if len(found) == dims else None
