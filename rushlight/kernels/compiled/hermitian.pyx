# cython: boundscheck=False, wraparound=False, cdivision=True
"""Spectra of real numbers, whose second half mirrors the first one and is conjugated: completed, and reduced to a half."""

cimport numpy as cnp

from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    GRAIN = 1 << 14  # complex numbers of one thread's part

cdef struct Job:
    const void* source  # whole spectra
    void* out  # halves, or NULL to complete the spectra
    Py_ssize_t n, half  # numbers of a spectrum, and of what is written of each
    bint single


cdef wide complete(real* spectrum, Py_ssize_t n, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Writes some of the numbers from behind the middle on."""
    cdef Py_ssize_t k, first = n // 2 + 1
    for k in range(first + start, first + stop):
        spectrum[2 * k], spectrum[2 * k + 1] = spectrum[2 * (n - k)], -spectrum[2 * (n - k) + 1]


cdef wide fold(const real* spectrum, real* out, Py_ssize_t n, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """The means of some numbers of the first half and the conjugates of those across from them."""
    cdef Py_ssize_t k
    if start == 0:
        out[0], out[1], start = spectrum[0], 0, 1
    for k in range(start, stop):
        out[2 * k] = (spectrum[2 * k] + spectrum[2 * (n - k)]) / 2
        out[2 * k + 1] = (spectrum[2 * k + 1] - spectrum[2 * (n - k) + 1]) / 2


cdef void go_through(const Job* job, real* source, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some numbers, counted through all spectra."""
    cdef Py_ssize_t line, k, last
    while start < stop:
        line, k = start // job.half, start % job.half
        last = min(job.half, k + stop - start)
        if job.out == NULL:
            complete(source + 2 * line * job.n, job.n, k, last)
        else:
            fold(source + 2 * line * job.n, <real*>job.out + 2 * line * job.half, job.n, k, last)
        start += last - k


cdef void compute(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some numbers, by their type."""
    cdef const Job* job = <const Job*>given
    if job.single:
        go_through(job, <float*>job.source, start, stop)
    else:
        go_through(job, <double*>job.source, start, stop)


cdef bint takes(x) noexcept:
    """Whether an array has contiguous spectra."""
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISCARRAY_RO(x) or cnp.PyArray_SIZE(x) == 0 or x.ndim == 0:
        return False
    return cnp.PyArray_TYPE(x) == cnp.NPY_CFLOAT or cnp.PyArray_TYPE(x) == cnp.NPY_CDOUBLE


cdef int run(cnp.ndarray x, cnp.ndarray out, Py_ssize_t n, Py_ssize_t half) except -1:
    cdef Job job = Job(cnp.PyArray_DATA(x), NULL, n, half, cnp.PyArray_TYPE(x) == cnp.NPY_CFLOAT)
    if out is not None:
        job.out = cnp.PyArray_DATA(out)
    if half > 0:
        shared(compute, &job, cnp.PyArray_SIZE(x) // n * half, GRAIN)
    return 0


def completed(x):
    """Writes the second half of spectra along the last dimension; returns whether it could."""
    if not takes(x) or not cnp.PyArray_ISWRITEABLE(x):
        return False
    cdef Py_ssize_t n = x.shape[x.ndim - 1]
    run(x, None, n, (n - 1) // 2)
    return True


def folded(x):
    """The first half of the spectra whose inverse transform is the real part of that of x; None for other arrays."""
    cdef cnp.npy_intp shape[64]
    cdef cnp.ndarray source, out
    cdef int d
    if not takes(x):
        return None
    source = x
    for d in range(source.ndim):
        shape[d] = source.shape[d]
    shape[source.ndim - 1] = source.shape[source.ndim - 1] // 2 + 1
    out = cnp.PyArray_SimpleNew(source.ndim, shape, cnp.PyArray_TYPE(source))
    run(source, out, source.shape[source.ndim - 1], shape[source.ndim - 1])
    return out
