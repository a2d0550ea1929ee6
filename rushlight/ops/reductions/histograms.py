"""Histograms with edges: `histogram` of numbers, `histogramdd` of points."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase, new_tensor
from rushlight.ops.arguments.keywords import keywords
from rushlight.ops.arguments.promotion import missing
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
    found: Any = (counts, tuple(edges))
    return HistogramOfPoints(found)


def counted(
    points: Tensor, bins: list[Any], range: Any, weight: Tensor | None, density: bool
) -> tuple[Tensor, list[Tensor]]:
    """The counts of points in each bin, and the edges. RuntimeError for arguments that PyTorch rejects."""
    array = points.numpy(force=True)
    if array.dtype.kind != "f":
        raise missing("histogramdd" if array.size else "histogram_cpu", array.dtype)
    dims = array.shape[1]
    if dims != len(bins):
        raise RuntimeError(
            f"torch.histogramdd: expected {dims} sequences of bin edges for a {dims}-dimensional histogram "
            f"but got {len(bins)}"
        )
    if any(isinstance(b, int) and b <= 0 for b in bins):
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins[0]} for dimension 0")
    edges = [b.numpy() if isinstance(b, TensorBase) else b for b in bins]
    limits = None if range is None else list(zip(range[::2], range[1::2], strict=True))
    if limits is not None and any(low > high for low, high in limits):
        raise RuntimeError("torch.histogram(): min should not exceed max")
    weights = None if weight is None else weight.numpy(force=True).reshape(-1)
    counts, found = np.histogramdd(array, edges, limits, weights=weights, density=density)
    return new_tensor(counts.astype(array.dtype)), [new_tensor(np.asarray(edge, array.dtype)) for edge in found]
