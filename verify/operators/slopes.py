"""Central differences, which decide which library is right where derivatives differ."""

from collections.abc import Callable

import numpy as np

STEP = 1e-5


def inner(left: list, right: list) -> float:
    """The real inner product of lists of tensors."""
    pairs = [(np.asarray(array(a)), np.asarray(array(b))) for a, b in zip(left, right, strict=True) if a is not None]
    return sum(float(np.sum(np.conj(a) * b).real) for a, b in pairs)


def array(tensor) -> np.ndarray:
    """A tensor's values."""
    return tensor.detach().resolve_conj().resolve_neg().numpy()


def agree(slopes: list[float], function: Callable[[float], float]) -> bool:
    """Whether the slope of a function at zero is one of some numbers, by differences with two steps."""
    wide, narrow = ((function(h) - function(-h)) / (2 * h) for h in (STEP, STEP / 10))
    scale = max(abs(wide), abs(narrow), 1e-2)
    if not abs(wide - narrow) <= 1e-3 * scale:
        return False  # no derivative here that differences could find
    return all(abs(slope - wide) <= 2e-3 * scale for slope in slopes)


def moved(inputs: list, directions: list, distance: float) -> list:
    """Inputs at a distance in some directions."""
    return [(x.detach() + d * distance).requires_grad_() for x, d in zip(inputs, directions, strict=True)]
