"""SciPy's Fourier transforms without the Python around them, which takes longer than a short transform.

They transform several rows at once, several dimensions in one call, and many elements in several threads. They are
private: if they are missing, and for other arrays than NumPy's, the functions of `np.fft` are used, in the same order
of the dimensions.
"""

import itertools
import os
import sys
from collections.abc import Sequence
from functools import lru_cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.compiled import load
from rushlight.kernels.products import product
from rushlight.machine.threads import get_num_threads

fast: ModuleType | None = load("hermitian")
Norm = Any  # "backward", "ortho" or "forward", which callers check
MODULE = "scipy.fft._pocketfft.pypocketfft"
SHARED = 1 << 16  # elements from which several threads are worth it
MANY = 1 << 12  # elements from which the second half of a spectrum is better copied from the first
SHORT = 16  # numbers of a row up to which a product with a matrix takes less time
ROWS = 256  # rows from which on it does
NORMS = ("backward", "ortho", "forward")  # in the order of the numbers that SciPy gives the forward transform's
COMPLEX = {"f": "F", "d": "D"}  # the type of the spectrum of real numbers


@lru_cache
def functions() -> Any:
    """SciPy's compiled functions, without the packages that they are in, which load much; None if they are missing."""
    scipy = find_spec("scipy")
    if MODULE in sys.modules or scipy is None:
        return sys.modules.get(MODULE)
    places = [os.path.join(home, "fft", "_pocketfft") for home in scipy.submodule_search_locations or ()]
    found = PathFinder.find_spec(MODULE, places)
    if found is None or found.loader is None:
        return None
    module = sys.modules[MODULE] = module_from_spec(found)
    found.loader.exec_module(module)
    return module


def at_once(
    name: str, x: Array, sizes: Sequence[int], dims: Sequence[int], norm: Norm, *last: Any, out: Array | None = None
) -> Any:
    """SciPy's transform of an array, cropped or padded to `sizes`; None for what it does not take."""
    if type(x) is not np.ndarray or not x.size or not dims or functions() is None:
        return None
    if x.dtype.char not in ("FD" if name == "c2r" else "fdFD"):
        return None
    x = fitted(x, sizes, dims)
    if out is None and (found := by_product(name, x, dims, norm, *last)) is not None:
        return found
    number = NORMS.index(norm) if last[-1] else 2 - NORMS.index(norm)
    threads = get_num_threads() if x.size >= SHARED else 1
    return getattr(functions(), name)(x, dims, *last, number, out, threads)


def by_product(name: str, x: np.ndarray, dims: Sequence[int], norm: Norm, *last: Any) -> np.ndarray | None:
    """The transform of many short rows as a product with a matrix, which takes less time; None for others."""
    n = x.shape[-1]
    if n > SHORT or x.size < ROWS * n or len(dims) > 1 or dims[0] % x.ndim != x.ndim - 1 or not x.flags.c_contiguous:
        return None
    factor = matrix_of(name, n, norm, x.dtype.char, *last)
    if factor is None:
        return None
    real = x.dtype.char.lower()
    found = product(x.view(real).reshape(-1, len(factor)), factor)
    return found.view(real if name == "c2r" else real.upper()).reshape(*x.shape[:-1], -1)


@lru_cache
def matrix_of(name: str, n: int, norm: Norm, kind: str, *last: Any) -> np.ndarray | None:
    """The real matrix that transforms a row of `n` numbers, complex ones as pairs; None for too large ones."""
    size = n if kind in COMPLEX else 2 * n
    rows = np.eye(size).view(float if kind in COMPLEX else complex)
    if name == "c2r":
        found: Array = np.fft.irfft(rows, last[0], norm=norm)
    elif name == "r2c":
        found = np.fft.rfft(rows, norm=norm)
    else:
        found = np.fft.fft(rows, norm=norm) if last[0] else np.fft.ifft(rows, norm=norm)
    matrix: np.ndarray = found.view(float).astype(kind.lower())
    return matrix if max(matrix.shape) <= 2 * SHORT else None


