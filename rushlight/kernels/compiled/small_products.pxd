# Products of many small matrices, for those by BLAS and by our own kernel.
from rushlight.kernels.compiled.batches cimport Batch, index

cdef bint are_small(Batch a, Batch b, index m, index n, index depth) noexcept nogil
cdef int multiply_small(Batch a, Batch b, char* out, index m, index n, index depth, bint single, bint adds) except -1
