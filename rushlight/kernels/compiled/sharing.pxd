# A kernel computes the elements, rows or channels from `start` to `stop` of a job, a struct with pointers to the data.
ctypedef void (*Kernel)(const void* job, Py_ssize_t start, Py_ssize_t stop) noexcept nogil

cdef int shared(Kernel kernel, const void* job, Py_ssize_t size, Py_ssize_t grain) except -1
cdef long number_of_threads() except -1
