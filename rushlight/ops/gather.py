"""Elements picked along a dimension by an index, and put back where they were: each the other's adjoint."""

import numpy as np

from rushlight.ops.table import operator

__all__ = []


def grid(index, dim):
    """The index arrays that pick `index` along `dim`: in the other dimensions each place counts itself."""
    places = np.ogrid[tuple(slice(n) for n in index.shape)]
    return (*places[:dim], index, *places[dim + 1 :])


@operator(input=lambda grad, dim, index, input_shape: _put_back(grad, dim, index, input_shape))
def _gather(input, dim, index):
    """The elements of `input` at `index` along `dim`; elsewhere the index may be smaller than the input."""
    if input.ndim == 0 or index.ndim == 0:
        return np.reshape(input, -1)[index]
    return input[grid(index, dim)]


@operator(input=lambda grad, dim, index: _gather(grad, dim, index), node="ScatterAddBackward0")
def _put_back(input, dim, index, shape, distinct=False):
    """Zeros of a shape with `input` added in at `index` along `dim`: the adjoint of `_gather`.

    Where no two elements go to the same place, `distinct` says so, which is faster.
    """
    out = np.zeros_like(input, shape=shape)
    if out.ndim == 0 or index.ndim == 0:
        np.add.at(out.reshape(-1), index, input)
    elif distinct:
        out[grid(index, dim)] = input
    elif input.size:
        np.add.at(out, grid(index, dim), input)
    return out
