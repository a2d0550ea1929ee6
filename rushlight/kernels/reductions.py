"""Sums, products and extremes of arrays, of all elements or along some dimensions."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.kernels import parts
from rushlight.kernels.codes import LARGEST, NUMBERS, PRODUCT, SIZES, SMALLEST, SQUARES, SUM
from rushlight.kernels.compiled import load

__all__ = ["moments", "reduced", "summed", "total"]

fast: Any = load("reductions")
fast_wholes: Any = load("whole_reductions")
fast_moments: Any = load("moments")
MANY = 1 << 14  # elements from which on it pays off to look for an order of dimensions that the kernel takes
BLOCK = 4096  # rows of float32 that NumPy adds one after the other; more of them are added in blocks
UFUNCS: dict[int, np.ufunc] = {PRODUCT: np.multiply, LARGEST: np.maximum, SMALLEST: np.minimum}
TAKEN: dict[int, Callable[[np.ndarray], np.ndarray]] = {
    NUMBERS: lambda x: np.where(np.isnan(x), x.dtype.type(0), x),
    SQUARES: lambda x: x * x,
    SIZES: np.abs,
}
AFTERWARDS = dict.fromkeys((NUMBERS, SQUARES, SIZES), SUM)  # how results of some dimensions are reduced over others


def total(x: np.ndarray, kind: int = SUM) -> np.ndarray:
    """The reduction of all elements as a 0-dimensional array: by default the sum."""
    found = kernel_for(x).total(x, kind) if type(x) is np.ndarray and fast is not None else None
    return plain(x, None, False, kind) if found is None else found


def reduced(x: np.ndarray, dims: tuple[int, ...], keepdim: bool, kind: int) -> np.ndarray:
    """The reduction over some dimensions, which are kept with size 1 with `keepdim`."""
    if type(x) is np.ndarray and dims and fast is not None:
        found, first, last, kernel = None, dims[0], dims[0], kernel_for(x)
        if len(dims) == x.ndim:
            found = kernel.total(x, kind)
        elif len(dims) > 1:
            first, last = min(dims), max(dims)
        if len(dims) < x.ndim and last - first + 1 == len(dims):
            found = kernel.along(x, first, last, kind)
        if found is None and len(dims) < x.ndim > 2 and x.size >= MANY:
            found = in_order_of_memory(x, dims, kind)
        if found is not None:
            return found.reshape([1 if d in dims else n for d, n in enumerate(x.shape)]) if keepdim else found
    return plain(x, dims, keepdim, kind)


def summed(x: Any, dims: tuple[int, ...]) -> Any:
    """The sum over some dimensions in a formula: of NumPy's arrays by the kernel, of tensors as they record it."""
    return reduced(x, dims, False, SUM) if type(x) is np.ndarray else np.add.reduce(x, axis=dims)


def moments(x: np.ndarray, dims: tuple[int, ...], divisor: float) -> tuple[np.ndarray, np.ndarray] | None:
    """The sums of squared deviations over some dimensions, divided, and the means; None without a kernel for them."""
    if fast_moments is None or type(x) is not np.ndarray or not dims:
        return None
    first, last = min(dims), max(dims)
    return fast_moments.moments(x, first, last, divisor) if last - first + 1 == len(dims) else None


def in_order_of_memory(x: np.ndarray, dims: tuple[int, ...], kind: int) -> np.ndarray | None:
    """The reduction of a permuted contiguous array, or over dimensions that are apart; None for other layouts.

    The last dimensions in memory are reduced first, each run of them at once.
    """
    order = sorted(range(x.ndim), key=lambda d: -x.strides[d])
    found, left = x.transpose(order), [d not in dims for d in order]
    while found is not None and not all(left):
        last = max(i for i, kept in enumerate(left) if not kept)
        first = max((i + 1 for i in range(last) if left[i]), default=0)
        found, kind = kernel_for(found).along(found, first, last, kind), AFTERWARDS.get(kind, kind)
        del left[first : last + 1]
    if found is None:
        return None
    kept = [d for d in order if d not in dims]
    return found.transpose([kept.index(d) for d in sorted(kept)])


def kernel_for(x: np.ndarray) -> Any:
    """The compiled kernel for the elements of an array: integers and truths, or floats."""
    return fast_wholes if x.dtype.kind in "bi" else fast


def plain(x: np.ndarray, dims: tuple[int, ...] | None, keepdim: bool, kind: int) -> Any:
    """The reduction by NumPy's functions."""
    ufunc, taken = UFUNCS.get(kind, np.add), TAKEN.get(kind)
    x = x if taken is None else taken(x)
    if type(x) is np.ndarray and x.nbytes >= parts.LARGE and x.dtype.kind in "bui":
        return in_any_order(ufunc, x, dims, keepdim)
    if ufunc is np.add and dims == (0,) and x.ndim == 2 and x.shape[0] > BLOCK and x.dtype.itemsize < 8:
        x = np.add.reduceat(x, range(0, x.shape[0], BLOCK // 8), 0)
    return ufunc.reduce(x, axis=dims, keepdims=keepdim)


def in_any_order(ufunc: np.ufunc, x: np.ndarray, dims: tuple[int, ...] | None, keepdim: bool) -> Any:
    """The reduction of a large array of whole numbers or truths, in parts that threads share."""
    if (dims is None or len(dims) == x.ndim) and not keepdim and x.flags.forc:
        flat = x.ravel("K")
        adds = np.count_nonzero if x.dtype == bool and ufunc is np.add else ufunc.reduce
        return ufunc.reduce(
            parts.of_parts(lambda start, stop: adds(flat[start:stop]), x.size, parts.PART // x.itemsize)
        )
    if dims is None or 0 in dims:
        return ufunc.reduce(x, axis=dims, keepdims=keepdim)
    rows = max(1, parts.PART * len(x) // x.nbytes)
    return np.concatenate(
        parts.of_parts(lambda start, stop: ufunc.reduce(x[start:stop], axis=dims, keepdims=keepdim), len(x), rows)
    )
