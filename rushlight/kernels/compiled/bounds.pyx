"""Clamps elements to bounds, and passes their gradients: in one pass over memory."""

cimport numpy as cnp

from rushlight.kernels.compiled.arrays cimport empty_like, fits, float_type, is_dense, same_strides
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    GRAIN = 1 << 16  # elements of one thread's part

cdef struct Job:
    const void* x
    const void* grad  # NULL: forward
    void* out
    double low
    double high
    bint single


cdef wide bring_between(const real* x, real* out, Py_ssize_t n, real low, real high) noexcept nogil:
    """Clamps x to `low` and `high`; NaN stays."""
    cdef Py_ssize_t i
    cdef real value
    for i in range(n):
        value = low if x[i] < low else x[i]
        out[i] = high if value > high else value


cdef wide pass_between(const real* grad, const real* x, real* out, Py_ssize_t n, real low, real high) noexcept nogil:
    """The gradients where x is within the bounds, else 0."""
    cdef Py_ssize_t i
    cdef real zero = 0
    for i in range(n):
        out[i] = grad[i] if (x[i] >= low) & (x[i] <= high) else zero


cdef void compute_part(const Job* job, const real* x, Py_ssize_t start, Py_ssize_t n) noexcept nogil:
    """Computes some elements of a job."""
    cdef real low = <real>job.low, high = <real>job.high
    cdef const real* grad = <const real*>job.grad
    cdef real* out = <real*>job.out + start
    if grad == NULL:
        bring_between(x + start, out, n, low, high)
    else:
        pass_between(grad + start, x + start, out, n, low, high)


cdef void compute(const void* pointer, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of a job, by its dtype."""
    cdef const Job* job = <const Job*>pointer
    if job.single:
        compute_part(job, <const float*>job.x, start, stop - start)
    else:
        compute_part(job, <const double*>job.x, start, stop - start)


cdef cnp.ndarray computed(cnp.ndarray x, const void* grad, double low, double high, cnp.ndarray out):
    """A new array with the results of a job."""
    cdef Job job
    job.x, job.grad, job.out = cnp.PyArray_DATA(x), grad, cnp.PyArray_DATA(out)
    job.low, job.high = low, high
    job.single = cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT
    shared(compute, &job, cnp.PyArray_SIZE(x), GRAIN)
    return out


def bounded(x, double low, double high):
    """x clamped to the bounds; None for inputs that the kernel does not take."""
    if not float_type(x) or not is_dense(x) or low != low or high != high:
        return None
    return computed(x, NULL, low, high, empty_like(x))


def bound(x, double low, double high):
    """Clamps x in place; returns whether the kernel takes it."""
    if not float_type(x) or not is_dense(x) or not cnp.PyArray_ISWRITEABLE(x) or low != low or high != high:
        return False
    computed(x, NULL, low, high, x)
    return True


def passed(grad, x, double low, double high):
    """The gradients of x; None for inputs that the kernel does not take."""
    if not float_type(x) or not is_dense(x) or not fits(grad, x) or not same_strides(grad, x):
        return None
    return computed(x, cnp.PyArray_DATA(grad), low, high, empty_like(x))
