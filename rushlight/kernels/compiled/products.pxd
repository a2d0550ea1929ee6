# The product of a matrix and a vector for the walker of compiled programs; strides are in elements, one of them 1.
from rushlight.kernels.compiled.lanes cimport real

cdef void times_vector(const real* matrix, Py_ssize_t down, Py_ssize_t right, const real* x, real* y, Py_ssize_t n,
                       Py_ssize_t m) noexcept nogil
