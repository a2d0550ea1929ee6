# cython: boundscheck=False, wraparound=False, cdivision=True
"""The sum of all elements of a large array: 64 sums side by side in each block of it, the blocks in double precision."""

cimport numpy as cnp
from libc.stdlib cimport calloc, free

from rushlight.kernels.compiled.arrays cimport float_type, is_dense
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared

import numpy as np

cnp.import_array()

cdef enum:
    SIDE_BY_SIDE = 64
    BLOCK = 8192  # elements
    GRAIN = 16  # blocks of a thread's part


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


cdef struct Job:
    const void* x
    Py_ssize_t size
    bint single
    double* sums


cdef void add_blocks(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """The sums of some blocks."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t i, n
    for i in range(start, stop):
        n = min(<Py_ssize_t>BLOCK, job.size - i * BLOCK)
        if job.single:
            add_block(<const float*>job.x + i * BLOCK, n, job.sums + i)
        else:
            add_block(<const double*>job.x + i * BLOCK, n, job.sums + i)


def total(x):
    """The sum of the elements of a float32 or float64 array without gaps; None for others."""
    cdef int kind = float_type(x)
    cdef double result = 0
    cdef Py_ssize_t i, blocks
    cdef Job job
    if kind == 0 or not is_dense(x):
        return None
    job.x, job.size, job.single = cnp.PyArray_DATA(x), cnp.PyArray_SIZE(x), kind == cnp.NPY_FLOAT
    blocks = (job.size + BLOCK - 1) // BLOCK
    job.sums = <double*>calloc(blocks, sizeof(double))
    if job.sums == NULL:
        raise MemoryError
    shared(add_blocks, &job, blocks, GRAIN)
    for i in range(blocks):
        result += job.sums[i]
    free(job.sums)
    return np.asarray(result, np.float32 if job.single else np.float64)
