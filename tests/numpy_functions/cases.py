"""Calls of NumPy's functions, and the arrays that they are about."""

from pathlib import Path

import numpy as np


def arguments():
    """The arrays that the calls are about."""
    rng = np.random.default_rng(7)
    m = rng.standard_normal((3, 3))
    n = rng.standard_normal((3, 4))
    n[0, 1] = n[2, 2] = np.nan
    return {
        "x": rng.standard_normal((3, 4)),
        "y": rng.standard_normal((3, 4)),
        "v": rng.standard_normal(5),
        "w": np.sort(rng.standard_normal(5)),
        "m": m,
        "s": m @ m.T + 3 * np.eye(3),
        "p": rng.random((3, 4)) + 0.5,
        "n": n,
        "t": rng.standard_normal((2, 3, 4)),
    }


HERE = Path(__file__).parent
CALLS = (HERE / "differentiable.txt").read_text().split()
CONSTANT = (HERE / "constant.txt").read_text().split()  # what has no derivative
