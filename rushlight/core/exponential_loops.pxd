# Our own loops for exponentials, logarithms and hyperbolic functions, for loops.pyx.
from rushlight.kernels.compiled.ufuncs cimport Loop

cdef bint exponential_loop(object function, bint single, Loop* loop)
cdef bint has_vectors()
