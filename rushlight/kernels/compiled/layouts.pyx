# cython: boundscheck=False, wraparound=False, cdivision=True
"""The transpose of a matrix: 16 rows of the result are written in parallel, of floats from squares in registers."""

cimport numpy as cnp

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.lanes cimport floats, real, wide, wide_registers, widest
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.squares cimport turned

cnp.import_array()

cdef enum:
    SIDE_BY_SIDE = 16
    ROWS = 64
    GRAIN = 1 << 15  # elements of one thread's part

cdef struct Job:
    const void* x
    void* out
    Py_ssize_t rows
    Py_ssize_t columns
    bint single


cdef wide turn(const real* x, real* out, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t start,
               Py_ssize_t stop) noexcept nogil:
    """Writes some columns of x as rows of the result; a few one after the other, for some rows."""
    cdef Py_ssize_t first, i, j, block
    for first from start <= first < stop by SIDE_BY_SIDE:
        if stop - first >= SIDE_BY_SIDE and columns > SIDE_BY_SIDE:
            for i in range(rows):
                for j in range(SIDE_BY_SIDE):
                    out[(first + j) * rows + i] = x[i * columns + first + j]
            continue
        for block from 0 <= block < rows by ROWS:
            for j in range(first, min(stop, first + SIDE_BY_SIDE)):
                for i in range(block, min(rows, block + ROWS)):
                    out[j * rows + i] = x[i * columns + j]


cdef widest turn_squares(const float* x, float* out, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t start,
                         Py_ssize_t stop) noexcept nogil:
    """The same for floats and whole blocks of columns, with squares of 16 rows."""
    cdef floats square[SIDE_BY_SIDE]
    cdef Py_ssize_t block, first, i, whole = rows - rows % SIDE_BY_SIDE
    cdef int j
    for block from 0 <= block < rows by ROWS:
        for first from start <= first < stop by SIDE_BY_SIDE:
            for i from block <= i < min(whole, block + ROWS) by SIDE_BY_SIDE:
                for j in range(SIDE_BY_SIDE):
                    square[j] = (<const floats*>(x + (i + j) * columns + first))[0]
                turned(square)
                for j in range(SIDE_BY_SIDE):
                    (<floats*>(out + (first + j) * rows + i))[0] = square[j]
    for first in range(start, stop):
        for i in range(whole, rows):
            out[first * rows + i] = x[i * columns + first]


cdef void turn_blocks(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Transposes some blocks of 16 columns."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t first = start * SIDE_BY_SIDE, last = min(stop * SIDE_BY_SIDE, job.columns)
    cdef Py_ssize_t whole = last - last % SIDE_BY_SIDE
    if job.single and wide_registers() and job.rows >= SIDE_BY_SIDE:
        turn_squares(<const float*>job.x, <float*>job.out, job.rows, job.columns, first, whole)
        first = whole
    if job.single:
        turn(<const float*>job.x, <float*>job.out, job.rows, job.columns, first, last)
    else:
        turn(<const double*>job.x, <double*>job.out, job.rows, job.columns, first, last)


def transposed(matrix):
    """The transpose of a contiguous matrix of float32 or float64, as a new array; None for others."""
    cdef int kind = float_type(matrix)
    cdef cnp.npy_intp shape[2]
    cdef cnp.ndarray x, result
    cdef Job job
    if kind == 0:
        return None
    x = matrix
    if x.ndim != 2 or not cnp.PyArray_IS_C_CONTIGUOUS(x):
        return None
    shape[0], shape[1] = x.shape[1], x.shape[0]
    result = cnp.PyArray_SimpleNew(2, shape, kind)
    job.x, job.out, job.rows, job.columns = cnp.PyArray_DATA(x), cnp.PyArray_DATA(result), x.shape[0], x.shape[1]
    job.single = kind == cnp.NPY_FLOAT
    shared(turn_blocks, &job, (job.columns - 1) // SIDE_BY_SIDE + 1, max(1, GRAIN // (SIDE_BY_SIDE * job.rows)))
    return result
