# The types of inplace.py.
cimport cython

from rushlight.core.graph cimport TensorBase
from rushlight.core.interpreters cimport Stack
from rushlight.core.recording cimport recording
from rushlight.core.writing cimport check_memory, repeats, shares

cdef Stack STACK
cdef object ndarray, FLOAT32, FLOAT64

cpdef check_history(TensorBase tensor, bint recorded)

@cython.locals(recorded=bint, arrays=list)
cpdef bint computed_over(object op, TensorBase tensor, tuple operands) except -1

@cython.locals(recorded=bint)
cpdef bint written_at_once(TensorBase out, TensorBase result, tuple inputs) except -1

cpdef change_binary(object op, TensorBase tensor, object other)

cpdef changed_binary(object op, TensorBase tensor, object other)

cpdef bint is_followed(TensorBase tensor, object value) except -1
