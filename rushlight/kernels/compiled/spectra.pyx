# cython: boundscheck=False, wraparound=False, cdivision=True
"""The middle factors of the gradients of eigenvalue and singular value decompositions, in one pass."""

cimport numpy as cnp
from cython cimport floating

from rushlight.kernels.compiled.arrays cimport fits, float_type
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    GRAIN = 1 << 14  # elements of one thread's part

cdef struct Job:
    const void* left
    const void* right
    const void* values
    const void* diagonal
    void* out
    Py_ssize_t n
    bint single


cdef floating quotient(floating x, floating y) noexcept nogil:
    """x / y; 0 where both are 0."""
    return 0 if x == 0 and y == 0 else x / y


cdef void fill_row(const floating* left, const floating* right, const floating* values, const floating* diagonal,
                   floating* out, Py_ssize_t i, Py_ssize_t n) noexcept nogil:
    """Computes the i-th row of a matrix."""
    cdef Py_ssize_t j
    cdef floating number, own = values[i]
    if right == NULL:
        for j in range(n):
            out[j] = quotient((left[i * n + j] - left[j * n + i]) / 2, values[j] - own)
    else:
        for j in range(n):
            number = (left[i * n + j] - left[j * n + i]) * values[j] + own * (right[i * n + j] - right[j * n + i])
            out[j] = quotient(number, values[j] * values[j] - own * own)
    out[i] = diagonal[i]


cdef void fill_rows(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some rows of the matrices."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t row, n = job.n, matrix
    cdef size_t item = 4 if job.single else 8
    cdef const char* right
    for row in range(start, stop):
        matrix = row // n
        right = NULL if job.right == NULL else <const char*>job.right + matrix * n * n * item
        if job.single:
            fill_row(<const float*>job.left + matrix * n * n, <const float*>right, <const float*>job.values + matrix * n,
                     <const float*>job.diagonal + matrix * n, <float*>job.out + row * n, row % n, n)
        else:
            fill_row(<const double*>job.left + matrix * n * n, <const double*>right,
                     <const double*>job.values + matrix * n, <const double*>job.diagonal + matrix * n,
                     <double*>job.out + row * n, row % n, n)


def inner(left, right, values, diagonal):
    """Matrices with a diagonal, and beside it (left - left^T) / 2 by the differences of some values.

    With `right` it is (left - left^T) values[j] + values[i] (right - right^T) by the differences of the squares. None
    for what is not supported: arrays that are not contiguous among that.
    """
    cdef Job job
    cdef cnp.ndarray x, out
    cdef int d, last
    if not float_type(left) or not cnp.PyArray_IS_C_CONTIGUOUS(left) or not fits(diagonal, values):
        return None
    if float_type(values) != float_type(left) or values.ndim != left.ndim - 1 or left.ndim < 2:
        return None
    x, last = left, left.ndim - 1
    if x.shape[last] != x.shape[last - 1] or (right is not None and not fits(right, x)):
        return None
    for d in range(last):
        if values.shape[d] != x.shape[d]:
            return None
    values, diagonal = cnp.PyArray_GETCONTIGUOUS(values), cnp.PyArray_GETCONTIGUOUS(diagonal)
    right = None if right is None else cnp.PyArray_GETCONTIGUOUS(right)
    out = cnp.PyArray_SimpleNew(x.ndim, x.shape, cnp.PyArray_TYPE(x))
    job.left, job.right = cnp.PyArray_DATA(x), NULL if right is None else cnp.PyArray_DATA(right)
    job.values, job.diagonal, job.out = cnp.PyArray_DATA(values), cnp.PyArray_DATA(diagonal), cnp.PyArray_DATA(out)
    job.n, job.single = x.shape[last], cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT
    shared(fill_rows, &job, cnp.PyArray_SIZE(x) // job.n, 1 + GRAIN // job.n)
    return out
