# cython: boundscheck=False, wraparound=False, cdivision=True
"""Reductions of segments, which are consecutive rows, and their values at each of their rows."""

cimport numpy as cnp
from libc.string cimport memcpy

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.codes cimport LARGEST, PRODUCT, SMALLEST, SUM
from rushlight.kernels.compiled.joining cimport joined
from rushlight.kernels.compiled.lanes cimport always, real, wide
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.steps cimport zeros

cnp.import_array()

cdef enum:
    GRAIN = 1 << 14  # elements of a thread's part

cdef struct Job:
    const char* x
    char* out
    const cnp.npy_int64* first
    const cnp.npy_int64* last
    Py_ssize_t width  # elements of a row
    Py_ssize_t size  # bytes of an element
    double start
    int kind


cdef always reduce_rows(const real* x, real* out, Py_ssize_t rows, Py_ssize_t n, real start, int kind) noexcept nogil:
    """The reduction of some rows to one."""
    cdef Py_ssize_t i, j
    for j in range(n):
        out[j] = start
    for i in range(rows):
        for j in range(n):
            out[j] = joined(out[j], x[i * n + j], kind)


cdef wide reduce_any_rows(const real* x, real* out, Py_ssize_t rows, Py_ssize_t n, real start, int kind) noexcept nogil:
    """Reduces rows by the given kind."""
    if kind == SUM:
        reduce_rows(x, out, rows, n, start, SUM)
    elif kind == PRODUCT:
        reduce_rows(x, out, rows, n, start, PRODUCT)
    elif kind == LARGEST:
        reduce_rows(x, out, rows, n, start, LARGEST)
    else:
        reduce_rows(x, out, rows, n, start, SMALLEST)


cdef void reduce_segments(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Reduces some segments."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t i, n = job.width, rows
    for i in range(start, stop):
        rows = max(<cnp.npy_int64>0, job.last[i] - job.first[i])
        if job.size == sizeof(float):
            reduce_any_rows(<const float*>job.x + (job.first[i] * n if rows else 0), <float*>job.out + i * n, rows, n,
                            <float>job.start, job.kind)
        else:
            reduce_any_rows(<const double*>job.x + (job.first[i] * n if rows else 0), <double*>job.out + i * n, rows, n,
                            job.start, job.kind)


cdef void spread_segments(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Writes the rows of some segments to each row of these."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t i, row, bytes = job.width * job.size
    for i in range(start, stop):
        for row in range(job.first[i], job.last[i]):
            memcpy(job.out + row * bytes, job.x + i * bytes, bytes)


cdef bint bounds(object first, object last, Py_ssize_t rows, Job* job):
    """Notes the bounds of segments in a job; returns whether they are taken: int64 vectors, within the rows."""
    cdef Py_ssize_t i
    if not cnp.PyArray_CheckExact(first) or not cnp.PyArray_CheckExact(last):
        return False
    cdef cnp.ndarray begin = first, end = last
    if cnp.PyArray_TYPE(begin) != cnp.NPY_INT64 or not cnp.PyArray_ISCARRAY_RO(begin) or begin.ndim != 1 \
            or cnp.PyArray_TYPE(end) != cnp.NPY_INT64 or not cnp.PyArray_ISCARRAY_RO(end) \
            or not cnp.PyArray_SAMESHAPE(begin, end):
        return False
    job.first, job.last = <const cnp.npy_int64*>cnp.PyArray_DATA(begin), <const cnp.npy_int64*>cnp.PyArray_DATA(end)
    for i in range(begin.shape[0]):
        if job.first[i] < job.last[i] and not (0 <= job.first[i] and job.last[i] <= rows):
            return False
    return True


def reduced(x, first, last, int kind, double start):
    """The reduction of the rows of each segment, from a first value on; None for arrays that are not taken."""
    cdef cnp.npy_intp[64] shape
    cdef Job job
    cdef int d
    if not float_type(x) or (<cnp.ndarray>x).ndim == 0 or not bounds(first, last, (<cnp.ndarray>x).shape[0], &job):
        return None
    cdef cnp.ndarray source = cnp.PyArray_GETCONTIGUOUS(x)
    shape[0], job.width = (<cnp.ndarray>first).shape[0], 1
    for d in range(1, source.ndim):
        shape[d] = source.shape[d]
        job.width *= shape[d]
    cdef cnp.ndarray out = cnp.PyArray_SimpleNew(source.ndim, shape, cnp.PyArray_TYPE(source))
    job.x, job.out, job.size = cnp.PyArray_BYTES(source), cnp.PyArray_BYTES(out), cnp.PyArray_ITEMSIZE(source)
    job.kind, job.start = kind, start
    shared(reduce_segments, &job, shape[0], max(1, GRAIN * shape[0] // cnp.PyArray_SIZE(source)))
    return out


def spread(x, first, last, cnp.npy_intp rows):
    """Zeros of some rows, with the row of each segment at all of its rows; None for arrays that are not taken."""
    cdef cnp.npy_intp[64] shape
    cdef Job job
    cdef int d
    if not float_type(x) or (<cnp.ndarray>x).ndim == 0 or not bounds(first, last, rows, &job) \
            or (<cnp.ndarray>x).shape[0] != (<cnp.ndarray>first).shape[0]:
        return None
    cdef cnp.ndarray source = cnp.PyArray_GETCONTIGUOUS(x)
    shape[0], job.width = rows, 1
    for d in range(1, source.ndim):
        shape[d] = source.shape[d]
        job.width *= shape[d]
    cdef cnp.ndarray out = zeros(source.ndim, shape, cnp.PyArray_TYPE(source))
    job.x, job.out, job.size = cnp.PyArray_BYTES(source), cnp.PyArray_BYTES(out), cnp.PyArray_ITEMSIZE(source)
    shared(spread_segments, &job, source.shape[0], max(1, GRAIN * source.shape[0] // max(1, rows * job.width)))
    return out
