# The types of arithmetic.py.
from rushlight.core.graph cimport TensorBase
from rushlight.core.operators cimport Operator, binary, pair, plain_product, unary

cdef Operator ADD, SUB, RSUB, MUL, DIV, NEG, MV, MM
cdef object MATMUL


cdef class Arithmetic(TensorBase):
    pass
