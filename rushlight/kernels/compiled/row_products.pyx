# distutils: extra_compile_args = -fassociative-math -fno-signed-zeros
"""Products along the last dimension, in any order: NumPy multiplies one element after the other."""

cimport numpy as cnp

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.lanes cimport real, wide

cnp.import_array()


cdef wide multiply(const real* x, real* out, Py_ssize_t rows, Py_ssize_t n) noexcept nogil:
    """The product of each row."""
    cdef Py_ssize_t r, i
    cdef real product
    for r in range(rows):
        product = 1
        for i in range(n):
            product *= x[i]
        out[r] = product
        x += n


def row_products(x, Py_ssize_t dim, bint keepdim):
    """The products of the rows of an array; None where this is not the place for it."""
    cdef cnp.npy_intp[64] shape
    cdef cnp.ndarray rows, out
    cdef int d
    if not float_type(x) or dim != (<cnp.ndarray>x).ndim - 1 or not cnp.PyArray_IS_C_CONTIGUOUS(x):
        return None
    rows = x
    for d in range(rows.ndim):
        shape[d] = rows.shape[d] if d < dim else 1
    out = cnp.PyArray_SimpleNew(rows.ndim if keepdim else rows.ndim - 1, shape, cnp.PyArray_TYPE(rows))
    cdef void* source = cnp.PyArray_DATA(rows)
    cdef void* target = cnp.PyArray_DATA(out)
    if cnp.PyArray_TYPE(rows) == cnp.NPY_FLOAT:
        multiply(<const float*>source, <float*>target, cnp.PyArray_SIZE(out), rows.shape[dim])
    else:
        multiply(<const double*>source, <double*>target, cnp.PyArray_SIZE(out), rows.shape[dim])
    return out
