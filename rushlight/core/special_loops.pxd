# Our own loops for functions that are slow in SciPy, for loops.pyx.
from rushlight.kernels.compiled.ufuncs cimport Loop

cdef bint special_loop(object function, bint single, Loop* loop)
