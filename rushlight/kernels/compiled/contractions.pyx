# cython: cdivision=True
"""The adjoint of a convolution in its weight, as sums along rows that are located by a table: patches are never copied.

The sums of a block, for up to 4 channels of the gradient (2 with AVX2) and 6 columns (a tap of a channel), stay in
registers. They run along segments, rows of consecutive elements that the same columns see, and their lanes are summed
at the end. Positions, strides and lengths are in bytes. `rushlight.kernels.plans` makes the tables.
"""

cimport numpy as cnp
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from rushlight.kernels.compiled.lanes cimport add_to, doubles, floats, number, put
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.tiles cimport Operand, across, beside, fit, inlined, lanes, operand, register_bytes

cdef extern from *:
    """
    #define rushlight_masked(x, mask) ((__typeof__(x))((__typeof__((x) == (x)))(x) & \\
        (__typeof__((x) == (x)))*(const __typeof__(x)*)(mask)))
    """
    double masked "rushlight_masked"(double x, const void* mask) noexcept nogil  # x, with zeros where the mask has no bits

cnp.import_array()

AVAILABLE = register_bytes() > 0
NEEDS = "avx2"

cdef enum:
    BLOCK_COLUMNS = 6
    SECTIONS = 64  # the most segments of a stretch
    LONGEST = 64  # bytes of the longest vector

cdef char MASKS[3 * LONGEST]
cdef int byte
for byte in range(3 * LONGEST):
    MASKS[byte] = -1 if LONGEST <= byte < 2 * LONGEST else 0

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


cdef inlined add_products(int rows, int columns, lanes* sums, const lanes* grad, Py_ssize_t grad_step, const lanes* x,
                          const Column* column, const char* mask) noexcept nogil:
    """Adds the products of one vector of each row and column to the sums; with a mask, only of some lanes."""
    cdef lanes cotangents[4]
    cdef lanes seen
    cdef int i, j
    for i in range(rows):
        cotangents[i] = (<const lanes*>beside(grad, i * grad_step))[0]
        if mask != NULL:
            cotangents[i] = masked(cotangents[i], mask)
    for j in range(columns):
        seen = (<const lanes*>beside(x, column[j].row))[0]
        if mask != NULL:
            seen = masked(seen, mask)
        for i in range(rows):
            sums[rows * j + i] += cotangents[i] * seen


cdef inlined fold(int half, lanes* total) noexcept nogil:
    """Adds the second half of the lanes to the first."""
    cdef int i
    for i in range(half):
        add_to(total, i, number(total, half + i))


cdef inlined block(int rows, int columns, const Stretch* stretch, Py_ssize_t first, const Column* column,
                   lanes* totals, Py_ssize_t total_step) noexcept nogil:
    """Sums grad[i] * x[j] over a stretch, for rows from the first on; the lanes of totals are summed later."""
    cdef lanes sums[24]
    cdef const Section* section
    cdef Py_ssize_t at, s, rest, vector = sizeof(lanes)
    cdef int k
    for k in range(rows * columns):
        sums[k] = totals[k // rows * total_step + k % rows]
    for s in range(stretch.number):
        section = &stretch.sections[s]
        for at from 0 <= at <= section.length - vector by vector:
            add_products(rows, columns, sums, <const lanes*>(section.grad + first + at), stretch.grad_step,
                         <const lanes*>(section.x + at), column, NULL)
        rest = section.length % vector
        if rest:
            at = section.length - vector if section.length > vector else 0
            add_products(rows, columns, sums, <const lanes*>(section.grad + first + at), stretch.grad_step,
                         <const lanes*>(section.x + at), column,
                         MASKS + (LONGEST - vector + rest if section.length > vector else 2 * LONGEST - rest))
    for k in range(rows * columns):
        totals[k // rows * total_step + k % rows] = sums[k]


cdef inlined block_of_rows(int rows, int columns, const Stretch* stretch, Py_ssize_t first, const Column* column,
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


cdef fit any_block(int rows, int columns, const Stretch* stretch, Py_ssize_t first, const Column* column,
                   lanes* totals, Py_ssize_t total_step) noexcept nogil:
    """A block of 1 to 4 rows and 1 to 6 columns."""
    if across(sizeof(lanes)) == 4 and rows == 4:
        block_of_rows(4, columns, stretch, first, column, totals, total_step)
    elif across(sizeof(lanes)) == 4 and rows == 3:
        block_of_rows(3, columns, stretch, first, column, totals, total_step)
    elif rows == 2:
        block_of_rows(2, columns, stretch, first, column, totals, total_step)
    else:
        block_of_rows(1, columns, stretch, first, column, totals, total_step)


cdef void contract(Py_ssize_t channels, Py_ssize_t columns, const Column* column, const Stretch* stretch,
                   lanes* totals) noexcept nogil:
    """Adds the contribution of a stretch to the totals (columns, channels of the gradient)."""
    cdef Py_ssize_t most = across(register_bytes()), row_blocks = (channels + most - 1) // most, row, block
    cdef Py_ssize_t column_blocks = (columns + BLOCK_COLUMNS - 1) // BLOCK_COLUMNS, first, column_block
    cdef int rows, width
    for column_block in range(column_blocks):
        first = columns * column_block // column_blocks
        width = <int>(columns * (column_block + 1) // column_blocks - first)
        for block in range(row_blocks):
            row = channels * block // row_blocks
            rows = <int>(channels * (block + 1) // row_blocks - row)
            any_block(rows, width, stretch, row * stretch.grad_step, column + first,
                      <lanes*>beside(totals, (first * channels + row) * register_bytes()), channels)


cdef fit add_up(Py_ssize_t channels, Py_ssize_t columns, const Column* column, lanes* totals, char* out,
                Py_ssize_t out_step) noexcept nogil:
    """Sums the lanes of each total, by halves, and stores them in the result."""
    cdef Py_ssize_t count = sizeof(lanes) // (sizeof(float) if lanes is floats else sizeof(double)), i, j
    for j in range(columns):
        for i in range(channels):
            if count > 8:
                fold(8, totals)
            if count > 4:
                fold(4, totals)
            if count > 2:
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
    cdef lanes* totals = <lanes*>malloc(job.channels * job.most * register_bytes())
    if totals == NULL:
        job.failed = True
        return
    for item in range(start, stop):
        chunk = job.chunks + item % job.number
        group = item // job.number % job.groups
        part = item // job.number // job.groups
        memset(totals, 0, job.channels * chunk.columns * register_bytes())
        sum_segments(job, chunk, group, part, totals)
        add_up(job.channels, chunk.columns, job.columns + chunk.first_column, totals,
               job.out.start + part * job.out.steps[0] + group * job.out.steps[1], job.out.steps[2])
    free(totals)


cdef void sum_segments(const Contractions* job, const Chunk* chunk, Py_ssize_t group, Py_ssize_t part,
                       lanes* totals) noexcept nogil:
    """Adds a part of all segments of a chunk to the totals, one stretch at a time."""
    cdef Py_ssize_t at = job.runs * chunk.segments * part // job.parts, length, run
    cdef Py_ssize_t end = job.runs * chunk.segments * (part + 1) // job.parts
    cdef Py_ssize_t stretch_bytes = 1024 * across(register_bytes())  # of each row: six columns stay in the L1 cache
    cdef Stretch stretch
    stretch.grad_step = job.grad.steps[2]
    while at < end:
        length = stretch.number = 0
        while at < end and stretch.number < SECTIONS and length < stretch_bytes:
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
