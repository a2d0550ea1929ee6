# How a reduction combines two results.
from rushlight.kernels.compiled.codes cimport LARGEST, PRODUCT, SMALLEST
from rushlight.kernels.compiled.lanes cimport real


cdef inline real joined(real a, real b, int kind) noexcept nogil:
    # The sum, product, or extreme of two numbers, by the kind of reduction.
    if kind == PRODUCT:
        return a * b
    if kind == LARGEST:
        return b if (b > a) | (b != b) else a
    if kind == SMALLEST:
        return b if (b < a) | (b != b) else a
    return a + b
