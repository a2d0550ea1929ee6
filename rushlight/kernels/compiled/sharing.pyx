"""Calls of kernels: small work at once, large work in parts that threads share."""

from rushlight.threads import share


cdef class Work:
    """A job and the kernel for it, as `share` calls it."""

    cdef Kernel kernel
    cdef const void* job

    def __call__(self, Py_ssize_t start, Py_ssize_t stop):
        with nogil:
            self.kernel(self.job, start, stop)


cdef int shared(Kernel kernel, const void* job, Py_ssize_t size, Py_ssize_t grain) except -1:
    """Calls a kernel for all of range(size): at once up to two grains, else in parts of a grain."""
    cdef Work work
    if size <= 2 * grain:
        kernel(job, 0, size)
        return 0
    work = Work.__new__(Work)
    work.kernel, work.job = kernel, job
    share(work, size, grain)
    return 0
