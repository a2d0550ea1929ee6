"""NumPy's Fourier transforms without their Python wrappers, which take longer than a short transform.

The generalized ufuncs of `np.fft` are called directly for contiguous NumPy arrays. They are private: if they are
missing, and for other arrays, the functions of `np.fft` are used. The order of the dimensions is theirs.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from rushlight.core.aliases import Array

try:
    from numpy.fft import _pocketfft_umath as UFUNCS  # type: ignore[attr-defined]
except ImportError:
    UFUNCS = None

TYPES = {"f": ("f", "F"), "d": ("d", "D"), "F": ("f", "F"), "D": ("d", "D")}  # real and complex types


@lru_cache
def form(name: str, n: int, norm: str, kind: str) -> Any:
    """A ufunc, its factor, and the dtype of its result; None if there is no ufunc."""
    ufunc = getattr(UFUNCS, f"rfft_n_{'odd' if n % 2 else 'even'}" if name == "rfft" else name, None)
    if ufunc is None or kind not in TYPES:
        return None
    real = np.dtype(TYPES[kind][0]).type
    scaled = norm == "ortho" or (norm == "forward") == (name in ("fft", "rfft"))
    factor = 1 if not scaled else np.reciprocal(np.sqrt(n, dtype=real) if norm == "ortho" else n, dtype=real)
    return ufunc, factor, np.dtype(TYPES[kind][name != "irfft"])


def line(name: str, x: Array, n: int, dim: int, norm: str) -> Array:
    """A transform along one dimension: `name` is that of the function in `np.fft`."""
    found = form(name, n, norm, x.dtype.char) if type(x) is np.ndarray and x.flags.c_contiguous and x.size else None
    if found is None:
        return getattr(np.fft, name)(x, n, dim, norm)
    ufunc, factor, dtype = found
    shape = list(x.shape)
    shape[dim] = n // 2 + 1 if name == "rfft" else n
    out = np.empty(shape, dtype)
    if dim == -1 or dim == x.ndim - 1:
        return ufunc(x, factor, out)
    return ufunc(x, factor, out, axes=[(dim,), (), (dim,)])


def transform(x: Array, sizes: Sequence[int], dims: Sequence[int], norm: str, forward: bool) -> Array:
    """The complex transform over some dimensions, or its inverse."""
    for n, dim in zip(reversed(sizes), reversed(dims), strict=True):
        x = line("fft" if forward else "ifft", x, n, dim, norm)
    return x


def half_spectrum(x: Array, sizes: Sequence[int], dims: Sequence[int], norm: str) -> Array:
    """The transform of real numbers; in the last of the dimensions, only the first half is kept."""
    return transform(line("rfft", x, sizes[-1], dims[-1], norm), sizes[:-1], dims[:-1], norm, True)


def from_half_spectrum(x: Array, sizes: Sequence[int], dims: Sequence[int], norm: str) -> Array:
    """The inverse of `half_spectrum`."""
    for n, dim in zip(sizes[:-1], dims[:-1], strict=True):
        x = line("ifft", x, n, dim, norm)
    return line("irfft", x, sizes[-1], dims[-1], norm)
