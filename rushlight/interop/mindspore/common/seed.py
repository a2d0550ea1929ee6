"""The seed of random numbers."""

import numpy as np

import rushlight as torch

__all__ = ["get_seed", "set_seed"]

SEED: list[int] = []


def set_seed(seed: int) -> None:
    """Seeds rushlight's generator and NumPy's, as MindSpore does. The numbers drawn differ from MindSpore's.

    TypeError for a seed that is not an integer, ValueError for a negative one.
    """
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise TypeError(f"The argument 'seed' must be type of int, but got {type(seed).__name__}.")
    if seed < 0:
        raise ValueError(f"The argument 'seed' must be greater than or equal to 0, but got {seed}.")
    np.random.seed(seed)
    torch.manual_seed(seed)
    SEED[:] = [seed]


def get_seed() -> int | None:
    """The seed that was set last; None if none was."""
    return SEED[0] if SEED else None
