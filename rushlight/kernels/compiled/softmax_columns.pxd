cimport numpy as cnp

cdef cnp.ndarray along(cnp.ndarray x, cnp.ndarray y, int dim, bint logarithm)
