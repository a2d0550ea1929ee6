"""Indexed accumulation: adding many rows to a few places, several of them to the same place."""

import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.kinds import kind_of
from rushlight.kernels.compiled import load
from rushlight.kernels.steps import zeros

fast: ModuleType | None = load("accumulate")
maps: ModuleType | None = load("maps")
SMALL = 4096  # arrays up to this size use an index for every element; larger ones a sparse matrix


def are_indices(index: np.ndarray, n: int) -> Any:
    """Whether all elements are from 0 to n - 1."""
    if fast is not None and fast.are_indices(index, n):
        return True
    return not index.size or (index.min() >= 0 and index.max() < n)


def add_rows(index: np.ndarray, rows: np.ndarray, n: int) -> np.ndarray:
    """The sums of `rows` (m, ...) by their `index` (m,): zeros of (n, ...) with row k added in at `index[k]`.

    Indices are non-negative. Rows with the same index are added in their order. `np.add.at` is fast on one-dimensional
    arrays only; large rows are summed as a product with a sparse matrix of ones.
    """
    if fast is not None and (out := fast.add_rows(index, rows, n)) is not None:
        return out
    width = math.prod(rows.shape[1:])
    shape = (n, *rows.shape[1:])
    if rows.size == 0:
        return zeros(shape, rows)
    if width == 1 or rows.size <= SMALL or kind_of(rows.dtype) not in "fc" or rows.dtype.itemsize < 4:
        out = zeros((n * width,), rows)
        places = index if width == 1 else (index[:, None] * width + np.arange(width)).reshape(-1)
        np.add.at(out, places, rows.reshape(-1))
        return out.reshape(shape)
    from scipy.sparse import csc_matrix

    m = len(index)
    ones = np.ones(m, rows.dtype, like=rows)
    spread = csc_matrix((ones, index, np.arange(m + 1)), shape=(n, m))
    return (spread @ rows.reshape(m, width)).reshape(shape)


def add_runs(table: np.ndarray, places: np.ndarray, runs: np.ndarray, weights: Any, n: int) -> np.ndarray:
    """The sums (n, width) of rows of a table (m, width) at some places, each times its weight: one for each run.

    `runs` has for each place the number of its run, in ascending order; `weights` may be None.
    """
    if maps is not None and type(table) is np.ndarray and places.size:
        factors = None if weights is None else weights.astype(table.dtype, "C", copy=False)
        starts = np.searchsorted(runs, np.arange(n + 1))
        found = maps.mapped(table, 0, (starts.astype(np.int32), np.ascontiguousarray(places), factors))
        if found is not None:
            return found
    rows = table[places] if weights is None else table[places] * weights[:, None]
    return add_rows(runs, rows.astype(table.dtype, copy=False), n)


def add_along(source: np.ndarray, index: np.ndarray, dim: int, shape: Sequence[int]) -> np.ndarray | None:
    """Adds `source` at `index` along a dimension to zeros of a shape; None if the kernel does not take the inputs."""
    return None if fast is None else fast.add_along(source, index, dim, tuple(shape))


def flat_index(index: Sequence[np.ndarray], shape: Sequence[int]) -> np.ndarray:
    """Index arrays of the first dimensions of a shape, broadcast and combined to one flat index."""
    if len(index) == 1:
        only = index[0]
        return np.where(only < 0, only + shape[0], only) if only.size and only.min() < 0 else only
    return np.ravel_multi_index([i % n if n else i for i, n in zip(index, shape, strict=False)], shape[: len(index)])
