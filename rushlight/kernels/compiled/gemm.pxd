# Products of float32 matrices for the walker of compiled programs.
from rushlight.kernels.compiled.batches cimport Batch, index


cdef struct Matrix:
    const float* start
    index down, right  # from an element to the one below, and to the one on the right


cdef int multiply_batch(Batch a, Batch b, float* out, index m, index n, index depth, bint adds) except -1
