# The types of functions.py.
from rushlight.core.graph cimport TensorBase
from rushlight.core.guards cimport answer, anyone_asks
from rushlight.core.operators cimport Operator, binary, unary

cdef object ABSENT

cdef tuple as_given(object input, object other, tuple more, object out, dict named)
