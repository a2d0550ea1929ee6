# cython: cdivision=True
"""Convolution and its adjoints as products of matrices whose rows lie where a table says: patches are never copied.

`products` serves convolution and the adjoint in the input. A segment is a row of neighbours in memory (the samples of a
place, or of several) that the same taps see. The sums of a tile, up to 6 channels by 4 vectors, stay in registers: for
each tap and channel come the vectors that lie there, and a weight for each of the tile's channels.
`contractions` serves the adjoint in the weight. Its sums, for up to 4 channels of the cotangent and 6 columns (a tap of
a channel), stay in registers too; they run along the segments, and the lanes are added up at the end.
Places, steps and lengths are in bytes. `rushlight.kernels.plans` makes the tables.
"""

cimport numpy as cnp
from libc.string cimport memcpy, memset

from rushlight.kernels.compiled.lanes cimport (
    add_to, always, doubles, filled, floats, kept, number, put, wide_registers, widest)

cnp.import_array()

AVAILABLE = bool(wide_registers())  # elsewhere the sums do not fit into the registers, and BLAS is faster

ctypedef fused lanes:
    floats
    doubles

cdef enum:
    WIDTH = 64  # bytes of a vector
    TILE_CHANNELS = 6
    TILE_BYTES = 4 * WIDTH
    BLOCK_CHANNELS = 4
    BLOCK_COLUMNS = 6

cdef char MASKS[3 * WIDTH]
cdef int byte
for byte in range(3 * WIDTH):
    MASKS[byte] = -1 if WIDTH <= byte < 2 * WIDTH else 0

cdef struct Tap:
    Py_ssize_t row  # from the segment's base
    Py_ssize_t number

cdef struct Segment:
    Py_ssize_t out
    Py_ssize_t base
    Py_ssize_t length
    Py_ssize_t kind  # which taps see it

cdef struct Walk:  # over the rows of a tile: for each channel the taps of a kind
    Py_ssize_t channels
    Py_ssize_t x_step  # from channel to channel
    Py_ssize_t weight_step
    Py_ssize_t row_step  # in the weights, from one channel of the result to the next
    const Tap* taps
    Py_ssize_t seen


cdef inline const lanes* beside(const lanes* place, Py_ssize_t step) noexcept nogil:
    """The place so many bytes further on."""
    return <const lanes*>(<const char*>place + step)


cdef inline const lanes* beside_numbers(const lanes* place, Py_ssize_t count) noexcept nogil:
    """The place so many floats or doubles further on."""
    return beside(place, count * <Py_ssize_t>(sizeof(float) if lanes is floats else sizeof(double)))


