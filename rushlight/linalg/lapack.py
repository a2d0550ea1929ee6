"""NumPy's QR decomposition and `solve` without their Python wrappers, which take longer than the computation.

The generalized ufuncs of `np.linalg`, which compute in double precision, are called directly for NumPy arrays. They are
private: if they are missing, and for other arrays, the public functions are used.
"""

from typing import Literal

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.triangles import triangle

try:
    from numpy.linalg import _umath_linalg as UFUNCS
except ImportError:
    UFUNCS = None

WIDE = {"f": "d", "d": "d", "F": "D", "D": "D"}  # the types that the ufuncs compute in
NEEDED = "qr_r_raw", "qr_reduced", "qr_complete", "solve"


def takes(*matrices: Array) -> bool:
    """Whether the ufuncs exist and accept the arrays: not empty, and of one supported dtype."""
    first = matrices[0]
    return all(hasattr(UFUNCS, name) for name in NEEDED) and all(
        type(x) is np.ndarray and x.size and x.dtype == first.dtype and x.dtype.char in WIDE for x in matrices
    )


def qr(x: Array, mode: Literal["reduced", "complete"]) -> tuple[Array, ...]:
    """`np.linalg.qr` with mode "reduced" or "complete"."""
    if not takes(x):
        return tuple(np.linalg.qr(x, mode))
    rows, columns = x.shape[-2:]
    complete = mode == "complete" and rows > columns
    wide = WIDE[x.dtype.char]
    raw = x.astype(wide)
    tau = UFUNCS.qr_r_raw(raw, signature=f"{wide}->{wide}")  # leaves R and Q's vectors in `raw`
    product = UFUNCS.qr_complete if complete else UFUNCS.qr_reduced
    Q = product(raw, tau, signature=f"{wide}{wide}->{wide}")
    R = triangle(raw[..., : rows if complete else min(rows, columns), :], 0, False)
    return Q.astype(x.dtype, copy=False), R.astype(x.dtype, copy=False)


def solved(x: Array, y: Array) -> Array | None:
    """`np.linalg.solve` with matrices `y`; None for unsupported arrays, and if a matrix may be singular."""
    if not takes(x, y):
        return None
    wide = WIDE[x.dtype.char]
    found = UFUNCS.solve(x, y, signature=f"{wide}{wide}->{wide}")
    column = found[..., 0]  # all NaN for singular matrices
    return None if (column != column).any() else found.astype(x.dtype, copy=False)
