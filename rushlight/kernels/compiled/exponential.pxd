ctypedef fused real:
    float
    double

cdef void exponentials(const real* x, real* out, Py_ssize_t n) noexcept nogil