cdef always tile(int rows, int vectors, const lanes* x, const lanes* weights, const lanes* bias, const Walk* walk,
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
    for channel in range(walk.channels):
        for tap in range(walk.seen):
            row = beside(x, walk.taps[tap].row)
            weight = beside_numbers(weights, walk.taps[tap].number)
            for v in range(vectors):
                seen[v] = row[v]
            for i in range(rows):
                for v in range(vectors):
                    sums[4 * i + v] += number(beside(weight, i * walk.row_step), 0) * seen[v]
        x = beside(x, walk.x_step)
        weights = beside(weights, walk.weight_step)
    for i in range(rows):
        for v in range(vectors):
            (<lanes*>(<char*>out + i * out_step))[v] = sums[4 * i + v]


cdef always tile_of_width(int rows, int vectors, const lanes* x, const lanes* weights, const lanes* bias,
                          const Walk* walk, lanes* out, Py_ssize_t out_step) noexcept nogil:
    """A tile of a width known here, and of 1 to 6 rows."""
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


cdef widest any_tile(int rows, int vectors, const lanes* x, const lanes* weights, const lanes* bias,
                   const Walk* walk, lanes* out, Py_ssize_t out_step) noexcept nogil:
    """A tile of 1 to 6 rows and 1 to 4 vectors."""
    if vectors == 4:
        tile_of_width(rows, 4, x, weights, bias, walk, out, out_step)
    elif vectors == 3:
        tile_of_width(rows, 3, x, weights, bias, walk, out, out_step)
    elif vectors == 2:
        tile_of_width(rows, 2, x, weights, bias, walk, out, out_step)
    else:
        tile_of_width(rows, 1, x, weights, bias, walk, out, out_step)


cdef void stack(Py_ssize_t channels, Py_ssize_t width, const lanes* x, const lanes* weights, const lanes* bias,
                const Walk* walk, lanes* out, Py_ssize_t out_step) noexcept nogil:
    """Tiles above each other, for all channels of the result; of less than a vector through memory of their own."""
    cdef lanes aside[TILE_CHANNELS]
    cdef Py_ssize_t blocks = (channels + TILE_CHANNELS - 1) // TILE_CHANNELS, block, first, i
    cdef int rows, vectors = <int>(width // WIDTH)
    cdef const lanes* filters
    cdef const lanes* start
    for block in range(blocks):
        first = channels * block // blocks
        rows = <int>(channels * (block + 1) // blocks - first)
        filters = beside(weights, first * walk.row_step)
        start = beside_numbers(bias, first)
        if vectors:
            any_tile(rows, vectors, x, filters, start, walk, <lanes*>(<char*>out + first * out_step), out_step)
            continue
        any_tile(rows, 1, x, filters, start, walk, aside, WIDTH)
        for i in range(rows):
            memcpy(<char*>out + (first + i) * out_step, &aside[i], width)


cdef void along(Py_ssize_t length, Py_ssize_t channels, const lanes* x, const lanes* weights, const lanes* bias,
                const Walk* walk, lanes* out, Py_ssize_t out_step) noexcept nogil:
    """Stacks of tiles side by side; the last ones overlap where the length is no multiple of theirs."""
    cdef Py_ssize_t done = 0, left, width
    while done < length:
        left = length - done
        if left >= TILE_BYTES:
            width = TILE_BYTES
        elif length >= TILE_BYTES:
            width = (left + WIDTH - 1) // WIDTH * WIDTH
            done = length - width
        elif left >= WIDTH:
            width = left // WIDTH * WIDTH
        elif length >= WIDTH:
            width = WIDTH
            done = length - width
        else:
            width = left
        stack(channels, width, beside(x, done), weights, bias, walk, <lanes*>(<char*>out + done), out_step)
        done += width


cdef void product(const lanes* typed, cnp.ndarray x, cnp.ndarray weights, cnp.ndarray bias, cnp.ndarray out,
                  cnp.ndarray segments, cnp.ndarray kinds, cnp.ndarray taps, Py_ssize_t start, Py_ssize_t stop):
    """`products`, for the type of lanes that the first argument points to."""
    cdef const Segment* table = <const Segment*>cnp.PyArray_DATA(segments)
    cdef const Py_ssize_t* first_taps = <const Py_ssize_t*>cnp.PyArray_DATA(kinds)
    cdef const char* x_data = cnp.PyArray_BYTES(x)
    cdef const char* bias_data = cnp.PyArray_BYTES(bias)
    cdef const char* weight_data = cnp.PyArray_BYTES(weights)
    cdef char* out_data = cnp.PyArray_BYTES(out)
    cdef Py_ssize_t number = segments.shape[0], groups = x.shape[1], channels = out.shape[2], item, group, run
    cdef Py_ssize_t[3] x_steps = [x.strides[0], x.strides[1], x.strides[2]]
    cdef Py_ssize_t[3] out_steps = [out.strides[0], out.strides[1], out.strides[2]]
    cdef Py_ssize_t weight_step = weights.strides[0], bias_step = bias.strides[0]
    cdef Segment segment
    cdef Walk walk
    walk.channels, walk.x_step = x.shape[2], x.strides[2]
    walk.row_step, walk.weight_step = weights.strides[1], weights.strides[2]
    with nogil:
        for item in range(start, stop):
            segment = table[item % number]
            group = item // number % groups
            run = item // number // groups
            walk.taps = <const Tap*>cnp.PyArray_DATA(taps) + first_taps[segment.kind]
            walk.seen = first_taps[segment.kind + 1] - first_taps[segment.kind]
            along(segment.length, channels,
                  <const lanes*>(x_data + run * x_steps[0] + group * x_steps[1] + segment.base),
                  <const lanes*>(weight_data + group * weight_step),
                  <const lanes*>(bias_data + group * bias_step), &walk,
                  <lanes*>(out_data + run * out_steps[0] + group * out_steps[1] + segment.out), out_steps[2])


def products(cnp.ndarray x, cnp.ndarray weights, cnp.ndarray bias, cnp.ndarray out, plan, start, stop):
    """Computes items `start` to `stop` of runs * groups * segments of a convolution.

    x is (runs, groups, channels, elements), weights (groups, channels of the result, channels, taps), bias
    (groups, channels of the result), out (runs, groups, channels of the result, elements).
    """
    segments, kinds, taps = plan
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32:
        product[floats](NULL, x, weights, bias, out, segments, kinds, taps, start, stop)
    else:
        product[doubles](NULL, x, weights, bias, out, segments, kinds, taps, start, stop)


cdef enum:
    SECTIONS = 64  # of a stretch, at most
    STRETCH_BYTES = 4096  # of each row: six columns stay in the first cache, and the cotangent in the second

cdef struct Column:
    Py_ssize_t row  # from the segment's base
    Py_ssize_t out

cdef struct Shared:  # a segment of the places that see the columns of a chunk
    Py_ssize_t grad
    Py_ssize_t x
    Py_ssize_t length

cdef struct Chunk:  # of columns that are seen from the same places
    Py_ssize_t first_segment
    Py_ssize_t segments
    Py_ssize_t first_column
    Py_ssize_t columns

cdef struct Section:
    const char* grad
    const char* x
    Py_ssize_t length

cdef struct Stretch:  # sections to add up over at a time
    Section[SECTIONS] sections
    int number
    Py_ssize_t grad_step


cdef always add_products(int rows, int columns, lanes* sums, const lanes* grad, Py_ssize_t grad_step, const lanes* x,
                         const Column* column, const char* mask) noexcept nogil:
    """Adds to the sums what one vector of each row and column gives; with a mask, only some of its lanes."""
    cdef lanes cotangents[4]
    cdef lanes seen
    cdef int i, j
    for i in range(rows):
        cotangents[i] = beside(grad, i * grad_step)[0]
        if mask != NULL:
            cotangents[i] = kept(cotangents[i], mask)
    for j in range(columns):
        seen = beside(x, column[j].row)[0]
        if mask != NULL:
            seen = kept(seen, mask)
        for i in range(rows):
            sums[rows * j + i] += cotangents[i] * seen


cdef always fold(int half, lanes* total) noexcept nogil:
    """Adds the numbers of the second half to those of the first."""
    cdef int i
    for i in range(half):
        add_to(total, i, number(total, half + i))


cdef always block(int rows, int columns, const Stretch* stretch, Py_ssize_t first, const Column* column,
                  lanes* totals, Py_ssize_t total_step) noexcept nogil:
    """Adds up grad[i] * x[j] over a stretch, for rows from the first on; totals are vectors still to be added up."""
    cdef lanes sums[24]
    cdef const Section* section
    cdef Py_ssize_t at, s, rest
    cdef int k
    for k in range(rows * columns):
        sums[k] = totals[k // rows * total_step + k % rows]
    for s in range(stretch.number):
        section = &stretch.sections[s]
        for at in range(0, section.length - 63, 64):  # by WIDTH
            add_products(rows, columns, sums, <const lanes*>(section.grad + first + at), stretch.grad_step,
                         <const lanes*>(section.x + at), column, NULL)
        rest = section.length % WIDTH
        if rest:
            at = section.length - WIDTH if section.length > WIDTH else 0
            add_products(rows, columns, sums, <const lanes*>(section.grad + first + at), stretch.grad_step,
                         <const lanes*>(section.x + at), column,
                         MASKS + (rest if section.length > WIDTH else 2 * WIDTH - rest))
    for k in range(rows * columns):
        totals[k // rows * total_step + k % rows] = sums[k]


cdef always block_of_rows(int rows, int columns, const Stretch* stretch, Py_ssize_t first, const Column* column,
                          lanes* totals, Py_ssize_t total_step) noexcept nogil:
    """A block of a number of rows known here, and of 1 to 6 columns."""
    if columns == 6:
        block(rows, 6, stretch, first, column, totals, total_step)
    elif columns == 5:
        block(rows, 5, stretch, first, column, totals, total_step)
    elif columns == 4:
        block(rows, 4, stretch, first, column, totals, total_step)
    elif columns == 3:
        block(rows, 3, stretch, first, column, totals, total_step)
    elif columns == 2:
        block(rows, 2, stretch, first, column, totals, total_step)
    else:
        block(rows, 1, stretch, first, column, totals, total_step)


cdef widest any_block(int rows, int columns, const Stretch* stretch, Py_ssize_t first, const Column* column,
                    lanes* totals, Py_ssize_t total_step) noexcept nogil:
    """A block of 1 to 4 rows and 1 to 6 columns."""
    if rows == 4:
        block_of_rows(4, columns, stretch, first, column, totals, total_step)
    elif rows == 3:
        block_of_rows(3, columns, stretch, first, column, totals, total_step)
    elif rows == 2:
        block_of_rows(2, columns, stretch, first, column, totals, total_step)
    else:
        block_of_rows(1, columns, stretch, first, column, totals, total_step)


cdef void contract(Py_ssize_t channels, Py_ssize_t columns, const Column* column, const Stretch* stretch,
                   lanes* totals) noexcept nogil:
    """Adds to the totals (columns, channels of the cotangent) what a stretch gives."""
    cdef Py_ssize_t row_blocks = (channels + BLOCK_CHANNELS - 1) // BLOCK_CHANNELS, row, block
    cdef Py_ssize_t column_blocks = (columns + BLOCK_COLUMNS - 1) // BLOCK_COLUMNS, first, column_block
    cdef int rows, width
    for column_block in range(column_blocks):
        first = columns * column_block // column_blocks
        width = <int>(columns * (column_block + 1) // column_blocks - first)
        for block in range(row_blocks):
            row = channels * block // row_blocks
            rows = <int>(channels * (block + 1) // row_blocks - row)
            any_block(rows, width, stretch, row * stretch.grad_step, column + first,
                      totals + first * channels + row, channels)


cdef widest add_up(Py_ssize_t channels, Py_ssize_t columns, const Column* column, lanes* totals, char* out,
                 Py_ssize_t out_step) noexcept nogil:
    """Adds up the lanes of each total, by halves, and puts them where they belong in the result."""
    cdef Py_ssize_t i, j
    for j in range(columns):
        for i in range(channels):
            if lanes is floats:
                fold(8, totals)
            fold(4, totals)
            fold(2, totals)
            fold(1, totals)
            put(<lanes*>(out + i * out_step + column[j].out), number(totals, 0))
            totals += 1


cdef void contraction(const lanes* typed, cnp.ndarray grad, cnp.ndarray x, cnp.ndarray out, cnp.ndarray segments,
                      cnp.ndarray chunks, cnp.ndarray columns, Py_ssize_t most, Py_ssize_t start, Py_ssize_t stop):
    """`contractions`, for the type of lanes that the first argument points to."""
    cdef const Shared* segment = <const Shared*>cnp.PyArray_DATA(segments)
    cdef const Chunk* chunk
    cdef const Column* column = <const Column*>cnp.PyArray_DATA(columns)
    cdef const char* grads = cnp.PyArray_BYTES(grad)
    cdef const char* xs = cnp.PyArray_BYTES(x)
    cdef char* result = cnp.PyArray_BYTES(out)
    cdef Py_ssize_t runs = x.shape[0], groups = x.shape[1], channels = grad.shape[2], parts = out.shape[0]
    cdef Py_ssize_t[2] grad_steps = [grad.strides[0], grad.strides[1]]
    cdef Py_ssize_t[2] x_steps = [x.strides[0], x.strides[1]]
    cdef Py_ssize_t[3] out_steps = [out.strides[0], out.strides[1], out.strides[2]]
    cdef Py_ssize_t number = chunks.shape[0], item, group, part, at, end, length, run
    cdef cnp.npy_intp scratch_bytes = channels * most * WIDTH
    cdef cnp.ndarray scratch = cnp.PyArray_SimpleNew(1, &scratch_bytes, cnp.NPY_INT8)
    cdef lanes* totals = <lanes*>cnp.PyArray_DATA(scratch)
    cdef Stretch stretch
    stretch.grad_step = grad.strides[2]
    with nogil:
        for item in range(start, stop):
            chunk = <const Chunk*>cnp.PyArray_DATA(chunks) + item % number
            group = item // number % groups
            part = item // number // groups
            memset(totals, 0, channels * chunk.columns * WIDTH)
            at = runs * chunk.segments * part // parts
            end = runs * chunk.segments * (part + 1) // parts
            while at < end:
                length = stretch.number = 0
                while at < end and stretch.number < SECTIONS and length < STRETCH_BYTES:
                    run = at // chunk.segments
                    lay(&stretch, segment + chunk.first_segment + at % chunk.segments,
                        grads + run * grad_steps[0] + group * grad_steps[1],
                        xs + run * x_steps[0] + group * x_steps[1])
                    length += stretch.sections[stretch.number - 1].length
                    at += 1
                contract(channels, chunk.columns, column + chunk.first_column, &stretch, totals)
            add_up(channels, chunk.columns, column + chunk.first_column, totals,
                   result + part * out_steps[0] + group * out_steps[1], out_steps[2])


cdef inline void lay(Stretch* stretch, const Shared* segment, const char* grad, const char* x) noexcept nogil:
    """Appends a segment of a run and a group to the stretch."""
    cdef Section* section = &stretch.sections[stretch.number]
    section.grad, section.x, section.length = grad + segment.grad, x + segment.x, segment.length
    stretch.number += 1


def contractions(cnp.ndarray grad, cnp.ndarray x, cnp.ndarray out, plan, start, stop):
    """Computes items `start` to `stop` of parts * groups * chunks of the adjoint in the weight, into `out`.

    grad is (runs, groups, channels of the cotangent, elements), x (runs, groups, channels, elements), out (parts,
    groups, channels of the cotangent, columns): each part is the sum over some of the segments of all runs.
    """
    segments, chunks, columns, most = plan
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32:
        contraction[floats](NULL, grad, x, out, segments, chunks, columns, most, start, stop)
    else:
        contraction[doubles](NULL, grad, x, out, segments, chunks, columns, most, start, stop)
