# The types of guards.py.

cdef object SWITCH
cdef list ASKED

cdef answer(object function, tuple args, dict kwargs)
