"""The patches that a sliding kernel sees, for convolution, pooling, unfold and fold.

Arrays are (N, C, *spatial) and are processed in runs (C, *spatial, samples): a large batch is one run, with its samples
innermost in memory; in a small batch each sample is a run.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from math import prod
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.kernels.compiled import load
from rushlight.kernels.steps import zeros

fast: ModuleType | None = load("columns")
Size = tuple[int, ...]
Slices = tuple[Any, ...]  # a tuple of slices and an Ellipsis, which type checkers cannot express

SHAPES = 256
"""The number of shapes for which results are cached."""

INNERMOST_FROM = 8
"""The smallest batch that is stored innermost: with fewer samples, copies are too short to pay off (measured)."""


@lru_cache(maxsize=SHAPES)
def output_size(spatial: Size, kernel: Size, stride: Size, padding: Size, dilation: Size) -> Size:
    """Return the number of positions of the kernel along each spatial dimension.

    Raises RuntimeError if the padded input is smaller than the kernel.
    """
    padded = tuple(size + 2 * pad for size, pad in zip(spatial, padding, strict=True))
    reach = tuple(step * (size - 1) + 1 for size, step in zip(kernel, dilation, strict=True))
    if any(size < need for size, need in zip(padded, reach, strict=True)):
        have, need = (" x ".join(map(str, sizes)) for sizes in (padded, reach))
        raise RuntimeError(
            f"Calculated padded input size per channel: ({have}). Kernel size: ({need}). "
            "Kernel size can't be greater than actual input size"
        )
    return tuple((size - need) // step + 1 for size, need, step in zip(padded, reach, stride, strict=True))


def empty_batch(shape: Size, dtype: np.dtype) -> np.ndarray:
    """Return an uninitialised (N, C, *spatial) array in the memory layout that suits its batch."""
    if shape[0] < INNERMOST_FROM:
        return np.empty(shape, dtype)
    return batch_first(np.empty((*shape[1:], shape[0]), dtype))


def batch_last(batch: np.ndarray) -> np.ndarray:
    """View (N, C, *spatial) as (C, *spatial, N). `np.moveaxis` takes ten times as long."""
    return batch.transpose(*range(1, batch.ndim), 0)


def batch_first(run: np.ndarray) -> np.ndarray:
    """View (C, *spatial, N) as (N, C, *spatial)."""
    return run.transpose(-1, *range(run.ndim - 1))


def runs(batch: np.ndarray) -> Iterator[np.ndarray]:
    """Return the views (C, *spatial, samples) that together cover an array (N, C, *spatial)."""
    if batch.shape[0] < INNERMOST_FROM:
        return (sample[..., None] for sample in batch)
    return iter((batch_last(batch),))


def pad_run(run: np.ndarray, padding: Size) -> np.ndarray:
    """Return the run contiguous, with zeros around its spatial dimensions; the run itself if it is so already."""
    if not any(padding):
        return np.ascontiguousarray(run, like=run)
    channels, *spatial, samples = run.shape
    sizes = (size + 2 * pad for size, pad in zip(spatial, padding, strict=True))
    padded = np.empty((channels, *sizes, samples), run.dtype, like=run)
    inner: Slices = (slice(None),)
    for size, pad in zip(spatial, padding, strict=True):
        padded[(*inner, slice(pad))] = 0
        padded[(*inner, slice(pad + size, None))] = 0
        inner = (*inner, slice(pad, pad + size))
    padded[inner] = run
    return padded


def windows(run: np.ndarray, kernel: Size, places: Size, stride: Size, dilation: Size) -> np.ndarray:
    """View a contiguous run as (C, *kernel, *places, samples): the element under each tap at each place."""
    channel, *steps, sample = run.strides
    along_kernel = (step * by for step, by in zip(steps, dilation, strict=True))
    along_places = (step * by for step, by in zip(steps, stride, strict=True))
    shape = (run.shape[0], *kernel, *places, run.shape[-1])
    return np.ndarray(shape, run.dtype, run, strides=(channel, *along_kernel, *along_places, sample))


def add_windows(
    run: np.ndarray, columns: np.ndarray, kernel: Size, stride: Size, padding: Size, dilation: Size
) -> None:
    """Add the columns (C, *kernel, *places, samples) into the run, each element where `windows` sees it."""
    places = columns.shape[len(kernel) + 1 : -1]
    for tap, at, seen in taps(run.shape[1:-1], kernel, places, stride, padding, dilation):
        target = run[(slice(None), *seen)]
        np.add(target, columns[(slice(None), *tap, *at)], out=target)


@lru_cache(maxsize=256)
def taps(
    spatial: Size, kernel: Size, places: Size, stride: Size, padding: Size, dilation: Size
) -> tuple[tuple[Size, Slices, Slices], ...]:
    """List the taps of the kernel in scan order, each with its positions inside the input, and the elements there."""
    lines = map(_line, spatial, kernel, places, stride, padding, dilation)
    return tuple(
        (
            tuple(tap for tap, _, _ in taken),
            tuple(at for _, at, _ in taken),
            tuple(seen for _, _, seen in taken),
        )
        for taken in product(*lines)
    )


def _line(
    size: int, kernel: int, places: int, stride: int, padding: int, dilation: int
) -> Iterator[tuple[int, slice, slice]]:
    """Yield what `taps` lists, for one dimension; a tap that only sees padding is left out."""
    begin = max(0, -(((places - 1) * stride - padding) // dilation))
    for tap in range(begin, min(kernel, (size - 1 + padding) // dilation + 1)):
        shift = tap * dilation - padding
        first = max(0, -(shift // stride))
        last = min(places - 1, (size - 1 - shift) // stride)
        if first <= last:
            start = first * stride + shift
            yield tap, slice(first, last + 1), slice(start, last * stride + shift + 1, stride)


def unfold(input: np.ndarray, kernel: Size, dilation: Size, padding: Size, stride: Size) -> np.ndarray:
    """Return the patches of (N, C, *spatial) as columns (N, C * taps, places), also known as im2col.

    Raises RuntimeError where the padded input is smaller than the kernel.
    """
    samples, channels, *spatial = input.shape
    places = output_size(tuple(spatial), kernel, stride, padding, dilation)
    if fast is not None:
        found = fast.moved(input, spatial, places, kernel, stride, padding, dilation, False)
        if found is not None:
            return found
    columns = empty_batch((samples, channels, *kernel, *places), input.dtype)
    for run, column in zip(runs(input), runs(columns), strict=True):
        column[...] = windows(pad_run(run, padding), kernel, places, stride, dilation)
    return columns.reshape(samples, channels * prod(kernel), prod(places))


def fold(columns: np.ndarray, spatial: Size, kernel: Size, dilation: Size, padding: Size, stride: Size) -> np.ndarray:
    """Return (N, C, *spatial), each element the sum of its copies among the columns: `unfold`'s adjoint.

    Raises RuntimeError where the padded image is smaller than the kernel.
    """
    places = output_size(spatial, kernel, stride, padding, dilation)
    if fast is not None:
        found = fast.moved(columns, spatial, places, kernel, stride, padding, dilation, True)
        if found is not None:
            return found
    samples, channels = columns.shape[0], columns.shape[1] // prod(kernel)
    image = empty_batch((samples, channels, *spatial), columns.dtype)
    image[...] = 0
    columns = columns.reshape(samples, channels, *kernel, *places)
    for run, column in zip(runs(image), runs(columns), strict=True):
        add_windows(run, column, kernel, stride, padding, dilation)
    return image


def added(windows: Any, shape: Size, dim: int, step: int) -> Any:
    """Return an array of a shape, each element the sum of its copies in overlapping windows of a dimension.

    The windows are `step` apart; their elements are the last dimension.
    """
    if fast is not None and (found := fast.added(windows, shape, dim, step)) is not None:
        return found
    out = zeros(shape, windows)
    before, reach = (slice(None),) * dim, step * (windows.shape[dim] - 1) + 1
    for k in range(windows.shape[-1]):
        out[(*before, slice(k, k + reach, step))] += windows[..., k]
    return out
