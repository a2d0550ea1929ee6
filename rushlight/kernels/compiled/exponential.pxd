from rushlight.kernels.compiled.lanes cimport real

cdef void exponentials(const real* x, real* out, Py_ssize_t n) noexcept nogil
