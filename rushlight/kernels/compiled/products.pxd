# The product of a matrix and a vector for the compiled walker of programs; strides are in elements, one of them is 1.
from rushlight.kernels.compiled.lanes cimport real

cdef void times_vector(const real* matrix, Py_ssize_t down, Py_ssize_t right, const real* x, real* y, Py_ssize_t n,
                       Py_ssize_t m) noexcept nogil
