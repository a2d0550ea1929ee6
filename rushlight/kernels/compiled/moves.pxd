cimport numpy as cnp

cdef cnp.ndarray contiguous(object x)
