# distutils: extra_compile_args = -ffp-contract=off
# cython: boundscheck=False, wraparound=False, cdivision=True
"""Fills arrays with one number, or with evenly spaced numbers."""

cimport numpy as cnp
from libc.string cimport memcpy, memset

from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    GRAIN = 1 << 16  # bytes of one thread's part

cdef struct Job:
    char* out
    Py_ssize_t size  # bytes of an element
    const char* value
    double first, step
    Py_ssize_t origin
    bint single


cdef void repeat(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Fills elements with the same bytes: each copy doubles the filled part."""
    cdef const Job* job = <const Job*>given
    cdef char* out = job.out + start * job.size
    cdef Py_ssize_t bytes = (stop - start) * job.size, done = job.size, i
    cdef bint alike = True
    for i in range(1, job.size):
        alike = alike and job.value[i] == job.value[0]
    if alike:
        memset(out, job.value[0], bytes)
        return
    memcpy(out, job.value, job.size)
    while done < bytes:
        memcpy(out + done, out, min(done, bytes - done, <Py_ssize_t>4096 * job.size))
        done += min(done, <Py_ssize_t>4096 * job.size)


cdef wide count(real* out, double first, double step, Py_ssize_t origin, Py_ssize_t n) noexcept nogil:
    """Writes evenly spaced numbers, computed in double precision."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <real>(first + <double>(origin + i) * step)


cdef void count_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Writes some of the evenly spaced numbers."""
    cdef const Job* job = <const Job*>given
    if job.single:
        count(<float*>job.out + start, job.first, job.step, job.origin + start, stop - start)
    else:
        count(<double*>job.out + start, job.first, job.step, job.origin + start, stop - start)


def fill(cnp.ndarray out not None, cnp.ndarray value not None):
    """Fills a gapless array with the element of another of its type."""
    cdef Job job
    job.out, job.size, job.value = cnp.PyArray_BYTES(out), cnp.PyArray_ITEMSIZE(out), cnp.PyArray_BYTES(value)
    if cnp.PyArray_SIZE(out):
        shared(repeat, &job, cnp.PyArray_SIZE(out), max(1, GRAIN // job.size))


def count_up(cnp.ndarray out not None, double first, double step, Py_ssize_t origin=0):
    """Writes first + (origin + i) * step into a contiguous float32 or float64 vector, for all of its indices i."""
    cdef Job job
    job.out, job.single = cnp.PyArray_BYTES(out), cnp.PyArray_TYPE(out) == cnp.NPY_FLOAT
    job.first, job.step, job.origin = first, step, origin
    if cnp.PyArray_SIZE(out):
        shared(count_part, &job, cnp.PyArray_SIZE(out), GRAIN // cnp.PyArray_ITEMSIZE(out))
