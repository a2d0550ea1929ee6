"""NumPy's and SciPy's Fourier transforms without their Python wrappers, which take longer than a short transform.

Few elements go to the generalized ufuncs of `np.fft`, many to the functions of `scipy.fft`, which transform several
rows at once and in several threads. Both are private: if they are missing, and for other arrays than NumPy's, the
functions of `np.fft` are used. The order of the dimensions is theirs.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.machine.threads import get_num_threads

try:
    from numpy.fft import _pocketfft_umath as UFUNCS  # type: ignore[attr-defined]
except ImportError:
    UFUNCS = None

MANY = 1 << 12  # elements from which SciPy is loaded and asked
SHARED = 1 << 16  # elements from which several threads are worth it
NORMS = ("backward", "ortho", "forward")  # in the order of the numbers that SciPy gives the forward transform's
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


@lru_cache
def of_many() -> Any:
    """SciPy's functions for many elements; None if they are not where they were."""
    try:
        from scipy.fft._pocketfft import pypocketfft  # loads much: only here
    except ImportError:
        return None
    return pypocketfft


def at_once(name: str, x: Array, sizes: Sequence[int], dims: Sequence[int], norm: str, *last: Any) -> Array | None:
    """SciPy's transform of an array of many elements, cropped or padded to `sizes`; None for any other."""
    fits = type(x) is np.ndarray and x.size >= MANY and x.dtype.char in ("FD" if name == "c2r" else TYPES)
    if not fits or not dims or of_many() is None:
        return None
    forward = last[-1]
    threads = get_num_threads() if x.size >= SHARED else 1
    return getattr(of_many(), name)(
        fitted(x, sizes, dims), dims, *last, NORMS.index(norm) if forward else 2 - NORMS.index(norm), None, threads
    )


def fitted(x: Array, sizes: Sequence[int], dims: Sequence[int]) -> Array:
    """The array with new sizes of some dimensions, cropped or padded with zeros."""
    shape = list(x.shape)
    for n, dim in zip(sizes, dims, strict=True):
        shape[dim] = n
    cropped = x[tuple(map(slice, shape))]
    if cropped.shape == tuple(shape):
        return cropped
    padded = np.zeros(shape, x.dtype)
    padded[tuple(map(slice, cropped.shape))] = cropped
    return padded


def transform(x: Array, sizes: Sequence[int], dims: Sequence[int], norm: str, forward: bool) -> Array:
    """The complex transform over some dimensions, or its inverse."""
    result = at_once("c2c", x, sizes, dims, norm, forward)
    if result is not None:
        return result
    for n, dim in zip(reversed(sizes), reversed(dims), strict=True):
        x = line("fft" if forward else "ifft", x, n, dim, norm)
    return x


def half_spectrum(x: Array, sizes: Sequence[int], dims: Sequence[int], norm: str) -> Array:
    """The transform of real numbers; in the last of the dimensions, only the first half is kept."""
    result = at_once("r2c", x, sizes, dims, norm, True)
    if result is not None:
        return result
    return transform(line("rfft", x, sizes[-1], dims[-1], norm), sizes[:-1], dims[:-1], norm, True)


def from_half_spectrum(x: Array, sizes: Sequence[int], dims: Sequence[int], norm: str) -> Array:
    """The inverse of `half_spectrum`."""
    result = at_once("c2r", x, (*sizes[:-1], sizes[-1] // 2 + 1), dims, norm, sizes[-1], False)
    if result is not None:
        return result
    for n, dim in zip(sizes[:-1], dims[:-1], strict=True):
        x = line("ifft", x, n, dim, norm)
    return line("irfft", x, sizes[-1], dims[-1], norm)
