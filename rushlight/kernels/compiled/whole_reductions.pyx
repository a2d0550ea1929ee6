# cython: boundscheck=False, wraparound=False, cdivision=True
"""Sums, products and extremes of integers of 64 bits, and sums of truths, as those of floats in `reductions.pyx`.

They are the same in any order.
"""

cimport numpy as cnp
from libc.stdlib cimport free, malloc

from rushlight.kernels.compiled.arrays cimport Division, divided
from rushlight.kernels.compiled.codes cimport LARGEST, PRODUCT, SMALLEST, SUM
from rushlight.kernels.compiled.lanes cimport always, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    BLOCK = 8192  # elements of a row
    RUN = 256  # columns
    GRAIN = 1 << 15  # elements of a thread's part

ctypedef cnp.npy_int64 whole
ctypedef unsigned char truth

ctypedef fused element:
    whole
    truth

cdef struct Job:
    const void* x
    whole* out
    Py_ssize_t size  # elements of a row, or rows that are reduced over
    Py_ssize_t columns
    int kind
    bint truths


cdef inline whole joined(whole a, whole b, int kind) noexcept nogil:
    """The sum, product or extreme of two numbers."""
    if kind == PRODUCT:
        return a * b
    if kind == LARGEST:
        return b if b > a else a
    if kind == SMALLEST:
        return b if b < a else a
    return a + b


cdef always reduce_row(const element* x, Py_ssize_t n, whole* out, int kind) noexcept nogil:
    """Reduces n elements."""
    cdef Py_ssize_t i
    cdef whole found = x[0]
    for i in range(1, n):
        found = joined(found, x[i], kind)
    out[0] = found


cdef wide reduce_any_row(const element* x, Py_ssize_t n, whole* out, int kind) noexcept nogil:
    """Reduces n elements by the given kind."""
    if kind == SUM:
        reduce_row(x, n, out, SUM)
    elif kind == PRODUCT:
        reduce_row(x, n, out, PRODUCT)
    elif kind == LARGEST:
        reduce_row(x, n, out, LARGEST)
    else:
        reduce_row(x, n, out, SMALLEST)


cdef always reduce_run(const element* x, whole* out, Py_ssize_t rows, Py_ssize_t step, Py_ssize_t n,
                       int kind) noexcept nogil:
    """Reduces n columns over rows that are `step` elements apart."""
    cdef Py_ssize_t i, j
    for j in range(n):
        out[j] = x[j]
    for i in range(1, rows):
        x += step
        for j in range(n):
            out[j] = joined(out[j], x[j], kind)


cdef wide reduce_any_run(const element* x, whole* out, Py_ssize_t rows, Py_ssize_t step, Py_ssize_t n,
                         int kind) noexcept nogil:
    """Reduces n columns by the given kind."""
    if kind == SUM:
        reduce_run(x, out, rows, step, n, SUM)
    elif kind == PRODUCT:
        reduce_run(x, out, rows, step, n, PRODUCT)
    elif kind == LARGEST:
        reduce_run(x, out, rows, step, n, LARGEST)
    else:
        reduce_run(x, out, rows, step, n, SMALLEST)


cdef void reduce_rows(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Reduces some rows."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t i
    for i in range(start, stop):
        if job.truths:
            reduce_any_row(<const truth*>job.x + i * job.size, job.size, job.out + i, job.kind)
        else:
            reduce_any_row(<const whole*>job.x + i * job.size, job.size, job.out + i, job.kind)


cdef void reduce_blocks(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Reduces some blocks of a single row."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t i, n
    for i in range(start, stop):
        n = min(<Py_ssize_t>BLOCK, job.size - i * BLOCK)
        if job.truths:
            reduce_any_row(<const truth*>job.x + i * BLOCK, n, job.out + i, job.kind)
        else:
            reduce_any_row(<const whole*>job.x + i * BLOCK, n, job.out + i, job.kind)


cdef void reduce_columns(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Reduces some runs of columns, counted through all matrices."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t runs = (job.columns + RUN - 1) // RUN, i, at, column, n
    cdef whole* out
    for i in range(start, stop):
        column = i % runs * RUN
        n = min(<Py_ssize_t>RUN, job.columns - column)
        at = i // runs * job.size * job.columns + column
        out = job.out + i // runs * job.columns + column
        if job.truths:
            reduce_any_run(<const truth*>job.x + at, out, job.size, job.columns, n, job.kind)
        else:
            reduce_any_run(<const whole*>job.x + at, out, job.size, job.columns, n, job.kind)


cdef bint takes(object x, int kind) noexcept:
    """Whether an array has elements that the kernel reduces."""
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISCARRAY_RO(x) or cnp.PyArray_SIZE(x) == 0:
        return False
    if cnp.PyArray_TYPE(x) == cnp.NPY_BOOL:
        return kind == SUM
    return cnp.PyArray_TYPE(x) == cnp.NPY_INT64 and kind in (SUM, PRODUCT, LARGEST, SMALLEST)


def total(x, int kind=SUM):
    """The reduction of all elements of a contiguous array; None for what is not supported."""
    cdef Job job
    cdef Py_ssize_t blocks
    cdef whole result
    if not takes(x, kind):
        return None
    job.x, job.size, job.kind = cnp.PyArray_DATA(x), cnp.PyArray_SIZE(x), kind
    job.truths = cnp.PyArray_TYPE(x) == cnp.NPY_BOOL
    blocks = (job.size + BLOCK - 1) // BLOCK
    job.out = <whole*>malloc(blocks * sizeof(whole))
    if job.out == NULL:
        raise MemoryError
    try:
        shared(reduce_blocks, &job, blocks, GRAIN // BLOCK)
        reduce_any_row(<const whole*>job.out, blocks, &result, kind)
    finally:
        free(job.out)
    out = cnp.PyArray_EMPTY(0, NULL, cnp.NPY_INT64, 0)
    (<whole*>cnp.PyArray_DATA(out))[0] = result
    return out


def along(x, int first, int last, int kind):
    """The reduction of a contiguous array over the dimensions from `first` to `last`; None for what is not supported."""
    cdef Job job
    cdef Division parts
    cdef Py_ssize_t runs
    cdef cnp.ndarray source, out
    if not takes(x, kind) or (<cnp.ndarray>x).ndim > 64 or not 0 <= first <= last < (<cnp.ndarray>x).ndim:
        return None
    source = x
    parts = divided(source, first, last)
    out = cnp.PyArray_SimpleNew(source.ndim - (last - first + 1), parts.shape, cnp.NPY_INT64)
    job.x, job.out, job.kind = cnp.PyArray_DATA(source), <whole*>cnp.PyArray_DATA(out), kind
    job.size, job.columns, job.truths = parts.size, parts.columns, cnp.PyArray_TYPE(source) == cnp.NPY_BOOL
    if job.columns == 1:
        shared(reduce_rows, &job, parts.outer, max(1, GRAIN // job.size))
    else:
        runs = (job.columns + RUN - 1) // RUN
        shared(reduce_columns, &job, parts.outer * runs, max(1, GRAIN // (job.size * min(job.columns, <Py_ssize_t>RUN))))
    return out
