"""Convolution and its adjoints by compiled kernels that read the input without copying patches: `compiled.convolution`.

Arrays have the shape (runs, groups, channels, elements) in the layout of `patches`: a large batch is one run with its
samples innermost, in a small one each sample is a run. If segments would be shorter than a vector, the padded input is
copied and split by the stride (`plans.Deal`).
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import chain, product
from math import prod
from typing import Any

import numpy as np

from rushlight.kernels import depthwise
from rushlight.kernels.compiled import load
from rushlight.kernels.layouts import samples_innermost, transposed
from rushlight.kernels.patches import INNERMOST_FROM, SHAPES, Size, Slices, empty_batch
from rushlight.kernels.plans import (
    VECTOR,
    Deal,
    Plan,
    Scheme,
    Shape,
    elements_scheme,
    places_plan,
    places_scheme,
    taps_plan,
    weight_scheme,
)
from rushlight.machine import threads

fast: Any = load("convolution")
sums: Any = load("contractions")

CHUNKS = 8
"""The number of chunks of the weight's gradient that gives threads enough to share; else its sums are split."""

WHOLE_IMAGE = 4096
"""Up to so many positions a tap's sum goes over all of them at once: its table has an entry for each."""

LONG = 64
"""Bytes of a vector from which on all other ways are slower."""

LONG_ROW = 24
"""Positions from which on short vectors are slower than `depthwise`, with a channel in each group."""

FEW_CHANNELS = 16
"""Up to so many channels of the input or the result short vectors are faster than BLAS in the weight's gradient."""

TAPS = 4
"""Each tap of a large batch is a part of the work that threads share."""

ALIKE, LINE = 1 << 10, 64
"""Memory in steps of a multiple of so many bytes is all in the same few places of the cache, a line is so long."""

OFTEN, LARGE, HUGE = 256, 1 << 16, 1 << 18
"""Elements of each channel of the result from which on copying the weights pays off if they have so many bytes: from
the first number on if those of one channel of the result are a multiple of `ALIKE`, else from the second."""

MANY, USES = 16, 64
"""Channels, and multiplications of each number, from which on moving channels apart pays off."""

PART_BYTES, FEWEST = 1 << 19, 8
"""The most bytes, and the fewest samples, of the cotangents that are summed at a time."""

PART = 1_000_000
"""Multiplications per thread from which on threads pay."""


def fit(*operands: np.ndarray) -> bool:
    """Whether the kernels are available for this CPU and these operands."""
    dtype = operands[0].dtype
    if fast is None or sums is None or not fast.AVAILABLE:
        return False
    return dtype in (np.float32, np.float64) and all(
        type(a) is np.ndarray and a.dtype == dtype and a.size for a in operands
    )


def takes(shape: Shape, weight_shape: Size, groups: int, *operands: np.ndarray) -> bool:
    """Whether these are the fastest way to a convolution, or its adjoint in the input: short vectors are not always."""
    if not fit(*operands):
        return False
    if VECTOR >= LONG:
        return True
    rows = groups == weight_shape[0] and shape.places[-1] >= LONG_ROW
    return not (rows and depthwise.takes(shape, weight_shape, groups, *operands))


def takes_weight(shape: Shape, groups: int, grad: np.ndarray, input: np.ndarray) -> bool:
    """The same for the adjoint in the weight."""
    if not fit(grad, input):
        return False
    if VECTOR >= LONG or groups > 1:
        return True
    few = min(grad.shape[1], input.shape[1]) <= FEW_CHANNELS and set(shape.stride) == {1}
    return len(input) < INNERMOST_FROM or few or cotangents_suit(grad, shape)


def convolution(
    input: np.ndarray, weight: np.ndarray, bias: np.ndarray | None, shape: Shape, groups: int
) -> np.ndarray:
    """`kernels.convolution.convolution`."""
    output = empty_batch((input.shape[0], weight.shape[0], *shape.places), input.dtype)
    filters = grouped(weight, groups, output)
    run_products(places_scheme, input, filters, bias, output, shape)
    return output


def convolution_input(
    grad: np.ndarray, weight: np.ndarray, bias: np.ndarray | None, shape: Shape, groups: int
) -> np.ndarray:
    """`kernels.convolution.convolution_input`."""
    output = empty_batch((grad.shape[0], weight.shape[1] * groups, *shape.spatial), grad.dtype)
    filters = grouped(weight, groups, output).swapaxes(1, 2)
    run_products(elements_scheme, grad, filters, bias, output, shape)
    return output


