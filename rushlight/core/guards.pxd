# The types of guards.py.

cdef object SWITCH
cdef list ASKED
