# cython: boundscheck=False, wraparound=False, cdivision=True
"""Losses with margins between the true classes of a row and its other classes, and their gradients.

A slack is max(0, margin - x[y] + x[j]) for a class y of the row's list and a class j that is not in it; of NaN it is 0.
"""

cimport numpy as cnp
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.lanes cimport real
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    GRAIN = 1 << 14  # slacks in one thread's part


cdef struct Job:
    const void* x
    const cnp.npy_int64* lists  # of the true classes of each row; a negative number ends a list
    void* out  # a loss for each row, or a slope for each class of it
    Py_ssize_t classes
    Py_ssize_t most  # numbers in a list
    double margin
    bint squared
    bint slopes
    bint single
    bint failed  # if memory ran out


cdef inline Py_ssize_t mark(const Job* job, const cnp.npy_int64* listed, char* marks, char value) noexcept nogil:
    """Marks the listed classes; returns their number."""
    cdef Py_ssize_t i
    for i in range(job.most):
        if listed[i] < 0:
            return i
        marks[listed[i]] = value
    return job.most


cdef void row(const real* x, const Job* job, const cnp.npy_int64* listed, char* marks, real* out) noexcept nogil:
    """Computes the loss of a row, or its slopes."""
    cdef Py_ssize_t number = mark(job, listed, marks, 1), i, j
    cdef double total = 0, pulled
    cdef real lack, slack
    if job.slopes:
        memset(out, 0, job.classes * sizeof(real))
    for i in range(number):
        lack = <real>job.margin - x[listed[i]]
        pulled = 0
        for j in range(job.classes):
            slack = x[j] + lack
            if not (slack > 0) or marks[j]:
                continue
            total += slack * slack if job.squared else slack
            if job.slopes:
                slack = (2 * slack if job.squared else 1) / <real>job.classes
                out[j] += slack
                pulled += slack
        if job.slopes:
            out[listed[i]] -= <real>pulled
    if not job.slopes:
        out[0] = <real>(total / job.classes)
    mark(job, listed, marks, 0)


cdef void some_rows(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some rows."""
    cdef Job* job = <Job*>given
    cdef Py_ssize_t r, step = job.classes if job.slopes else 1
    cdef char* marks = <char*>calloc(job.classes, 1)
    if marks == NULL:
        job.failed = True
        return
    for r in range(start, stop):
        if job.single:
            row(<const float*>job.x + r * job.classes, job, job.lists + r * job.most, marks, <float*>job.out + r * step)
        else:
            row(<const double*>job.x + r * job.classes, job, job.lists + r * job.most, marks,
                <double*>job.out + r * step)
    free(marks)


def margins(x, lists, bint squared, double margin, bint slopes, factor=None):
    """The sum of the slacks of each row (N, C) or of their squares, divided by C; or its derivatives (N, C).

    With a factor the rows' sums are added up and multiplied by it. `lists` (N) or (N, K) has valid classes, up to a
    negative number. None for inputs that are not supported.
    """
    cdef Job job
    cdef cnp.ndarray scores, out, whole
    cdef int kind = float_type(x)
    if not kind or (<cnp.ndarray>x).ndim != 2 or not cnp.PyArray_IS_C_CONTIGUOUS(x) or not are_lists(lists) \
            or (<cnp.ndarray>lists).shape[0] != (<cnp.ndarray>x).shape[0]:
        return None
    scores = x
    out = cnp.PyArray_SimpleNew(2 if slopes else 1, scores.shape, kind)
    job = Job(cnp.PyArray_DATA(scores), <const cnp.npy_int64*>cnp.PyArray_DATA(lists), cnp.PyArray_DATA(out),
              scores.shape[1], (<cnp.ndarray>lists).shape[1] if (<cnp.ndarray>lists).ndim == 2 else 1, margin, squared,
              slopes, kind == cnp.NPY_FLOAT, False)
    shared(some_rows, &job, scores.shape[0], max(1, GRAIN // (job.classes * max(1, job.most))))
    if job.failed:
        raise MemoryError
    if factor is None or slopes:
        return out
    whole = cnp.PyArray_SimpleNew(0, NULL, kind)
    if job.single:
        (<float*>cnp.PyArray_DATA(whole))[0] = <float>(total(<const float*>job.out, scores.shape[0]) * <double>factor)
    else:
        (<double*>cnp.PyArray_DATA(whole))[0] = total(<const double*>job.out, scores.shape[0]) * <double>factor
    return whole


cdef double total(const real* losses, Py_ssize_t n) noexcept nogil:
    """The sum of some losses."""
    cdef double found = 0
    cdef Py_ssize_t i
    for i in range(n):
        found += losses[i]
    return found


cdef bint are_lists(object lists) noexcept:
    """Whether an array can list classes: contiguous ones of int64, one or several in a row."""
    return cnp.PyArray_CheckExact(lists) and cnp.PyArray_ISCARRAY_RO(lists) \
        and cnp.PyArray_TYPE(lists) == cnp.NPY_INT64 and 1 <= (<cnp.ndarray>lists).ndim <= 2


def are_listed(lists, Py_ssize_t n):
    """Whether an array is contiguous and of int64, with numbers from -1 to n - 1."""
    cdef Py_ssize_t i
    cdef const cnp.npy_int64* numbers
    cdef bint failed = False
    if not are_lists(lists):
        return False
    numbers = <const cnp.npy_int64*>cnp.PyArray_DATA(lists)
    for i in range(cnp.PyArray_SIZE(lists)):
        failed |= (numbers[i] < -1) | (numbers[i] >= n)
    return not failed
