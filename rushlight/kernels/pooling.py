"""Maximum and average pooling of (N, C, *spatial) for any number of spatial dimensions, and their adjoints.

Results keep the memory layout of their argument: a batch that is innermost in memory stays there.
"""

from collections.abc import Sequence
from functools import lru_cache, reduce
from math import prod
from types import ModuleType

import numpy as np

from rushlight.core.kinds import kind_of
from rushlight.kernels.accumulate import add_along
from rushlight.kernels.compiled import load
from rushlight.kernels.patches import SHAPES, Size, batch_first, batch_last, taps
from rushlight.kernels.picking import take_along
from rushlight.kernels.steps import zeros

fast: ModuleType | None = load("maxima")
averages: ModuleType | None = load("averages")


@lru_cache(maxsize=SHAPES)
def pooled_size(shape: Size, kernel: Size, stride: Size, padding: Size, dilation: Size, ceil_mode: bool) -> Size:
    """Return how many windows fit along each spatial dimension of an array of this shape.

    With `ceil_mode` a last window may reach over the end, if it starts inside the array or its left padding.
    Raises RuntimeError for an invalid stride, padding or dilation, and if no window fits.
    """
    lines = zip(shape[2:], kernel, stride, padding, dilation, strict=True)
    places = tuple(windows_along(*line, ceil_mode) for line in lines)
    if min(places) < 1:
        have, made = ("x".join(map(str, (shape[1], *sizes))) for sizes in (shape[2:], places))
        raise RuntimeError(f"Given input size: ({have}). Calculated output size: ({made}). Output size is too small")
    return places


def max_pool_at_once(
    x: np.ndarray, settings: Sequence[Sequence[int]], ceil_mode: bool, indices: bool
) -> tuple[np.ndarray, np.ndarray] | None:
    """`max_pool` by the kernel, of a sample too, with None for indices that are not asked for; None without it."""
    return None if fast is None else fast.slid(x, *settings, ceil_mode, indices)


