"""Histograms with edges: `histogram` of numbers, `histogramdd` of points."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import new_tensor
from rushlight.dtypes import FROM_NUMPY
from rushlight.ops.arguments.keywords import keywords
from rushlight.ops.arguments.mismatch import C_NAMES
from rushlight.ops.arguments.promotion import missing
from rushlight.ops.making.ranges import linspace
from rushlight.ops.table import method
from rushlight.return_types import histogram as Histogram
from rushlight.return_types import histogramdd as HistogramOfPoints
from rushlight.tensors import Tensor

__all__ = ["histogram", "histogramdd"]


@method
@keywords
def histogram(
    input: Tensor,
    bins: Any = 100,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Any:
    """The number of elements, or the sum of their weights, in each bin; and the edges of the bins.

    `bins` are the edges, or a number of bins of equal width over `range` (by default that of the elements). With
    `density` the histogram is scaled so that its area is 1. NotImplementedError for anything but tensors of
    float32 and float64. Not differentiable.

    >>> import rushlight as torch
    >>> torch.histogram(torch.tensor([1.0, 2.0, 1.0]), bins=2, range=(0.0, 3.0))
    torch.return_types.histogram(
    hist=tensor([2., 1.]),
    bin_edges=tensor([0.0000, 1.5000, 3.0000]))
    """
    counts, edges = counted(input.reshape(-1, 1), [bins], range, weight, density)
    return Histogram((counts, edges[0]))


def histogramdd(
    input: Tensor,
    bins: Any,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Any:
    """How many points, the rows of `input` (n, d), lie in each bin of a d-dimensional grid, and the edges.

    `bins` and `range` are as for `histogram`, with one entry of `bins` and two bounds for each dimension.

    >>> import rushlight as torch
    >>> counts, edges = torch.histogramdd(torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), bins=[2, 2])
    >>> counts
    tensor([[0., 1.],
            [1., 1.]])
    """
    if input.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    dims = input.shape[-1]
    many = [bins] * dims if isinstance(bins, int) else list(bins)
    if len(many) != dims and all(isinstance(count, int) for count in many):
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    points = input.reshape(math.prod(input.shape[:-1]), dims)
    counts, edges = counted(points, many, range, weight, density)
    found: Any = (counts, tuple(edges if not many or isinstance(many[0], int) else many))
    return HistogramOfPoints(found)


def edges_of(bins: Tensor, dtype: np.dtype, dim: int) -> Array:
    """A copy of the edges of bins. RuntimeError if they are not a vector of the points' type."""
    if bins._array.dtype != dtype:
        raise RuntimeError(
            "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype "
            f"{C_NAMES[dtype.name]} and bins for dimension {dim} with dtype {C_NAMES[bins._array.dtype.name]}"
        )
    if bins.ndim != 1:
        raise RuntimeError(
            f"torch.histogramdd: bins tensor should have one dimension, but got {bins.ndim} dimensions in the bins "
            f"tensor for dimension {dim}"
        )
    if not bins._array.size:
        raise RuntimeError(
            "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor for "
            f"dimension {dim}"
        )
    if bins._array.size < 2:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins._array.size - 1} for dimension {dim}")
    return np.array(bins._settled(), order="C")


def even_edges(values: Array, count: int, limits: Sequence[float] | None, dim: int) -> Array:
    """The edges of a number of bins of equal width, between limits or else the extreme values. RuntimeError if none."""
    low, high = limits or ((float(values.min()), float(values.max())) if values.size else (0.0, 1.0))
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.histogramdd: dimension {dim}'s range [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension {dim}"
        )
    low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
    return linspace(low, high, count + 1, dtype=FROM_NUMPY[values.dtype])._array


def counts_between(points: Array, edges: list[Array], weights: Array | None, density: bool) -> Array:
    """The counts, or the sums of weights, between edges, which need not increase: bins are found by bisection."""
    shape = [len(edge) - 1 for edge in edges]
    within, places = np.ones(len(points), bool), []
    for values, edge in zip(points.T, edges, strict=True):
        within &= (values >= edge[0]) & (values <= edge[-1])
        places.append(np.where(values == edge[-1], len(edge) - 2, bisected(edge, values) - 1))
    chosen = np.ravel_multi_index(
        [np.clip(place[within], 0, n - 1) for place, n in zip(places, shape, strict=True)], shape
    )
    chosen_weights = None if weights is None else weights[within]
    counts = np.bincount(chosen, chosen_weights, math.prod(shape)).reshape(shape).astype(points.dtype)
    if density:
        counts = counts / counts.sum(dtype=points.dtype)
        for dim, edge in enumerate(edges):
            counts = counts / np.diff(edge).reshape([-1 if d == dim else 1 for d in np.arange(len(shape))])
    return counts


def bisected(edges: Array, values: Array) -> Array:
    """The number of edges up to each value, as C++'s `upper_bound` finds it: for edges in any order too."""
    first, count = np.zeros(values.shape, np.int64), np.full(values.shape, len(edges))
    while count.any():
        middle = first + count // 2
        above = (count > 0) & (values >= edges[np.minimum(middle, len(edges) - 1)])
        first = np.where(above, middle + 1, first)
        count = np.where(above, count - count // 2 - 1, count // 2)
    return first


def weights_of(weight: Tensor, points: Array) -> Array:
    """The weights of points, one for each. RuntimeError if they are not of the points' type, or of another number."""
    array = weight.numpy(force=True).reshape(-1)
    need = "torch.histogramdd: if weight tensor is provided"
    if array.dtype != points.dtype:
        raise RuntimeError(
            f"{need}, input tensor and weight tensor should have the same dtype, but got "
            f"input({C_NAMES[points.dtype.name]}), and weight({C_NAMES[array.dtype.name]})"
        )
    if len(array) != len(points):
        raise RuntimeError(
            f"{need} it should have the same shape as the input tensor excluding its innermost dimension, but got "
            f"input with shape {list(points.shape)} and weight with shape {list(weight.shape)}"
        )
    return array


def counted(
    points: Tensor, bins: list[Any], range: Any, weight: Tensor | None, density: bool
) -> tuple[Tensor, list[Tensor]]:
    """The counts of points in each bin, and the edges. RuntimeError for arguments that PyTorch rejects."""
    array = points.numpy(force=True)
    dims = array.shape[1]
    if dims != len(bins):
        raise RuntimeError(
            f"torch.histogramdd: expected {dims} sequences of bin edges for a {dims}-dimensional histogram "
            f"but got {len(bins)}"
        )
    if any(isinstance(b, int) and b <= 0 for b in bins):
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins[0]} for dimension 0")
    if range is not None and len(range) != 2 * dims:
        raise RuntimeError(
            f"torch.histogramdd: for a {dims}-dimensional histogram range should have {2 * dims} elements, but got "
            f"{len(range)}"
        )
    given = [edges_of(b, array.dtype, dim) if isinstance(b, Tensor) else b for dim, b in enumerate(bins)]
    weights = None if weight is None else weights_of(weight, array)
    if array.dtype.kind != "f":
        raise missing("histogramdd" if array.size else "histogram_cpu", array.dtype)
    if not bins:
        return new_tensor(np.full((), np.nan if density else 0, array.dtype)), []
    limits = [None] * dims if range is None else list(zip(range[::2], range[1::2], strict=True))
    edges = [
        even_edges(array[:, dim], edge, limits[dim], dim) if isinstance(edge, int) else edge
        for dim, edge in enumerate(given)
    ]
    return new_tensor(counts_between(array, edges, weights, density)), [new_tensor(edge) for edge in edges]
