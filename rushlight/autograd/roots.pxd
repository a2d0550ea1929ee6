# The types of roots.py.
cimport cython

from rushlight.core.array cimport ndarray as array_type
from rushlight.core.graph cimport TensorBase
from rushlight.core.interpreters cimport Stack
from rushlight.core.recording cimport same_shape

cdef object ndarray
cdef Stack STACK

cpdef list list_of_targets(object tensors, object asked_by=*)

cpdef list listed_grads(object grads, Py_ssize_t n)

cpdef check_require_grad(object inputs)

@cython.locals(tensor=TensorBase)
cpdef tuple target_of(object x)

@cython.locals(tensor=TensorBase)
cpdef object stored(object x)

@cython.locals(i=Py_ssize_t)
cpdef list make_roots(object outputs, object grads, bint on_tensors)

@cython.locals(tensor=TensorBase)
cpdef check_recorded(Py_ssize_t i, object out)

cpdef tuple shape_and_dtype(object output)

cdef object implicit_grad(object output)

@cython.locals(first=TensorBase, second=TensorBase, a=array_type, b=array_type)
cdef bint is_alike(object output, object g) except -1

cdef object checked_grad(object output, object g, Py_ssize_t i)

cpdef bint needs_tensors(bint create_graph, object outputs, object grads) except -1

cpdef object gradient_of(object x, object g)
