"""Singular value decompositions of arrays, in their own precision, as in PyTorch: NumPy's compute in double precision.

The generalized ufuncs of `np.linalg` are called directly. They are private: if they are missing, and for other arrays,
the public functions are used.
"""

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.layouts import transposed
from rushlight.machine.blas import lapack_functions

try:
    from numpy.linalg import _umath_linalg as UFUNCS
except ImportError:
    UFUNCS = None

NEEDED = "svd", "svd_f", "svd_s"
TALL = 4  # rows for each column from which singular vectors are those of R, multiplied by Q
MANY = 1 << 12  # elements from which SciPy's functions are worth their calls
BLOCK = 64  # columns that LAPACK works on at once, and for its own use as many more


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
    """The reduced decomposition of a matrix with many more rows than columns: x = Q R, and that of R.

    LAPACK does so too, but it forms Q before it multiplies it by the singular vectors.
    """
    rows, columns = x.shape
    factorize, multiply = lapack_functions(("geqrf", "unmqr" if x.dtype.kind == "c" else "ormqr"), x, x)
    work = BLOCK * (columns + BLOCK + 1)
    reflections, scales, _, _ = factorize(transposed(x).T if x.flags.c_contiguous else x, lwork=work)
    left, S, Vh = svd(np.triu(reflections[:columns]), False)
    U = np.zeros((columns, rows), x.dtype).T
    U[:columns] = left
    return multiply("L", "N", reflections, scales, U, work, overwrite_c=True)[0], S, Vh
