# cython: boundscheck=False, wraparound=False, cdivision=True
"""Sums, products and extremes of arrays, over all elements or over consecutive dimensions.

Rows are reduced in blocks with 64 partial results, and the blocks are combined in double precision. Reductions over
rows go column by column, some columns at a time; where there are few columns, some rows together are taken for one.
"""

cimport numpy as cnp
from libc.math cimport fabs
from libc.stdlib cimport free, malloc

from rushlight.kernels.compiled.arrays cimport Division, divided, float_type, is_dense
from rushlight.kernels.compiled.codes cimport LARGEST, NUMBERS, PRODUCT, SIZES, SMALLEST, SQUARES, SUM
from rushlight.kernels.compiled.joining cimport joined
from rushlight.kernels.compiled.lanes cimport always, real, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    SIDE_BY_SIDE = 64
    FEW = 16  # partial results of a row of up to MANY elements; shorter rows are reduced one element after the other
    MANY = 512
    BLOCK = 8192  # elements of a row
    SHORT = 4096  # elements of a product: the numbers of longer ones become so small that a CPU is slow with them
    RUN = 256  # columns
    DEEP = 128  # rows that are summed before their sum is added to the others
    NARROW = 16  # with fewer columns, some rows are reduced as one
    GRAIN = 1 << 15  # elements of a thread's part


cdef inline real taken(real x, int kind) noexcept nogil:
    """The value of an element in the reduction."""
    if kind == NUMBERS:
        return <real>0 if x != x else x
    if kind == SQUARES:
        return x * x
    return fabs(x) if kind == SIZES else x


cdef inline real begun(real x, int kind) noexcept nogil:
    """The value of a first element. Sums start from 0: that of negative zeros is 0."""
    return taken(x, kind) + 0 if kind == SUM or kind == NUMBERS else taken(x, kind)


cdef always fold(real* found, Py_ssize_t width, int kind) noexcept nogil:
    """Combines the second half of some results with the first."""
    cdef Py_ssize_t j
    for j in range(width):
        found[j] = joined(found[j], found[j + width], kind)


cdef always fold_all(real* found, Py_ssize_t width, int kind) noexcept nogil:
    """Combines 16 or 64 results to the first."""
    if width == SIDE_BY_SIDE:
        fold(found, 32, kind)
        fold(found, 16, kind)
    fold(found, 8, kind)
    fold(found, 4, kind)
    fold(found, 2, kind)
    fold(found, 1, kind)


