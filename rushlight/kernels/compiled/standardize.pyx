# distutils: extra_compile_args = -fassociative-math -fno-signed-zeros
# cython: cdivision=True
"""Layer and RMS normalization: rows normalized by their own mean and variance, scaled and shifted; and gradients.

A row stays in the cache between the passes over it: mean, variance, result. Gradients of weight and bias are summed in
the same pass as that of the input, separately for each thread's part.
"""

import numpy as np

cimport numpy as cnp
from libc.math cimport sqrt

from rushlight.kernels.compiled.arrays cimport fits, float_type
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.steps cimport zeros

cnp.import_array()

cdef enum:
    BLOCK = 4096  # elements of rows that are computed at a time
    GRAIN = 1 << 14  # elements of one thread's part

cdef struct Job:
    const void* x
    const void* grad  # NULL in the forward pass
    const void* weight  # NULL for none
    const void* bias
    void* out
    void* mean  # NULL in RMS normalization, where it counts as 0
    void* invstd
    void* sums  # the gradients of weight and bias, a pair for each part
    Py_ssize_t n
    Py_ssize_t grain
    double eps
    bint single


cdef inline real factor(const real* weight, Py_ssize_t i) noexcept nogil:
    """An element of the weight, or 1 if there is none."""
    return weight[i] if weight != NULL else 1


cdef wide standardize(const real* x, const real* weight, const real* bias, real* out, real* means, real* invstds,
                      Py_ssize_t rows, Py_ssize_t n, double eps) noexcept nogil:
    """(x - mean) * invstd * weight + bias, row by row."""
    cdef Py_ssize_t r, i
    cdef real mean, square, invstd
    for r in range(rows):
        mean = square = 0
        if means != NULL:
            for i in range(n):
                mean += x[i]
            mean /= n
            means[r] = mean
        for i in range(n):
            square += (x[i] - mean) * (x[i] - mean)
        invstds[r] = invstd = <real>(1 / sqrt(square / n + eps))
        for i in range(n):
            out[i] = (x[i] - mean) * invstd * factor(weight, i)
        if bias != NULL:
            for i in range(n):
                out[i] += bias[i]
        x += n
        out += n


cdef wide input_cotangents(const real* grad, const real* x, const real* weight, const real* means, const real* invstds,
                           real* out, Py_ssize_t rows, Py_ssize_t n) noexcept nogil:
    """invstd * (g - mean(g) - normal * mean(g * normal)) with g = grad * weight, row by row."""
    cdef Py_ssize_t r, i
    cdef real mean = 0, invstd, g, total, along
    for r in range(rows):
        invstd = invstds[r]
        total = along = 0
        if means != NULL:
            mean = means[r]
            for i in range(n):
                total += grad[i] * factor(weight, i)
        for i in range(n):
            along += grad[i] * factor(weight, i) * (x[i] - mean)
        total /= n
        along *= invstd * invstd / n
        for i in range(n):
            g = grad[i] * factor(weight, i)
            out[i] = (g - total - (x[i] - mean) * along) * invstd
        grad += n
        x += n
        out += n


cdef wide add_affine(const real* grad, const real* x, const real* means, const real* invstds, real* weight_grad,
                     real* bias_grad, Py_ssize_t rows, Py_ssize_t n) noexcept nogil:
    """Sums grad * normal and grad over the rows."""
    cdef Py_ssize_t r, i
    cdef real mean = 0, invstd
    for r in range(rows):
        invstd = invstds[r]
        if means != NULL:
            mean = means[r]
        for i in range(n):
            weight_grad[i] += grad[i] * ((x[i] - mean) * invstd)
            bias_grad[i] += grad[i]
        grad += n
        x += n


