# cython: boundscheck=False, wraparound=False, cdivision=True
"""Variances and means of consecutive dimensions, summed in double precision."""

cimport numpy as cnp

from rushlight.kernels.compiled.arrays cimport Division, divided, float_type, is_dense
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    SIDE_BY_SIDE = 16
    RUN = 256  # columns
    GRAIN = 1 << 14  # elements of a thread's part

cdef struct Job:
    const void* x
    void* variances
    void* means
    Py_ssize_t size  # of what is reduced
    Py_ssize_t columns  # behind it
    double divisor  # of the sum of squares
    bint single


cdef double total(const double* sums) noexcept nogil:
    """The sum of partial sums."""
    cdef double found = 0
    cdef int k
    for k in range(SIDE_BY_SIDE):
        found += sums[k]
    return found


cdef wide moments_of_row(const real* x, Py_ssize_t n, double divisor, real* variance, real* mean) noexcept nogil:
    """The variance and the mean of n elements."""
    cdef double[SIDE_BY_SIDE] sums
    cdef Py_ssize_t i, whole = n - n % SIDE_BY_SIDE
    cdef double middle, apart
    cdef int k
    for k in range(SIDE_BY_SIDE):
        sums[k] = 0
    for i from 0 <= i < whole by SIDE_BY_SIDE:
        for k in range(SIDE_BY_SIDE):
            sums[k] += x[i + k]
    for i in range(whole, n):
        sums[i - whole] += x[i]
    middle = total(sums) / n
    for k in range(SIDE_BY_SIDE):
        sums[k] = 0
    for i from 0 <= i < whole by SIDE_BY_SIDE:
        for k in range(SIDE_BY_SIDE):
            apart = x[i + k] - middle
            sums[k] += apart * apart
    for i in range(whole, n):
        apart = x[i] - middle
        sums[i - whole] += apart * apart
    variance[0] = <real>(total(sums) / divisor)
    mean[0] = <real>middle


cdef wide moments_of_columns(
    const real* x, Py_ssize_t rows, Py_ssize_t step, Py_ssize_t n, double divisor, real* variances, real* means
) noexcept nogil:
    """The variances and means of n columns, of rows that are `step` elements apart."""
    cdef double[RUN] middle
    cdef double[RUN] squares
    cdef Py_ssize_t i, j
    cdef double apart
    for j in range(n):
        middle[j] = squares[j] = 0
    for i in range(rows):
        for j in range(n):
            middle[j] += x[i * step + j]
    for j in range(n):
        middle[j] /= rows
    for i in range(rows):
        for j in range(n):
            apart = x[i * step + j] - middle[j]
            squares[j] += apart * apart
    for j in range(n):
        variances[j] = <real>(squares[j] / divisor)
        means[j] = <real>middle[j]


cdef void of_part(const Job* job, const real* x, real* variances, real* means, Py_ssize_t part) noexcept nogil:
    """Computes one row, or one run of columns, counted through all matrices."""
    cdef Py_ssize_t runs, matrix, column, place
    if job.columns == 1:
        moments_of_row(x + part * job.size, job.size, job.divisor, variances + part, means + part)
        return
    runs = (job.columns + RUN - 1) // RUN
    matrix, column = part // runs, part % runs * RUN
    place = matrix * job.columns + column
    moments_of_columns(
        x + matrix * job.size * job.columns + column, job.size, job.columns, min(<Py_ssize_t>RUN, job.columns - column),
        job.divisor, variances + place, means + place
    )


cdef void compute(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some parts of a job, by its dtype."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t i
    for i in range(start, stop):
        if job.single:
            of_part(job, <const float*>job.x, <float*>job.variances, <float*>job.means, i)
        else:
            of_part(job, <const double*>job.x, <double*>job.variances, <double*>job.means, i)


def moments(x, int first, int last, double divisor):
    """The variances over the dimensions from `first` to `last`, whose sums of squares are divided, and the means.

    The array is a contiguous float32 or float64 array, or the transpose of a contiguous matrix; or one without gaps,
    all of whose dimensions are reduced. It has elements. None for others.
    """
    cdef int number = float_type(x), d
    cdef cnp.ndarray source = None if number == 0 else x, variances, means
    cdef Division parts
    cdef Py_ssize_t runs, part
    cdef Job job
    if number == 0 or source.ndim > 64 or not 0 <= first <= last < source.ndim:
        return None
    if not cnp.PyArray_IS_C_CONTIGUOUS(source) and not (last - first + 1 == source.ndim and is_dense(source)):
        if source.ndim != 2 or first != last or not cnp.PyArray_IS_F_CONTIGUOUS(source):
            return None
        source, first = source.T, 1 - first
        last = first
    parts = divided(source, first, last)
    job.size, job.columns, job.divisor, job.single = parts.size, parts.columns, divisor, number == cnp.NPY_FLOAT
    d = source.ndim - (last - first + 1)
    variances, means = cnp.PyArray_SimpleNew(d, parts.shape, number), cnp.PyArray_SimpleNew(d, parts.shape, number)
    job.x, job.variances, job.means = cnp.PyArray_DATA(source), cnp.PyArray_DATA(variances), cnp.PyArray_DATA(means)
    runs = 1 if job.columns == 1 else (job.columns + RUN - 1) // RUN
    part = job.size * min(job.columns, <Py_ssize_t>RUN)
    shared(compute, &job, parts.outer * runs, max(1, GRAIN // part))
    return variances, means
