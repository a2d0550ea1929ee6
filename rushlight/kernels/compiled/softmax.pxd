from rushlight.kernels.compiled.lanes cimport real

# cython: cdivision=True

cdef enum:
    BLOCK = 4096  # elements that are computed at a time
    PEAKS = 512  # the most rows that are computed at a time

cdef inline Py_ssize_t rows_of_block(Py_ssize_t n) noexcept nogil:
    # The number of rows of n elements in a block.
    return max(1, min(PEAKS, BLOCK // n))

cdef void below_peaks(const real* x, real* out, real* peaks, Py_ssize_t rows, Py_ssize_t n) noexcept nogil