def fitted(x: Array, sizes: Sequence[int], dims: Sequence[int]) -> Array:
    """The array with new sizes of some dimensions, cropped or padded with zeros."""
    shape = list(x.shape)
    if [shape[dim] for dim in dims] == list(sizes):
        return x
    for n, dim in zip(sizes, dims, strict=True):
        shape[dim] = n
    cropped = x[tuple(map(slice, shape))]
    if cropped.shape == tuple(shape):
        return cropped
    padded = np.zeros(shape, x.dtype)
    padded[tuple(map(slice, cropped.shape))] = cropped
    return padded


def transform(x: Array, sizes: Sequence[int], dims: Sequence[int], norm: Norm, forward: bool) -> Array:
    """The complex transform over some dimensions, or its inverse."""
    result = whole_spectrum(x, sizes, dims, norm) if forward else None
    if result is None:
        result = at_once("c2c", as_complex(x), sizes, dims, norm, forward)
    if result is not None:
        return result
    for n, dim in zip(reversed(sizes), reversed(dims), strict=True):
        x = np.fft.fft(x, n, dim, norm) if forward else np.fft.ifft(x, n, dim, norm)
    return x


def as_complex(x: Array) -> Array:
    """Real numbers as complex ones, since SciPy's transform of real numbers has zeros of the wrong sign."""
    return x.astype(COMPLEX[x.dtype.char]) if type(x) is np.ndarray and x.dtype.char in COMPLEX else x


def whole_spectrum(x: Array, sizes: Sequence[int], dims: Sequence[int], norm: Norm) -> np.ndarray | None:
    """The transform of many real numbers, the second half of which are conjugates of the first; None for others."""
    if type(x) is not np.ndarray or x.size < MANY or x.dtype.char not in COMPLEX or not dims or functions() is None:
        return None
    shape = list(x.shape)
    for n, dim in zip(sizes, dims, strict=True):
        shape[dim] = n
    *others, last = dims
    whole, half, n = np.empty(shape, COMPLEX[x.dtype.char]), [slice(None)] * x.ndim, sizes[-1]
    half[last] = slice(n // 2 + 1)
    at_once("r2c", x, sizes, dims, norm, True, out=whole[tuple(half)])
    if not others and last % x.ndim == x.ndim - 1 and fast is not None and fast.completed(whole):
        return whole
    for turned in itertools.product((False, True), repeat=len(others)):
        source, target = half.copy(), half.copy()
        source[last], target[last] = slice((n - 1) // 2, 0, -1), slice(n // 2 + 1, n)
        for dim, rest in zip(others, turned, strict=True):  # the first stays where it is, the rest is turned around
            source[dim], target[dim] = (slice(None, 0, -1), slice(1, None)) if rest else (slice(1), slice(1))
        np.conjugate(whole[tuple(source)], out=whole[tuple(target)])
    return whole


def real_part(x: Array, sizes: Sequence[int], dims: Sequence[int], norm: Norm) -> Array | None:
    """The real part of the inverse transform over the last dimension, by that of half a spectrum; None for others."""
    if type(x) is not np.ndarray or fast is None or len(dims) > 1 or dims[0] % x.ndim != x.ndim - 1:
        return None
    half = fast.folded(x)
    return None if half is None else from_half_spectrum(half, sizes, dims, norm)


def half_spectrum(x: Array, sizes: Sequence[int], dims: Sequence[int], norm: Norm) -> Array:
    """The transform of real numbers; in the last of the dimensions, only the first half is kept."""
    if (result := at_once("r2c", x, sizes, dims, norm, True)) is not None:
        return result
    return transform(np.fft.rfft(x, sizes[-1], dims[-1], norm), sizes[:-1], dims[:-1], norm, True)


def from_half_spectrum(x: Array, sizes: Sequence[int], dims: Sequence[int], norm: Norm) -> Array:
    """The inverse of `half_spectrum`."""
    result = at_once("c2r", x, (*sizes[:-1], sizes[-1] // 2 + 1), dims, norm, sizes[-1], False)
    if result is not None:
        return result
    for n, dim in zip(sizes[:-1], dims[:-1], strict=True):
        x = np.fft.ifft(x, n, dim, norm)
    return np.fft.irfft(x, sizes[-1], dims[-1], norm)
