# distutils: extra_compile_args = -fassociative-math -fno-signed-zeros -ffinite-math-only
# cython: cdivision=True
"""Softmax and log softmax along a dimension that is not the last, (outer, n, inner), and their gradients.

As in `softmax.pyx`, but with sums over columns; some columns at a time.
"""

cimport numpy as cnp
from libc.math cimport log

from rushlight.kernels.compiled.exponential cimport exponentials
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.moves cimport contiguous
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    COLUMNS = 64  # columns that are computed at a time: of some 1,000 rows they stay in the L2 cache
    GRAIN = 1 << 15  # elements of one thread's part

cdef struct Job:
    const void* x
    const void* y  # NULL in the forward pass; else the result, and x is the gradient
    void* out
    Py_ssize_t n
    Py_ssize_t inner
    Py_ssize_t runs  # of columns that are computed at a time
    bint single
    bint logarithm


cdef wide subtract_peaks(const real* x, real* out, Py_ssize_t n, Py_ssize_t step, Py_ssize_t width) noexcept nogil:
    """Subtracts from each column its maximum."""
    cdef Py_ssize_t k, i
    cdef real[COLUMNS] peaks
    for i in range(width):
        peaks[i] = x[i]
    for k in range(1, n):
        for i in range(width):
            peaks[i] = x[k * step + i] if x[k * step + i] > peaks[i] else peaks[i]
    for k in range(n):
        for i in range(width):
            out[k * step + i] = x[k * step + i] - peaks[i]


cdef wide add_products(const real* x, const real* y, real* sums, Py_ssize_t n, Py_ssize_t step,
                       Py_ssize_t width) noexcept nogil:
    """The sums of columns, or of products with `y` if that is not NULL."""
    cdef Py_ssize_t k, i
    for i in range(width):
        sums[i] = 0
    for k in range(n):
        if y == NULL:
            for i in range(width):
                sums[i] += x[k * step + i]
        else:
            for i in range(width):
                sums[i] += x[k * step + i] * y[k * step + i]


cdef wide divide(real* out, const real* sums, Py_ssize_t n, Py_ssize_t step, Py_ssize_t width) noexcept nogil:
    """Divides columns by their sums, in place."""
    cdef Py_ssize_t k, i
    for k in range(n):
        for i in range(width):
            out[k * step + i] /= sums[i]


cdef wide subtract(real* out, const real* values, Py_ssize_t n, Py_ssize_t step, Py_ssize_t width) noexcept nogil:
    """Subtracts a number from each column, in place."""
    cdef Py_ssize_t k, i
    for k in range(n):
        for i in range(width):
            out[k * step + i] -= values[i]


cdef wide weigh(const real* grad, const real* y, const real* sums, real* out, Py_ssize_t n, Py_ssize_t step,
                Py_ssize_t width) noexcept nogil:
    """y * (grad - sum)."""
    cdef Py_ssize_t k, i
    for k in range(n):
        for i in range(width):
            out[k * step + i] = y[k * step + i] * (grad[k * step + i] - sums[i])


cdef wide less_shares(const real* grad, const real* sums, real* out, Py_ssize_t n, Py_ssize_t step,
                      Py_ssize_t width) noexcept nogil:
    """grad - out * sum, in place of the probabilities in `out`."""
    cdef Py_ssize_t k, i
    for k in range(n):
        for i in range(width):
            out[k * step + i] = grad[k * step + i] - out[k * step + i] * sums[i]


cdef void softmax(const real* x, real* out, Py_ssize_t n, Py_ssize_t step, Py_ssize_t width,
                  bint logarithm) noexcept nogil:
    """The results of some columns."""
    cdef real[COLUMNS] sums
    cdef Py_ssize_t k, i
    subtract_peaks(x, out, n, step, width)
    for k in range(n):
        exponentials(out + k * step, out + k * step, width)
    add_products(out, NULL, sums, n, step, width)
    if not logarithm:
        divide(out, sums, n, step, width)
        return
    for i in range(width):
        sums[i] = <real>log(sums[i])
    subtract_peaks(x, out, n, step, width)
    subtract(out, sums, n, step, width)


cdef void cotangent(const real* grad, const real* y, real* out, Py_ssize_t n, Py_ssize_t step, Py_ssize_t width,
                    bint logarithm) noexcept nogil:
    """The gradients of some columns."""
    cdef real[COLUMNS] sums
    cdef Py_ssize_t k
    if not logarithm:
        add_products(grad, y, sums, n, step, width)
        weigh(grad, y, sums, out, n, step, width)
        return
    add_products(grad, NULL, sums, n, step, width)
    for k in range(n):
        exponentials(y + k * step, out + k * step, width)
    less_shares(grad, sums, out, n, step, width)


cdef void compute_part(const Job* job, const real* x, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some runs of columns, counted through `outer`."""
    cdef Py_ssize_t runs = job.runs, inner = job.inner, i, column, at, width
    cdef const real* y = <const real*>job.y
    cdef real* out = <real*>job.out
    for i in range(start, stop):
        column = i % runs * COLUMNS
        at, width = i // runs * job.n * inner + column, min(<Py_ssize_t>COLUMNS, inner - column)
        if y == NULL:
            softmax(x + at, out + at, job.n, inner, width, job.logarithm)
        else:
            cotangent(x + at, y + at, out + at, job.n, inner, width, job.logarithm)


cdef void compute(const void* pointer, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of a job, by its dtype."""
    cdef const Job* job = <const Job*>pointer
    if job.single:
        compute_part(job, <const float*>job.x, start, stop)
    else:
        compute_part(job, <const double*>job.x, start, stop)


cdef cnp.ndarray along(cnp.ndarray x, cnp.ndarray y, int dim, bint logarithm):
    """A new array with the results along a dimension, or with gradients if `y` is given."""
    cdef Job job
    cdef int d
    x = contiguous(x)
    cdef cnp.ndarray out = cnp.PyArray_SimpleNew(x.ndim, x.shape, cnp.PyArray_TYPE(x))
    job.single, job.logarithm = cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT, logarithm
    job.n, job.inner = x.shape[dim], 1
    for d in range(dim + 1, x.ndim):
        job.inner *= x.shape[d]
    job.x, job.y, job.out = cnp.PyArray_DATA(x), NULL, cnp.PyArray_DATA(out)
    if y is not None:
        y = contiguous(y)
        job.y = cnp.PyArray_DATA(y)
    job.runs = (job.inner - 1) // COLUMNS + 1
    shared(compute, &job, cnp.PyArray_SIZE(x) // (job.n * job.inner) * job.runs,
           max(1, GRAIN // (job.n * min(job.inner, <Py_ssize_t>COLUMNS))))
    return out
