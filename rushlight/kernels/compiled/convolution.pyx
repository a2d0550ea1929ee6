# cython: cdivision=True
"""Convolution and its adjoint in the input, as matrix products whose rows are located by a table: patches are never copied.

A segment is a row of consecutive elements in memory (the samples of one or several positions) that the same taps see.
The sums of a tile, up to 6 channels by 4 vectors (2 with AVX2), stay in registers: for each tap and channel the tile's
vectors are loaded, and a weight for each of its channels. Positions, strides and lengths are in bytes.
`rushlight.kernels.plans` makes the tables.
"""

cimport numpy as cnp
from libc.string cimport memcpy

from rushlight.kernels.compiled.lanes cimport doubles, filled, floats, number
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.tiles cimport Operand, across, beside, fit, inlined, lanes, operand, register_bytes

cnp.import_array()

VECTOR = register_bytes()
AVAILABLE = VECTOR > 0
NEEDS = "avx2"

cdef enum:
    TILE_CHANNELS = 6

cdef struct Tap:
    Py_ssize_t row  # from the segment's base
    Py_ssize_t weight  # from the first tap's, if taps are side by side

cdef struct Segment:
    Py_ssize_t out
    Py_ssize_t base
    Py_ssize_t length
    Py_ssize_t kind  # determines which taps see it

cdef struct Walk:  # over the rows of a tile: for each tap of a kind the channels
    Py_ssize_t channels
    Py_ssize_t x_step  # from channel to channel
    Py_ssize_t weight_step
    Py_ssize_t row_step  # in the weights, from one channel of the result to the next
    Py_ssize_t tap_step  # in elements, from one tap to the next
    const Tap* taps
    Py_ssize_t seen


cdef inlined tile(int rows, int vectors, const lanes* x, const lanes* weights, const lanes* bias, const Walk* walk,
                  lanes* out, Py_ssize_t out_step) noexcept nogil:
    """out[i][v] = bias[i] + the sum of weights[k][i] * x[k][v] over taps and channels k."""
    cdef lanes sums[24]
    cdef lanes seen[4]
    cdef const lanes* row
    cdef const lanes* weight
    cdef Py_ssize_t tap, channel
    cdef int i, v
    for i in range(rows):
        for v in range(vectors):
            sums[4 * i + v] = filled(bias, i)
    for tap in range(walk.seen):
        row = <const lanes*>beside(x, walk.taps[tap].row)
        weight = <const lanes*>beside(weights, walk.taps[tap].weight * walk.tap_step)
        for channel in range(walk.channels):
            for v in range(vectors):
                seen[v] = row[v]
            for i in range(rows):
                for v in range(vectors):
                    sums[4 * i + v] += number(<const lanes*>beside(weight, i * walk.row_step), 0) * seen[v]
            row = <const lanes*>beside(row, walk.x_step)
            weight = <const lanes*>beside(weight, walk.weight_step)
    for i in range(rows):
        for v in range(vectors):
            (<lanes*>(<char*>out + i * out_step))[v] = sums[4 * i + v]


cdef inlined tile_of_width(int rows, int vectors, const lanes* x, const lanes* weights, const lanes* bias,
                           const Walk* walk, lanes* out, Py_ssize_t out_step) noexcept nogil:
    """A tile of constant width, and of 1 to 6 rows."""
    if rows == 6:
        tile(6, vectors, x, weights, bias, walk, out, out_step)
    elif rows == 5:
        tile(5, vectors, x, weights, bias, walk, out, out_step)
    elif rows == 4:
        tile(4, vectors, x, weights, bias, walk, out, out_step)
    elif rows == 3:
        tile(3, vectors, x, weights, bias, walk, out, out_step)
    elif rows == 2:
        tile(2, vectors, x, weights, bias, walk, out, out_step)
    else:
        tile(1, vectors, x, weights, bias, walk, out, out_step)


cdef fit any_tile(int rows, int vectors, const lanes* x, const lanes* weights, const lanes* bias,
                  const Walk* walk, lanes* out, Py_ssize_t out_step) noexcept nogil:
    """A tile of 1 to 6 rows and 1 to 4 vectors."""
    if across(sizeof(lanes)) == 4 and vectors == 4:
        tile_of_width(rows, 4, x, weights, bias, walk, out, out_step)
    elif across(sizeof(lanes)) == 4 and vectors == 3:
        tile_of_width(rows, 3, x, weights, bias, walk, out, out_step)
    elif vectors == 2:
        tile_of_width(rows, 2, x, weights, bias, walk, out, out_step)
    else:
        tile_of_width(rows, 1, x, weights, bias, walk, out, out_step)


