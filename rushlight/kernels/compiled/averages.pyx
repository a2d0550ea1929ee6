# cython: boundscheck=False, wraparound=False, cdivision=True
"""Sums over the windows of planes (average pooling), and the adjoint: adds numbers to all elements of their windows."""

cimport numpy as cnp

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.lanes cimport real
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    MOST = 3  # spatial dimensions
    GRAIN = 1 << 14  # additions of one thread's part

cdef struct Line:
    Py_ssize_t size, places, kernel, stride, padding

cdef struct Job:
    void* x
    void* sums
    Line lines[MOST]  # of size 1 where there are fewer dimensions
    bint single, back


cdef Py_ssize_t begin(const Line* line, Py_ssize_t place) noexcept nogil:
    """The first element of a window."""
    return max(<Py_ssize_t>0, place * line.stride - line.padding)


cdef Py_ssize_t end(const Line* line, Py_ssize_t place) noexcept nogil:
    """The end of a window."""
    return min(line.size, place * line.stride - line.padding + line.kernel)


cdef void add_plane(real* x, real* sums, const Job* job) noexcept nogil:
    """Sums the windows of a plane, or adds to their elements."""
    cdef const Line* a = &job.lines[0]
    cdef const Line* b = &job.lines[1]
    cdef const Line* c = &job.lines[2]
    cdef Py_ssize_t p, q, r, i, j, k, first, last
    cdef real total
    cdef real* row
    for p in range(a.places):
        for q in range(b.places):
            for r in range(c.places):
                first, last = begin(c, r), end(c, r)
                total = sums[0] if job.back else 0
                for i in range(begin(a, p), end(a, p)):
                    for j in range(begin(b, q), end(b, q)):
                        row = x + (i * b.size + j) * c.size
                        if job.back:
                            for k in range(first, last):
                                row[k] += total
                        else:
                            for k in range(first, last):
                                total += row[k]
                sums[0] = total
                sums += 1


cdef void add_planes(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some of the planes."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t plane, d, size = 1, places = 1
    for d in range(MOST):
        size *= job.lines[d].size
        places *= job.lines[d].places
    for plane in range(start, stop):
        if job.single:
            add_plane(<float*>job.x + plane * size, <float*>job.sums + plane * places, job)
        else:
            add_plane(<double*>job.x + plane * size, <double*>job.sums + plane * places, job)


def windows(given, cnp.ndarray other not None, kernel, stride, padding, bint back):
    """Fills `other` (N, C, *places) with the sums of the windows of an array (N, C, *spatial).

    With `back` the array (N, C, *places) is added to the windows of `other` (N, C, *spatial), which is zeros. Returns
    whether it was done: not for other types, or arrays that are not contiguous.
    """
    cdef Job job
    cdef cnp.ndarray x, sums
    cdef int dims = other.ndim - 2, d, own, kind = float_type(given)
    cdef Py_ssize_t planes, work = 1
    if kind == 0 or dims > MOST or not cnp.PyArray_IS_C_CONTIGUOUS(given) or kind != cnp.PyArray_TYPE(other):
        return False
    x, sums = (other, given) if back else (given, other)
    job.x, job.sums, job.single, job.back = cnp.PyArray_DATA(x), cnp.PyArray_DATA(sums), kind == cnp.NPY_FLOAT, back
    for d in range(MOST):
        own = d - (MOST - dims)
        if own < 0:
            job.lines[d] = Line(1, 1, 1, 1, 0)
        else:
            job.lines[d] = Line(x.shape[own + 2], sums.shape[own + 2], kernel[own], stride[own], padding[own])
            work *= sums.shape[own + 2] * job.lines[d].kernel
    planes = x.shape[0] * x.shape[1]
    shared(add_planes, &job, planes, max(<Py_ssize_t>1, GRAIN // work))
    return True
