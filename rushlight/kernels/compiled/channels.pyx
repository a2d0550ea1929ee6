# distutils: extra_compile_args = -fassociative-math -fno-signed-zeros
# cython: cdivision=True
"""Batch normalization in training: each channel of (N, C, ...) by its own mean and variance, and the gradients.

A channel is `rows` runs of `length` elements: one for each sample in C order, a single one if the batch is innermost.
Some neighbouring channels, a group, form a block of rows, over which sums are taken column by column, so that short
runs cost no more than long ones; a group stays in the cache between the passes over it.
"""

cimport numpy as cnp
from libc.math cimport sqrt

from rushlight.kernels.compiled.arrays cimport empty_like, fits, float_type, same_strides
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    COLUMNS = 512  # columns that are summed at a time
    GRAIN = 1 << 14  # elements of one thread's part

cdef struct Job:
    const void* x
    const void* grad  # NULL in the forward pass
    const void* weight  # NULL for none
    const void* bias
    void* out
    void* mean
    void* invstd
    void* variance
    void* weight_grad
    void* bias_grad
    Py_ssize_t channels
    Py_ssize_t group  # channels
    Py_ssize_t length
    Py_ssize_t rows
    Py_ssize_t step  # elements from one run of a channel to the next
    double eps
    bint single

cdef struct Block:
    Py_ssize_t channels
    Py_ssize_t length
    Py_ssize_t rows
    Py_ssize_t step
    Py_ssize_t width  # of a row; wider rows are processed in pieces, with one channel each


cdef inline Py_ssize_t pieces(const Block* b) noexcept nogil:
    """The number of pieces of a row."""
    return (b.width - 1) // COLUMNS + 1


cdef inline Py_ssize_t columns(const Block* b, Py_ssize_t piece) noexcept nogil:
    """The number of columns of a piece."""
    return min(COLUMNS, b.width - piece * COLUMNS)


cdef wide add_columns(const real* x, const Block* b, real* sums) noexcept nogil:
    """Sums the columns."""
    cdef Py_ssize_t piece, r, i, at
    for piece in range(pieces(b)):
        for r in range(b.rows):
            at = piece * COLUMNS + r * b.step
            for i in range(columns(b, piece)):
                sums[i] += x[at + i]


cdef wide add_squares(const real* x, const Block* b, const real* means, real* sums) noexcept nogil:
    """Sums the squared distances from the means."""
    cdef Py_ssize_t piece, r, i, at
    for piece in range(pieces(b)):
        for r in range(b.rows):
            at = piece * COLUMNS + r * b.step
            for i in range(columns(b, piece)):
                sums[i] += (x[at + i] - means[i]) * (x[at + i] - means[i])


cdef wide add_products(const real* grad, const real* x, const Block* b, const real* means, real* sums,
                       real* products) noexcept nogil:
    """Sums gradients, and their products with distances from the means."""
    cdef Py_ssize_t piece, r, i, at
    for piece in range(pieces(b)):
        for r in range(b.rows):
            at = piece * COLUMNS + r * b.step
            for i in range(columns(b, piece)):
                sums[i] += grad[at + i]
                products[i] += grad[at + i] * (x[at + i] - means[i])


cdef wide scale_and_shift(const real* x, const Block* b, const real* means, const real* scales, const real* shifts,
                          real* out) noexcept nogil:
    """(x - mean) * scale + shift."""
    cdef Py_ssize_t piece, r, i, at
    for piece in range(pieces(b)):
        for r in range(b.rows):
            at = piece * COLUMNS + r * b.step
            for i in range(columns(b, piece)):
                out[at + i] = (x[at + i] - means[i]) * scales[i] + shifts[i]


cdef wide subtract_shares(const real* grad, const real* x, const Block* b, const real* means, const real* scales,
                          const real* shifts, const real* slopes, real* out) noexcept nogil:
    """grad * scale - (x - mean) * slope - shift."""
    cdef Py_ssize_t piece, r, i, at
    for piece in range(pieces(b)):
        for r in range(b.rows):
            at = piece * COLUMNS + r * b.step
            for i in range(columns(b, piece)):
                out[at + i] = grad[at + i] * scales[i] - (x[at + i] - means[i]) * slopes[i] - shifts[i]


cdef inline void clear(real* values) noexcept nogil:
    """Sets all columns to 0."""
    cdef Py_ssize_t i
    for i in range(COLUMNS):
        values[i] = 0


