# Our own loops for trigonometric functions and their inverses, for loops.pyx.
from rushlight.kernels.compiled.ufuncs cimport Loop

cdef bint angle_loop(object function, bint single, Loop* loop)
