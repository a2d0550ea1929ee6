# cython: boundscheck=False, wraparound=False, cdivision=True
"""The k largest or smallest elements of each row in order, for small k; ties keep their order."""

cimport numpy as cnp

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    MOST = 32  # the largest k
    GRAIN = 1 << 14  # elements of one thread's part

ctypedef fused real:
    float
    double


cdef struct Job:
    const void* rows
    void* values
    cnp.npy_int64* places
    Py_ssize_t n, k
    bint largest, single


cdef inline bint comes_first(real x, real y, bint largest) noexcept nogil:
    """Whether x is before y; NaN counts as the largest."""
    if largest:
        return x > y or (x != x and y == y)
    return x < y or (x == x and y != y)


cdef void rank_row(const real* x, Py_ssize_t n, Py_ssize_t k, bint largest, real* values,
                   cnp.npy_int64* places) noexcept nogil:
    """Scans a row once, keeping the first k in order."""
    cdef Py_ssize_t i, j, found = 0
    for i in range(n):
        if found == k:
            if not comes_first(x[i], values[k - 1], largest):
                continue
        else:
            found += 1
        j = found - 1
        while j > 0 and comes_first(x[i], values[j - 1], largest):
            values[j], places[j] = values[j - 1], places[j - 1]
            j -= 1
        values[j], places[j] = x[i], i


cdef void rank_rows(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Ranks some rows."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t r
    for r in range(start, stop):
        if job.single:
            rank_row(<const float*>job.rows + r * job.n, job.n, job.k, job.largest, <float*>job.values + r * job.k,
                     job.places + r * job.k)
        else:
            rank_row(<const double*>job.rows + r * job.n, job.n, job.k, job.largest, <double*>job.values + r * job.k,
                     job.places + r * job.k)


def first(rows, Py_ssize_t k, bint largest):
    """The values and indices of the first k of each row along the last dimension, where k is small.

    None for inputs that the kernel does not take.
    """
    cdef Job job
    cdef cnp.npy_intp[64] shape
    cdef int d, kind = float_type(rows)
    cdef cnp.ndarray source, values, places
    if kind == 0 or (<cnp.ndarray>rows).ndim == 0 or not 0 < k <= MOST:
        return None
    source = cnp.PyArray_GETCONTIGUOUS(rows)
    for d in range(source.ndim):
        shape[d] = source.shape[d]
    shape[source.ndim - 1] = k
    values = cnp.PyArray_EMPTY(source.ndim, shape, kind, 0)
    places = cnp.PyArray_EMPTY(source.ndim, shape, cnp.NPY_INT64, 0)
    job.n, job.k, job.largest, job.single = source.shape[source.ndim - 1], k, largest, kind == cnp.NPY_FLOAT
    if k > job.n:
        return None
    job.rows, job.values = cnp.PyArray_DATA(source), cnp.PyArray_DATA(values)
    job.places = <cnp.npy_int64*>cnp.PyArray_DATA(places)
    shared(rank_rows, &job, cnp.PyArray_SIZE(source) // job.n, max(1, GRAIN // job.n))
    return values, places
