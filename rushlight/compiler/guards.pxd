# The types of guards.py.
cimport cython

from rushlight.core.array cimport ndarray as array_type
from rushlight.core.graph cimport TensorBase

cdef object ndarray
cdef int IN_DICT, AT_INDEX, LENGTH, CELL, IN_MAPPING, ARGUMENT, TENSOR, GRAD, NUMBER, COTANGENT


@cython.final
cdef class Leaf:
    cdef readonly Py_ssize_t index
    cdef readonly type type
    cdef readonly tuple shape
    cdef readonly object dtype
    cdef readonly tuple strides
    cdef readonly bint needs
    cdef readonly bint has_node
    cdef readonly bint is_view
    cdef readonly bint unsettled

    @cython.locals(tensor=TensorBase, needs=bint)
    cpdef bint fits(self, object value)


@cython.locals(array=array_type, i=int)
cdef bint lies_so(object value, tuple shape, tuple strides, object dtype)


@cython.final
cdef class Record:
    cdef readonly type cls
    cdef readonly dict content


@cython.final
cdef class Object:
    cdef readonly object value


@cython.locals(i=Py_ssize_t)
cpdef bint fits(object structure, object value, list tensors, list numbers)

@cython.locals(leaf=Leaf)
cpdef rebuilt(object structure, list tensors, list numbers)

cpdef bint same(object a, object b)


@cython.final
cdef class Place:
    cdef readonly int kind
    cdef readonly object holder
    cdef readonly object key
    cdef readonly object value
    cdef Py_ssize_t length
    cdef readonly bint simple

    @cython.locals(kind=int, table=dict)
    cpdef bint holds(self)


cpdef content_of(object cell)


@cython.final
cdef class Guard:
    cdef readonly tuple structure
    cdef readonly list places
    cdef readonly list others
    cdef readonly list leaves
    cdef readonly list grads
    cdef readonly list pattern
    cdef readonly list layouts
    cdef bint plain
    cdef bint several

    @cython.locals(structure=tuple, i=Py_ssize_t, leaf=Leaf, place=Place, tensor=TensorBase, tensors=list, numbers=list)
    cpdef list match(self, tuple args, dict kwargs)


@cython.locals(tensor=TensorBase)
cpdef bint is_plain(object gradient)


@cython.locals(first=dict, found=list)
cpdef list pattern_of(list tensors, list others)

@cython.locals(found=list, tensor=TensorBase, kind=int)
cpdef list gather(list places, list arguments, list made)
