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

    TILE = 32  # elements of a line that are added up at a time

cdef struct Job:
    const void* x
    const void* weights  # NULL if all are 1
    const int* starts  # of each row's weights
    const int* places  # the column of each weight; or else `far_places`
    const cnp.npy_int64* far_places
    void* out
    Py_ssize_t rows
    Py_ssize_t n
    Py_ssize_t inner
    bint single
    bint single_weights  # each row has one
    Py_ssize_t first, last  # rows between have two weights each


cdef inline Py_ssize_t place_of(const Job* job, Py_ssize_t k) noexcept nogil:
    """The column of a weight."""
    return job.places[k] if job.far_places == NULL else job.far_places[k]


cdef always combine_pairs(const Job* job, Py_ssize_t row, Py_ssize_t count, const real* source, const real* weights,
                          real* out) noexcept nogil:
    """Computes some rows of two weights for one line of numbers."""
    cdef const int* places = job.places + job.starts[row]
    cdef Py_ssize_t i
    weights += job.starts[row]
    for i in range(count):
        out[i] = weights[2 * i] * source[places[2 * i]] + weights[2 * i + 1] * source[places[2 * i + 1]]


cdef always combine_numbers(const Job* job, Py_ssize_t row, Py_ssize_t count, const real* source, const real* weights,
                            real* out) noexcept nogil:
    """Computes some rows, from `row` on, for one line of numbers."""
    cdef const int* starts = job.starts + row
    cdef Py_ssize_t i = 0, k, pairs
    cdef real total
    if job.single_weights:
        for i in range(count):
            out[i] = weights[row + i] * source[job.places[row + i]]
        return
    while i < count:
        if job.first <= row + i < job.last:
            pairs = min(count - i, job.last - row - i)
            combine_pairs(job, row + i, pairs, source, weights, out + i)
            i += pairs
            continue
        total = 0
        for k in range(starts[i], starts[i + 1]):
            total += (weights[k] if weights != NULL else 1) * source[place_of(job, k)]
        out[i] = total
        i += 1


cdef always combine_row(const Job* job, Py_ssize_t row, const real* source, const real* weights, real* out) noexcept nogil:
    """Computes one row, for contiguous lines, whose elements are added up in registers."""
    cdef real sums[TILE]
    cdef Py_ssize_t c, k, begin = 0
    cdef const real* line
    cdef real weight
    while begin + TILE // 2 <= job.inner:
        if begin + TILE <= job.inner:
            combine_tile(job, row, source + begin, weights, out + begin, TILE)
            begin += TILE
        else:
            combine_tile(job, row, source + begin, weights, out + begin, TILE // 2)
            begin += TILE // 2
    if begin == job.inner:
        return
    for c in range(job.inner - begin):
        sums[c] = 0
    for k in range(job.starts[row], job.starts[row + 1]):
        line = source + place_of(job, k) * job.inner + begin
        weight = weights[k] if weights != NULL else 1
        for c in range(job.inner - begin):
            sums[c] += weight * line[c]
    for c in range(job.inner - begin):
        out[begin + c] = sums[c]


cdef always combine_tile(const Job* job, Py_ssize_t row, const real* source, const real* weights, real* out,
                         Py_ssize_t n) noexcept nogil:
    """Computes n elements of a row, a constant number."""
    cdef real sums[TILE]
    cdef Py_ssize_t c, k
    cdef const real* line
    cdef real weight
    for c in range(n):
        sums[c] = 0
    for k in range(job.starts[row], job.starts[row + 1]):
        line = source + place_of(job, k) * job.inner
        weight = weights[k] if weights != NULL else 1
        for c in range(n):
            sums[c] += weight * line[c]
    for c in range(n):
        out[c] = sums[c]


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


cdef void find_pairs(Job* job) noexcept nogil:
    """Finds out which rows have one weight or two."""
    cdef Py_ssize_t row
    job.single_weights, job.first = True, 0
    for row in range(job.rows + 1):
        job.single_weights = job.single_weights and job.starts[row] == row
    while job.first < job.rows and job.starts[job.first + 1] - job.starts[job.first] != 2:
        job.first += 1
    job.last = job.first
    while job.last < job.rows and job.starts[job.last + 1] - job.starts[job.last] == 2:
        job.last += 1


def mapped(x, int dim, cnp.ndarray starts, cnp.ndarray places, cnp.ndarray weights):
    """A matrix in compressed rows times an array along a dimension; None for inputs that the kernel does not take.

    The weights, all 1 if None, have the dtype of the array; starts are of int32, places of int32 or int64.
    """
    cdef cnp.npy_intp[64] shape
    cdef Py_ssize_t outer = 1
    cdef int d, kind = float_type(x)
    cdef Job job
    if kind == 0 or cnp.PyArray_TYPE(starts) != cnp.NPY_INT or not cnp.PyArray_IS_C_CONTIGUOUS(places) \
            or cnp.PyArray_TYPE(places) != cnp.NPY_INT and cnp.PyArray_TYPE(places) != cnp.NPY_INT64:
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
    job.x, job.out, job.weights = cnp.PyArray_DATA(source), cnp.PyArray_DATA(out), NULL
    if weights is not None:
        job.weights = cnp.PyArray_DATA(weights)
    job.starts, job.places, job.far_places = <const int*>cnp.PyArray_DATA(starts), NULL, NULL
    if cnp.PyArray_TYPE(places) == cnp.NPY_INT:
        job.places = <const int*>cnp.PyArray_DATA(places)
    else:
        job.far_places = <const cnp.npy_int64*>cnp.PyArray_DATA(places)
    if cnp.PyArray_SIZE(out) == 0:
        return out
    job.single_weights, job.first, job.last = False, 0, 0
    if job.inner == 1 and job.weights != NULL and job.far_places == NULL:
        find_pairs(&job)
    each = max(1, cnp.PyArray_SIZE(places) // job.rows) * job.inner
    shared(combine_lines, &job, outer * job.rows, max(1, GRAIN // each))
    return out
