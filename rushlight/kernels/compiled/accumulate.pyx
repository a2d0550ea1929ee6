"""Sums rows by index, where several may go to the same place."""

cimport numpy as cnp

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.lanes cimport real, wide

cnp.import_array()


cdef wide add_all(const cnp.npy_int64* index, const real* rows, real* out, Py_ssize_t count, Py_ssize_t n) noexcept nogil:
    """Adds each row to the one at its index, in order."""
    cdef Py_ssize_t k, i
    cdef real* place
    for k in range(count):
        place = out + index[k] * n
        for i in range(n):
            place[i] += rows[i]
        rows += n


cdef bint is_index(object index, Py_ssize_t count, Py_ssize_t n) noexcept:
    """Whether an array is a contiguous vector of `count` numbers from 0 to n - 1."""
    cdef Py_ssize_t k
    cdef const cnp.npy_int64* numbers
    if not cnp.PyArray_CheckExact(index) or cnp.PyArray_TYPE(index) != cnp.NPY_INT64 \
            or not cnp.PyArray_ISCARRAY_RO(index) or cnp.PyArray_SIZE(index) != count:
        return False
    numbers = <const cnp.npy_int64*>cnp.PyArray_DATA(index)
    for k in range(count):
        if not 0 <= numbers[k] < n:
            return False
    return True


def are_indices(index, Py_ssize_t n):
    """Whether an array is contiguous and of int64, with numbers from 0 to n - 1."""
    return cnp.PyArray_CheckExact(index) and is_index(index, cnp.PyArray_SIZE(index), n)


def add_rows(index, rows, cnp.npy_intp n):
    """Zeros of (n, ...) with the rows added; None for inputs that the kernel does not take."""
    cdef int d
    cdef cnp.npy_intp[64] shape
    cdef const cnp.npy_int64* numbers
    cdef Py_ssize_t count, width
    if not float_type(rows) or (<cnp.ndarray>rows).ndim == 0:
        return None
    count = (<cnp.ndarray>rows).shape[0]
    if not is_index(index, count, n):
        return None
    cdef cnp.ndarray source = cnp.PyArray_GETCONTIGUOUS(rows)
    for d in range(source.ndim):
        shape[d] = source.shape[d] if d else n
    cdef cnp.ndarray out = cnp.PyArray_ZEROS(source.ndim, shape, cnp.PyArray_TYPE(source), 0)
    cdef void* start = cnp.PyArray_DATA(source)
    cdef void* target = cnp.PyArray_DATA(out)
    numbers, width = <const cnp.npy_int64*>cnp.PyArray_DATA(index), cnp.PyArray_SIZE(source) // count
    if cnp.PyArray_TYPE(source) == cnp.NPY_FLOAT:
        add_all(numbers, <const float*>start, <float*>target, count, width)
    else:
        add_all(numbers, <const double*>start, <double*>target, count, width)
    return out


cdef bint put_all(const cnp.npy_int64* index, const real* source, real* out, cnp.npy_intp[4] sizes) noexcept nogil:
    """Adds elements along a dimension of (outer, n, inner); returns whether all indices were from 0 to n - 1."""
    cdef Py_ssize_t o, k, i, outer = sizes[0], count = sizes[1], n = sizes[2], inner = sizes[3]
    for o in range(outer):
        for k in range(count):
            for i in range(inner):
                if not 0 <= index[i] < n:
                    return False
                out[index[i] * inner + i] += source[i]
            index += inner
            source += inner
        out += n * inner
    return True


def add_along(source, index, int dim, tuple shape):
    """Zeros of a shape with elements added at `index` along a dimension; None for inputs that are not supported.

    In the other dimensions source, index and shape must agree.
    """
    cdef cnp.npy_intp[4] sizes
    cdef cnp.npy_intp[64] target
    cdef int d, ndim = len(shape)
    if not float_type(source) or not cnp.PyArray_CheckExact(index) or not cnp.PyArray_SAMESHAPE(source, index) \
            or (<cnp.ndarray>source).ndim != ndim or not 0 <= dim < ndim:
        return None
    if cnp.PyArray_TYPE(index) != cnp.NPY_INT64 or not cnp.PyArray_ISBEHAVED_RO(index):
        return None
    cdef cnp.ndarray values = cnp.PyArray_GETCONTIGUOUS(source), places = cnp.PyArray_GETCONTIGUOUS(index)
    sizes[0] = sizes[3] = 1
    for d in range(ndim):
        target[d] = shape[d]
        if d != dim and target[d] != values.shape[d]:
            return None
        if d != dim:
            sizes[0 if d < dim else 3] *= target[d]
    sizes[1], sizes[2] = values.shape[dim], target[dim]
    cdef cnp.ndarray out = cnp.PyArray_ZEROS(ndim, target, cnp.PyArray_TYPE(values), 0)
    cdef const cnp.npy_int64* numbers = <const cnp.npy_int64*>cnp.PyArray_DATA(places)
    cdef bint done
    if cnp.PyArray_TYPE(values) == cnp.NPY_FLOAT:
        done = put_all(numbers, <const float*>cnp.PyArray_DATA(values), <float*>cnp.PyArray_DATA(out), sizes)
    else:
        done = put_all(numbers, <const double*>cnp.PyArray_DATA(values), <double*>cnp.PyArray_DATA(out), sizes)
    return out if done else None
