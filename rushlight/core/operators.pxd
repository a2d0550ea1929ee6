# The types of operators.py.
cimport cython

from rushlight.core.array cimport ndarray as array_type
from rushlight.core.entries cimport Entry
from rushlight.core.formulas cimport evaluate
from rushlight.core.graph cimport Node, TensorBase, blank
from rushlight.core.modes cimport Modes, observer
from rushlight.core.recording cimport (
    adjust, connect, look, mark, needed, record_pair, recorder, requires_grad, same_shape, save, save_pair, start)

cdef object ndarray, Batched, COMPUTE, ADJUST, FLOAT32, FLOAT64
cdef long UNUSUAL, LAST
cdef int RESULT, OPERANDS, ALWAYS


cdef class Operator(Entry):
    pass


@cython.locals(x=object, result=object, out=TensorBase, node=Node, plain=bint, modes=Modes)
cpdef unary(Operator op, TensorBase a)

@cython.locals(other=TensorBase, out=TensorBase, plain=bint, needs=int, modes=Modes)
cpdef binary(Operator op, TensorBase a, object b)

@cython.locals(first=array_type, second=array_type)
cpdef int plain_product(TensorBase a, TensorBase b)

@cython.locals(out=TensorBase, needs=int, modes=Modes)
cpdef pair(Operator op, TensorBase a, TensorBase b)

cpdef call(Operator op, tuple args)

cdef elementwise(Operator op, tuple args)

@cython.locals(out=TensorBase, node=Node, needs=int, modes=Modes, batched=bint)
cdef finish(Operator op, tuple args, list arrays)

@cython.locals(n=int)
cdef object computed(Operator op, list arrays)

cdef bint on_batch(object args)

@cython.locals(out=TensorBase, node=Node)
cdef tuple several(Operator op, tuple args, list arrays, tuple results, int needs, Modes modes, bint batched)

cdef class TangentLevel:
    cdef list entered
    cdef object pusher
    cdef object alone


cpdef bint unusual()

cdef unusually(object caller, Operator op, tuple args)

cpdef bint is_dual(TensorBase tensor)

@cython.locals(tensor=TensorBase)
cdef unwrap(object arg)

@cython.locals(array=array_type, dtype=object)
cdef bint is_float(object a)

@cython.locals(array=array_type)
cdef bint in_order(object a)

@cython.locals(result=array_type)
cdef lay(Operator op, tuple args, TensorBase out)

@cython.locals(tensor=TensorBase)
cdef bint disordered(object arg)

cdef bint needs_place(Operator op, list arrays, object result)

cdef ready_for_view(Operator op, TensorBase tensor)

@cython.locals(x=array_type, y=array_type)
cdef bint same_dtype(object a, object b)
