"""Sums rows by index, where several may go to the same place."""

cimport numpy as cnp

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.steps cimport zeros

cnp.import_array()


cdef enum:
    GRAIN = 1 << 14  # elements of one thread's part


cdef struct Sum:
    const cnp.npy_int64* index
    const void* rows
    void* out
    Py_ssize_t count, width
    bint single


cdef wide add_columns(const Sum* job, const real* rows, real* out, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Adds some columns of each row to the row at its index, in order."""
    cdef Py_ssize_t k, i
    cdef real* place
    for k in range(job.count):
        place = out + job.index[k] * job.width
        for i in range(start, stop):
            place[i] += rows[i]
        rows += job.width


cdef void add_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Adds some columns, by the dtype of a job."""
    cdef const Sum* job = <const Sum*>given
    if job.single:
        add_columns(job, <const float*>job.rows, <float*>job.out, start, stop)
    else:
        add_columns(job, <const double*>job.rows, <double*>job.out, start, stop)


cdef struct Check:
    const cnp.npy_int64* numbers
    Py_ssize_t n
    bint failed


cdef wide check_numbers(const cnp.npy_int64* numbers, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t n,
                        bint* failed) noexcept nogil:
    """Notes if some numbers are not from 0 to n - 1."""
    cdef Py_ssize_t k
    cdef bint found = False
    for k in range(start, stop):
        found |= <size_t>numbers[k] >= <size_t>n
    failed[0] |= found


cdef void check_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Checks some numbers."""
    cdef Check* job = <Check*>given
    cdef bint failed = False
    check_numbers(job.numbers, start, stop, job.n, &failed)
    if failed:
        job.failed = True


cdef bint is_index(object index, Py_ssize_t count, Py_ssize_t n) except -1:
    """Whether an array is a contiguous vector of `count` numbers from 0 to n - 1."""
    cdef Check job
    if not cnp.PyArray_CheckExact(index) or cnp.PyArray_TYPE(index) != cnp.NPY_INT64 \
            or not cnp.PyArray_ISCARRAY_RO(index) or cnp.PyArray_SIZE(index) != count:
        return False
    job.numbers, job.n, job.failed = <const cnp.npy_int64*>cnp.PyArray_DATA(index), n, False
    shared(check_part, &job, count, 4 * GRAIN)
    return not job.failed


def are_indices(index, Py_ssize_t n):
    """Whether an array is contiguous and of int64, with numbers from 0 to n - 1."""
    return cnp.PyArray_CheckExact(index) and is_index(index, cnp.PyArray_SIZE(index), n)


def add_rows(index, rows, cnp.npy_intp n):
    """Zeros of (n, ...) with the rows added; None for inputs that the kernel does not take."""
    cdef int d
    cdef cnp.npy_intp[64] shape
    cdef Sum job
    cdef Py_ssize_t count
    if not float_type(rows) or (<cnp.ndarray>rows).ndim == 0:
        return None
    count = (<cnp.ndarray>rows).shape[0]
    if not is_index(index, count, n):
        return None
    cdef cnp.ndarray source = cnp.PyArray_GETCONTIGUOUS(rows)
    for d in range(source.ndim):
        shape[d] = source.shape[d] if d else n
    cdef cnp.ndarray out = zeros(source.ndim, shape, cnp.PyArray_TYPE(source))
    if count == 0:
        return out
    job.index, job.rows, job.out = <const cnp.npy_int64*>cnp.PyArray_DATA(index), cnp.PyArray_DATA(source), \
        cnp.PyArray_DATA(out)
    job.count, job.width, job.single = count, cnp.PyArray_SIZE(source) // count, cnp.PyArray_TYPE(source) == cnp.NPY_FLOAT
    shared(add_part, &job, job.width, max(64, GRAIN // count))
    return out


cdef struct Along:
    const cnp.npy_int64* index
    const void* source
    void* out
    Py_ssize_t outer, count, n, inner
    bint single
    bint failed  # whether an index is not from 0 to n - 1


cdef bint put_runs(const Along* job, const real* source, real* out, Py_ssize_t o, Py_ssize_t start,
                   Py_ssize_t stop) noexcept nogil:
    """Adds some columns of the elements at index `o` of the outer dimensions; returns whether all indices were valid."""
    cdef Py_ssize_t row, i, number
    cdef const cnp.npy_int64* index = job.index + o * job.count * job.inner
    source += o * job.count * job.inner
    out += o * job.n * job.inner
    if job.inner == 1:
        for row in range(job.count):
            number = index[row]
            if <size_t>number >= <size_t>job.n:
                return False
            out[number] += source[row]
        return True
    for row in range(job.count):
        for i in range(start, stop):
            number = index[i]
            if not 0 <= number < job.n:
                return False
            out[number * job.inner + i] += source[i]
        index += job.inner
        source += job.inner
    return True


cdef bint put_part(const Along* job, const real* source, real* out, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Adds the elements at some indices of the outer dimensions, or some columns if there is one such index."""
    cdef Py_ssize_t o
    if job.outer == 1:
        return put_runs(job, source, out, 0, start, stop)
    for o in range(start, stop):
        if not put_runs(job, source, out, o, 0, job.inner):
            return False
    return True


cdef void put_along(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """`put_part` by the dtype of a job."""
    cdef Along* job = <Along*>given
    cdef bint done
    if job.single:
        done = put_part(job, <const float*>job.source, <float*>job.out, start, stop)
    else:
        done = put_part(job, <const double*>job.source, <double*>job.out, start, stop)
    if not done:
        job.failed = True


def add_along(source, index, int dim, tuple shape):
    """Zeros of a shape with elements added at `index` along a dimension; None for inputs that are not supported.

    In the other dimensions source, index and shape must agree.
    """
    cdef Along job
    cdef cnp.npy_intp[64] target
    cdef int d, ndim = len(shape)
    if not float_type(source) or not cnp.PyArray_CheckExact(index) or not cnp.PyArray_SAMESHAPE(source, index) \
            or (<cnp.ndarray>source).ndim != ndim or not 0 <= dim < ndim:
        return None
    if cnp.PyArray_TYPE(index) != cnp.NPY_INT64 or not cnp.PyArray_ISBEHAVED_RO(index):
        return None
    cdef cnp.ndarray values = cnp.PyArray_GETCONTIGUOUS(source), places = cnp.PyArray_GETCONTIGUOUS(index)
    job.outer = job.inner = 1
    for d in range(ndim):
        target[d] = shape[d]
        if d != dim and target[d] != values.shape[d]:
            return None
        if d < dim:
            job.outer *= target[d]
        elif d > dim:
            job.inner *= target[d]
    job.count, job.n = values.shape[dim], target[dim]
    cdef cnp.ndarray out = zeros(ndim, target, cnp.PyArray_TYPE(values))
    job.index, job.source, job.out = <const cnp.npy_int64*>cnp.PyArray_DATA(places), cnp.PyArray_DATA(values), \
        cnp.PyArray_DATA(out)
    job.single, job.failed = cnp.PyArray_TYPE(values) == cnp.NPY_FLOAT, False
    if cnp.PyArray_SIZE(values):
        lines = job.inner if job.outer == 1 else job.outer
        shared(put_along, &job, lines, max(1, GRAIN * lines // cnp.PyArray_SIZE(values)))
    return None if job.failed else out
