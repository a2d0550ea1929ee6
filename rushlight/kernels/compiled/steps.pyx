# distutils: extra_compile_args = -ffp-contract=off
# cython: boundscheck=False, wraparound=False, cdivision=True
"""Fills arrays with one number, or with evenly spaced numbers."""

cimport numpy as cnp
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from rushlight.kernels.compiled.arrays cimport PyArray_NewLikeArray
from rushlight.kernels.compiled.codes cimport MOST_DIMS
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    GRAIN = 1 << 16  # bytes of one thread's part
    MUCH = 1 << 20  # bytes from which on threads clear new memory faster than the system
    MOST = 1 << 30  # bytes up to which freed memory is kept; the system gives more zeros page by page, when they are used

cdef struct Job:
    char* out
    Py_ssize_t size  # bytes of an element
    const char* value
    double first, step
    int64_t whole_first, whole_step  # of integers
    Py_ssize_t origin
    int kind


ctypedef fused word:
    uint32_t
    uint64_t


cdef wide put(word* out, Py_ssize_t n, word value) noexcept nogil:
    """Fills words."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = value


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
    if job.size == sizeof(uint32_t):
        put(<uint32_t*>out, stop - start, (<const uint32_t*>job.value)[0])
        return
    if job.size == sizeof(uint64_t):
        put(<uint64_t*>out, stop - start, (<const uint64_t*>job.value)[0])
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


cdef wide count_integers(int64_t* out, int64_t first, int64_t step, Py_ssize_t n) noexcept nogil:
    """Writes evenly spaced integers."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = first + i * step


cdef void count_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Writes some of the evenly spaced numbers."""
    cdef const Job* job = <const Job*>given
    if job.kind == cnp.NPY_FLOAT:
        count(<float*>job.out + start, job.first, job.step, job.origin + start, stop - start)
    elif job.kind == cnp.NPY_INT64:
        count_integers(<int64_t*>job.out + start, job.whole_first + start * job.whole_step, job.whole_step, stop - start)
    else:
        count(<double*>job.out + start, job.first, job.step, job.origin + start, stop - start)


cdef cnp.ndarray zeros(int ndim, const cnp.npy_intp* shape, int kind):
    """A new contiguous array of zeros of one of NumPy's types of numbers."""
    cdef Job job
    cdef double[2] zero = [0, 0]
    cdef Py_ssize_t size = 1
    cdef int d
    cdef cnp.ndarray out
    job.size, job.value = cnp.PyArray_DescrFromType(kind).itemsize, <const char*>zero
    for d in range(ndim):
        size *= shape[d]
    if not MUCH <= size * job.size <= MOST or job.size > <Py_ssize_t>sizeof(zero):
        return cnp.PyArray_ZEROS(ndim, <cnp.npy_intp*>shape, kind, 0)
    out = cnp.PyArray_SimpleNew(ndim, <cnp.npy_intp*>shape, kind)
    job.out = cnp.PyArray_BYTES(out)
    shared(repeat, &job, size, GRAIN // job.size)
    return out


def blank(tuple shape not None, cnp.dtype dtype not None):
    """Zeros of a shape and one of NumPy's types of numbers."""
    cdef cnp.npy_intp[MOST_DIMS] sizes
    cdef int d, ndim = len(shape)
    if ndim > MOST_DIMS:
        raise ValueError(f"maximum supported dimension for an ndarray is {MOST_DIMS}, found {ndim}")
    for d in range(ndim):
        sizes[d] = shape[d]
    return zeros(ndim, sizes, dtype.num)


def fill(cnp.ndarray out not None, value):
    """Fills an array with a number; whether it has no gaps."""
    cdef Job job
    cdef double[2] element
    job.out, job.size, job.value = cnp.PyArray_BYTES(out), cnp.PyArray_ITEMSIZE(out), <const char*>element
    if not cnp.PyArray_ISONESEGMENT(out) or not cnp.PyArray_ISBEHAVED(out) or job.size > <Py_ssize_t>sizeof(element):
        return False
    if cnp.PyArray_SIZE(out):
        cnp.PyArray_SETITEM(out, job.out, value)
        memcpy(element, job.out, job.size)
        shared(repeat, &job, cnp.PyArray_SIZE(out), max(1, GRAIN // job.size))
    return True


def filled_like(cnp.ndarray x not None, value):
    """A new array filled with a number, of the type and strides of another; None where it would have other strides."""
    cdef cnp.ndarray out = PyArray_NewLikeArray(x, cnp.NPY_KEEPORDER, NULL, 0)
    cdef int d
    for d in range(x.ndim):
        if out.strides[d] != x.strides[d]:
            return None
    return out if fill(out, value) else None


def count_up(cnp.ndarray out not None, double first, double step, Py_ssize_t origin=0):
    """Writes first + (origin + i) * step into a contiguous float32 or float64 vector, for all of its indices i."""
    cdef Job job
    job.out, job.kind = cnp.PyArray_BYTES(out), cnp.PyArray_TYPE(out)
    job.first, job.step, job.origin = first, step, origin
    if cnp.PyArray_SIZE(out):
        shared(count_part, &job, cnp.PyArray_SIZE(out), GRAIN // cnp.PyArray_ITEMSIZE(out))


def evenly(cnp.ndarray out not None, double first, double last):
    """Writes evenly spaced numbers into a contiguous float32 or float64 vector, half counted from either end."""
    cdef Py_ssize_t n = cnp.PyArray_SIZE(out), half = n // 2
    cdef double gaps = max(n - 1, <Py_ssize_t>1)
    cdef Job job
    job.kind = cnp.PyArray_TYPE(out)
    job.step = (last - first) / gaps
    if job.kind == cnp.NPY_FLOAT:
        first, last = <float>first, <float>last
        job.step = (<float>last - <float>first) / <float>gaps
    job.out, job.first, job.origin = cnp.PyArray_BYTES(out), first, 0
    shared(count_part, &job, half, GRAIN // cnp.PyArray_ITEMSIZE(out))
    job.out, job.first, job.origin = job.out + half * cnp.PyArray_ITEMSIZE(out), last, half + 1 - n
    shared(count_part, &job, n - half, GRAIN // cnp.PyArray_ITEMSIZE(out))


def integers(int64_t first, int64_t step, Py_ssize_t n):
    """Evenly spaced integers."""
    cdef Job job
    cdef cnp.npy_intp size = n
    cdef cnp.ndarray out = cnp.PyArray_SimpleNew(1, &size, cnp.NPY_INT64)
    job.out, job.kind, job.whole_first, job.whole_step = cnp.PyArray_BYTES(out), cnp.NPY_INT64, first, step
    if n:
        shared(count_part, &job, n, GRAIN // sizeof(int64_t))
    return out
