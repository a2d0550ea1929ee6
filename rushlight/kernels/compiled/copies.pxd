# Copies of elements at any stride to memory without gaps; `item` is the type of kernels that move elements of any type.
from libc.string cimport memcpy
from numpy cimport npy_intp, npy_uint8, npy_uint16, npy_uint32, npy_uint64

from rushlight.kernels.compiled.lanes cimport real

ctypedef fused item:
    npy_uint8
    npy_uint16
    npy_uint32
    npy_uint64
    double complex


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


cdef inline void copy_run(const char* x, npy_intp stride, char* out, npy_intp n, int size) noexcept nogil:
    """Copies n evenly spaced elements."""
    if stride == size:
        memcpy(out, x, n * size)
    elif size == 4:
        copy_numbers[float](x, stride, <float*>out, n)
    elif size == 8:
        copy_numbers[double](x, stride, <double*>out, n)
    else:
        copy_truths(x, stride, out, n)