cdef always reduce_lanes(const real* x, Py_ssize_t n, double* result, int kind, Py_ssize_t width) noexcept nogil:
    """The result of n elements, at least `width`, with so many partial results."""
    cdef real[SIDE_BY_SIDE] found
    cdef double[SIDE_BY_SIDE] together
    cdef Py_ssize_t i, j
    for j in range(width):
        found[j] = begun(x[j], kind)
    for i in range(1, n // width):
        for j in range(width):
            found[j] = joined(found[j], taken(x[i * width + j], kind), kind)
    if kind == LARGEST or kind == SMALLEST:  # exact, whatever is seen twice
        for j in range(width):
            found[j] = joined(found[j], x[n - width + j], kind)
        fold_all(found, width, kind)
        result[0] = found[0]
        return
    x += n - n % width
    for j in range(n % width):
        found[j] = joined(found[j], taken(x[j], kind), kind)
    for j in range(width):
        together[j] = found[j]
    fold_all(together, width, kind)
    result[0] = together[0]


cdef always reduce_brief(const real* x, real* out, Py_ssize_t rows, Py_ssize_t n, int kind) noexcept nogil:
    """The results of some rows of n elements."""
    cdef Py_ssize_t i, j
    cdef real found
    for i in range(rows):
        found = begun(x[0], kind)
        for j in range(1, n):
            found = joined(found, taken(x[j], kind), kind)
        out[i] = found
        x += n


cdef always reduce_block(const real* x, Py_ssize_t n, double* result, int kind) noexcept nogil:
    """The result of a block's n elements."""
    cdef real found
    if n < FEW:
        reduce_brief(x, &found, 1, n, kind)
        result[0] = found
    elif n < SIDE_BY_SIDE or (n < MANY and kind != LARGEST and kind != SMALLEST):
        reduce_lanes(x, n, result, kind, FEW)
    else:
        reduce_lanes(x, n, result, kind, SIDE_BY_SIDE)


cdef wide reduce_any_block(const real* x, Py_ssize_t n, double* result, int kind) noexcept nogil:
    """Reduces a block by the given kind."""
    cdef double rest
    if kind == SUM:
        reduce_block(x, n, result, SUM)
    elif kind == NUMBERS:
        reduce_block(x, n, result, NUMBERS)
    elif kind == PRODUCT:
        reduce_block(x, min(n, <Py_ssize_t>SHORT), result, PRODUCT)
        if n > SHORT:
            reduce_block(x + SHORT, n - SHORT, &rest, PRODUCT)
            result[0] *= rest
    elif kind == LARGEST:
        reduce_block(x, n, result, LARGEST)
    elif kind == SMALLEST:
        reduce_block(x, n, result, SMALLEST)
    elif kind == SQUARES:
        reduce_block(x, n, result, SQUARES)
    else:
        reduce_block(x, n, result, SIZES)


cdef always join_rows(const real* x, real* found, Py_ssize_t rows, Py_ssize_t step, Py_ssize_t n,
                      int kind) noexcept nogil:
    """The results of n columns, of rows that are `step` elements apart."""
    cdef Py_ssize_t i, j
    for j in range(n):
        found[j] = begun(x[j], kind)
    for i in range(1, rows):
        x += step
        for j in range(n):
            found[j] = joined(found[j], taken(x[j], kind), kind)


cdef wide join_any_rows(const real* x, real* found, Py_ssize_t rows, Py_ssize_t step, Py_ssize_t n,
                        int kind) noexcept nogil:
    """Reduces columns by the given kind."""
    if kind == SUM:
        join_rows(x, found, rows, step, n, SUM)
    elif kind == NUMBERS:
        join_rows(x, found, rows, step, n, NUMBERS)
    elif kind == PRODUCT:
        join_rows(x, found, rows, step, n, PRODUCT)
    elif kind == LARGEST:
        join_rows(x, found, rows, step, n, LARGEST)
    elif kind == SMALLEST:
        join_rows(x, found, rows, step, n, SMALLEST)
    elif kind == SQUARES:
        join_rows(x, found, rows, step, n, SQUARES)
    else:
        join_rows(x, found, rows, step, n, SIZES)


cdef wide reduce_any_brief(const real* x, real* out, Py_ssize_t rows, Py_ssize_t n, int kind) noexcept nogil:
    """Reduces short rows by the given kind."""
    if kind == SUM:
        reduce_brief(x, out, rows, n, SUM)
    elif kind == NUMBERS:
        reduce_brief(x, out, rows, n, NUMBERS)
    elif kind == PRODUCT:
        reduce_brief(x, out, rows, n, PRODUCT)
    elif kind == LARGEST:
        reduce_brief(x, out, rows, n, LARGEST)
    elif kind == SMALLEST:
        reduce_brief(x, out, rows, n, SMALLEST)
    elif kind == SQUARES:
        reduce_brief(x, out, rows, n, SQUARES)
    else:
        reduce_brief(x, out, rows, n, SIZES)


cdef struct Job:
    const void* x
    void* out
    Py_ssize_t size  # elements of a row, or rows that are reduced over
    Py_ssize_t columns
    int kind
    bint single


cdef void reduce_row(const real* x, Py_ssize_t size, double* result, int kind) noexcept nogil:
    """Reduces one row."""
    cdef Py_ssize_t done = BLOCK
    cdef double found
    reduce_any_block(x, min(size, <Py_ssize_t>BLOCK), result, kind)
    while done < size:
        reduce_any_block(x + done, min(size - done, <Py_ssize_t>BLOCK), &found, kind)
        result[0] = joined(result[0], found, kind)
        done += BLOCK


cdef void reduce_rows(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Reduces some rows."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t i
    cdef double found
    if job.size < FEW and job.single:
        reduce_any_brief(
            <const float*>job.x + start * job.size, <float*>job.out + start, stop - start, job.size, job.kind)
        return
    if job.size < FEW:
        reduce_any_brief(
            <const double*>job.x + start * job.size, <double*>job.out + start, stop - start, job.size, job.kind)
        return
    for i in range(start, stop):
        if job.single:
            reduce_row(<const float*>job.x + i * job.size, job.size, &found, job.kind)
            (<float*>job.out)[i] = <float>found
        else:
            reduce_row(<const double*>job.x + i * job.size, job.size, &found, job.kind)
            (<double*>job.out)[i] = found


cdef void reduce_blocks(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Reduces some blocks of a single row, with results in double precision."""
    cdef const Job* job = <const Job*>given
    cdef double* out = <double*>job.out
    cdef Py_ssize_t i, n
    for i in range(start, stop):
        n = min(<Py_ssize_t>BLOCK, job.size - i * BLOCK)
        if job.single:
            reduce_any_block(<const float*>job.x + i * BLOCK, n, out + i, job.kind)
        else:
            reduce_any_block(<const double*>job.x + i * BLOCK, n, out + i, job.kind)


cdef void reduce_run(
    const real* x, real* out, Py_ssize_t rows, Py_ssize_t step, Py_ssize_t n, int kind
) noexcept nogil:
    """Reduces n columns over rows that are `step` elements apart."""
    cdef real[RUN] found
    cdef Py_ssize_t done = DEEP, j
    join_any_rows(x, out, min(rows, <Py_ssize_t>DEEP), step, n, kind)
    while done < rows:
        join_any_rows(x + done * step, found, min(rows - done, <Py_ssize_t>DEEP), step, n, kind)
        for j in range(n):
            out[j] = joined(out[j], found[j], kind)
        done += DEEP


cdef void reduce_few_columns(const real* x, real* out, Py_ssize_t rows, Py_ssize_t columns, int kind) noexcept nogil:
    """Reduces a matrix of few columns over its rows: some rows together are taken for one if there are many."""
    cdef real[RUN] found
    cdef Py_ssize_t together = min(rows, SIDE_BY_SIDE // columns), i, j
    cdef Py_ssize_t width = together * columns, rest = rows % together
    if rows * columns <= RUN:  # in the order of NumPy, which takes other layouts
        reduce_run(x, out, rows, columns, columns, kind)
        return
    reduce_run(x, found, rows // together, width, width, kind)
    x += (rows - rest) * columns
    for i in range(rest):
        for j in range(columns):
            found[i * columns + j] = joined(found[i * columns + j], taken(x[i * columns + j], kind), kind)
    for j in range(columns):
        out[j] = found[j]
    for i in range(1, together):
        for j in range(columns):
            out[j] = joined(out[j], found[i * columns + j], kind)


cdef void reduce_matrices(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Reduces some matrices of few columns."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t i, n = job.size * job.columns
    for i in range(start, stop):
        if job.single:
            reduce_few_columns(
                <const float*>job.x + i * n, <float*>job.out + i * job.columns, job.size, job.columns, job.kind)
        else:
            reduce_few_columns(
                <const double*>job.x + i * n, <double*>job.out + i * job.columns, job.size, job.columns, job.kind)


cdef void reduce_columns(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Reduces some runs of columns, counted through all matrices."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t runs = (job.columns + RUN - 1) // RUN, i, matrix, column, n
    for i in range(start, stop):
        matrix, column = i // runs, i % runs * RUN
        n = min(<Py_ssize_t>RUN, job.columns - column)
        if job.single:
            reduce_run(<const float*>job.x + matrix * job.size * job.columns + column,
                       <float*>job.out + matrix * job.columns + column, job.size, job.columns, n, job.kind)
        else:
            reduce_run(<const double*>job.x + matrix * job.size * job.columns + column,
                       <double*>job.out + matrix * job.columns + column, job.size, job.columns, n, job.kind)


def total(x, int kind=SUM):
    """The reduction of all elements of a gapless float32 or float64 array; None for others."""
    cdef int number = float_type(x)
    cdef double result
    cdef double* found
    cdef Py_ssize_t i, blocks
    cdef cnp.ndarray out
    cdef Job job
    if number == 0 or not is_dense(x):
        return None
    job.x, job.size, job.single, job.kind = cnp.PyArray_DATA(x), cnp.PyArray_SIZE(x), number == cnp.NPY_FLOAT, kind
    blocks = (job.size + BLOCK - 1) // BLOCK
    found = <double*>malloc(blocks * sizeof(double))
    if found == NULL:
        raise MemoryError
    job.out = found
    try:
        shared(reduce_blocks, &job, blocks, GRAIN // BLOCK)
        result = found[0]
        for i in range(1, blocks):
            result = joined(result, found[i], kind)
    finally:
        free(found)
    out = cnp.PyArray_EMPTY(0, NULL, number, 0)
    if job.single:
        (<float*>cnp.PyArray_DATA(out))[0] = <float>result
    else:
        (<double*>cnp.PyArray_DATA(out))[0] = result
    return out


def along(x, int first, int last, int kind):
    """The reduction over the dimensions from `first` to `last`.

    The array is a contiguous float32 or float64 array or the transpose of a contiguous matrix, with elements; None for
    others.
    """
    cdef int number = float_type(x)
    cdef cnp.ndarray source = None if number == 0 else x, out
    cdef Division parts
    cdef Py_ssize_t runs
    cdef Job job
    if number == 0 or source.ndim > 64 or not 0 <= first <= last < source.ndim or cnp.PyArray_SIZE(source) == 0:
        return None
    if not cnp.PyArray_IS_C_CONTIGUOUS(source):
        if source.ndim != 2 or first != last or not cnp.PyArray_IS_F_CONTIGUOUS(source):
            return None
        source, first = source.T, 1 - first
        last = first
    job.x, job.single, job.kind = cnp.PyArray_DATA(source), number == cnp.NPY_FLOAT, kind
    parts = divided(source, first, last)
    job.size, job.columns = parts.size, parts.columns
    out = cnp.PyArray_SimpleNew(source.ndim - (last - first + 1), parts.shape, number)
    job.out = cnp.PyArray_DATA(out)
    if job.columns == 1:
        shared(reduce_rows, &job, parts.outer, max(1, GRAIN // job.size))
    elif job.columns < NARROW:
        shared(reduce_matrices, &job, parts.outer, max(1, GRAIN // (job.size * job.columns)))
    else:
        runs = (job.columns + RUN - 1) // RUN
        shared(reduce_columns, &job, parts.outer * runs, max(1, GRAIN // (job.size * min(job.columns, <Py_ssize_t>RUN))))
    return out
