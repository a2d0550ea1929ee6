"""Copies of arrays with their elements in another order: flipped and rolled."""

from collections.abc import Sequence
from types import ModuleType

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.compiled import load

__all__ = ["flipped", "rolled"]

fast: ModuleType | None = load("moves")


def flipped(input: Array, dims: tuple[int, ...]) -> Array:
    """The elements with some dimensions reversed, in the order in memory of the array."""
    if fast is not None and (found := fast.flipped(input, dims)) is not None:
        return found
    turned = np.flip(input, dims)
    return turned.copy("K") if type(turned) is np.ndarray else turned.copy()


def rolled(input: Array, shifts: Sequence[int], dims: Sequence[int]) -> Array:
    """The elements shifted along dimensions, those of the flattened array if there are none; `np.roll`."""
    if fast is None or type(input) is not np.ndarray:
        return np.roll(input, shifts, dims) if dims else np.roll(input, shifts[0])
    if dims:
        found = fast.rolled(input, shifts, dims)
    else:
        found = fast.rolled(input.reshape(-1), shifts, (0,)).reshape(input.shape)
    return found
