# The types of guards.py.

cdef object SWITCH
cdef list ASKED

cpdef bint anyone_asks()

cpdef answer(object function, tuple args, dict kwargs)
