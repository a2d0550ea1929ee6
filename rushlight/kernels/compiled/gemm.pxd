# Products of float32 matrices for the walker of compiled programs.
cimport numpy as cnp

ctypedef Py_ssize_t index


cdef struct Matrix:
    const float* start
    index down, right  # from an element to the one below, and to the one at its right

cdef enum:
    FEW = 48  # rows, and
    LANES = 16
    LONG = 256  # products in a sum, where inner products are faster


cdef inline bint is_along(index right, index down, index m, index n, index depth) noexcept nogil:
    # Whether inner products of whole rows and columns are faster.
    return right == 1 and down == 1 and depth >= LONG and (m <= FEW or n <= LANES)


cdef struct Batch:  # matrices, or one
    const char* start
    int dims  # before the last two
    const cnp.npy_intp* shape  # of those before the last two
    const cnp.npy_intp* strides  # of all, in bytes


cdef int multiply_batch(Batch a, Batch b, float* out, index m, index n, index depth, bint adds) except -1
