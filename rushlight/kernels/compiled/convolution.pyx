# cython: cdivision=True
"""Convolution and its adjoints as matrix products whose rows are located by a table: patches are never copied.

`products` computes convolution and the adjoint in the input. A segment is a row of consecutive elements in memory (the
samples of one or several positions) that the same taps see. The sums of a tile, up to 6 channels by 4 vectors, stay in
registers: for each tap and channel the tile's vectors are loaded, and a weight for each of its channels. `contractions`
computes the adjoint in the weight. Its sums, for up to 4 channels of the gradient and 6 columns (a tap of a channel),
stay in registers too; they run along the segments, and the lanes are summed at the end. Positions, strides and lengths
are in bytes. `rushlight.kernels.plans` makes the tables.
"""

cimport numpy as cnp
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from rushlight.kernels.compiled.lanes cimport (
    add_to, always, doubles, filled, floats, kept, number, put, wide_registers, widest)
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

AVAILABLE = bool(wide_registers())  # other CPUs have too few registers, and BLAS is faster

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
    Py_ssize_t kind  # determines which taps see it

cdef struct Walk:  # over the rows of a tile: for each tap of a kind the channels
    Py_ssize_t channels
    Py_ssize_t x_step  # from channel to channel
    Py_ssize_t weight_step
    Py_ssize_t row_step  # in the weights, from one channel of the result to the next
    const Tap* taps
    Py_ssize_t seen


cdef inline const lanes* beside(const lanes* place, Py_ssize_t step) noexcept nogil:
    """The position a number of bytes further on."""
    return <const lanes*>(<const char*>place + step)


cdef inline const lanes* beside_numbers(const lanes* place, Py_ssize_t count) noexcept nogil:
    """The position a number of floats or doubles further on."""
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
    for tap in range(walk.seen):
        row = beside(x, walk.taps[tap].row)
        weight = beside_numbers(weights, walk.taps[tap].number)
        for channel in range(walk.channels):
            for v in range(vectors):
                seen[v] = row[v]
            for i in range(rows):
                for v in range(vectors):
                    sums[4 * i + v] += number(beside(weight, i * walk.row_step), 0) * seen[v]
            row = beside(row, walk.x_step)
            weight = beside(weight, walk.weight_step)
    for i in range(rows):
        for v in range(vectors):
            (<lanes*>(<char*>out + i * out_step))[v] = sums[4 * i + v]


