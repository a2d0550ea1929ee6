"""Linear maps along the last dimensions, as sparse matrices: used for resizing and adaptive averaging."""

from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from math import ceil, log2, prod
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.compiled import load
from rushlight.nn.functional.batching import as_samples
from rushlight.ops.table import operator

fast: ModuleType | None = load("maps")


class Map:
    """A linear map along one dimension, as a sparse matrix, with values derived from it that are computed once."""

    def __init__(self, rows: Any):
        self.rows = rows
        self.in_dtype = cache(lambda dtype: rows.astype(dtype, copy=False))
        self.compressed = cache(self.parts)

    def parts(self, dtype: np.dtype) -> Any:
        """The starts of the rows, the columns and the weights in a dtype; None for a map to zeros."""
        rows = self.in_dtype(dtype)
        return (rows.indptr, rows.indices, rows.data) if rows.nnz else None

    @cached_property
    def in_fixed_point(self) -> tuple[Any, int]:
        """The weights as integers below 2 ** 15, and their number of fractional bits: at most 22, as in PyTorch."""
        bits = min(22, ceil(log2((2**15 - 0.5) / self.rows.data.max())) - 1)
        whole = self.rows * 2.0**bits
        whole.data = np.trunc(whole.data + np.copysign(0.5, whole.data))
        return whole.astype(np.int32), bits

    @cached_property
    def T(self) -> Any:
        """The transposed map."""
        turned = Map(self.rows.T.tocsr())
        turned.T = self
        return turned


def mapped(array: Array, maps: Any) -> Array:
    """The array with a map applied along each of its last dimensions."""
    if fast is not None:
        matrices = [each.compressed(array.dtype) for each in maps]
        if None not in matrices and (found := fast.mapped(array, array.ndim - len(maps), *matrices)) is not None:
            return found
    for axis, each in zip(range(-len(maps), 0), maps, strict=True):
        matrix = each.in_dtype(array.dtype)
        columns = array.swapaxes(axis, 0)
        flat = columns.reshape(columns.shape[0], prod(columns.shape[1:]))
        if type(flat) is not np.ndarray:
            matrix = matrix.toarray()  # sparse matrices only multiply NumPy arrays
        columns = (matrix @ flat).reshape(matrix.shape[0], *columns.shape[1:])
        array = columns.swapaxes(axis, 0)
    return np.ascontiguousarray(array, like=array)


def mapped_bytes(array: Array, maps: Any) -> Array:
    """`mapped` for uint8 pixels: the last dimension first, and each result rounded to uint8.

    A dimension that keeps its size is skipped, as in PyTorch.
    """
    for axis, each in reversed(list(zip(range(-len(maps), 0), maps, strict=True))):
        matrix, bits = each.in_fixed_point
        if matrix.shape[0] == matrix.shape[1]:
            continue
        columns = array.swapaxes(axis, 0)
        sums = matrix @ columns.reshape(columns.shape[0], -1).astype(np.int32)
        pixels = ((sums + (1 << bits - 1)) >> bits).clip(0, 255).astype(np.uint8)
        array = pixels.reshape(matrix.shape[0], *columns.shape[1:]).swapaxes(axis, 0)
    return np.ascontiguousarray(array)


LAYOUTS = {1: "channels last, lines", 2: "channels last, planes", 3: "contiguous"}
"""Where results of adaptive and average pooling lie, by the number of spatial dimensions."""


def enter_map(name: str, node: Any, layout: str = "channels last", aten: Any = None, of_bytes: Any = mapped) -> Any:
    """Registers an operator that applies maps; its derivative applies the transposes. `of_bytes` is for uint8."""

    def compute(input: Array, maps: Any) -> Array:
        if input.dtype == np.float16:
            return mapped(input.astype(np.float32), maps).astype(np.float16)
        return (of_bytes if input.dtype == np.uint8 else mapped)(input, maps)

    entry = operator(
        layout=layout,
        batch=as_samples,
        linear=True,
        name=name,
        node=node,
        aten=aten,
        input=lambda grad, maps: entry(grad, tuple(m.T for m in maps)),
    )(compute)
    return entry


def matrix(rows: Array, columns: Array, weights: Array, shape: Sequence[int]) -> Any:
    """The map with the given weights at rows and columns; weights at the same position are added."""
    from scipy.sparse import csr_array

    rows, columns = np.broadcast_arrays(rows.astype(np.int32), columns.astype(np.int32))
    weights = np.broadcast_to(weights, rows.shape)
    return Map(csr_array((weights.ravel(), (rows.ravel(), columns.ravel())), shape=shape))


@lru_cache(maxsize=64)
def averaging(size: int, count: int) -> Any:
    """The means of `count` windows along a dimension: from floor(i * size / count) to ceil((i + 1) * size / count)."""
    window = np.arange(count)
    starts, ends = window * size // count, -(-(window + 1) * size // count)
    lengths = ends - starts
    rows = np.repeat(window, lengths)
    columns = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(starts, lengths)
    return matrix(rows, columns, np.repeat(1 / lengths, lengths), (count, size))
