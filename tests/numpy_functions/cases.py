"""Calls of NumPy's functions, and the arrays that they are about."""

from pathlib import Path

import numpy as np


def arguments():
    """The arrays that the calls are about."""
    rng = np.random.default_rng(7)
    m = rng.standard_normal((3, 3))
    n = rng.standard_normal((3, 4))
    n[0, 1] = n[2, 2] = np.nan
    real = {
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
    return real | {
        "z": real["x"] + 1j * real["y"],
        "c": real["v"] + 1j * real["w"],
        "q": real["m"] + 1j * real["s"],
    }


HERE = Path(__file__).parent
GONE = {"cross(x[:,:2],y[:,:2])", "cross(x[:,:2],m)"} if np.lib.NumpyVersion(np.__version__) >= "2.5.0" else set()
CALLS = [call for call in (HERE / "differentiable.txt").read_text().split() if call not in GONE]
CONSTANT = (HERE / "constant.txt").read_text().split()  # what has no derivative
