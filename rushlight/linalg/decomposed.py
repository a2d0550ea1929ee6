"""Singular value decompositions of arrays, in their own precision, as in PyTorch: NumPy's compute in double precision.

The generalized ufuncs of `np.linalg` are called directly. They are private: if they are missing, and for other arrays,
the public functions are used.
"""

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.lapack import computed
from rushlight.kernels.products import product

try:
    from numpy.linalg import _umath_linalg as UFUNCS
except ImportError:
    UFUNCS = None

NEEDED = "svd", "svd_f", "svd_s"
TALL = 4  # rows for each column from which singular vectors are those of R, multiplied by Q
MANY = 1 << 12  # elements from which that takes less time


def takes(x: Array) -> bool:
    """Whether the ufuncs exist and accept an array."""
    return (
        type(x) is np.ndarray and x.size > 0 and x.dtype.char in "fdFD" and all(hasattr(UFUNCS, one) for one in NEEDED)
    )


def svd(x: Array, full_matrices: bool) -> tuple[Array, ...]:
    """`np.linalg.svd` with singular vectors."""
    if not takes(x):
        return tuple(np.linalg.svd(x, full_matrices))
    rows, columns = x.shape[-2:]
    if x.ndim == 2 and x.size >= MANY and not full_matrices:
        if rows >= TALL * columns:
            return svd_of_tall(x)
        if columns >= TALL * rows:
            U, S, Vh = svd_of_tall(x.T)
            return Vh.T, S, U.T
    kind = x.dtype.char
    function = UFUNCS.svd_f if full_matrices else UFUNCS.svd_s
    return function(x, signature=f"{kind}->{kind}{kind.lower()}{kind}")


def svdvals(x: Array) -> Array:
    """The singular values alone."""
    if not takes(x):
        return np.linalg.svd(x, compute_uv=False)
    kind = x.dtype.char
    return UFUNCS.svd(x, signature=f"{kind}->{kind.lower()}")


def svd_of_tall(x: Array) -> tuple[Array, ...]:
    """The reduced decomposition of a matrix with many more rows than columns: x = Q R, and that of R."""
    found = computed("qr", x, False)
    Q, R = np.linalg.qr(x) if found is None else found
    left, S, Vh = svd(R, False)
    return product(Q, left), S, Vh
