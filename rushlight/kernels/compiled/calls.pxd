# Calls of functions in programs, for the compiled walker.
cdef class Call:
    cdef object function
    cdef tuple args, areas

    cdef object make(self, list memory)
