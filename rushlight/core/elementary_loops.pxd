# Our own loops for functions that are slow in NumPy, for loops.pyx.
from rushlight.kernels.compiled.ufuncs cimport Loop

cdef bint elementary_loop(object function, bint single, Loop* loop)
cdef bint complex_loop(object function, bint single, Loop* loop)
