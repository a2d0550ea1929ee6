# The types of guards.py.

cdef object SWITCH
