"""Padding with a constant or with elements of the array, and its adjoint."""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.accumulate import add_rows
from rushlight.kernels.compiled import load
from rushlight.kernels.parts import MANY, contiguous, duplicate

__all__ = ["added_back", "as_places", "picked", "surrounded"]

fast: Any = load("pads")
LONG = 4096  # positions of longer lines are not cached


def keep_places(function: Callable[..., Array]) -> Callable[..., Array]:
    """Caches the positions that a function computes for a short line, whose length is its first argument."""

    def found(*args: Any) -> Array:
        return as_places(function(*args))

    again = lru_cache(maxsize=256)(found)
    return lambda n, *args: (again if n < LONG else found)(n, *args)


def as_places(places: Array) -> Array:
    """Positions in the form that the kernel reads; they are read-only, as they may be cached."""
    places = np.ascontiguousarray(places, np.int64)
    places.flags.writeable = False
    return places


@keep_places
def outside(n: int, before: int, after: int) -> Array:
    """The positions of a line with constant padding: -1 for the padding."""
    places = np.arange(-before, n + after)
    return np.where(places < n, np.maximum(places, -1), -1)


def picked(input: Array, places: Sequence[np.ndarray]) -> Array:
    """The elements at the given positions of each of the last dimensions."""
    if has_kernel(input) and (found := fast.padded(contiguous(input), tuple(places), None)) is not None:
        return found
    for dim, index in enumerate(reversed(places), 1):
        input = np.take(input, index, axis=-dim)
    return input


def added_back(input: Array, shape: Sequence[int], places: Sequence[np.ndarray]) -> Array:
    """Each element added to the one at its position in an array of `shape`: the adjoint of `picked`."""
    if has_kernel(input) and (found := fast.unpadded(contiguous(input), tuple(shape), tuple(places))) is not None:
        return found
    for dim, index in enumerate(places, len(shape) - len(places)):
        rows = np.swapaxes(input, dim, 0)
        input = np.swapaxes(add_rows(index, np.ascontiguousarray(rows, like=rows), shape[dim]), 0, dim)
    return np.ascontiguousarray(input, like=input)


def surrounded(input: Array, widths: Sequence[tuple[int, int]], value: complex) -> np.ndarray | None:
    """The array padded with a constant, or cropped; None if there is no kernel for it."""
    if not has_kernel(input):
        return None
    places, behind = places_surrounded(input.shape, tuple(widths))
    if not places:
        return duplicate(input)
    return fast.padded(contiguous(input), places, np.array(value, input.dtype), behind)


def places_between(shape: tuple[int, ...], widths: tuple[tuple[int, int], ...]) -> tuple[tuple[np.ndarray, ...], int]:
    """The positions along each dimension from the first to the last that is padded or cropped, and how many follow.

    If threads could not share the lines up to there, one more dimension is taken.
    """
    dims = [dim for dim, around in enumerate(widths) if around != (0, 0)]
    if not dims:
        return (), 0
    last = dims[-1] if math.prod(shape[: dims[-1]]) >= MANY else min(dims[-1] + 1, len(shape) - 1)
    places = tuple([outside(shape[dim], *widths[dim]) for dim in range(dims[0], last + 1)])
    return places, len(shape) - 1 - last


places_again = lru_cache(maxsize=256)(places_between)


def places_surrounded(
    shape: tuple[int, ...], widths: tuple[tuple[int, int], ...]
) -> tuple[tuple[np.ndarray, ...], int]:
    """`places_between`, which are kept for small arrays."""
    return (places_again if max(shape, default=0) < LONG else places_between)(shape, widths)


def has_kernel(input: Array) -> bool:
    """Whether there is a kernel for arrays of this type."""
    return fast is not None and type(input) is np.ndarray
