# Products of matrices by BLAS, for the walker of compiled programs.
from rushlight.kernels.compiled.batches cimport Batch, index

cdef int multiply_by_blas(Batch a, Batch b, Batch out, index m, index n, index depth, bint single, bint adds) except -1
