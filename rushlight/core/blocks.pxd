# How a kernel for contiguous arrays becomes the loop of a step: other operands are first gathered, block by block.
from libc.string cimport memcpy
from numpy cimport npy_intp

from rushlight.kernels.compiled.lanes cimport real
from rushlight.kernels.compiled.ufuncs cimport Loop

cdef enum:
    BLOCK = 512  # elements that a kernel is given at a time
    MOST_INPUTS = 2

# Computes n elements of `out` from x, and from y for binary functions; `out` overlaps neither.
ctypedef void (*Kernel)(const void* x, const void* y, void* out, Py_ssize_t n) noexcept nogil


cdef inline const void* in_order(const char* start, npy_intp stride, npy_intp n, real* buffer) noexcept nogil:
    # n numbers in consecutive memory: where they already are, or gathered in a buffer.
    cdef npy_intp i
    cdef real repeated
    if stride == sizeof(real):
        return start
    if stride == 0:
        repeated = (<const real*>start)[0]
        for i in range(n):
            buffer[i] = repeated
        return buffer
    for i in range(n):
        buffer[i] = (<const real*>(start + i * stride))[0]
    return buffer


cdef inline void put_in_order(const real* results, char* out, npy_intp stride, npy_intp n) noexcept nogil:
    # Copies n consecutive numbers to where they belong.
    cdef npy_intp i
    if stride == sizeof(real):
        memcpy(out, results, n * sizeof(real))
        return
    for i in range(n):
        (<real*>(out + i * stride))[0] = results[i]


cdef inline void by_blocks(
    Kernel kernel, int inputs, char** args, npy_intp n, const npy_intp* strides, real* like
) noexcept nogil:
    # A step on n elements.
    cdef real gathered[MOST_INPUTS][BLOCK]
    cdef real results[BLOCK]
    cdef const void* x
    cdef const void* y = NULL
    cdef npy_intp k, start = 0
    cdef char* out = args[inputs]
    cdef bint apart = strides[inputs] == sizeof(real) and out != args[0] and (inputs == 1 or out != args[1])
    while start < n:
        k = min(<npy_intp>BLOCK, n - start)
        x = in_order(args[0] + start * strides[0], strides[0], k, gathered[0])
        if inputs == 2:
            y = in_order(args[1] + start * strides[1], strides[1], k, gathered[1])
        out = args[inputs] + start * strides[inputs]
        if apart:
            kernel(x, y, out, k)
        else:
            kernel(x, y, results, k)
            put_in_order(results, out, strides[inputs], k)
        start += k


cdef struct Own:
    int inputs
    Kernel singles  # NULL where NumPy's loop is fast enough
    Kernel doubles


cdef inline void take_singles(char** args, const npy_intp* n, const npy_intp* strides, void* data) noexcept nogil:
    cdef const Own* own = <const Own*>data
    by_blocks(own.singles, own.inputs, args, n[0], strides, <float*>NULL)


cdef inline void take_doubles(char** args, const npy_intp* n, const npy_intp* strides, void* data) noexcept nogil:
    cdef const Own* own = <const Own*>data
    by_blocks(own.doubles, own.inputs, args, n[0], strides, <double*>NULL)


cdef inline bint noted(Own* own, bint single, Loop* loop) noexcept:
    # Whether there is a kernel for a dtype; if so, sets the loop.
    if (own.singles if single else own.doubles) == NULL:
        return False
    loop.function = take_singles if single else take_doubles
    loop.data = own
    return True
