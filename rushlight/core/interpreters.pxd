# The types of interpreters.py.
from rushlight.core.entries cimport Entry


cdef class Interpreter:
    pass


cdef class Onlooker(Interpreter):
    cpdef saw(self, Entry op, tuple args, object result)


cdef class Stack:
    cdef readonly list interpreters
    cdef readonly int depth
    cdef Onlooker onlooker

    cpdef enter(self, interpreter, bint lowest=*)
    cpdef leave(self, interpreter)
    cdef count(self)


cdef class Within:
    cdef object kind
    cdef object alone
    cdef list entered


cpdef list levels()

cpdef observer()

cpdef writer()

cpdef taker()