def convolution_weight(grad: np.ndarray, input: np.ndarray, shape: Shape, groups: int) -> np.ndarray:
    """`kernels.convolution.convolution_weight`."""
    if groups == 1 and len(input) < INNERMOST_FROM and channels_suit(input, shape):
        return weight_by_taps(grad, input, shape)
    if groups == 1 and len(input) >= INNERMOST_FROM and cotangents_suit(grad, shape):
        return weight_by_places(grad, input, shape)
    g, x = as_runs(grad), as_runs(input)
    taps, channels = prod(shape.kernel), input.shape[1] // groups
    scheme = weight_scheme(shape, channels, x.shape[-1], x.itemsize)
    x = dealt(x, scheme.input)
    g = dealt(g, scheme.other)
    chunks = len(scheme.plan.chunks) * groups
    parts = -(-CHUNKS // chunks) if chunks else 1
    parts = max(1, min(parts, g.size * channels * taps // PART))
    total = np.zeros((parts, groups, grad.shape[1] // groups, channels * taps), grad.dtype)
    grain = grain_of(parts * chunks, g.size * channels * taps)
    sums.contractions(in_groups(g, groups), in_groups(x, groups), total, scheme.plan, grain)
    return total[0] if parts == 1 else total.sum(0)


def channels_suit(input: np.ndarray, shape: Shape) -> bool:
    """Whether vectors should be made of the channels of a small batch instead of its short rows."""
    return input.shape[1] * input.itemsize >= VECTOR and prod(shape.places) <= WHOLE_IMAGE


def weight_by_taps(grad: np.ndarray, input: np.ndarray, shape: Shape) -> np.ndarray:
    """The adjoint in the weight as a product: with channels innermost each tap is a sum over positions and samples."""
    x = np.ascontiguousarray(np.moveaxis(input, 1, -1))
    samples, *_, channels = x.shape
    outer = grad.shape[1]
    cotangents = np.ascontiguousarray(grad).reshape(samples, 1, outer, prod(shape.places)).transpose(1, 2, 0, 3)
    result = np.empty((1, 1, outer, prod(shape.kernel) * channels), grad.dtype)
    multiply(x.reshape(1, 1, samples, -1), cotangents, None, result, taps_plan(shape, channels, x.itemsize))
    return np.ascontiguousarray(np.moveaxis(result.reshape(outer, *shape.kernel, channels), -1, 1))


def cotangents_suit(grad: np.ndarray, shape: Shape) -> bool:
    """Whether vectors should be made of the channels of a large batch's cotangent, with enough taps to share.

    Short vectors read the input more often, which pays off if nothing has to be read from outside the cache.
    """
    wide = grad.shape[1] * grad.itemsize >= 2 * VECTOR and (VECTOR >= LONG or grad.nbytes <= PART_BYTES)
    return wide and prod(shape.kernel) >= TAPS and prod(shape.places) <= WHOLE_IMAGE


def weight_by_places(grad: np.ndarray, input: np.ndarray, shape: Shape) -> np.ndarray:
    """The adjoint in the weight for a large batch: with the cotangent's channels innermost, which are the vectors.

    Parts of the samples are summed separately, so that their cotangents stay in the cache.
    """
    samples, outer = grad.shape[:2]
    channels, places = input.shape[1], prod(shape.places)
    parts = parts_of(samples, places * outer * grad.itemsize)
    x = samples_innermost(input).reshape(channels, -1, parts, samples // parts)
    g = transposed(samples_innermost(grad).reshape(outer, -1))
    g = g.reshape(1, places, parts, samples // parts, outer).transpose(0, 2, 3, 1, 4)
    result = np.empty((1, parts, channels, prod(shape.kernel) * outer), grad.dtype)
    multiply(g, x.transpose(2, 0, 3, 1), None, result, places_plan(shape, samples, outer, grad.itemsize))
    total = result[0, 0] if parts == 1 else result[0].sum(0)
    return transposed(total.reshape(-1, outer)).reshape(outer, channels, *shape.kernel)


@lru_cache(maxsize=SHAPES)
def parts_of(samples: int, each: int) -> int:
    """The number of equal parts of some samples, of `each` bytes, whose size suits the cache."""
    suits = (n for n in range(1, samples // FEWEST + 1) if samples % n == 0 and samples // n * each <= PART_BYTES)
    return next(suits, 1)


def grain_of(items: int, multiplications: int) -> int:
    """The number of items that a thread takes at a time: enough to be worth it, and several times per thread."""
    parts = max(1, min(items, multiplications // PART, 4 * threads.NUMBER))
    return max(1, -(-items // parts))


def run_products(
    scheme_of: Callable[..., Scheme[Plan]],
    input: np.ndarray,
    filters: np.ndarray,
    bias: np.ndarray | None,
    output: np.ndarray,
    shape: Shape,
) -> None:
    """Fills the output with products of the filters (groups, channels of the result, channels, taps)."""
    groups = len(filters)
    x, out = as_runs(input), as_runs(output)
    scheme = scheme_of(shape, x.shape[-1], x.itemsize)
    x = dealt(x, scheme.input)
    result = np.empty(dealt_shape(out.shape, scheme.other), out.dtype) if scheme.other else out
    x = in_groups(x, groups)
    if output.size * filters[0, 0].size >= USES * x.size:
        x = spaced(x)
    multiply(x, filters, bias, in_groups(result, groups), scheme.plan)
    if result is not out:
        collect(result, scheme.other, out)


def multiply(x: np.ndarray, filters: np.ndarray, bias: np.ndarray | None, out: np.ndarray, plan: Plan) -> None:
    """Fills the result (runs, groups, its channels, elements); the filters are (groups, these, channels, taps)."""
    groups, channels = filters.shape[:2]
    start = np.zeros(groups * channels, out.dtype) if bias is None else np.ascontiguousarray(bias)
    grain = grain_of(len(x) * groups * len(plan.segments), out.size * filters[0, 0].size)
    fast.products(x, filters, start.reshape(groups, channels), out, plan, grain)


def grouped(weight: np.ndarray, groups: int, output: np.ndarray) -> np.ndarray:
    """The weight as (groups, channels of the result, channels, taps); a large one that is read often tap after tap."""
    outer, channels, *kernel = weight.shape
    shape, taps = (groups, outer // groups, channels), prod(kernel)
    weight = np.ascontiguousarray(weight)
    large = LARGE if weight.strides[0] % ALIKE == 0 else HUGE
    if taps == 1 or weight.nbytes < large or output.size < OFTEN * output.shape[1]:
        return weight.reshape(*shape, taps)
    return np.moveaxis(transposed(weight.reshape(-1, taps)).reshape(taps, *shape), 0, -1)


def spaced(x: np.ndarray) -> np.ndarray:
    """Runs (runs, groups, channels, elements) whose channels are not all in the same few places of the cache."""
    if x.shape[2] < MANY or x.strides[2] % ALIKE:
        return x
    *outer, elements = x.shape
    room = elements + LINE // x.itemsize
    memory = np.empty(prod(outer) * room + VECTOR // x.itemsize, x.dtype)
    copy = memory[: prod(outer) * room].reshape(*outer, room)[..., :elements]
    copy[...] = x
    return copy


def as_runs(batch: np.ndarray) -> np.ndarray:
    """A batch (N, C, *spatial) as (runs, C, *spatial, samples)."""
    return batch[..., None] if batch.shape[0] < INNERMOST_FROM else samples_innermost(batch)[None]


def in_groups(runs: np.ndarray, groups: int) -> np.ndarray:
    """Contiguous runs as (runs, groups, channels, elements)."""
    return runs.reshape(len(runs), groups, runs.shape[1] // groups, prod(runs.shape[2:]))


@lru_cache(maxsize=SHAPES)
def dealt_shape(shape: Size, deals: tuple[Deal, ...]) -> Size:
    """The shape of runs whose last spatial dimensions are split by phase: into phases and positions."""
    return (*shape[: -1 - len(deals)], *chain(*((deal.phases, deal.width) for deal in deals)), shape[-1])


def dealt(runs: np.ndarray, deals: tuple[Deal, ...]) -> np.ndarray:
    """Contiguous runs whose last spatial dimensions are split by phase, with space for a vector after the end."""
    if not deals:
        return np.ascontiguousarray(runs)
    shape = dealt_shape(runs.shape, deals)
    memory = np.zeros(prod(shape) + VECTOR // runs.itemsize, runs.dtype)
    copy = memory[: prod(shape)].reshape(shape)
    for positions, elements in meetings(runs.shape, deals):
        copy[positions] = runs[elements]
    return copy


def collect(result: np.ndarray, deals: tuple[Deal, ...], out: np.ndarray) -> None:
    """Puts together what was split by phase."""
    for positions, elements in meetings(out.shape, deals):
        out[elements] = result[positions]


@lru_cache(maxsize=SHAPES)
def meetings(shape: Size, deals: tuple[Deal, ...]) -> tuple[tuple[Slices, Slices], ...]:
    """For all combinations of phases the positions that are elements, and which elements they are."""
    found = []
    sizes = shape[-1 - len(deals) : -1]
    for phases in product(*(range(deal.phases) for deal in deals)):
        met = [meeting(*of) for of in zip(deals, phases, sizes, strict=True)]
        positions = chain(*((phase, there) for phase, (there, _) in zip(phases, met, strict=True)))
        found.append(((..., *positions, slice(None)), (..., *(here for _, here in met), slice(None))))
    return tuple(found)


def meeting(deal: Deal, phase: int, size: int) -> tuple[slice, slice]:
    """The positions of a phase that are elements, and which elements they are."""
    shift = deal.begin + phase
    first = max(0, -(shift // deal.stride))
    stop = max(first, min(deal.width, (size - 1 - shift) // deal.stride + 1))
    begin = first * deal.stride + shift
    return slice(first, stop), slice(begin, begin + (stop - first) * deal.stride, deal.stride)
