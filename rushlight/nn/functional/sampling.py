"""Linear maps along the last dimensions, each a sparse matrix: what resizing and adaptive averaging are made of."""

from functools import lru_cache
from math import prod

import numpy as np

from rushlight.nn.functional.batching import as_samples
from rushlight.ops.table import operator


def mapped(array, maps):
    """The array with each of its last dimensions multiplied by a matrix."""
    for axis, matrix in zip(range(-len(maps), 0), maps, strict=True):
        columns = array.swapaxes(axis, 0)
        flat = columns.reshape(columns.shape[0], prod(columns.shape[1:]))
        if type(flat) is not np.ndarray:
            matrix = matrix.toarray()  # a sparse matrix knows of NumPy's arrays alone
        columns = (matrix.astype(array.dtype, copy=False) @ flat).reshape(matrix.shape[0], *columns.shape[1:])
        array = columns.swapaxes(axis, 0)
    return np.ascontiguousarray(array, like=array)


LAYOUTS = {1: "channels last, lines", 2: "channels last, planes", 3: "contiguous"}
"""Where results of adaptive and average pooling lie, by the number of spatial dimensions."""


def along(name, node, layout="channels last", aten=None):
    """Enters an operator that is such a map; its derivative is the transposed one."""
    entry = operator(
        layout=layout,
        batch=as_samples,
        linear=True,
        name=name,
        node=node,
        aten=aten,
        input=lambda grad, maps: entry(grad, tuple(m.T for m in maps)),
    )(
        lambda input, maps: (
            mapped(input.astype(np.float32), maps).astype(np.float16)
            if input.dtype == np.float16
            else mapped(input, maps)
        )
    )
    return entry


def matrix(rows, columns, weights, shape):
    """A sparse matrix of weights at places, which may coincide: then they are added."""
    from scipy.sparse import csr_array

    rows, columns = np.broadcast_arrays(rows, columns)
    return csr_array((np.broadcast_to(weights, rows.shape).ravel(), (rows.ravel(), columns.ravel())), shape=shape)


@lru_cache(maxsize=64)
def averaging(size, count):
    """The means of `count` windows of a line: from floor(i * size / count) to ceil((i + 1) * size / count)."""
    window = np.arange(count)
    starts, ends = window * size // count, -(-(window + 1) * size // count)
    lengths = ends - starts
    rows = np.repeat(window, lengths)
    columns = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(starts, lengths)
    return matrix(rows, columns, np.repeat(1 / lengths, lengths), (count, size))
