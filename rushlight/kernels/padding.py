"""Arrays with a constant, or with more of their own elements, around them."""

from collections.abc import Sequence
from types import ModuleType

import numpy as np

from rushlight.kernels.compiled import load

__all__ = ["picked", "surrounded"]

fast: ModuleType | None = load("pads")
MOST = 3  # dimensions that the compiled kernel pads


def picked(input: np.ndarray, places: Sequence[np.ndarray]) -> np.ndarray:
    """The elements at the given places of each of the last dimensions."""
    if (found := surrounded(input, places, 0)) is not None:
        return found
    for dim, index in enumerate(reversed(places), 1):
        input = np.take(input, index, axis=-dim)
    return input


def surrounded(input: np.ndarray, places: Sequence[np.ndarray], value: complex) -> np.ndarray | None:
    """The same, with a value where a place is -1; None where there is no kernel for it."""
    if fast is None or type(input) is not np.ndarray or not 0 < len(places) <= MOST:
        return None
    return fast.padded(input, tuple(places), np.array(value, input.dtype))
