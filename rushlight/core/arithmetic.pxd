# The types of arithmetic.py.
from rushlight.core.graph cimport TensorBase
from rushlight.core.operators cimport Operator, binary, unary

cdef Operator ADD, SUB, RSUB, MUL, DIV, NEG


cdef class Arithmetic(TensorBase):
    pass
