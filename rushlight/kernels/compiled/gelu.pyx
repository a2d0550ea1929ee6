# cython: cdivision=True
"""GELU, x Φ(x), and its gradient, with Φ by erf (float32) or tanh; in blocks of elements.

The tanh is the loop of formulas; erf is a tanh too.
"""

import numpy as np

cimport numpy as cnp

from rushlight.core.loops cimport loop_for
from rushlight.kernels.compiled.arrays cimport empty_like, fits, float_type, is_dense, same_strides
from rushlight.kernels.compiled.exponential cimport exponentials
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.ufuncs cimport Loop, run

cnp.import_array()

cdef enum:
    BLOCK = 1024  # elements that are computed at a time
    GRAIN = 1 << 14  # elements of one thread's part

cdef Loop TANH32 = loop_for(np.tanh, "f->f"), TANH64 = loop_for(np.tanh, "d->d")
# erf(x) = tanh(x p(x²)) with a polynomial p, fitted for the least relative error of erf in [-4, 4], 7e-8; beyond 4 erf
# rounds to ±1. The coefficients begin with that of the highest power.
cdef float[8] ERF = [
    5.42230376e-09, 2.75577308e-08, -4.79442708e-06, 8.45957726e-05, -6.14836429e-04, -1.95290057e-04, 1.02769865e-01,
    1.12837925]
cdef double SQRT_HALF = np.sqrt(0.5), DENSITY = 1 / np.sqrt(2 * np.pi)
cdef double SCALE = np.sqrt(2 / np.pi), CUBIC = np.sqrt(2 / np.pi) * 0.044715

cdef struct Job:
    const void* x
    const void* grad  # NULL in the forward pass
    void* out
    bint single
    bint approximate


cdef wide before_tanh(const real* x, real* inner, Py_ssize_t n) noexcept nogil:
    """The argument of tanh in the approximation."""
    cdef Py_ssize_t i
    cdef real scale = SCALE, cubic = CUBIC
    for i in range(n):
        inner[i] = x[i] * (scale + cubic * (x[i] * x[i]))


cdef wide before_erf(const float* x, float* inner, Py_ssize_t n) noexcept nogil:
    """The argument of tanh that gives erf(x / sqrt(2))."""
    cdef Py_ssize_t i
    cdef int k
    cdef float half = SQRT_HALF, limit = 4, z, square, p
    cdef float[8] c = ERF
    for i in range(n):
        inner[i] = min(max(x[i] * half, -limit), limit)
    for i in range(n):
        z = inner[i]
        square = z * z
        p = c[0]
        for k in range(1, 8):
            p = p * square + c[k]
        inner[i] = p * z


cdef wide gated(const real* x, const real* t, real* out, Py_ssize_t n) noexcept nogil:
    """x (1 + t) / 2."""
    cdef Py_ssize_t i
    cdef real one = 1, half = 0.5
    for i in range(n):
        out[i] = (t[i] + one) * (half * x[i])


cdef wide below_bell(const float* x, float* out, Py_ssize_t n) noexcept nogil:
    """The exponent of the normal distribution's density."""
    cdef Py_ssize_t i
    cdef float half = -0.5
    for i in range(n):
        out[i] = half * (x[i] * x[i])


cdef wide erf_slope(const float* grad, const float* x, const float* t, const float* bell, float* out,
                    Py_ssize_t n) noexcept nogil:
    """grad * (Φ(x) + x φ(x))."""
    cdef Py_ssize_t i
    cdef float one = 1, half = 0.5, density = DENSITY
    for i in range(n):
        out[i] = grad[i] * (half * (one + t[i]) + x[i] * (density * bell[i]))


cdef wide tanh_slope(const real* grad, const real* x, const real* t, real* out, Py_ssize_t n) noexcept nogil:
    """The gradient of the tanh approximation."""
    cdef Py_ssize_t i
    cdef real one = 1, half = 0.5, scale = SCALE, cubic = 3 * CUBIC
    for i in range(n):
        out[i] = grad[i] * (half * (one + t[i]) + half * x[i] * (one - t[i] * t[i]) * (scale + cubic * (x[i] * x[i])))


cdef void block(const real* x, const real* grad, real* out, Py_ssize_t n, bint approximate) noexcept nogil:
    """A block of results, or of gradients if `grad` is not NULL."""
    cdef real[BLOCK] t
    cdef float[BLOCK] bell
    if approximate:
        before_tanh(x, t, n)
    elif real is float:
        before_erf(x, t, n)
    run(&TANH32 if real is float else &TANH64, t, t, n, sizeof(real))
    if grad == NULL:
        gated(x, t, out, n)
    elif approximate:
        tanh_slope(grad, x, t, out, n)
    elif real is float:
        below_bell(x, bell, n)
        exponentials(bell, bell, n)
        erf_slope(grad, x, t, bell, out, n)


cdef void compute_blocks(const Job* job, const real* x, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of a job, block by block."""
    cdef const real* grad = <const real*>job.grad
    cdef real* out = <real*>job.out
    while start < stop:
        block(x + start, grad + start if grad != NULL else NULL, out + start, min(BLOCK, stop - start), job.approximate)
        start += BLOCK


cdef void compute(const void* pointer, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of a job, by its dtype."""
    cdef const Job* job = <const Job*>pointer
    if job.single:
        compute_blocks(job, <const float*>job.x, start, stop)
    else:
        compute_blocks(job, <const double*>job.x, start, stop)


cdef bint takes(object x, bint approximate) noexcept:
    """Whether the kernel takes an input."""
    cdef int kind = float_type(x)
    return kind and (approximate or kind == cnp.NPY_FLOAT) and is_dense(x)


cdef cnp.ndarray computed(cnp.ndarray x, const void* grad, bint approximate):
    """A new array with the results of a job."""
    cdef Job job
    cdef cnp.ndarray out = empty_like(x)
    job.single, job.approximate = cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT, approximate
    job.x, job.grad, job.out = cnp.PyArray_DATA(x), grad, cnp.PyArray_DATA(out)
    shared(compute, &job, cnp.PyArray_SIZE(x), GRAIN)
    return out


def gelu(x, bint approximate):
    """GELU of x; None for inputs that the kernel does not take."""
    return computed(x, NULL, approximate) if takes(x, approximate) else None


def gelu_cotangent(grad, x, bint approximate):
    """The gradient of x; None for inputs that the kernel does not take."""
    if not takes(x, approximate) or not fits(grad, x) or not same_strides(grad, x):
        return None
    return computed(x, cnp.PyArray_DATA(grad), approximate)
