# The types of interpreters.py.


cdef class Stack:
    cdef readonly list interpreters
    cdef readonly int depth

    cpdef enter(self, interpreter)
    cpdef leave(self, interpreter)


cdef class Within:
    cdef object kind
    cdef object alone
    cdef list entered


cpdef list levels()

cpdef observer()

cpdef writer()
