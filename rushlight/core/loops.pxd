# The loop of a step, for formulas.pyx.
from rushlight.kernels.compiled.ufuncs cimport Loop

cdef Loop loop_for(object function, str types)
