# The types of writing.py.
cimport cython

from rushlight.core.array cimport ndarray as array_type
from rushlight.core.graph cimport TensorBase

cdef object ndarray

cpdef check_memory(TensorBase tensor, object operands)

@cython.locals(plain=array_type)
cpdef bint repeats(object array) except -1

cpdef bint shares(TensorBase tensor, TensorBase other) except -1
