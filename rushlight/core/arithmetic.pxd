# The types of arithmetic.py.
from rushlight.core.graph cimport TensorBase
from rushlight.core.operators cimport Operator, binary, pair, plain_product, unary


cdef class Slots:
    cdef public Operator add, sub, rsub, mul, div, neg, mv, mm
    cdef public object matmul


cdef Slots SLOTS


cdef class Arithmetic(TensorBase):
    pass
