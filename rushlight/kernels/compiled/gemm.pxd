# Products of float32 matrices for the walker of compiled programs.
cimport numpy as cnp

ctypedef Py_ssize_t index


cdef struct Matrix:
    const float* start
    index down, right  # from an element to the one below, and to the one on the right


cdef struct Batch:  # a batch of matrices, or one
    const char* start
    int dims  # before the last two
    const cnp.npy_intp* shape  # of those before the last two
    const cnp.npy_intp* strides  # of all, in bytes


cdef int multiply_batch(Batch a, Batch b, float* out, index m, index n, index depth, bint adds) except -1
