"""The memory locations of the rows in a convolution's products: tables for the compiled kernels.

A line lists for one dimension which (tap, input position) pairs contribute to each result. Results with the same pairs,
relative to a moving base, are of one kind; consecutive results of one kind in the last dimension form a segment.
"""

from collections.abc import Iterator
from functools import lru_cache, reduce
from itertools import accumulate, chain, product
from math import prod
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from rushlight.kernels.compiled import load
from rushlight.kernels.patches import Size

Pairs = tuple[tuple[int, int], ...]
Line = tuple[Pairs, ...]
Segment = tuple[int, int, int, int]

compiled: Any = load("convolution")
VECTOR: int = compiled.VECTOR if compiled is not None and compiled.AVAILABLE else 64
"""Bytes of a vector: shorter segments cost as much as a whole one, and are read beyond their end."""

SEGMENT_BYTES = 4096
"""Longer segments are split, so that there are parts for several threads."""

CHUNK = 36
"""Columns that one thread processes at a time: the gradient is read once for all of them."""

FEW = 6
"""With fewer channels several taps share a block of columns: the input is padded so that they have equal positions."""

PLANS = 256
"""The number of plans of each sort that are cached."""


class Shape(NamedTuple):
    """The sizes of a convolution, each with a number for each spatial dimension."""

    spatial: Size
    kernel: Size
    places: Size
    stride: Size
    padding: Size
    dilation: Size

    def each(self) -> list[Size]:
        """The six sizes of each dimension."""
        return list(zip(*self, strict=True))


class Plan(NamedTuple):
    """The tables of `compiled.convolution.products`, in bytes."""

    segments: np.ndarray  # (segments, 4): position in the result, base, length, kind
    kinds: np.ndarray  # the first tap of each kind, and the number of taps
    taps: np.ndarray  # (taps, 2): from the base to the row, from the first weight to the tap's

    @property
    def shortest(self) -> int:
        """The length of the shortest segment."""
        return int(self.segments[:, 2].min())


def places_line(size: int, kernel: int, places: int, stride: int, padding: int, dilation: int) -> Line:
    """The elements that each position of a convolution sees."""
    return tuple(
        tuple((tap, at) for tap in range(kernel) if 0 <= (at := place * stride + tap * dilation - padding) < size)
        for place in range(places)
    )


