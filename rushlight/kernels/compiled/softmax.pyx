# distutils: extra_compile_args = -fassociative-math -fno-signed-zeros -ffinite-math-only
# cython: cdivision=True
"""Softmax and log softmax along the last dimension, and their gradients.

Some rows at a time, which stay in the cache between the passes over them: maxima, exponentials, sums, quotients. The
compiler may add in any order, and may ignore NaN in the search for the maximum: a NaN makes its row NaN through the
sum.
"""

cimport numpy as cnp
from libc.float cimport DBL_MAX, FLT_MAX
from libc.math cimport log

from rushlight.kernels.compiled.arrays cimport fits, float_type
from rushlight.kernels.compiled.exponential cimport exponentials
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.moves cimport contiguous
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.softmax_columns cimport along

cnp.import_array()

cdef enum:
    GRAIN = 1 << 15  # elements of one thread's part

cdef struct Job:
    const void* x
    const void* y
    void* out
    Py_ssize_t n
    bint single
    bint logarithm


cdef wide subtract_peaks(const real* x, real* out, real* peaks, Py_ssize_t rows, Py_ssize_t n) noexcept nogil:
    """Subtracts from each row its maximum, which is stored in `peaks`."""
    cdef Py_ssize_t r, i
    cdef real peak
    for r in range(rows):
        peak = x[0]
        for i in range(n):
            peak = x[i] if x[i] > peak else peak
        for i in range(n):
            out[i] = x[i] - peak
        peaks[r] = peak
        x += n
        out += n


cdef void below_peaks(const real* x, real* out, real* peaks, Py_ssize_t rows, Py_ssize_t n) noexcept nogil:
    """`subtract_peaks` for other kernels."""
    subtract_peaks(x, out, peaks, rows, n)


cdef wide over_sums(real* out, Py_ssize_t rows, Py_ssize_t n) noexcept nogil:
    """Divides rows by their sums, in place."""
    cdef Py_ssize_t r, i
    cdef real total
    for r in range(rows):
        total = 0
        for i in range(n):
            total += out[i]
        total = <real>1 / total
        for i in range(n):
            out[i] *= total
        out += n


cdef wide below_sums(const real* x, real* out, const real* peaks, Py_ssize_t rows, Py_ssize_t n) noexcept nogil:
    """x minus the logarithm of the sum of exponentials; `out` holds those of x minus the peaks.

    In two loops: in one, the compiler would add the peak and the logarithm first, and lose precision.
    """
    cdef Py_ssize_t r, i
    cdef real total
    for r in range(rows):
        total = 0
        for i in range(n):
            total += out[i]
        total = <real>log(total)
        for i in range(n):
            out[i] = x[i] - peaks[r]
        for i in range(n):
            out[i] -= total
        x += n
        out += n


cdef wide weighted(const real* grad, const real* y, real* out, Py_ssize_t rows, Py_ssize_t n) noexcept nogil:
    """y * (grad - sum(grad * y))."""
    cdef Py_ssize_t r, i
    cdef real total
    for r in range(rows):
        total = 0
        for i in range(n):
            total += grad[i] * y[i]
        for i in range(n):
            out[i] = y[i] * (grad[i] - total)
        grad += n
        y += n
        out += n


cdef wide less_shares(const real* grad, real* out, Py_ssize_t rows, Py_ssize_t n) noexcept nogil:
    """grad - out * sum(grad), in place of the probabilities in `out`."""
    cdef Py_ssize_t r, i
    cdef real total
    for r in range(rows):
        total = 0
        for i in range(n):
            total += grad[i]
        for i in range(n):
            out[i] = grad[i] - out[i] * total
        grad += n
        out += n


cdef void softmax_rows(const real* x, real* out, Py_ssize_t rows, Py_ssize_t n, bint logarithm) noexcept nogil:
    """Softmax or log softmax of some rows, block by block."""
    cdef real[PEAKS] peaks
    cdef Py_ssize_t block = rows_of_block(n), r = 0, some
    while r < rows:
        some = min(block, rows - r)
        subtract_peaks(x + r * n, out + r * n, peaks, some, n)
        exponentials(out + r * n, out + r * n, some * n)
        if logarithm:
            below_sums(x + r * n, out + r * n, peaks, some, n)
        else:
            over_sums(out + r * n, some, n)
        r += some


