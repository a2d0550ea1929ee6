# The types of passes.py.
cimport cython

from rushlight.core.graph cimport Node, TensorBase
from rushlight.explain.finite cimport sum_of_squares

cdef object ndarray
cdef int SMALL


@cython.final
cdef class Pass:
    cdef readonly object site
    cdef readonly long number
    cdef readonly bint keep
    cdef readonly bint recorded
    cdef readonly bint whole
    cdef readonly list births
    cdef readonly list bad_leaves
    cdef readonly list zero_leaves
    cdef readonly dict zeros
    cdef readonly list reached
    cdef public object root_info
    cdef readonly long nodes
    cdef readonly Node node
    cdef readonly list given
    cdef public bint failed
    cdef readonly list unseen
    cdef readonly list spoilt
    cdef set unused

    @cython.locals(arrays=list)
    cpdef made(self, object grads)
    cpdef look_for_changes(self, Node node)


@cython.locals(size=double)
cpdef str state_of(object array)