def elements_line(size: int, kernel: int, places: int, stride: int, padding: int, dilation: int) -> Line:
    """The positions that see each element: the line of the adjoint in the input."""
    ways = (((tap, element + padding - tap * dilation) for tap in range(kernel)) for element in range(size))
    return tuple(
        tuple((tap, at // stride) for tap, at in way if at % stride == 0 and 0 <= at < places * stride) for way in ways
    )


class WeightPlan(NamedTuple):
    """The tables of `compiled.convolution.contractions`, in bytes.

    The columns of a chunk are seen from the same positions.
    """

    segments: np.ndarray  # (segments, 3): place in the cotangent, base in the input, length
    chunks: np.ndarray  # (chunks, 4): first segment, number of them, first column, number of them
    columns: np.ndarray  # (columns, 2): from the base to the row, place in the result
    most: int  # columns of a chunk

    @property
    def shortest(self) -> int:
        """The length of the shortest segment."""
        return int(self.segments[:, 2].min(initial=VECTOR))


class Deal(NamedTuple):
    """How a dimension is copied so that segments get longer: into phases, each of length `width`.

    Position q of phase r holds the element begin + q * stride + r, or zero if there is none.
    """

    stride: int
    phases: int
    width: int
    begin: int


AnyPlan = TypeVar("AnyPlan", Plan, WeightPlan)


class Scheme(NamedTuple, Generic[AnyPlan]):
    """A plan, and how the last dimensions of the input and of the other array must be split for it."""

    plan: AnyPlan
    input: tuple[Deal, ...] = ()
    other: tuple[Deal, ...] = ()


@lru_cache(maxsize=PLANS)
def places_scheme(shape: Shape, samples: int, item: int) -> Scheme[Plan]:
    """The scheme of a convolution: every position is a sum over the elements that it sees."""
    lines = tuple(map(places_line, *shape))
    inputs, outputs = (*shape.spatial, samples), (*shape.places, samples)
    found = plan(lines, inputs, outputs, shape.kernel, item)
    if found.shortest >= VECTOR:
        return Scheme(found)
    if suits_flat(shape, outputs, item):
        return joined_planes(shape, lines, [places_dealt(*sizes) for sizes in shape.each()[-2:]], inputs, outputs, item)
    line, deal = places_dealt(*shape.each()[-1])
    inputs = (*shape.spatial[:-1], deal.phases * deal.width, samples)
    return Scheme(plan((*lines[:-1], line), inputs, outputs, shape.kernel, item), (deal,))


@lru_cache(maxsize=PLANS)
def elements_scheme(shape: Shape, samples: int, item: int) -> Scheme[Plan]:
    """The scheme of the adjoint in the input: every element is a sum over the positions that see it."""
    lines = tuple(map(elements_line, *shape))
    inputs, outputs = (*shape.places, samples), (*shape.spatial, samples)
    found = plan(lines, inputs, outputs, shape.kernel, item)
    if found.shortest >= VECTOR:
        return Scheme(found)
    if suits_flat(shape, outputs, item):
        return joined_planes(
            shape, lines, [elements_dealt(*sizes)[:2] for sizes in shape.each()[-2:]], inputs, outputs, item
        )
    line, deal, out = elements_dealt(*shape.each()[-1])
    inputs = (*shape.places[:-1], deal.width, samples)
    outputs = (*shape.spatial[:-1], out.phases * out.width, samples)
    found = plan((*lines[:-1], line), inputs, outputs, shape.kernel, item)
    return Scheme(found, (deal,), (out,) if out.phases > 1 else ())


def suits_flat(shape: Shape, outputs: Size, item: int) -> bool:
    """Whether rows are so short that whole planes, including the padding between rows, are better segments."""
    return len(outputs) > 2 and set(shape.stride[-2:]) == {1} and outputs[-2] * outputs[-1] * item < 2 * VECTOR


def joined_planes(
    shape: Shape, lines: tuple[Line, ...], dealt: list[tuple[Line, Deal]], inputs: Size, outputs: Size, item: int
) -> Scheme[Plan]:
    """The scheme whose segments are planes: the last two dimensions are one, with padding between the rows."""
    (upper, high), (lower, wide) = dealt
    *outer, rows, columns, samples = outputs
    steps = [
        (tap * shape.kernel[-1] + other, above * wide.width + beside)
        for tap, above in upper[0]
        for other, beside in lower[0]
    ]
    line = tuple(tuple((tap, at + step) for tap, step in steps) for at in range((rows - 1) * wide.width + columns))
    kernel = (*shape.kernel[:-2], shape.kernel[-2] * shape.kernel[-1])
    inputs = (*inputs[:-3], high.width * wide.width, samples)
    found = plan((*lines[:-2], line), inputs, (*outer, rows * wide.width, samples), kernel, item)
    return Scheme(found, (high, wide), (Deal(1, 1, rows, 0), Deal(1, 1, wide.width, 0)))


@lru_cache(maxsize=PLANS)
def weight_scheme(shape: Shape, channels: int, samples: int, item: int) -> Scheme[WeightPlan]:
    """The scheme of the adjoint in the weight: every tap of a channel is a sum over the positions that see it."""
    lines = tuple(map(places_line, *shape))
    found = weight_plan(lines, shape, (*shape.spatial, samples), channels, item)
    if found.shortest >= VECTOR and (channels >= FEW or not shape.padding[-1]):
        return Scheme(found)
    line, deal = places_dealt(*shape.each()[-1])
    inputs = (*shape.spatial[:-1], deal.phases * deal.width, samples)
    whole = (Deal(1, 1, shape.places[-1], 0),) if shape.places[-1] * samples * item < VECTOR else ()
    return Scheme(weight_plan((*lines[:-1], line), shape, inputs, channels, item), (deal,), whole)


@lru_cache(maxsize=PLANS)
def taps_plan(shape: Shape, channels: int, item: int) -> Plan:
    """The tables of the adjoint in the weight with the channels innermost: every tap is a sum over positions."""
    lines = tuple(map(taps_line, *shape))
    return plan(lines, (*shape.spatial, channels), (*shape.kernel, channels), shape.places, item)


@lru_cache(maxsize=PLANS)
def places_plan(shape: Shape, samples: int, outer: int, item: int) -> Plan:
    """The tables of the adjoint in the weight with the cotangent's channels innermost, for samples innermost."""
    lines = (tuple(tuple((at, place) for place, at in pairs) for pairs in taps_line(*sizes)) for sizes in shape.each())
    return plan(tuple(lines), (*shape.places, samples * outer), (*shape.kernel, outer), shape.spatial, item)


def taps_line(size: int, kernel: int, places: int, stride: int, padding: int, dilation: int) -> Line:
    """The positions where each tap is on an element, with that element."""
    return tuple(
        tuple((place, at) for place in range(places) if 0 <= (at := place * stride + tap * dilation - padding) < size)
        for tap in range(kernel)
    )


def weight_plan(lines: tuple[Line, ...], shape: Shape, inputs: Size, channels: int, item: int) -> WeightPlan:
    """The tables for lines over an input of these sizes, the last of them that of the samples, of `item` bytes each."""
    tables, segments, columns, chunks = [], [np.zeros((0, 4), np.intp)], [np.zeros((0, 2), np.intp)], []
    for axis, line in enumerate(lines):
        row, place = prod(inputs[axis + 1 :]), prod(shape.places[axis + 1 :]) * inputs[-1]
        tables.append(shared(line, row, place, prod(shape.kernel[axis + 1 :]), item, axis == len(lines) - 1))
    for choice in product(*tables):
        found = reduce(crossed, (steps for steps, _ in choice))
        taps = reduce(crossed, (taps for _, taps in choice))
        every = np.arange(channels)[:, None] * np.array([prod(inputs), prod(shape.kernel)]) * item
        first, size = sum(map(len, columns)), len(taps) * channels
        for at in range(0, size, CHUNK):
            chunks.append((sum(map(len, segments)), len(found), first + at, min(CHUNK, size - at)))
        segments.append(found)
        columns.append(crossed(taps, every))
    cut_up = np.array(chunks, np.intp).reshape(-1, 4)
    return WeightPlan(np.concatenate(segments)[:, :3].copy(), cut_up, np.concatenate(columns), CHUNK)


def shared(line: Line, row: int, place: int, tap: int, item: int, last: bool) -> list[tuple[np.ndarray, np.ndarray]]:
    """For taps that are seen from the same positions: the segments of these, and the taps' columns."""
    seen: dict[int, dict[int, int]] = {}
    for at, pairs in enumerate(line):
        for number, position in pairs:
            seen.setdefault(number, {})[at] = position
    groups: dict[Size, list[int]] = {}
    for number, positions in seen.items():
        groups.setdefault(tuple(positions), []).append(number)
    found = []
    for places, numbers in groups.items():
        base = seen[numbers[0]]
        steps = [(at * place * item, base[at] * row * item, 0, 0) for at in places]
        if last:
            steps = list(cut(joined(steps, row * item, place * item)))
        columns = [((seen[n][places[0]] - base[places[0]]) * row * item, n * tap * item) for n in numbers]
        found.append((np.array(steps, np.intp), np.array(columns, np.intp)))
    return found


def crossed(outer: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """The sums of every row of one array and every row of the other."""
    return (outer[:, None] + inner).reshape(-1, outer.shape[1])


def places_dealt(size: int, kernel: int, places: int, stride: int, padding: int, dilation: int) -> tuple[Line, Deal]:
    """The line over an input that is padded and split by phase: every position sees all taps, at constant offsets."""
    reach = (kernel - 1) * dilation
    width = places + reach // stride
    steps = [tap * dilation // stride + tap * dilation % stride * width for tap in range(kernel)]
    line = tuple(tuple((tap, place + step) for tap, step in enumerate(steps)) for place in range(places))
    return line, Deal(stride, min(stride, reach + 1), width, -padding)


def elements_dealt(
    size: int, kernel: int, places: int, stride: int, padding: int, dilation: int
) -> tuple[Line, Deal, Deal]:
    """The line over a padded gradient, for a result that is split by phase: all results of a phase are of one kind."""
    stride = min(stride, padding + size)  # with a larger stride only the first position is inside
    first, last = padding // stride, (padding + size - 1) // stride
    before = max(0, (kernel - 1) * dilation // stride - first)
    line = tuple(
        tuple(
            (tap, at + before - tap * dilation // stride) for tap in range(kernel) if tap * dilation % stride == phase
        )
        for phase in range(stride)
        for at in range(first, last + 1)
    )
    width = before + max(places, last + 1)
    return line, Deal(1, 1, width, -before), Deal(stride, stride, last + 1 - first, first * stride - padding)


def plan(lines: tuple[Line, ...], inputs: Size, outputs: Size, kernel: Size, item: int) -> Plan:
    """The tables for lines over memory of these sizes, the last of them that of the samples, of `item` bytes each."""
    segments, radix = np.zeros((1, 4), np.intp), 1
    kinds: list[list[list[tuple[int, int]]]] = []
    for axis, line in reversed(list(enumerate(lines))):
        row, place = (prod(sizes[axis + 1 :]) * item for sizes in (inputs, outputs))
        bases, found = classified(line)
        steps = [(at * place, base * row, 0, kind * radix) for at, (base, kind) in enumerate(bases)]
        if axis == len(lines) - 1:
            steps = list(cut(joined(steps, row, place)))
        segments = crossed(np.array(steps, np.intp), segments)
        tap = prod(kernel[axis + 1 :])
        kinds.insert(0, [[(at * row, number * tap * item) for number, at in pairs] for pairs in found])
        radix *= len(found)
    taps = [[tuple(map(sum, zip(*pairs, strict=True))) for pairs in product(*choice)] for choice in product(*kinds)]
    firsts = np.array([0, *accumulate(map(len, taps))], np.intp)
    return Plan(segments, firsts, np.array([*chain(*taps)], np.intp).reshape(-1, 2))


def classified(line: Line) -> tuple[list[tuple[int, int]], list[Pairs]]:
    """The base and kind of each result, and the pairs of each kind relative to the base."""
    kinds: dict[Pairs, int] = {}
    bases = []
    for pairs in line:
        base = pairs[0][1] if pairs else 0
        relative = tuple((tap, at - base) for tap, at in pairs)
        bases.append((base, kinds.setdefault(relative, len(kinds))))
    return bases, list(kinds)


def joined(steps: list[Segment], row: int, place: int) -> Iterator[Segment]:
    """Merges segments of single results into longer ones, where result and base are both consecutive in memory."""
    out, base, length, kind = *steps[0][:2], place, steps[0][3]
    for at, begin, _, other in steps[1:]:
        if other == kind and begin == base + length and row == place:
            length += place
        else:
            yield out, base, length, kind
            out, base, length, kind = at, begin, place, other
    yield out, base, length, kind


def cut(segments: Iterator[Segment]) -> Iterator[Segment]:
    """Splits segments to less than twice SEGMENT_BYTES."""
    for out, base, length, kind in segments:
        starts = range(0, max(length - SEGMENT_BYTES, 0) + 1, SEGMENT_BYTES)
        for start in starts:
            yield out + start, base + start, SEGMENT_BYTES if start != starts[-1] else length - start, kind
