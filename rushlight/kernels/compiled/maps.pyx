# distutils: extra_compile_args = -ffp-contract=off
# cython: boundscheck=False, wraparound=False, cdivision=True
"""Sparse matrices times arrays along a dimension of (outer, n, inner): for resizing, and averages of windows."""

cimport numpy as cnp

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.lanes cimport always, real, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    GRAIN = 1 << 14  # products of a thread's part

cdef struct Job:
    const void* x
    const void* weights
    const int* starts  # of each row's weights
    const int* places  # the column of each weight
    void* out
    Py_ssize_t rows
    Py_ssize_t n
    Py_ssize_t inner
    bint single
    bint single_weights  # each row has one


cdef always combine_numbers(const Job* job, Py_ssize_t row, Py_ssize_t count, const real* source, const real* weights,
                            real* out) noexcept nogil:
    """Computes some rows, from `row` on, for one line of numbers."""
    cdef const int* starts = job.starts + row
    cdef Py_ssize_t i, k
    cdef real total
    if job.single_weights:
        for i in range(count):
            out[i] = weights[row + i] * source[job.places[row + i]]
        return
    for i in range(count):
        total = 0
        for k in range(starts[i], starts[i + 1]):
            total += weights[k] * source[job.places[k]]
        out[i] = total


cdef always combine_row(const Job* job, Py_ssize_t row, const real* source, const real* weights, real* out) noexcept nogil:
    """Computes one row, for contiguous lines."""
    cdef Py_ssize_t c, k, inner = job.inner
    cdef const real* line
    for c in range(inner):
        out[c] = 0
    for k in range(job.starts[row], job.starts[row + 1]):
        line = source + job.places[k] * inner
        for c in range(inner):
            out[c] += weights[k] * line[c]


cdef wide combine(const Job* job, Py_ssize_t start, Py_ssize_t stop, const real* x, const real* weights,
                  real* out) noexcept nogil:
    """Computes some lines of the result."""
    cdef Py_ssize_t line = start, row, count
    cdef const real* source
    while line < stop:
        row = line % job.rows
        count = 1 if job.inner > 1 else min(job.rows - row, stop - line)
        source = x + line // job.rows * job.n * job.inner
        if job.inner > 1:
            combine_row(job, row, source, weights, out + line * job.inner)
        else:
            combine_numbers(job, row, count, source, weights, out + line)
        line += count


cdef void combine_lines(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of a job, by its dtype."""
    cdef const Job* job = <const Job*>given
    if job.single:
        combine(job, start, stop, <const float*>job.x, <const float*>job.weights, <float*>job.out)
    else:
        combine(job, start, stop, <const double*>job.x, <const double*>job.weights, <double*>job.out)


def mapped(x, int dim, cnp.ndarray starts, cnp.ndarray places, cnp.ndarray weights):
    """A matrix in compressed rows times an array along a dimension; None for inputs that the kernel does not take.

    The weights have the dtype of the array; starts and places are of int32.
    """
    cdef cnp.npy_intp[64] shape
    cdef Py_ssize_t outer = 1
    cdef int d, kind = float_type(x)
    cdef Job job
    if kind == 0 or cnp.PyArray_TYPE(starts) != cnp.NPY_INT or cnp.PyArray_TYPE(places) != cnp.NPY_INT:
        return None
    cdef cnp.ndarray source = cnp.PyArray_GETCONTIGUOUS(x)
    job.inner, job.rows, job.n, job.single = 1, cnp.PyArray_SIZE(starts) - 1, source.shape[dim], kind == cnp.NPY_FLOAT
    for d in range(source.ndim):
        shape[d] = job.rows if d == dim else source.shape[d]
        if d < dim:
            outer *= shape[d]
        elif d > dim:
            job.inner *= shape[d]
    cdef cnp.ndarray out = cnp.PyArray_SimpleNew(source.ndim, shape, kind)
    job.x, job.weights, job.out = cnp.PyArray_DATA(source), cnp.PyArray_DATA(weights), cnp.PyArray_DATA(out)
    job.starts, job.places = <const int*>cnp.PyArray_DATA(starts), <const int*>cnp.PyArray_DATA(places)
    if cnp.PyArray_SIZE(out) == 0:
        return out
    job.single_weights = cnp.PyArray_SIZE(places) == job.rows
    for d in range(job.rows + 1):
        job.single_weights = job.single_weights and job.starts[d] == d
    each = max(1, cnp.PyArray_SIZE(places) // job.rows) * job.inner
    shared(combine_lines, &job, outer * job.rows, max(1, GRAIN // each))
    return out