cdef inline real total(const real* values, const Block* b, Py_ssize_t channel) noexcept nogil:
    """The sum of a channel's columns."""
    cdef Py_ssize_t i, n = min(b.length, COLUMNS)
    cdef real result = 0
    for i in range(channel * n, channel * n + n):
        result += values[i]
    return result


cdef inline void spread(real value, real* values, const Block* b, Py_ssize_t channel) noexcept nogil:
    """Sets a channel's columns to a value."""
    cdef Py_ssize_t i, n = min(b.length, COLUMNS)
    for i in range(channel * n, channel * n + n):
        values[i] = value


cdef void standardize(const Job* job, const Block* b, const real* x, Py_ssize_t first) noexcept nogil:
    """Computes the means, variances and results of a group."""
    cdef real[COLUMNS] sums, means, scales
    cdef Py_ssize_t c, count = b.rows * b.length
    cdef real* mean = <real*>job.mean + first
    cdef real* variance = <real*>job.variance + first
    cdef real* invstd = <real*>job.invstd + first
    cdef const real* weight = <const real*>job.weight
    cdef const real* bias = <const real*>job.bias
    clear(sums)
    add_columns(x, b, sums)
    for c in range(b.channels):
        mean[c] = total(sums, b, c) / count
        spread(mean[c], means, b, c)
    clear(sums)
    add_squares(x, b, means, sums)
    for c in range(b.channels):
        variance[c] = total(sums, b, c) / count
        invstd[c] = <real>(1 / sqrt(variance[c] + job.eps))
        spread(invstd[c] if weight == NULL else invstd[c] * weight[first + c], scales, b, c)
        spread(0 if bias == NULL else bias[first + c], sums, b, c)
    scale_and_shift(x, b, means, scales, sums, <real*>job.out + (x - <const real*>job.x))


cdef void send_back(const Job* job, const Block* b, const real* x, Py_ssize_t first) noexcept nogil:
    """Computes the gradients of a group, by section 3 of Ioffe and Szegedy, "Batch normalization" (2015)."""
    cdef real[COLUMNS] sums, products, means, scales
    cdef Py_ssize_t c, offset = x - <const real*>job.x, count = b.rows * b.length
    cdef const real* grad = <const real*>job.grad + offset
    cdef real* weight_grad = <real*>job.weight_grad + first
    cdef real* bias_grad = <real*>job.bias_grad + first
    cdef const real* invstd = <const real*>job.invstd + first
    cdef const real* weight = <const real*>job.weight
    cdef real scale
    clear(sums)
    clear(products)
    clear(means)
    for c in range(b.channels):
        spread((<const real*>job.mean)[first + c], means, b, c)
    add_products(grad, x, b, means, sums, products)
    for c in range(b.channels):
        scale = invstd[c] if weight == NULL else invstd[c] * weight[first + c]
        bias_grad[c] = total(sums, b, c)
        weight_grad[c] = total(products, b, c) * invstd[c]
        spread(scale, scales, b, c)
        spread(bias_grad[c] / count * scale, sums, b, c)
        spread(weight_grad[c] * invstd[c] / count * scale, products, b, c)
    subtract_shares(grad, x, b, means, scales, sums, products, <real*>job.out + offset)