cdef void stack(Py_ssize_t channels, Py_ssize_t width, const lanes* x, const lanes* weights, const lanes* bias,
                const Walk* walk, lanes* out, Py_ssize_t out_step) noexcept nogil:
    """Computes tiles for all channels of the result; widths below a vector go through a buffer."""
    cdef lanes aside[TILE_CHANNELS]
    cdef Py_ssize_t blocks = (channels + TILE_CHANNELS - 1) // TILE_CHANNELS, block, first, i
    cdef int rows, vectors = <int>(width // register_bytes())
    cdef const lanes* filters
    cdef const lanes* start
    for block in range(blocks):
        first = channels * block // blocks
        rows = <int>(channels * (block + 1) // blocks - first)
        filters = <const lanes*>beside(weights, first * walk.row_step)
        start = <const lanes*>beside(bias, first * <Py_ssize_t>(sizeof(float) if lanes is floats else sizeof(double)))
        if vectors:
            any_tile(rows, vectors, x, filters, start, walk, <lanes*>(<char*>out + first * out_step), out_step)
            continue
        any_tile(rows, 1, x, filters, start, walk, aside, sizeof(lanes))
        for i in range(rows):
            memcpy(<char*>out + (first + i) * out_step, &aside[i], width)


cdef void along(Py_ssize_t length, Py_ssize_t channels, const lanes* x, const lanes* weights, const lanes* bias,
                const Walk* walk, lanes* out, Py_ssize_t out_step) noexcept nogil:
    """Computes stacks of tiles next to each other; the last ones overlap if the length is not a multiple of theirs."""
    cdef Py_ssize_t done = 0, left, width, vector = register_bytes(), tile_bytes = across(vector) * vector
    while done < length:
        left = length - done
        if left >= tile_bytes:
            width = tile_bytes
        elif length >= tile_bytes:
            width = (left + vector - 1) // vector * vector
            done = length - width
        elif left >= vector:
            width = left // vector * vector
        elif length >= vector:
            width = vector
            done = length - width
        else:
            width = left
        stack(channels, width, <const lanes*>beside(x, done), weights, bias, walk, <lanes*>(<char*>out + done), out_step)
        done += width


cdef struct Products:
    Operand x, weights, bias, out
    Py_ssize_t tap_step
    Py_ssize_t groups
    Py_ssize_t in_channels
    Py_ssize_t out_channels
    const Segment* segments
    Py_ssize_t number  # of segments
    const Py_ssize_t* first_taps
    const Tap* taps
    bint single


cdef void product(const lanes* typed, const Products* job, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes items `start` to `stop` of `products`, for the lane type of the first argument."""
    cdef Py_ssize_t item, group, run
    cdef Segment segment
    cdef Walk walk
    walk.channels, walk.x_step = job.in_channels, job.x.steps[2]
    walk.row_step, walk.weight_step, walk.tap_step = job.weights.steps[1], job.weights.steps[2], job.tap_step
    for item in range(start, stop):
        segment = job.segments[item % job.number]
        group = item // job.number % job.groups
        run = item // job.number // job.groups
        walk.taps = job.taps + job.first_taps[segment.kind]
        walk.seen = job.first_taps[segment.kind + 1] - job.first_taps[segment.kind]
        along(segment.length, job.out_channels,
              <const lanes*>(job.x.start + run * job.x.steps[0] + group * job.x.steps[1] + segment.base),
              <const lanes*>(job.weights.start + group * job.weights.steps[0]),
              <const lanes*>(job.bias.start + group * job.bias.steps[0]), &walk,
              <lanes*>(job.out.start + run * job.out.steps[0] + group * job.out.steps[1] + segment.out),
              job.out.steps[2])


cdef void some_products(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of the work."""
    cdef const Products* job = <const Products*>given
    if job.single:
        product[floats](NULL, job, start, stop)
    else:
        product[doubles](NULL, job, start, stop)


def products(cnp.ndarray x, cnp.ndarray weights, cnp.ndarray bias, cnp.ndarray out, plan, Py_ssize_t grain):
    """Computes a convolution: runs * groups * segments items of work, shared among threads `grain` at a time.

    x is (runs, groups, channels, elements), weights (groups, channels of the result, channels, taps), bias
    (groups, channels of the result), out (runs, groups, channels of the result, elements).
    """
    cdef cnp.ndarray segments, kinds, taps
    cdef Products job
    segments, kinds, taps = plan
    job.x, job.weights, job.bias, job.out = operand(x), operand(weights), operand(bias), operand(out)
    job.tap_step = weights.strides[3] // cnp.PyArray_ITEMSIZE(weights)
    job.groups, job.in_channels, job.out_channels = x.shape[1], x.shape[2], out.shape[2]
    job.segments, job.number = <const Segment*>cnp.PyArray_DATA(segments), segments.shape[0]
    job.first_taps, job.taps = <const Py_ssize_t*>cnp.PyArray_DATA(kinds), <const Tap*>cnp.PyArray_DATA(taps)
    job.single = cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32
    shared(some_products, &job, x.shape[0] * job.groups * job.number, grain)
