# Copies of elements at any stride to memory without gaps.
from libc.string cimport memcpy
from numpy cimport npy_intp

from rushlight.kernels.compiled.lanes cimport real


cdef inline void copy_numbers(const char* x, npy_intp stride, real* out, npy_intp n) noexcept nogil:
    cdef npy_intp i
    cdef real value
    if stride == 0:
        value = (<const real*>x)[0]
        for i in range(n):
            out[i] = value
    else:
        for i in range(n):
            out[i] = (<const real*>(x + i * stride))[0]


cdef inline void copy_truths(const char* x, npy_intp stride, char* out, npy_intp n) noexcept nogil:
    cdef npy_intp i
    for i in range(n):
        out[i] = x[i * stride]


cdef inline void copy_run(const char* x, npy_intp stride, char* out, npy_intp n, int item) noexcept nogil:
    """Copies n evenly spaced elements."""
    if stride == item:
        memcpy(out, x, n * item)
    elif item == 4:
        copy_numbers[float](x, stride, <float*>out, n)
    elif item == 8:
        copy_numbers[double](x, stride, <double*>out, n)
    else:
        copy_truths(x, stride, out, n)
