from rushlight.kernels.compiled.ufuncs cimport Loop

cdef Loop expression_loop(str expression, bint single)