def max_pool(
    x: np.ndarray, kernel: Size, stride: Size, padding: Size, dilation: Size, ceil_mode: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the maximum of every window and its flat position in the spatial plane (int64).

    As in PyTorch, the first of equal maxima is taken, but the last NaN of a window; padding never wins.
    Raises NotImplementedError for complex numbers, which have no order, and what `pooled_size` raises.
    """
    if (found := max_pool_at_once(x, (kernel, stride, padding, dilation), ceil_mode, True)) is not None:
        return found
    if x.dtype.kind == "c":
        raise NotImplementedError(f'"max_pool{len(kernel)}d" not implemented for {x.dtype}: it has no order')
    places, sights = _windows(x.shape, kernel, stride, padding, dilation, ceil_mode)
    shape = (*x.shape[:2], *places)
    if fast is not None and sights is not None:
        innermost = _batch_innermost(x)
        found = fast.largest(_planes(x, innermost), sights)
        if found is not None:
            return _unplanes(found[0], shape, innermost), _unplanes(found[1], shape, innermost)
    spatial = x.shape[2:]
    first, table, corner = _positions(spatial, kernel, places, stride, padding, dilation)
    values = np.full_like(x, _lowest(x.dtype), shape=shape)
    winner = np.empty_like(x, first.dtype, shape=shape)
    winner[...] = first
    moves = taps(spatial, kernel, places, stride, padding, dilation)
    for tap, at, seen in moves:
        value, best = x[(..., *seen)], values[(..., *at)]
        _raise_to(winner[(..., *at)], value > best, tap, kernel)
        np.maximum(best, value, out=best)
    if np.isnan(values).any():
        for tap, at, seen in moves:
            _raise_to(winner[(..., *at)], np.isnan(x[(..., *seen)]), tap, kernel)
    return values, table[winner] + corner


def divided_maxima(x: np.ndarray, places: Sequence[int]) -> tuple[np.ndarray, np.ndarray] | None:
    """The maxima of as many windows as the last dimensions of a batch or a sample are divided into, and their indices.

    None if the kernel does not take the inputs.
    """
    return None if fast is None else fast.divided(x, places)


def divided_means(x: np.ndarray, places: Sequence[int]) -> np.ndarray | None:
    """The means of as many windows as the last dimensions of an array are divided into; None without the kernel."""
    return None if averages is None else averages.divided(x, places, False)


def divided_means_input(grad: np.ndarray, spatial: Sequence[int]) -> np.ndarray | None:
    """The adjoint of `divided_means`: an array (..., *spatial)."""
    return None if averages is None else averages.divided(grad, spatial, True)


def largest_listed(x: np.ndarray, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The maxima of planes (N, C, *spatial) over positions (N or 1, C or 1, places, taps), and their indices.

    None if the kernel does not take the inputs.
    """
    outer = x.shape[0] * x.shape[1]
    if fast is None or positions.shape[0] * positions.shape[1] not in (1, outer):
        return None
    found = fast.largest(x.reshape(outer, prod(x.shape[2:]), 1), positions.reshape(-1, *positions.shape[2:]))
    if found is None:
        return None
    values, indices = (part.reshape(*x.shape[:2], -1) for part in found)
    return values, indices


def fractional_maxima(
    x: np.ndarray, samples: np.ndarray, places: Sequence[int], kernel: Sequence[int]
) -> tuple[np.ndarray, np.ndarray] | None:
    """The maxima of windows that random numbers place, and their indices; None if they are not taken by the kernel."""
    return None if fast is None else fast.fractional(x, samples, places, kernel)


def scatter_planes(grad: np.ndarray, indices: np.ndarray, spatial_shape: Size) -> np.ndarray:
    """Add each element of (N, C, *places) to zeros (N, C, *spatial_shape), at its flat position there.

    The indices have the shape of `grad`. Raises RuntimeError where one lies outside the plane.
    """
    innermost = _batch_innermost(indices)
    positions = _planes(indices, innermost)
    outer, _, inner = positions.shape
    shape = (outer, prod(spatial_shape), inner)
    if (planes := add_along(_planes(grad, innermost), positions, 1, shape)) is not None:
        return _unplanes(planes, (*grad.shape[:2], *spatial_shape), innermost)
    addresses, size = _addresses(indices, spatial_shape, innermost)
    flat = zeros((size,), grad)
    np.add.at(flat, addresses.ravel(), _planes(grad, innermost).ravel())
    return _unplanes(flat, (*grad.shape[:2], *spatial_shape), innermost)


def gather_planes(x: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Take the elements of (N, C, *spatial) at flat positions (N, C, *places): `scatter_planes`' adjoint.

    Raises RuntimeError where an index lies outside the plane.
    """
    innermost = _batch_innermost(indices)
    found: np.ndarray | None
    if innermost:
        found = take_along(_planes(x, innermost), _planes(indices, innermost), 1)
    else:
        found = take_along(_planes(x, innermost)[..., 0], _planes(indices, innermost)[..., 0], 1)
    if found is not None:
        return _unplanes(found, indices.shape, innermost)
    addresses, _ = _addresses(indices, x.shape[2:], innermost)
    return _unplanes(_planes(x, innermost).ravel()[addresses], indices.shape, innermost)


def avg_pool_at_once(x: np.ndarray, *options: object) -> np.ndarray | None:
    """`avg_pool` of a batch or a sample by the kernel; None if it does not take the inputs."""
    return None if averages is None else averages.means(x, *options)


def avg_pool(
    x: np.ndarray,
    kernel: Size,
    stride: Size,
    padding: Size,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> np.ndarray:
    """Return the mean of every window, over its own size or over `divisor_override`.

    With `count_include_pad` the padding counts as zeros. Integers are divided towards zero.
    Raises RuntimeError for a divisor of zero, and what `pooled_size` raises.
    """
    options = kernel, stride, padding, ceil_mode, count_include_pad, divisor_override
    if (found := avg_pool_at_once(x, *options)) is not None:
        return found
    places = pooled_size(x.shape, kernel, stride, padding, (1,) * len(kernel), ceil_mode)
    sums = x
    for axis in reversed(range(len(kernel))):
        sums = _sum_along(sums, axis + 2, kernel[axis], places[axis], stride[axis], padding[axis])
    return _divide(sums, x.shape[2:], kernel, stride, padding, count_include_pad, divisor_override)


def avg_pool_input(
    grad: np.ndarray,
    input_shape: Size,
    kernel: Size,
    stride: Size,
    padding: Size,
    count_include_pad: bool,
    divisor_override: int | None,
) -> np.ndarray:
    """Return the adjoint of `avg_pool` at `grad` (..., *places), of shape `input_shape`."""
    spatial = input_shape[2:]
    if averages is not None:
        found = averages.shares(grad, spatial, kernel, stride, padding, count_include_pad, divisor_override)
        if found is not None:
            return found
    spread = _divide(grad, spatial, kernel, stride, padding, count_include_pad, divisor_override)
    for axis in range(len(kernel)):
        spread = _spread_along(spread, axis + 2, kernel[axis], spatial[axis], stride[axis], padding[axis])
    return spread


def check_reach(kernel: int, stride: int, padding: int, dilation: int) -> None:
    """Raise PyTorch's errors for sizes for which the number of windows is undefined."""
    if stride == 0:
        raise RuntimeError("stride should not be zero")
    if padding < 0:
        raise RuntimeError(f"pad must be non-negative, but got pad: {padding}")
    if padding > int((dilation * (kernel - 1) + 1) / 2):
        raise RuntimeError(
            "pad should be at most half of effective kernel size, but got "
            f"pad={padding}, kernel_size={kernel} and dilation={dilation}"
        )


def check_window(kernel: int, stride: int, padding: int, dilation: int) -> None:
    """Raise PyTorch's errors for an invalid window."""
    check_reach(kernel, stride, padding, dilation)
    for what, number in (("kernel size", kernel), ("stride", stride), ("dilation", dilation)):
        if number <= 0:
            raise RuntimeError(f"{what} should be greater than zero, but got {what}: {number}")
    if padding > kernel // 2:
        raise RuntimeError(
            "pad should be smaller than or equal to half of kernel size, but got "
            f"pad = {padding}, kernel_size = {kernel}"
        )


def windows_along(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """Return how many windows fit along one dimension."""
    check_window(kernel, stride, padding, dilation)
    reach = dilation * (kernel - 1) + 1
    places = (size + 2 * padding - reach + (stride - 1 if ceil_mode else 0)) // stride + 1
    return places - 1 if ceil_mode and (places - 1) * stride >= size + padding else places


@lru_cache(maxsize=256)
def _positions(
    spatial: Size, kernel: Size, places: Size, stride: Size, padding: Size, dilation: Size
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return each window's first tap inside the input, each tap's flat offset, each window's flat corner."""
    starts = [np.arange(n) * s - p for n, s, p in zip(places, stride, padding, strict=True)]
    firsts = [-(np.minimum(start, 0) // d) for start, d in zip(starts, dilation, strict=True)]
    offsets = [np.arange(k) * d for k, d in zip(kernel, dilation, strict=True)]
    first = _flat(firsts, kernel).astype(np.min_scalar_type(prod(kernel) - 1))
    return first, _flat(offsets, spatial).ravel(), _flat(starts, spatial)


@lru_cache(maxsize=64)
def _windows(
    shape: Size, kernel: Size, stride: Size, padding: Size, dilation: Size, ceil_mode: bool
) -> tuple[Size, np.ndarray | None]:
    """How many windows there are, and the flat positions that each of them sees, (1, windows, taps).

    Padding repeats the first or last of them. No positions if a window sees only padding.
    """
    places = pooled_size(shape, kernel, stride, padding, dilation, ceil_mode)
    flat = np.zeros((1, 1), np.int64)
    for size, k, n, s, p, d in zip(shape[2:], kernel, places, stride, padding, dilation, strict=True):
        line = np.arange(n)[:, None] * s - p + np.arange(k) * d
        inside = (line >= 0) & (line < size)
        if not inside.any(1).all():
            return places, None
        first, last = inside.argmax(1), k - 1 - inside[:, ::-1].argmax(1)
        line = np.take_along_axis(line, np.arange(k).clip(first[:, None], last[:, None]), 1)
        flat = (flat[:, None, :, None] * size + line[None, :, None, :]).reshape(len(flat) * n, -1)
    return places, flat[None]


def _flat(coordinates: list[np.ndarray], shape: Size) -> np.ndarray:
    """Return the flat positions in `shape` of all combinations of coordinates along each dimension."""
    flat = coordinates[0]
    for along, size in zip(coordinates[1:], shape[1:], strict=True):
        flat = np.add.outer(flat * size, along)
    return flat


def _lowest(dtype: np.dtype) -> float | int:
    """Return the smallest value of this type."""
    return -np.inf if kind_of(dtype) == "f" else np.iinfo(dtype).min


def _raise_to(winner: np.ndarray, better: np.ndarray, tap: Size, kernel: Size) -> None:
    """Let the tap win where it is better; taps come in scan order, so its number is the largest so far."""
    number = winner.dtype.type(np.ravel_multi_index(tap, kernel))
    np.maximum(winner, better * number, out=winner)


def _batch_innermost(array: np.ndarray) -> bool:
    """Whether the neighbours in memory are the same element of two samples."""
    return array.shape[0] > 1 and array.strides[0] == array.itemsize


def _planes(array: np.ndarray, innermost: bool) -> np.ndarray:
    """Arrange (N, C, *spatial) as (C, plane, N) or (N * C, plane, 1), depending on its memory layout."""
    samples, channels, *spatial = array.shape
    if innermost:
        return batch_last(array).reshape(channels, prod(spatial), samples)
    return array.reshape(samples * channels, prod(spatial), 1)


def _unplanes(planes: np.ndarray, shape: Size, innermost: bool) -> np.ndarray:
    """Undo `_planes`: restore the shape (N, C, *spatial)."""
    if innermost:
        return batch_first(planes.reshape(*shape[1:], shape[0]))
    return planes.reshape(shape)


def _addresses(indices: np.ndarray, spatial: Size, innermost: bool) -> tuple[np.ndarray, int]:
    """Return where the arranged planes' elements are in flat memory, and the size of that memory."""
    plane, positions = prod(spatial), _planes(indices, innermost)
    outer, _, inner = positions.shape
    if positions.size and (largest := positions.view(np.uint64).max()) >= plane:  # a negative one becomes huge
        size = "x".join(map(str, spatial))
        raise RuntimeError(f"Found an invalid max index: {largest.view(np.int64)} (output volumes are of size {size})")
    begin = np.arange(outer)[:, None, None] * (plane * inner) + np.arange(inner)
    return positions * inner + begin, outer * plane * inner


def _divide(
    sums: np.ndarray,
    spatial: Size,
    kernel: Size,
    stride: Size,
    padding: Size,
    count_include_pad: bool,
    divisor_override: int | None,
) -> np.ndarray:
    """Divide the sum of each window by the size that `avg_pool` uses; integers towards zero."""
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    if divisor_override is not None:
        return (sums / divisor_override).astype(sums.dtype, copy=False)
    sizes = _window_sizes(sums.shape[2:], spatial, kernel, stride, padding, count_include_pad, sums.dtype)
    return (sums / sizes).astype(sums.dtype, copy=False)


@lru_cache(maxsize=SHAPES)
def _window_sizes(
    places: Size, spatial: Size, kernel: Size, stride: Size, padding: Size, count_include_pad: bool, dtype: np.dtype
) -> np.ndarray:
    """Return how many elements each window has: of the input, or of the input and its padding."""
    counts = []
    for size, k, n, s, p in zip(spatial, kernel, places, stride, padding, strict=True):
        start = np.arange(n) * s - p
        low, high = (start, size + p) if count_include_pad else (np.maximum(start, 0), size)
        counts.append(np.minimum(start + k, high) - low)
    return reduce(np.multiply.outer, counts).astype(dtype)


def _sum_along(x: np.ndarray, axis: int, kernel: int, places: int, stride: int, padding: int) -> np.ndarray:
    """Sum the windows along one dimension."""
    x = x.swapaxes(axis, -1)
    sums = np.zeros_like(x, shape=(*x.shape[:-1], places))
    for _, at, seen in taps(x.shape[-1:], (kernel,), (places,), (stride,), (padding,), (1,)):
        target = sums[(..., *at)]
        np.add(target, x[(..., *seen)], out=target)
    return sums.swapaxes(axis, -1)


def _spread_along(x: np.ndarray, axis: int, kernel: int, size: int, stride: int, padding: int) -> np.ndarray:
    """Add each element to all of its window along one dimension: the adjoint of `_sum_along`."""
    x = x.swapaxes(axis, -1)
    spread = np.zeros_like(x, shape=(*x.shape[:-1], size))
    for _, at, seen in taps((size,), (kernel,), x.shape[-1:], (stride,), (padding,), (1,)):
        target = spread[(..., *seen)]
        np.add(target, x[(..., *at)], out=target)
    return spread.swapaxes(axis, -1)
