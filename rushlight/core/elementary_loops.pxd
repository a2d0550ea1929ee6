# Loops of our own where NumPy's are slow, for loops.pyx.
from rushlight.kernels.compiled.ufuncs cimport Loop

cdef bint elementary_loop(object function, bint single, Loop* loop)
