# NumPy's inner loops: its exp, tanh and log are vectorized for the CPU, and do not need the interpreter.
from numpy cimport npy_intp

cdef extern from "numpy/ufuncobject.h":
    ctypedef void (*Function "PyUFuncGenericFunction")(char**, const npy_intp*, const npy_intp*, void*) noexcept nogil


cdef struct Loop:
    Function function
    void* data


cdef Loop loop_of(object ufunc, str types)


cdef inline void run(const Loop* loop, const void* x, void* out, npy_intp n, npy_intp step) noexcept nogil:
    # Computes n contiguous elements of `step` bytes; out may be x.
    cdef char* args[2]
    cdef npy_intp steps[2]
    args[0], args[1] = <char*>x, <char*>out
    steps[0] = steps[1] = step
    loop.function(args, &n, steps, loop.data)
