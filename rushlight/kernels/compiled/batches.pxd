# Batches of matrices that products read and write.
cimport numpy as cnp

ctypedef Py_ssize_t index


cdef struct Batch:  # a batch of matrices, or one
    const char* start
    int dims  # before the last two
    const cnp.npy_intp* shape  # of those before the last two
    const cnp.npy_intp* strides  # of all, in bytes
