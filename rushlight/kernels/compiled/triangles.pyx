# cython: boundscheck=False, wraparound=False, cdivision=True
"""Triangles and diagonals of matrices: copies or mirrors parts of rows, lists remaining elements, sums a diagonal."""

cimport numpy as cnp
from cython cimport floating
from libc.string cimport memcpy, memset

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.copies cimport copy_run
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    GRAIN = 1 << 15  # bytes of one thread's part

cdef struct Job:
    const char* x
    char* out
    Py_ssize_t size  # bytes of an element
    Py_ssize_t rows, columns, diagonal
    Py_ssize_t down, across  # bytes from one element of x to the next
    bint lower


cdef Py_ssize_t border(Py_ssize_t row, Py_ssize_t columns, Py_ssize_t diagonal, bint lower) noexcept nogil:
    """Where a row's part of the lower triangle ends, or that of the upper one begins."""
    return max(<Py_ssize_t>0, min(columns, row + diagonal + lower))


cdef void copy_part(const Job* job, char* out, const char* x, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Copies the elements of a row from `start` to `stop`."""
    if stop > start:
        if job.size in (1, 4, 8):
            copy_run(x + start * job.across, job.across, out + start * job.size, stop - start, job.size)
        else:
            for start in range(start, stop):
                memcpy(out + start * job.size, x + start * job.across, job.size)


cdef void copy_rows(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Copies some of the rows of all matrices."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t line = job.columns * job.size, row, cut
    cdef const char* x
    cdef char* out
    for row in range(start, stop):
        cut = border(row % job.rows, job.columns, job.diagonal, job.lower)
        x, out = job.x + row * job.down, job.out + row * line
        if job.lower:
            copy_part(job, out, x, 0, cut)
            memset(out + cut * job.size, 0, line - cut * job.size)
        else:
            memset(out, 0, cut * job.size)
            copy_part(job, out, x, cut, job.columns)


def part(x, Py_ssize_t diagonal, bint lower):
    """The lower or upper triangle of a matrix, or of contiguous ones, zeros elsewhere; None for others."""
    cdef Job job
    cdef cnp.ndarray array, out
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISALIGNED(x):
        return None
    array = x
    if array.ndim < 2 or (array.ndim > 2 and not cnp.PyArray_IS_C_CONTIGUOUS(x)) or cnp.PyArray_SIZE(array) == 0 or cnp.PyArray_TYPE(array) >= cnp.NPY_OBJECT:
        return None
    out = cnp.PyArray_SimpleNew(array.ndim, array.shape, cnp.PyArray_TYPE(array))
    job.x, job.out, job.size = cnp.PyArray_BYTES(array), cnp.PyArray_BYTES(out), cnp.PyArray_ITEMSIZE(array)
    job.down, job.across = array.strides[array.ndim - 2], array.strides[array.ndim - 1]
    job.rows, job.columns = array.shape[array.ndim - 2], array.shape[array.ndim - 1]
    job.diagonal, job.lower = diagonal, lower
    shared(
        copy_rows, &job, cnp.PyArray_SIZE(array) // job.columns, max(<Py_ssize_t>1, GRAIN // (job.columns * job.size))
    )
    return out


cdef Py_ssize_t elements_below(Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t diagonal) noexcept:
    """The number of elements on or below a diagonal."""
    cdef Py_ssize_t first = max(diagonal, <Py_ssize_t>0) + 1, last = rows + diagonal, whole
    if last < first:
        return 0
    whole = max(last - max(first - 1, columns), <Py_ssize_t>0)  # rows that lie below the diagonal entirely
    last -= whole
    return whole * columns + (first + last) * (last - first + 1) // 2


def indices(Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t diagonal, bint lower):
    """The row and column indices of a triangle's elements, as two rows; their number has to be below 2^61."""
    cdef Py_ssize_t row, column, cut, count, begin, end
    cdef cnp.npy_intp[2] shape
    cdef cnp.ndarray out
    cdef cnp.int64_t* place
    count = elements_below(rows, columns, diagonal if lower else diagonal - 1)
    shape[0], shape[1] = 2, count if lower else rows * columns - count
    out = cnp.PyArray_SimpleNew(2, shape, cnp.NPY_INT64)
    place = <cnp.int64_t*>cnp.PyArray_DATA(out)
    if shape[1] == 0:
        return out
    begin, end = (max(-diagonal, <Py_ssize_t>0), rows) if lower else (<Py_ssize_t>0, min(rows, columns - diagonal))
    for row in range(begin, end):
        cut = border(row, columns, diagonal, lower)
        for column in range(0 if lower else cut, cut if lower else columns):
            place[0], place[shape[1]] = row, column
            place += 1
    return out


def trace(x):
    """The sum of a matrix's diagonal, added up in double precision; None for arrays that are not taken."""
    cdef int kind = float_type(x)
    if kind == 0 or (<cnp.ndarray>x).ndim != 2:
        return None
    cdef cnp.ndarray matrix = x, out = cnp.PyArray_EMPTY(0, NULL, kind, 0)
    cdef Py_ssize_t i, step = matrix.strides[0] + matrix.strides[1]
    cdef const char* data = cnp.PyArray_BYTES(matrix)
    cdef double total = 0
    for i in range(min(matrix.shape[0], matrix.shape[1])):
        total += (<const float*>(data + i * step))[0] if kind == cnp.NPY_FLOAT else (<const double*>(data + i * step))[0]
    if kind == cnp.NPY_FLOAT:
        (<float*>cnp.PyArray_DATA(out))[0] = <float>total
    else:
        (<double*>cnp.PyArray_DATA(out))[0] = total
    return out


cdef void mirror_rows(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some of the rows of symmetric matrices."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t row, matrix
    for row in range(start, stop):
        matrix = row // job.rows
        if job.size == 4:
            mirror_row(<const float*>job.x + matrix * job.rows * job.rows, <float*>job.out + row * job.rows,
                       row % job.rows, job.rows, job.lower)
        else:
            mirror_row(<const double*>job.x + matrix * job.rows * job.rows, <double*>job.out + row * job.rows,
                       row % job.rows, job.rows, job.lower)


cdef void mirror_row(const floating* x, floating* out, Py_ssize_t i, Py_ssize_t n, bint lower) noexcept nogil:
    """Computes the i-th row of a matrix with one triangle of another in both."""
    cdef Py_ssize_t j
    for j in range(i + 1):
        out[j] = x[i * n + j] if lower else x[j * n + i]
    for j in range(i + 1, n):
        out[j] = x[j * n + i] if lower else x[i * n + j]


def mirrored(x, bint lower):
    """The symmetric matrices that have one triangle in common with others; None for what is not supported."""
    cdef Job job
    cdef cnp.ndarray array, out
    if not float_type(x) or not cnp.PyArray_IS_C_CONTIGUOUS(x):
        return None
    array = x
    if array.ndim < 2 or array.shape[array.ndim - 1] != array.shape[array.ndim - 2]:
        return None
    out = cnp.PyArray_SimpleNew(array.ndim, array.shape, cnp.PyArray_TYPE(array))
    job.x, job.out, job.size = cnp.PyArray_BYTES(array), cnp.PyArray_BYTES(out), cnp.PyArray_ITEMSIZE(array)
    job.rows, job.lower = array.shape[array.ndim - 1], lower
    shared(
        mirror_rows, &job, cnp.PyArray_SIZE(array) // job.rows, max(<Py_ssize_t>1, GRAIN // (job.rows * job.size))
    )
    return out
