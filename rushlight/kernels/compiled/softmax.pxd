from rushlight.kernels.compiled.lanes cimport real

# cython: cdivision=True

cdef enum:
    BLOCK = 4096  # elements that are worked on at a time
    PEAKS = 512  # and rows, at most

cdef inline Py_ssize_t rows_of_block(Py_ssize_t n) noexcept nogil:
    # How many rows of n elements make a block.
    return max(1, min(PEAKS, BLOCK // n))

cdef void below_peaks(const real* x, real* out, real* peaks, Py_ssize_t rows, Py_ssize_t n) noexcept nogil
