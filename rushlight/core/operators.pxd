# The types of operators.py.
cimport cython

from rushlight.core.array cimport ndarray as array_type
from rushlight.core.context cimport next_number, value_of
from rushlight.core.formulas cimport Formula, evaluate
from rushlight.core.graph cimport Node, Plan, TensorBase, VersionCounter, View, blank
from rushlight.core.modes cimport Modes, observer

cdef object ndarray, Batched, COMPUTE, ADJUST, FLOAT32, FLOAT64, CURRENT
cdef long UNUSUAL, LEVELS
cdef int RESHAPE, CAST, CONJUGATE
cdef int ARGUMENT, ARGUMENTS, RESULT, SHAPE, SHAPES
cdef int DEFAULT, MULTI, UNRECORDED


cdef class Operator:
    cdef public str name
    cdef public object forward
    cdef public tuple params
    cdef public dict formulas
    cdef public object joint
    cdef public tuple inputs
    cdef public object promote
    cdef public bint broadcasts
    cdef public frozenset lists
    cdef public type node_class
    cdef public bint view
    cdef public bint linear
    cdef public bint holomorphic
    cdef public frozenset nondifferentiable
    cdef public Formula compute
    cdef public object batch
    cdef public dict plans
    cdef public bint differentiable

    cpdef Plan plan(self, int mask)


@cython.locals(x=object, result=object, out=TensorBase, node=Node, plain=bint, modes=Modes)
cpdef unary(Operator op, TensorBase a)

@cython.locals(other=TensorBase, out=TensorBase, plain=bint, needs=int, modes=Modes)
cpdef binary(Operator op, TensorBase a, object b)

@cython.locals(first=array_type, second=array_type)
cpdef int plain_product(TensorBase a, TensorBase b)

@cython.locals(out=TensorBase, needs=int, modes=Modes)
cpdef pair(Operator op, TensorBase a, TensorBase b)

cdef bint requires_grad(TensorBase tensor)

@cython.locals(node=Node, other=TensorBase)
cdef record_pair(Operator op, TensorBase a, object b, int needs, TensorBase out, Modes modes)

cpdef call(Operator op, tuple args)

cdef elementwise(Operator op, tuple args)

@cython.locals(out=TensorBase, node=Node, needs=int, modes=Modes, batched=bint)
cdef finish(Operator op, tuple args, list arrays)

@cython.locals(n=int)
cdef object computed(Operator op, list arrays)

cdef bint on_batch(object args)

@cython.locals(out=TensorBase, node=Node)
cdef tuple several(Operator op, tuple args, tuple results, int needs, Modes modes, bint batched)

@cython.locals(parent=View, view=View)
cpdef look(TensorBase out, TensorBase source, bint several)

@cython.locals(modes=Modes)
cpdef bint recording()

@cython.locals(modes=Modes)
cdef Modes recorder()

cpdef bint unusual()

cdef unusually(object caller, Operator op, tuple args)

cpdef bint is_dual(TensorBase tensor)

cpdef mark(Node node, Modes modes)

@cython.locals(cls=type, plan=Plan, node=Node)
cpdef Node start(Operator op, int mask)

@cython.locals(plan=Plan, n=Py_ssize_t)
cdef save_pair(Node node, a, b, result, TensorBase out)

@cython.locals(kind=int, source=Py_ssize_t)
cdef object kept(Plan plan, Py_ssize_t k, tuple args, tuple results)

@cython.locals(plan=Plan, n=Py_ssize_t, k=Py_ssize_t)
cpdef save(Node node, tuple args, tuple results, TensorBase out)

@cython.locals(counter=VersionCounter)
cdef watch(Node node, TensorBase out)

@cython.locals(kind=int)
cdef fetch(Plan plan, Py_ssize_t k, object value)

@cython.locals(tensor=TensorBase)
cdef long version(object value)

@cython.locals(needs=int, i=Py_ssize_t, position=Py_ssize_t, tensor=TensorBase)
cdef int needed(Operator op, tuple args)

@cython.locals(tensor=TensorBase)
cpdef connect(Node node, Operator op, tuple args)

@cython.locals(tensor=TensorBase, edges=list, numbers=list)
cdef connect_many(Node node, Operator op, tuple args)

@cython.locals(flags=int, tensor=TensorBase)
cpdef adjust(Node node, Operator op, tuple args, result)

@cython.locals(tensor=TensorBase)
cdef TensorBase requiring(object value)

@cython.locals(tensor=TensorBase)
cdef unwrap(object arg)

@cython.locals(x=array_type, y=array_type, i=int)
cdef bint same_shape(object a, object b)

@cython.locals(array=array_type, dtype=object)
cdef bint is_float(object a)

@cython.locals(x=array_type, y=array_type)
cdef bint same_dtype(object a, object b)
