# cython: boundscheck=False, wraparound=False, cdivision=True
"""The sum of all elements of a large array: 64 sums side by side in each block of it, the blocks in double precision."""

cimport numpy as cnp
from libc.stdlib cimport calloc, free

from rushlight.kernels.compiled.lanes cimport wide

import numpy as np

from rushlight.threads import share

cnp.import_array()

cdef enum:
    SIDE_BY_SIDE = 64
    BLOCK = 8192  # elements
    SHARED = 1 << 17  # elements from which on threads pay

ctypedef fused real:
    float
    double


cdef wide add_block(const real* x, Py_ssize_t n, double* result) noexcept nogil:
    """The sum of up to BLOCK elements."""
    cdef real sums[SIDE_BY_SIDE]
    cdef double total = 0
    cdef Py_ssize_t i, j
    for j in range(SIDE_BY_SIDE):
        sums[j] = 0
    for i in range(n // SIDE_BY_SIDE):
        for j in range(SIDE_BY_SIDE):
            sums[j] += x[i * SIDE_BY_SIDE + j]
    for i in range(n - n % SIDE_BY_SIDE, n):
        total += x[i]
    for j in range(SIDE_BY_SIDE):
        total += sums[j]
    result[0] = total


cdef class Blocks:
    """The work on an array: called with a range of its blocks, by several threads at a time."""

    cdef const char* start
    cdef Py_ssize_t size
    cdef bint single
    cdef double* sums

    def __call__(self, Py_ssize_t start, Py_ssize_t stop):
        cdef Py_ssize_t i
        with nogil:
            for i in range(start, stop):
                if self.single:
                    add_block(<const float*>self.start + i * BLOCK, min(<Py_ssize_t>BLOCK, self.size - i * BLOCK),
                              self.sums + i)
                else:
                    add_block(<const double*>self.start + i * BLOCK, min(<Py_ssize_t>BLOCK, self.size - i * BLOCK),
                              self.sums + i)


cdef bint is_dense(cnp.ndarray x):
    """Whether the elements of an array lie in memory without gaps, in any order."""
    return cnp.PyArray_IS_C_CONTIGUOUS(x) or cnp.PyArray_IS_F_CONTIGUOUS(x) or x.ravel("K").base is not None


def total(cnp.ndarray x):
    """The sum of the elements of a float32 or float64 array without gaps; None for others."""
    cdef int kind = cnp.PyArray_TYPE(x)
    cdef Py_ssize_t i, blocks
    cdef double result = 0
    cdef Blocks work
    if (kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE) or not cnp.PyArray_ISBEHAVED_RO(x) or not is_dense(x):
        return None
    work = Blocks.__new__(Blocks)
    work.start, work.size, work.single = cnp.PyArray_BYTES(x), cnp.PyArray_SIZE(x), kind == cnp.NPY_FLOAT
    blocks = (work.size + BLOCK - 1) // BLOCK
    work.sums = <double*>calloc(max(1, blocks), sizeof(double))
    if work.sums == NULL:
        raise MemoryError
    try:
        if work.size < SHARED:
            work(0, blocks)
        else:
            share(work, blocks, max(1, blocks // 8))
        for i in range(blocks):
            result += work.sums[i]
    finally:
        free(work.sums)
    return np.asarray(result, np.float32 if work.single else np.float64)
