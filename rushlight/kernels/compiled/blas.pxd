# Products of matrices by BLAS, for the walker of compiled programs; and how OpenBLAS is kept to one thread.
from rushlight.kernels.compiled.batches cimport Batch, index

cdef int multiply_by_blas(Batch a, Batch b, Batch out, index m, index n, index depth, bint single, bint adds) except -1
cdef int begin() except -1
cdef int end() except -1
cdef bint has_blas() noexcept nogil
cdef void rows_times(const char* a, index a_down, const char* b, index b_down, bint turns_b, char* out, index m,
                     index n, index depth, bint single, bint adds) noexcept nogil