cdef void compute_groups(const Job* job, const real* x, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some groups of a job."""
    cdef Py_ssize_t group, first
    cdef Block b
    b.length, b.rows, b.step = job.length, job.rows, job.step
    for group in range(start, stop):
        first = group * job.group
        b.channels = min(job.group, job.channels - first)
        b.width = b.channels * b.length
        if job.grad == NULL:
            standardize(job, &b, x + first * b.length, first)
        else:
            send_back(job, &b, x + first * b.length, first)


cdef void compute(const void* pointer, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of a job, by its dtype."""
    cdef const Job* job = <const Job*>pointer
    if job.single:
        compute_groups(job, <const float*>job.x, start, stop)
    else:
        compute_groups(job, <const double*>job.x, start, stop)


cdef bint batch_innermost(cnp.ndarray x) noexcept:
    """Whether (N, C, ...) is stored as (C, ..., N) without gaps."""
    cdef cnp.npy_intp step = cnp.PyArray_ITEMSIZE(x)
    cdef int k, d
    for k in range(x.ndim):  # the first dimension, then from the last one on
        d = (x.ndim - k) % x.ndim
        if x.shape[d] != 1 and x.strides[d] != step:
            return False
        step *= x.shape[d]
    return True


cdef int prepare(Job* job, cnp.ndarray x) except -1:
    """Sets where the channels of a job are; returns 0 for arrays that the kernel does not take."""
    if x.ndim < 2:
        return 0
    cdef Py_ssize_t size = cnp.PyArray_SIZE(x), samples = x.shape[0], channels = x.shape[1]
    if cnp.PyArray_IS_C_CONTIGUOUS(x):
        job.rows, job.length, job.step = samples, size // (samples * channels), size // samples
    elif batch_innermost(x):
        job.rows, job.length, job.step = 1, size // channels, 0
    else:
        return 0
    job.channels = channels
    job.group = max(1, min(channels, COLUMNS // job.length))
    job.x, job.single = cnp.PyArray_DATA(x), cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT
    return 1


cdef int run(Job* job) except -1:
    """Runs a job, in parts of several groups."""
    cdef Py_ssize_t groups = (job.channels - 1) // job.group + 1
    return shared(compute, job, groups, max(1, GRAIN // (job.group * job.length * job.rows)))


cdef cnp.ndarray vector(Job* job):
    """A new array with a number for each channel."""
    cdef cnp.npy_intp n = job.channels
    return cnp.PyArray_SimpleNew(1, &n, cnp.NPY_FLOAT if job.single else cnp.NPY_DOUBLE)


cdef bint has_vectors(cnp.ndarray x, tuple vectors) noexcept:
    """Whether each vector is None, or contiguous, of the type of x, with a number for each channel."""
    for values in vectors:
        if values is not None and (float_type(values) != cnp.PyArray_TYPE(x)
                                   or not cnp.PyArray_IS_C_CONTIGUOUS(values)
                                   or cnp.PyArray_SIZE(values) != x.shape[1]):
            return False
    return True


cdef inline void* data(object array) noexcept:
    """The data of an array, NULL for None."""
    return NULL if array is None else cnp.PyArray_DATA(array)


def standardized(x, weight, bias, double eps):
    """The result, and each channel's mean, 1 / deviation and variance; None for inputs that are not supported."""
    cdef Job job
    if not float_type(x) or not has_vectors(x, (weight, bias)) or not prepare(&job, x):
        return None
    out, mean, invstd, variance = empty_like(x), vector(&job), vector(&job), vector(&job)
    job.grad, job.weight, job.bias, job.out, job.eps = NULL, data(weight), data(bias), data(out), eps
    job.mean, job.invstd, job.variance = data(mean), data(invstd), data(variance)
    run(&job)
    return out, mean, invstd, variance


def cotangents(grad, x, weight, mean, invstd):
    """The gradients of x, weight and bias; None for inputs that the kernel does not take."""
    cdef Job job
    if not float_type(x) or not fits(grad, x) or not has_vectors(x, (weight, mean, invstd)) or not prepare(&job, x):
        return None
    out, weight_grad, bias_grad = empty_like(x), vector(&job), vector(&job)
    if not same_strides(grad, x):
        arrived, grad = grad, empty_like(x)
        cnp.PyArray_CopyInto(grad, arrived)
    job.grad, job.weight, job.out = data(grad), data(weight), data(out)
    job.mean, job.invstd = data(mean), data(invstd)
    job.weight_grad, job.bias_grad = data(weight_grad), data(bias_grad)
    run(&job)
    return out, weight_grad, bias_grad


def move(running, value, double momentum, double factor):
    """Moves a running vector towards a value times a factor, in place; False for inputs that are not supported."""
    if not float_type(running) or float_type(value) != cnp.PyArray_TYPE(running) \
            or not cnp.PyArray_ISCARRAY(running) or not cnp.PyArray_IS_C_CONTIGUOUS(value) \
            or not cnp.PyArray_SAMESHAPE(running, value):
        return False
    if cnp.PyArray_TYPE(running) == cnp.NPY_FLOAT:
        towards(<float*>data(running), <const float*>data(value), cnp.PyArray_SIZE(running), momentum, factor)
    else:
        towards(<double*>data(running), <const double*>data(value), cnp.PyArray_SIZE(running), momentum, factor)
    return True


cdef void towards(real* running, const real* value, Py_ssize_t n, double momentum, double factor) noexcept nogil:
    """Moves a running vector of one type."""
    cdef Py_ssize_t i
    cdef real kept = <real>(1 - momentum), taken = <real>(momentum * factor)
    for i in range(n):
        running[i] = running[i] * kept + value[i] * taken