cdef void log_softmax_cotangent_rows(const real* grad, const real* y, real* out, Py_ssize_t rows,
                                     Py_ssize_t n) noexcept nogil:
    """grad - exp(y) * sum(grad) of some rows, block by block."""
    cdef Py_ssize_t block = rows_of_block(n), r = 0, some
    while r < rows:
        some = min(block, rows - r)
        exponentials(y + r * n, out + r * n, some * n)
        less_shares(grad + r * n, out + r * n, some, n)
        r += some


cdef void compute(const void* pointer, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some rows of a job, by its dtype."""
    cdef const Job* job = <const Job*>pointer
    if job.single:
        compute_rows(job, <const float*>job.x, <const float*>job.y, <float*>job.out, start, stop)
    else:
        compute_rows(job, <const double*>job.x, <const double*>job.y, <double*>job.out, start, stop)


cdef void compute_rows(const Job* job, const real* x, const real* y, real* out, Py_ssize_t start,
                       Py_ssize_t stop) noexcept nogil:
    """Computes some rows of one dtype; x is the gradient in the backward pass."""
    cdef Py_ssize_t first = start * job.n, rows = stop - start, n = job.n
    if y == NULL:
        softmax_rows(x + first, out + first, rows, n, job.logarithm)
    elif job.logarithm:
        log_softmax_cotangent_rows(x + first, y + first, out + first, rows, n)
    else:
        weighted(x + first, y + first, out + first, rows, n)


cdef cnp.ndarray computed(cnp.ndarray x, cnp.ndarray y, bint logarithm):
    """A new array with the results of a job."""
    cdef Job job
    cdef cnp.ndarray out
    x = contiguous(x)
    out = cnp.PyArray_SimpleNew(x.ndim, x.shape, cnp.PyArray_TYPE(x))
    job.single, job.logarithm = cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT, logarithm
    job.n = x.shape[x.ndim - 1]
    job.x, job.y, job.out = cnp.PyArray_DATA(x), NULL, cnp.PyArray_DATA(out)
    if y is not None:
        y = contiguous(y)
        job.y = cnp.PyArray_DATA(y)
    shared(compute, &job, cnp.PyArray_SIZE(x) // job.n, max(1, GRAIN // job.n))
    return out


cdef bint takes(object x, Py_ssize_t dim) noexcept:
    """Whether the kernel takes an array and one of its dimensions."""
    return float_type(x) != 0 and 0 <= dim < (<cnp.ndarray>x).ndim


def softmax(x, Py_ssize_t dim, bint logarithm):
    """Softmax or log softmax; None for inputs that the kernel does not take."""
    if not takes(x, dim):
        return None
    return computed(x, None, logarithm) if dim == (<cnp.ndarray>x).ndim - 1 else along(x, None, dim, logarithm)


def softmax_cotangent(grad, y, Py_ssize_t dim, bint logarithm):
    """The gradient of the input, given the result; None for inputs that the kernel does not take."""
    if not takes(y, dim) or not fits(grad, y):
        return None
    return computed(grad, y, logarithm) if dim == (<cnp.ndarray>y).ndim - 1 else along(grad, y, dim, logarithm)


cdef bint has_number(const real* x, Py_ssize_t rows, Py_ssize_t n, real lowest) noexcept nogil:
    """Whether each row has an element that is at least the lowest number."""
    cdef Py_ssize_t r, i
    for r in range(rows):
        i = 0
        while i < n and not (x[i] >= lowest):
            i += 1
        if i == n:
            return False
        x += n
    return True


def has_numbers(x):
    """Whether each row of an array has an element other than -inf and NaN; None for arrays that are not taken."""
    cdef Py_ssize_t n
    if float_type(x) == 0 or (<cnp.ndarray>x).ndim == 0 or not cnp.PyArray_IS_C_CONTIGUOUS(x):
        return None
    n = (<cnp.ndarray>x).shape[(<cnp.ndarray>x).ndim - 1]
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT:
        return has_number(<const float*>cnp.PyArray_DATA(x), cnp.PyArray_SIZE(x) // n, n, -FLT_MAX)
    return has_number(<const double*>cnp.PyArray_DATA(x), cnp.PyArray_SIZE(x) // n, n, -DBL_MAX)
