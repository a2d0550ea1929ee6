# The types of guards.py.
cimport cython

from rushlight.core.graph cimport TensorBase

cdef object SWITCH
cdef list ASKED

cpdef bint anyone_asks() except -1

cpdef answer(object function, tuple args, dict kwargs)

@cython.locals(i=Py_ssize_t)
cpdef bint stands_for_number(tuple positions, frozenset names, tuple args, dict kwargs)

cdef bint has_tensor(object value)
