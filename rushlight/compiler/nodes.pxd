# The types of nodes.py.
cimport cython

from rushlight.compiler.guards cimport gather
from rushlight.core.context cimport last_number, next_number
from rushlight.core.graph cimport Node, TensorBase, VersionCounter

cdef object ndarray
cdef int ARGUMENT, GRAD, COTANGENT, OUTPUT


@cython.locals(kind=int, tensor=TensorBase)
cpdef TensorBase tensor_at(tuple place, list arguments)


@cython.final
cdef class Backward:
    cdef readonly list outputs
    cdef readonly object program
    cdef readonly list sources
    cdef readonly list places
    cdef readonly list results
    cdef readonly list kept
    cdef readonly bint repeats
    cdef readonly bint ends
    cdef readonly tuple layout
    cdef readonly dict layouts
    cdef public object execute

    cpdef Backward with_inputs(self, object program, list sources)


@cython.final
cdef class Call:
    cdef readonly object function
    cdef readonly tuple args
    cdef readonly dict kwargs
    cdef readonly list arguments
    cdef readonly list others
    cdef readonly object start
    cdef readonly list versions

    cpdef list tensors(self)


@cython.locals(found=list, tensor=TensorBase)
cdef list versions_of(list tensors)

@cython.locals(edges=list, numbers=list, kind=int, tensor=TensorBase, leaf=bint)
cpdef lead(Node node, list places, list results, list arguments)


cdef class CompiledFunctionBackward(Node):
    cdef readonly Backward backward
    cdef readonly Call call
    cdef readonly list values
    cdef readonly list changes
    cdef readonly bint passed

    @cython.locals(outputs=list, changes=list, kind=int, tensor=TensorBase, counter=VersionCounter, i=Py_ssize_t)
    cpdef keep(self, Backward backward, list results, list arguments, list made, Call call)
    @cython.locals(counter=VersionCounter, version=long)
    cpdef check(self)
    @cython.locals(layouts=dict)
    cpdef list laid(self, list found, tuple layout, object grads, object needs)
    cpdef release(self)
