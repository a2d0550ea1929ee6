# The types of engine.py.
cimport cython

from rushlight.core.array cimport ndarray as array_type
from rushlight.core.formulas cimport add_to
from rushlight.core.graph cimport Node, TensorBase, VersionCounter, Vertex, is_final
from rushlight.core.interpreters cimport observer, writer

cdef object ndarray
cdef long LEAF
cdef list LEAVES
cdef int BATCHED


cdef class Backward:
    cdef object __weakref__
    cdef readonly bint keep_graph
    cdef readonly bint recorded
    cdef readonly list claimed
    cdef dict aside
    cdef list ready
    cdef Py_ssize_t waiting
    cdef dict wanted
    cdef readonly Vertex root
    cdef readonly bint whole
    cdef dict captured
    cdef bint anomaly
    cdef object observer
    cdef object writer
    cdef bint accumulates_tensors
    cdef bint accumulates_arrays
    cdef bint watched
    cdef readonly bint shows

    @cython.locals(vertex=Vertex)
    cpdef run(self, list roots, list wanted, bint accumulates=*)
    @cython.locals(vertex=Vertex)
    cdef send(self, list roots)
    @cython.locals(vertex=Vertex, node=Node, i=Py_ssize_t, target=Vertex)
    cdef claim(self, list vertices)
    cdef as_cotangent(self, object grad)
    @cython.locals(state=Vertex)
    cdef await_one(self, Vertex vertex, list stack)
    cdef Vertex state(self, Vertex vertex)
    cdef select(self, list wanted)
    @cython.locals(state=Vertex, node=Node)
    cdef deliver(self, Vertex vertex, long index, object grad, bint fresh)
    cdef bint takes_turned(self, Node node)
    cdef push(self, Vertex vertex)
    @cython.locals(ready=list, above=Py_ssize_t)
    cdef rise(self, Py_ssize_t place, Vertex vertex)
    @cython.locals(ready=list, n=Py_ssize_t, place=Py_ssize_t, child=Py_ssize_t, first=Vertex, last=Vertex)
    cdef Vertex pop(self)
    @cython.locals(vertex=Vertex)
    cdef drain(self)
    cdef observed(self, Vertex vertex)
    cdef watch(self, Node node, object grad, tuple needs)
    @cython.locals(state=Vertex)
    cdef finish(self, TensorBase leaf)
    cdef accumulate(self, TensorBase leaf, object grad, bint owned)
    cdef finish_watched(self, TensorBase leaf, object grad)
    @cython.locals(state=Vertex, i=Py_ssize_t, target=Vertex)
    cdef step(self, Node node)
    cdef object shown(self, Node node, Py_ssize_t i, object grad)
    cdef object laid(self, Node node, Py_ssize_t i, object slope, object grad)
    @cython.locals(i=Py_ssize_t, target=Vertex)
    cdef pass_by(self, Node node, object grad)
    cdef list shown_together(self, Node node, object grad, tuple needs)
    @cython.locals(targets=list, i=Py_ssize_t, needs=tuple, fresh=bint, shared=set)
    cdef step_together(self, Node node, object grad, object arrived)
    cpdef bint reaches(self, Vertex vertex)
    @cython.locals(state=Vertex)
    cdef bint needs(self, Vertex vertex)
    @cython.locals(i=Py_ssize_t, target=Vertex)
    cdef bint capture(self, Node node, object grad)
    @cython.locals(vertex=Vertex)
    cpdef let_go(self)


cdef long rank(Vertex vertex)

cdef bint nothing(object grad)

cdef bint is_new(object result, object grad)

@cython.locals(seen=set, found=set)
cdef set several_have(object results, object grad)

cdef object added(object held, object grad)

cdef bint own(object grad)

@cython.locals(x=array_type, y=array_type, i=int)
cdef bint same_layout(object a, object b)

@cython.locals(ruled=tuple)
cdef bint all_ruled(Node node, tuple needs) except -1

cdef object bare(Node node, object grad)

@cython.locals(tensor=TensorBase)
cdef object bare_array(object grad)

cdef object as_tensor(object slope)

@cython.locals(k=Py_ssize_t, elementwise=bint)
cpdef bint mixes_layouts(Node node, Py_ssize_t i, object grad) except -1

@cython.locals(k=Py_ssize_t)
cdef bint all_in_order(Node node, Py_ssize_t i, object slope, object grad) except -1

cdef object in_steps(Node node, Py_ssize_t i, object grad)

@cython.locals(x=array_type, i=Py_ssize_t, step=Py_ssize_t, repeats=bint)
cdef bint is_in_order(object array) except -1

@cython.locals(x=array_type, i=int, last=Py_ssize_t)
cdef bint is_turned(object array)

cdef bint lies_well(object grad, object array)

cdef bint leads_on(Node node, set leads)

@cython.locals(held=TensorBase)
cdef accumulate(TensorBase leaf, object grad, bint owned, bint recorded)
cdef accumulate_tensors(TensorBase leaf, TensorBase held, object grad, bint recorded)