cdef void compute_rows(const Job* job, const real* x, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some rows of a job."""
    cdef Py_ssize_t n = job.n, part = start // job.grain, some
    cdef real* mean = <real*>job.mean
    cdef real* sums = <real*>job.sums
    while start < stop:
        some = min(max(1, BLOCK // n), stop - start)
        forward_or_back(job, x + start * n, mean + start if mean != NULL else NULL,
                        sums + part * 2 * n if sums != NULL else NULL, start, some)
        start += some


cdef void forward_or_back(const Job* job, const real* x, real* mean, real* sums, Py_ssize_t start,
                          Py_ssize_t rows) noexcept nogil:
    """Computes few rows, which stay in the cache between the two gradients."""
    cdef Py_ssize_t n = job.n
    cdef const real* weight = <const real*>job.weight
    cdef const real* grad = <const real*>job.grad
    cdef real* out = <real*>job.out
    cdef real* invstd = <real*>job.invstd + start
    if grad == NULL:
        standardize(x, weight, <const real*>job.bias, out + start * n, mean, invstd, rows, n, job.eps)
        return
    if out != NULL:
        input_cotangents(grad + start * n, x, weight, mean, invstd, out + start * n, rows, n)
    if sums != NULL:
        add_affine(grad + start * n, x, mean, invstd, sums, sums + n, rows, n)


cdef void compute(const void* pointer, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of a job, by its dtype."""
    cdef const Job* job = <const Job*>pointer
    if job.single:
        compute_rows(job, <const float*>job.x, start, stop)
    else:
        compute_rows(job, <const double*>job.x, start, stop)


cdef int run(Job* job, cnp.ndarray x, Py_ssize_t n) except -1:
    """Completes a job, and runs it."""
    job.x, job.n = cnp.PyArray_DATA(x), n
    job.single = cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT
    return shared(compute, job, cnp.PyArray_SIZE(x) // n, job.grain)


cdef bint is_vector(object vector, cnp.ndarray x, Py_ssize_t n) noexcept:
    """Whether weight or bias is None, or n contiguous elements of the type of x."""
    return vector is None or (float_type(vector) == cnp.PyArray_TYPE(x) and cnp.PyArray_SIZE(vector) == n
                              and cnp.PyArray_IS_C_CONTIGUOUS(vector))


cdef inline void* data(object array) noexcept:
    """The data of an array, NULL for None."""
    return NULL if array is None else cnp.PyArray_DATA(array)


cdef cnp.ndarray like(cnp.ndarray x, int dims):
    """A new array of the type and shape of x, with size 1 in the last dimensions."""
    cdef cnp.npy_intp[64] shape
    cdef int d
    for d in range(x.ndim):
        shape[d] = x.shape[d] if d < x.ndim - dims else 1
    return cnp.PyArray_SimpleNew(x.ndim, shape, cnp.PyArray_TYPE(x))


def normalized(x, weight, bias, int dims, double eps, bint centered):
    """The normalized rows, their means (None unless `centered`), and 1 / their deviations.

    None for inputs that the kernel does not take.
    """
    cdef Job job
    cdef Py_ssize_t n = 1
    cdef int d
    if not float_type(x):
        return None
    cdef cnp.ndarray rows = cnp.PyArray_GETCONTIGUOUS(x)
    for d in range(rows.ndim - dims, rows.ndim):
        n *= rows.shape[d]
    if not is_vector(weight, rows, n) or not is_vector(bias, rows, n):
        return None
    out = like(rows, 0)
    mean = like(rows, dims) if centered else None
    invstd = like(rows, dims)
    job.grad, job.weight, job.bias, job.out = NULL, data(weight), data(bias), data(out)
    job.mean, job.invstd, job.sums = data(mean), data(invstd), NULL
    job.eps, job.grain = eps, max(1, GRAIN // n)
    run(&job, rows, n)
    return out, mean, invstd


def cotangents(grad, x, weight, mean, invstd, bint wants_input, bint wants_affine):
    """The gradients of x, and of weight and bias as vectors; those that are not wanted are None.

    None for inputs that the kernel does not take.
    """
    cdef Job job
    cdef cnp.npy_intp[3] shape
    if not float_type(x) or not fits(grad, x) or float_type(invstd) != cnp.PyArray_TYPE(x):
        return None
    cdef cnp.ndarray rows = cnp.PyArray_GETCONTIGUOUS(x), arrived = cnp.PyArray_GETCONTIGUOUS(grad)
    cdef Py_ssize_t count = cnp.PyArray_SIZE(invstd), n = cnp.PyArray_SIZE(rows) // count
    if not is_vector(weight, rows, n):
        return None
    job.grain = max(1, GRAIN // n)
    shape[0], shape[1], shape[2] = (count - 1) // job.grain + 1, 2, n
    out = like(rows, 0) if wants_input else None
    sums = zeros(3, shape, cnp.PyArray_TYPE(rows)) if wants_affine else None
    job.grad, job.weight, job.bias, job.out = data(arrived), data(weight), NULL, data(out)
    job.mean, job.invstd, job.sums = data(mean), data(invstd), data(sums)
    run(&job, rows, n)
    if sums is None:
        return out, None, None
    sums = sums[0] if shape[0] == 1 else np.add.reduce(sums, 0)
    return out, sums[0], sums[1]
