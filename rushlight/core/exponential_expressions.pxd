from rushlight.kernels.compiled.ufuncs cimport Loop

cdef Loop exponential_expression_loop(str expression, bint single)
