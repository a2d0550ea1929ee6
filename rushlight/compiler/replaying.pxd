# The types of replaying.py.
cimport cython

from rushlight.compiler.guards cimport Guard, Leaf, gather, rebuilt
from rushlight.compiler.nodes cimport Call, CompiledFunctionBackward, lead, tensor_at
from rushlight.core.context cimport next_number, value_of
from rushlight.core.graph cimport Node, TensorBase, VersionCounter, new_tensor
from rushlight.core.interpreters cimport Stack

cdef Stack STACK
cdef int ARGUMENT, GRAD
cdef Py_ssize_t ALONE


@cython.final
cdef class Effect:
    cdef readonly str kind
    cdef readonly tuple place
    cdef readonly object what

    @cython.locals(kind=str, tensor=TensorBase, counter=VersionCounter)
    cpdef happen(self, list arguments, list outputs)


@cython.final
cdef class Execution:
    cdef readonly object walker
    cdef readonly list values
    cdef readonly list strides
    cdef readonly object renewable
    cdef readonly bint settled


@cython.locals(grad=TensorBase)
cdef Py_ssize_t holders(TensorBase leaf)


@cython.final
cdef class Stretch:
    cdef readonly object program
    cdef readonly list places
    cdef public list effects
    cdef readonly tuple call
    cdef public object execute
    cdef readonly list renewed

    @cython.locals(leaf=TensorBase, grad=TensorBase)
    cpdef list spare(self, list arguments)


@cython.final
cdef class Made:
    cdef readonly Py_ssize_t stretch
    cdef readonly Py_ssize_t output
    cdef readonly bint unsettled


@cython.final
cdef class Spent:
    cdef readonly Py_ssize_t result
    cdef readonly object cls
    cdef readonly list places

    @cython.locals(node=Node, made=TensorBase)
    cpdef mark(self, list tensors, list arguments)


@cython.locals(made=list, stretch=Stretch, inputs=list, outputs=list, effect=Effect)
cpdef list run(list stretches, list arguments, bint steps)

@cython.locals(new=Made, tensor=TensorBase)
cpdef TensorBase tensor_of(object result, list arguments, list made)


cdef class Replay:
    cdef public list stretches
    cdef public list results
    cdef public list firsts
    cdef public object result
    cdef public list spent
    cdef public list backwards
    cdef public list items
    cdef public list overwritten
    cdef public list generators
    cdef public list others

    @cython.locals(tensors=list, numbers=list)
    cpdef replay(self, list arguments, object function, tuple args, dict kwargs)
    @cython.locals(made=list, tensors=list, nodes=list, spent=Spent, call=Call, node=CompiledFunctionBackward)
    cpdef tuple replayed(self, list arguments, object function, tuple args, dict kwargs, bint steps)
    cpdef object start_of(self, list arguments, list states)


@cython.final
cdef class Prepared:
    cdef readonly Guard guard
    cdef readonly object modes
    cdef readonly object dtype
    cdef readonly list owners
    cdef readonly Replay recording
    cdef public long left
    cdef public bint slow

    @cython.locals(stretch=Stretch, tensors=list)
    cpdef list match(self, tuple args, dict kwargs)


@cython.locals(first=dict, found=list)
cpdef list owners_of(list arrays)


cdef class Replayer:
    cdef public object function
    cdef public list prepared

    @cython.locals(one=Prepared, arguments=list)
    cdef replayed(self, tuple args, dict kwargs)
