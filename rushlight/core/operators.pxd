# The types of operators.py.
cimport cython

from rushlight.core.array cimport ndarray as array_type, npy_intp
from rushlight.core.entries cimport Entry
from rushlight.core.formulas cimport evaluate
from rushlight.core.rows cimport lies_as_elementwise
from rushlight.core.graph cimport Node, TensorBase, blank
from rushlight.core.interpreters cimport Onlooker, Stack
from rushlight.core.modes cimport Modes
from rushlight.core.recording cimport (
    adjust, connect, connected, look, mark, needed, record_pair, recorder, requires_grad, same_shape, save, save_pair, start)

cdef object ndarray, generic, dtype_type, NUMBERS, Batched, Turned, RESOLVED, FLOAT32, FLOAT64, NARROW_TYPE, WIDEN, NARROWED
cdef Stack STACK
cdef int RESULT, DISORDER, OPERANDS, ALWAYS, ONE, TWO, ANY, BARE, LAST_OF_NUMPY, HALF


cdef class Operator(Entry):
    pass


cpdef unary(Operator op, TensorBase a)

@cython.locals(x=object, result=object, out=TensorBase, node=Node, plain=bint, modes=Modes)
cdef usual_unary(Operator op, TensorBase a)

cpdef binary(Operator op, TensorBase a, object b)

@cython.locals(other=TensorBase, out=TensorBase, plain=bint, needs=int, modes=Modes)
cdef usual_binary(Operator op, TensorBase a, object b)

@cython.locals(first=array_type, second=array_type)
cpdef int plain_product(TensorBase a, TensorBase b) except -1

@cython.locals(out=TensorBase, needs=int, modes=Modes)
cpdef pair(Operator op, TensorBase a, TensorBase b)

cpdef call(Operator op, tuple args)

cdef bint is_scalar(object arg)

cdef tuple with_python_numbers(Operator op, tuple args)

cdef usual_call(Operator op, tuple args)

cdef usual_bare(Operator op, tuple args)

@cython.locals(onlooker=Onlooker)
cdef interpreted(int way, Operator op, tuple args)

cdef usual(int way, Operator op, tuple args)

cdef elementwise(Operator op, tuple args)

@cython.locals(out=TensorBase, node=Node, needs=int, modes=Modes, batched=bint)
cdef finish(Operator op, tuple args, list arrays)

@cython.locals(n=int)
cdef object on_arrays(Operator op, object arrays)

cdef object narrow_type(Operator op, object arrays)

cdef bint may_be_narrow(object arg)

@cython.locals(array=array_type)
cdef int number_of(object a)

cdef bint needs_none(Operator op, object array)

cdef object promoted(Operator op, TensorBase a)

cdef bint are_kept(Operator op, list arrays)

cdef object computed(Operator op, object arrays)

cdef bint on_batch(object args)

cdef bint any_turned(object arrays)

@cython.locals(out=TensorBase, node=Node, placing=bint, by_operands=bint)
cdef tuple several(Operator op, tuple args, list arrays, tuple results, int needs, Modes modes, bint batched)

@cython.locals(tensor=TensorBase)
cdef unwrap(object arg)

@cython.locals(array=array_type, dtype=object)
cdef inline bint is_float(object a)

@cython.locals(array=array_type, d=int)
cdef inline bint in_order(object a)

@cython.locals(step=npy_intp, d=int)
cdef bint has_new_strides(array_type array) except -1

cdef inline bint is_contiguous(array_type array)

@cython.locals(empty=bint, d=int)
cdef bint new_and_empty(array_type array)

@cython.locals(result=array_type)
cdef lay(Operator op, tuple args, TensorBase out)

@cython.locals(first=TensorBase)
cdef bint lies_by_rule(Operator op, tuple args, object result) except -1

@cython.locals(d=int, own=npy_intp, size=npy_intp)
cdef bint lies_alike(array_type array, array_type result) except -1

@cython.locals(tensor=TensorBase, found=list)
cdef list operands_among(Operator op, tuple args)

@cython.locals(tensor=TensorBase)
cpdef bint disordered(object arg)

cdef bint needs_place(object result, bint by_operands)

cdef bint lies_by_operands(Operator op, list arrays)

@cython.locals(array=array_type, i=int)
cdef ready_for_view(Operator op, TensorBase tensor)

@cython.locals(x=array_type, y=array_type)
cdef inline bint same_dtype(object a, object b)
