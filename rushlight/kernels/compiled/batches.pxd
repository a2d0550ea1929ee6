# Batches of matrices that products read and write.
cimport numpy as cnp

ctypedef Py_ssize_t index


cdef struct Batch:  # a batch of matrices, or one
    const char* start
    int dims  # before the last two
    const cnp.npy_intp* shape  # of those before the last two
    const cnp.npy_intp* strides  # of all, in bytes


cdef enum:
    SHARED = 1 << 19  # multiplications of a part from which on threads pay off
    MOST_DIMS = 16


cdef inline Batch batch_of(cnp.ndarray x) noexcept:
    """The matrices in an array."""
    return Batch(cnp.PyArray_BYTES(x), x.ndim - 2, x.shape, x.strides)


cdef inline index number_of(Batch x) noexcept nogil:
    """How many matrices there are."""
    cdef index count = 1
    cdef int dim
    for dim in range(x.dims):
        count *= x.shape[dim]
    return count
