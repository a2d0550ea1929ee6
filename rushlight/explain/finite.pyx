# cython: boundscheck=False, wraparound=False, cdivision=True
"""The sum of squares of an array, and whether all of it is finite: in one pass. The compiled version of `finite.py`."""

cimport numpy as cnp

from rushlight.kernels.compiled.arrays cimport float_type, is_dense
from rushlight.kernels.compiled.lanes cimport real, wide

import numpy as np

from rushlight.core.kinds import kind_of

cnp.import_array()


cdef wide add_squares(const real* x, Py_ssize_t n, double* result) noexcept nogil:
    """The sum of the squares of n elements."""
    cdef double sums[8]
    cdef double total = 0
    cdef Py_ssize_t i, j
    for j in range(8):
        sums[j] = 0
    for i in range(n // 8):
        for j in range(8):
            sums[j] += <double>x[i * 8 + j] * <double>x[i * 8 + j]
    for i in range(n - n % 8, n):
        total += <double>x[i] * <double>x[i]
    for j in range(8):
        total += sums[j]
    result[0] = total


cpdef double sum_of_squares(object array) except? -1:
    """The sum of the elements' squared absolute values: not finite if one of them is not; 0 for non-float dtypes."""
    cdef double result = 0
    cdef int kind = float_type(array)
    if kind == cnp.NPY_FLOAT and is_dense(array):
        add_squares(<const float*>cnp.PyArray_DATA(array), cnp.PyArray_SIZE(array), &result)
    elif kind == cnp.NPY_DOUBLE and is_dense(array):
        add_squares(<const double*>cnp.PyArray_DATA(array), cnp.PyArray_SIZE(array), &result)
    elif cnp.PyArray_CheckExact(array) and kind_of(array.dtype) in "fc":
        large = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
        result = np.vdot(large, large).real
    return result


cpdef bint is_bad(object array) except -1:
    """Whether a float array contains a NaN or an infinity."""
    cdef double total = sum_of_squares(array)
    return total - total != 0 and not np.isfinite(array).all()
