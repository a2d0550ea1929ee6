"""The compiled twin of loops.py: for small arrays in C order NumPy's inner loop is called at once."""

cimport numpy as cnp
from numpy cimport npy_intp

cnp.import_array()

cdef extern from "numpy/ufuncobject.h":
    ctypedef void (*Loop)(char**, const npy_intp*, const npy_intp*, void*)

    ctypedef struct PyUFuncObject:
        Loop* functions
        void** data

# Larger arrays go the usual way: NumPy lets other threads run meanwhile, and the overhead is no longer felt.
cdef enum:
    SMALL = 2048


def loop_number(ufunc, kind):
    """The number of a ufunc's loop that takes and gives only the type of this character; -1 where there is none."""
    nin = getattr(ufunc, "nin", 0)
    wanted = kind * nin + "->" + kind
    return ufunc.types.index(wanted) if nin and wanted in ufunc.types else -1


cdef inline bint is_small(cnp.ndarray x) noexcept:
    return cnp.PyArray_IS_C_CONTIGUOUS(x) and cnp.PyArray_ISALIGNED(x) and cnp.PyArray_SIZE(x) <= SMALL


cpdef run_one(object ufunc, int loop, object x):
    """`ufunc(x)`."""
    cdef char* args[2]
    cdef npy_intp steps[2]
    cdef npy_intp n
    if loop < 0 or not is_small(x):
        return ufunc(x)
    cdef cnp.ndarray a = x
    cdef cnp.ndarray result = cnp.PyArray_SimpleNew(a.ndim, a.shape, cnp.PyArray_TYPE(a))
    n = cnp.PyArray_SIZE(a)
    args[0], args[1] = cnp.PyArray_BYTES(a), cnp.PyArray_BYTES(result)
    steps[0] = steps[1] = cnp.PyArray_ITEMSIZE(a)
    (<PyUFuncObject*>ufunc).functions[loop](args, &n, steps, (<PyUFuncObject*>ufunc).data[loop])
    return result


cpdef run_pair(object ufunc, int loop, object x, object y):
    """`ufunc(x, y)`."""
    cdef char* args[3]
    cdef npy_intp steps[3]
    cdef npy_intp n
    cdef float single
    cdef double number
    if loop < 0 or not is_small(x):
        return ufunc(x, y)
    cdef cnp.ndarray a = x
    steps[0] = steps[1] = steps[2] = cnp.PyArray_ITEMSIZE(a)
    if type(y) is float:
        number = y
        single = <float>number
        args[1] = <char*>&number if cnp.PyArray_TYPE(a) == cnp.NPY_DOUBLE else <char*>&single
        steps[1] = 0
    elif cnp.PyArray_CheckExact(y) and is_small(y) and cnp.PyArray_TYPE(a) == cnp.PyArray_TYPE(y) \
            and cnp.PyArray_SAMESHAPE(a, y):
        args[1] = cnp.PyArray_BYTES(y)
    else:
        return ufunc(x, y)
    cdef cnp.ndarray result = cnp.PyArray_SimpleNew(a.ndim, a.shape, cnp.PyArray_TYPE(a))
    n = cnp.PyArray_SIZE(a)
    args[0], args[2] = cnp.PyArray_BYTES(a), cnp.PyArray_BYTES(result)
    (<PyUFuncObject*>ufunc).functions[loop](args, &n, steps, (<PyUFuncObject*>ufunc).data[loop])
    return result
