cimport numpy as cnp


cdef cnp.ndarray zeros(int ndim, const cnp.npy_intp* shape, int kind)
