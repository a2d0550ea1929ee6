# Loops of our own where SciPy's are slow, for loops.pyx.
from rushlight.kernels.compiled.ufuncs cimport Loop

cdef bint special_loop(object function, bint single, Loop* loop)
