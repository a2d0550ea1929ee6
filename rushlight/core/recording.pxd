# The types of recording.py.
cimport cython

from rushlight.core.array cimport ndarray as array_type
from rushlight.core.context cimport next_number, value_of
from rushlight.core.entries cimport Entry
from rushlight.core.graph cimport Node, Plan, TensorBase, VersionCounter, View
from rushlight.core.modes cimport Modes

cdef object ndarray, CURRENT, FLOAT16
cdef int RESHAPE, CAST, CONJUGATE, NARROW, LAST_OF_NUMPY
cdef int ARGUMENT, ARGUMENTS, RESULT, SHAPES, COLUMNS, STRIDES
cdef int DEFAULT, MULTI, UNRECORDED, INFERRED


@cython.locals(modes=Modes)
cpdef bint recording() except -1

@cython.locals(modes=Modes)
cpdef Modes recorder()

cpdef bint requires_grad(TensorBase tensor) except -1

@cython.locals(node=Node, other=TensorBase)
cpdef record_pair(Entry op, TensorBase a, object b, int needs, TensorBase out, Modes modes)

cpdef mark(Node node, Modes modes)

@cython.locals(cls=type, plan=Plan, node=Node)
cpdef Node start(Entry op, int mask)

@cython.locals(plan=Plan, n=Py_ssize_t)
cpdef save_pair(Node node, a, b, result, TensorBase out)

@cython.locals(plan=Plan, n=Py_ssize_t, k=Py_ssize_t)
cpdef save(Node node, tuple args, tuple results, TensorBase out)

@cython.locals(kind=int, source=Py_ssize_t)
cdef object kept(Plan plan, Py_ssize_t k, tuple args, tuple results)

@cython.locals(counter=VersionCounter)
cdef watch(Node node, TensorBase out)

@cython.locals(kind=int)
cdef fetch(Plan plan, Py_ssize_t k, object value)

@cython.locals(x=array_type)
cdef bint by_columns(object array)

@cython.locals(tensor=TensorBase)
cdef long version(object value)

@cython.locals(needs=int, i=Py_ssize_t, position=Py_ssize_t, tensor=TensorBase)
cpdef int needed(Entry op, tuple args) except -1

@cython.locals(i=Py_ssize_t, position=Py_ssize_t)
cpdef int connected(Entry op, tuple args, int needs) except -1

@cython.locals(tensor=TensorBase)
cpdef connect(Node node, Entry op, tuple args)

@cython.locals(tensor=TensorBase, edges=list, numbers=list)
cdef connect_many(Node node, Entry op, tuple args)

@cython.locals(flags=int, tensor=TensorBase)
cpdef adjust(Node node, Entry op, tuple args, result)

cpdef bint conjugates(Node node) except -1
@cython.locals(tensor=TensorBase)
cdef bint is_real(object value) except -1

@cython.locals(tensor=TensorBase)
cdef TensorBase requiring(object value)

@cython.locals(parent=View, view=View)
cpdef look(TensorBase out, TensorBase source, bint several)

@cython.locals(x=array_type, y=array_type, i=int)
cpdef bint same_shape(object a, object b) except -1

@cython.locals(first=TensorBase, tensor=TensorBase)
cpdef bint are_alike(list tensors) except -1