cdef always tile_of_width(int rows, int vectors, const lanes* x, const lanes* weights, const lanes* bias,
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
    """Computes tiles for all channels of the result; widths below a vector go through a buffer."""
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
    """Computes stacks of tiles next to each other; the last ones overlap if the length is not a multiple of theirs."""
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


cdef struct Operand:
    char* start
    Py_ssize_t[3] steps  # from run to run, group to group, channel to channel


cdef struct Products:
    Operand x, weights, bias, out
    Py_ssize_t groups
    Py_ssize_t in_channels
    Py_ssize_t out_channels
    const Segment* segments
    Py_ssize_t number  # of segments
    const Py_ssize_t* first_taps
    const Tap* taps
    bint single


cdef Operand operand(cnp.ndarray array) noexcept:
    """The operand for an array of three or four dimensions, or of two for the bias."""
    cdef Operand result
    cdef int i
    result.start = cnp.PyArray_BYTES(array)
    for i in range(min(3, array.ndim)):
        result.steps[i] = array.strides[i]
    return result


cdef void product(const lanes* typed, const Products* job, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes items `start` to `stop` of `products`, for the lane type of the first argument."""
    cdef Py_ssize_t item, group, run
    cdef Segment segment
    cdef Walk walk
    walk.channels, walk.x_step = job.in_channels, job.x.steps[2]
    walk.row_step, walk.weight_step = job.weights.steps[1], job.weights.steps[2]
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
    job.groups, job.in_channels, job.out_channels = x.shape[1], x.shape[2], out.shape[2]
    job.segments, job.number = <const Segment*>cnp.PyArray_DATA(segments), segments.shape[0]
    job.first_taps, job.taps = <const Py_ssize_t*>cnp.PyArray_DATA(kinds), <const Tap*>cnp.PyArray_DATA(taps)
    job.single = cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32
    shared(some_products, &job, x.shape[0] * job.groups * job.number, grain)


cdef enum:
    SECTIONS = 64  # the most segments of a stretch
    STRETCH_BYTES = 4096  # of each row: six columns stay in the L1 cache, and the gradient in L2

cdef struct Column:
    Py_ssize_t row  # from the segment's base
    Py_ssize_t out

cdef struct Shared:  # a segment of the positions that see the columns of a chunk
    Py_ssize_t grad
    Py_ssize_t x
    Py_ssize_t length

cdef struct Chunk:  # columns that are seen from the same positions
    Py_ssize_t first_segment
    Py_ssize_t segments
    Py_ssize_t first_column
    Py_ssize_t columns

cdef struct Section:
    const char* grad
    const char* x
    Py_ssize_t length

cdef struct Stretch:  # sections that are summed over at a time
    Section[SECTIONS] sections
    int number
    Py_ssize_t grad_step


cdef always add_products(int rows, int columns, lanes* sums, const lanes* grad, Py_ssize_t grad_step, const lanes* x,
                         const Column* column, const char* mask) noexcept nogil:
    """Adds the products of one vector of each row and column to the sums; with a mask, only of some lanes."""
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
    """Adds the second half of the lanes to the first."""
    cdef int i
    for i in range(half):
        add_to(total, i, number(total, half + i))


cdef always block(int rows, int columns, const Stretch* stretch, Py_ssize_t first, const Column* column,
                  lanes* totals, Py_ssize_t total_step) noexcept nogil:
    """Sums grad[i] * x[j] over a stretch, for rows from the first on; the lanes of totals are summed later."""
    cdef lanes sums[24]
    cdef const Section* section
    cdef Py_ssize_t at, s, rest
    cdef int k
    for k in range(rows * columns):
        sums[k] = totals[k // rows * total_step + k % rows]
    for s in range(stretch.number):
        section = &stretch.sections[s]
        for at from 0 <= at <= section.length - WIDTH by WIDTH:
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
    """A block with a constant number of rows, and 1 to 6 columns."""
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
    """Adds the contribution of a stretch to the totals (columns, channels of the gradient)."""
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
    """Sums the lanes of each total, by halves, and stores them in the result."""
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


cdef inline void lay(Stretch* stretch, const Shared* segment, const char* grad, const char* x) noexcept nogil:
    """Appends a segment of a run and a group to the stretch."""
    cdef Section* section = &stretch.sections[stretch.number]
    section.grad, section.x, section.length = grad + segment.grad, x + segment.x, segment.length
    stretch.number += 1


cdef struct Contractions:
    Operand grad, x, out
    Py_ssize_t runs
    Py_ssize_t groups
    Py_ssize_t channels
    Py_ssize_t parts
    const Shared* segments
    const Chunk* chunks
    Py_ssize_t number  # of chunks
    const Column* columns
    Py_ssize_t most  # columns in a chunk
    bint single
    bint failed  # if memory ran out


cdef void contraction(const lanes* typed, Contractions* job, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes items `start` to `stop` of `contractions`, for the lane type of the first argument."""
    cdef Py_ssize_t item, group, part
    cdef const Chunk* chunk
    cdef lanes* totals = <lanes*>malloc(job.channels * job.most * WIDTH)
    if totals == NULL:
        job.failed = True
        return
    for item in range(start, stop):
        chunk = job.chunks + item % job.number
        group = item // job.number % job.groups
        part = item // job.number // job.groups
        memset(totals, 0, job.channels * chunk.columns * WIDTH)
        sum_segments(job, chunk, group, part, totals)
        add_up(job.channels, chunk.columns, job.columns + chunk.first_column, totals,
               job.out.start + part * job.out.steps[0] + group * job.out.steps[1], job.out.steps[2])
    free(totals)


cdef void sum_segments(const Contractions* job, const Chunk* chunk, Py_ssize_t group, Py_ssize_t part,
                       lanes* totals) noexcept nogil:
    """Adds a part of all segments of a chunk to the totals, one stretch at a time."""
    cdef Py_ssize_t at = job.runs * chunk.segments * part // job.parts, length, run
    cdef Py_ssize_t end = job.runs * chunk.segments * (part + 1) // job.parts
    cdef Stretch stretch
    stretch.grad_step = job.grad.steps[2]
    while at < end:
        length = stretch.number = 0
        while at < end and stretch.number < SECTIONS and length < STRETCH_BYTES:
            run = at // chunk.segments
            lay(&stretch, job.segments + chunk.first_segment + at % chunk.segments,
                job.grad.start + run * job.grad.steps[0] + group * job.grad.steps[1],
                job.x.start + run * job.x.steps[0] + group * job.x.steps[1])
            length += stretch.sections[stretch.number - 1].length
            at += 1
        contract(job.channels, chunk.columns, job.columns + chunk.first_column, &stretch, totals)


cdef void some_contractions(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of the work."""
    cdef Contractions* job = <Contractions*>given
    if job.single:
        contraction[floats](NULL, job, start, stop)
    else:
        contraction[doubles](NULL, job, start, stop)


def contractions(cnp.ndarray grad, cnp.ndarray x, cnp.ndarray out, plan, Py_ssize_t grain):
    """Computes the adjoint in the weight, into `out`: parts * groups * chunks items of work, `grain` at a time.

    grad is (runs, groups, channels of the cotangent, elements), x (runs, groups, channels, elements), out (parts,
    groups, channels of the cotangent, columns): each part is the sum over some of the segments of all runs.
    """
    cdef cnp.ndarray segments, chunks, columns
    cdef Contractions job
    segments, chunks, columns, job.most = plan
    job.grad, job.x, job.out, job.failed = operand(grad), operand(x), operand(out), False
    job.runs, job.groups, job.channels, job.parts = x.shape[0], x.shape[1], grad.shape[2], out.shape[0]
    job.segments, job.columns = <const Shared*>cnp.PyArray_DATA(segments), <const Column*>cnp.PyArray_DATA(columns)
    job.chunks, job.number = <const Chunk*>cnp.PyArray_DATA(chunks), chunks.shape[0]
    job.single = cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32
    shared(some_contractions, &job, job.parts * job.groups * job.number, grain)
    if job.failed:
        raise MemoryError
