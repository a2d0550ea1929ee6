# The types of graph.py: its fields become C fields, its functions C calls.
cimport cython

from rushlight.core.context cimport last_number, made_by, next_number, value_of
from rushlight.core.formulas cimport Formula, evaluate

cdef object ndarray, WIDEN
cdef type TENSOR, MAKER
cdef long INFERENCE
cdef bint WATCHED
cdef bint DETACHED

cdef int CONJUGATE, BATCHED, NARROW, ARGUMENTS, RESULT, SHAPE, SHAPES


@cython.final
@cython.freelist(64)
cdef class VersionCounter:
    cdef public long value
    cdef public object changed_at
    cdef public list looks


cdef class Vertex:
    cdef public object run
    cdef public long pending
    cdef public object buffer
    cdef public bint owned
    cdef public bint needed
    cdef public object hooks
    cdef public object told
    cdef public long sequence


cdef class Plan:
    cdef public tuple formulas
    cdef public tuple compiled
    cdef public tuple picks
    cdef public tuple kinds
    cdef public tuple sources
    cdef public tuple slopes
    cdef public tuple stride_picks
    cdef public tuple ruled
    cdef public bint saves_tensors
    cdef public bint saves_result
    cdef public bint asks_needs
    cdef public bint joint
    cdef public bint keeps_order


@cython.final
cdef class Packed:
    cdef public object content
    cdef public object unpack
    cdef public TensorBase source
    cdef public long index


cdef class Node(Vertex):
    cdef object __weakref__
    cdef public object op
    cdef public Plan plan
    cdef public Vertex edge0
    cdef public Vertex edge1
    cdef public tuple edges
    cdef public tuple numbers
    cdef public object saved0
    cdef public object saved1
    cdef public tuple saved
    cdef public long version0
    cdef public long version1
    cdef public tuple versions
    cdef public long freed
    cdef public int arity
    cdef public int number0
    cdef public int number1
    cdef public int flags
    cdef public bint unsettled
    cdef public tuple inputs
    cdef public list outputs
    cdef public VersionCounter result_counter
    cdef public long result_version
    cdef public dict notes
    cdef public object within
    cdef public dict tangents

    cdef Vertex edge(self, Py_ssize_t i)
    cdef long number(self, Py_ssize_t i)
    @cython.locals(kind=int, version=long)
    cdef object saved_value(self, Py_ssize_t k, bint recorded)
    cdef object kept_array(self, Py_ssize_t k)
    cdef object kept(self, Py_ssize_t k)
    cdef object listed(self, object item, long version, bint recorded)
    @cython.locals(tensor=TensorBase)
    cdef object checked(self, TensorBase tensor, long version, bint recorded)
    @cython.locals(tensor=TensorBase)
    cdef object saved_result(self, object array, long index, bint recorded)
    @cython.locals(plan=Plan, picks=tuple, n=Py_ssize_t)
    cdef object cotangent(self, Py_ssize_t i, object grad, bint recorded)
    @cython.locals(plan=Plan)
    cdef object cotangents(self, object grad, bint recorded, object needs)
    cdef object verify(self, Py_ssize_t i)
    cdef object fitted(self, Py_ssize_t i, object grad)
    cpdef release(self)
    cpdef bint holds_tensors(self)


@cython.final
cdef class View:
    cdef public TensorBase base
    cdef public int origin
    cdef public long version


cdef class TensorBase(Vertex):
    cdef object __weakref__
    cdef public object _array
    cdef public Node _node
    cdef public long _index
    cdef public bint _needs
    cdef public object _grad
    cdef public VersionCounter _counter
    cdef public View _view
    cdef public bint _inference
    cdef public bint _unsettled
    cdef public dict _tangents

    @cython.locals(counter=VersionCounter)
    cpdef VersionCounter _versions(self)
    @cython.locals(counter=VersionCounter)
    cpdef _bump(self)
    cpdef _synchronize(self)
    cpdef _settled(self)


@cython.locals(tensor=TensorBase)
cpdef TensorBase blank()

@cython.locals(tensor=TensorBase)
cpdef TensorBase new_tensor(object array)
cpdef conjugate(object value)
cdef bint holds_tensor(object value)
cpdef bint is_final() except -1
@cython.locals(tensor=TensorBase)
cdef object alike(Formula compiled, object formula, list operands)
