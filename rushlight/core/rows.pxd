# How operands are laid out along the dimensions that they broadcast to, for formulas.pyx.
cimport numpy as cnp
from cpython.ref cimport PyObject
from numpy cimport npy_intp

cdef enum:
    MOST_ARRAYS = 5  # operands, and the result last
    MOST_DIMS = 8


cdef struct Rows:
    int count  # the number of arrays
    int ndim
    npy_intp shape[MOST_DIMS]
    npy_intp strides[MOST_ARRAYS][MOST_DIMS]  # 0 where an array is repeated
    int sizes[MOST_ARRAYS]  # bytes of an element
    bint repeats[MOST_ARRAYS]  # whether it is one number repeated
    int order[MOST_DIMS]  # the dimensions in the result's memory order, the outermost first


cdef bint broadcast_shape(PyObject** operands, int count, Rows* rows) noexcept
cdef void note_strides(PyObject* operand, Rows* rows, int place) noexcept
cdef bint is_loose(cnp.ndarray x) noexcept
cdef bint all_contiguous(PyObject** operands, int count, cnp.ndarray model) noexcept
cdef void sort_dims(Rows* rows, int count) noexcept
cdef void sort_dims_by(Rows* rows, int operand) noexcept
cdef cnp.ndarray array_in_order(Rows* rows, int kind)
cdef void reordered(Rows* rows) noexcept
cdef void join_dims(Rows* rows) noexcept
cdef void gather(const Rows* rows, int operand, const char* base, npy_intp start, npy_intp n, char* to) noexcept nogil
cpdef bint lies_as_elementwise(list operands, cnp.ndarray result) except -1
