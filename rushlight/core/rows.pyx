# cython: boundscheck=False, wraparound=False, cdivision=True
"""Iterates over arrays that broadcast, or have different layouts: row by row, as PyTorch's TensorIterator.

The dimensions are sorted by the strides of the first operands, which also give the result its layout
(`placing.elementwise_strides`); dimensions that are adjacent in all arrays are merged.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.string cimport memcpy
from numpy cimport npy_intp

from rushlight.kernels.compiled.lanes cimport always, wide

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    object PyArray_New(type, int, npy_intp*, int, npy_intp*, void*, int, int, void*)


cdef bint broadcast_shape(PyObject** operands, int count, Rows* rows) noexcept:
    """Sets the shape that the arrays broadcast to; returns whether they do."""
    cdef cnp.ndarray x
    cdef int i, d, lead
    rows.ndim = 0
    for i in range(count):
        if cnp.PyArray_CheckExact(<object>operands[i]):
            x = <cnp.ndarray>operands[i]
            if x.ndim > MOST_DIMS:
                return False
            rows.ndim = max(rows.ndim, x.ndim)
    for d in range(rows.ndim):
        rows.shape[d] = 1
    for i in range(count):
        if cnp.PyArray_CheckExact(<object>operands[i]):
            x = <cnp.ndarray>operands[i]
            lead = rows.ndim - x.ndim
            for d in range(x.ndim):
                if x.shape[d] != 1:
                    if rows.shape[lead + d] != 1 and rows.shape[lead + d] != x.shape[d]:
                        return False
                    rows.shape[lead + d] = x.shape[d]
    return rows.ndim > 0


cdef void note_strides(PyObject* operand, Rows* rows, int place) noexcept:
    """Sets an operand's strides along the dimensions of the result: 0 for a number."""
    cdef cnp.ndarray x
    cdef int d, lead
    rows.sizes[place] = 0
    rows.repeats[place] = True
    for d in range(rows.ndim):
        rows.strides[place][d] = 0
    if cnp.PyArray_CheckExact(<object>operand):
        x = <cnp.ndarray>operand
        rows.sizes[place] = cnp.PyArray_ITEMSIZE(x)
        lead = rows.ndim - x.ndim
        for d in range(lead, rows.ndim):
            if x.shape[d - lead] != 1 or rows.shape[d] == 1:
                rows.strides[place][d] = x.strides[d - lead]
            if rows.strides[place][d] != 0 and rows.shape[d] != 1:
                rows.repeats[place] = False


cdef inline int compared(const Rows* rows, int count, int inner, int outer) noexcept:
    """Positive where two dimensions must be swapped, negative where they must not, 0 if no operand decides."""
    cdef npy_intp a, b
    cdef int i
    for i in range(count):
        a, b = rows.strides[i][inner], rows.strides[i][outer]
        if a == 0 or b == 0:
            continue
        if a != b:
            return 1 if a > b else -1
        if rows.shape[inner] > rows.shape[outer]:
            return 1
    return 0


cdef void sort_dims(Rows* rows, int count) noexcept:
    """Sets the order of the dimensions in the result, by the strides of `count` operands."""
    cdef int i, place, before, found, last = rows.ndim - 1
    for i in range(rows.ndim):
        rows.order[i] = i
    for i in range(1, rows.ndim):
        place = i
        for before in range(i - 1, -1, -1):
            found = compared(rows, count, rows.order[last - before], rows.order[last - place])
            if found < 0:
                break
            if found > 0:
                found = rows.order[last - before]
                rows.order[last - before] = rows.order[last - place]
                rows.order[last - place] = found
                place = before


cdef void sort_dims_by(Rows* rows, int operand) noexcept:
    """Sets the order of the dimensions by the strides of one operand, which has none of 0."""
    cdef npy_intp others[MOST_DIMS]
    cdef int d
    for d in range(rows.ndim):
        others[d] = rows.strides[0][d]
        rows.strides[0][d] = rows.strides[operand][d]
    sort_dims(rows, 1)
    for d in range(rows.ndim):
        rows.strides[0][d] = others[d]


cdef cnp.ndarray array_in_order(Rows* rows, int kind):
    """A new array of the result's shape, with the dimensions in their order in memory."""
    cdef npy_intp strides[MOST_DIMS]
    cdef npy_intp step = cnp.PyArray_DescrFromType(kind).itemsize
    cdef int d
    cdef bint natural = True
    for d in range(rows.ndim - 1, -1, -1):
        strides[rows.order[d]] = step
        step *= rows.shape[rows.order[d]]
        natural = natural and rows.order[d] == d
    if natural or step == 0:
        return cnp.PyArray_SimpleNew(rows.ndim, rows.shape, kind)
    return PyArray_New(cnp.ndarray, rows.ndim, rows.shape, kind, strides, NULL, 0, 0, NULL)


cdef void reordered(Rows* rows) noexcept:
    """Sorts the dimensions by their order."""
    cdef npy_intp old[MOST_DIMS]
    cdef int i, d
    for d in range(rows.ndim):
        old[d] = rows.shape[d]
    for d in range(rows.ndim):
        rows.shape[d] = old[rows.order[d]]
    for i in range(rows.count):
        for d in range(rows.ndim):
            old[d] = rows.strides[i][d]
        for d in range(rows.ndim):
            rows.strides[i][d] = old[rows.order[d]]


cdef void join_dims(Rows* rows) noexcept:
    """Merges two dimensions that are adjacent in the memory of all arrays: fewer and longer rows."""
    cdef int d = rows.ndim - 2, i, k
    cdef bint joined
    while d >= 0:
        joined = True
        for i in range(rows.count):
            joined = joined and rows.strides[i][d] == rows.strides[i][d + 1] * rows.shape[d + 1]
        if rows.shape[d] == 1 or rows.shape[d + 1] == 1 or joined:
            for i in range(rows.count):
                if rows.shape[d + 1] == 1:
                    rows.strides[i][d + 1] = rows.strides[i][d]
                rows.strides[i][d] = rows.strides[i][d + 1]
            rows.shape[d] *= rows.shape[d + 1]
            for k in range(d + 1, rows.ndim - 1):
                rows.shape[k] = rows.shape[k + 1]
                for i in range(rows.count):
                    rows.strides[i][k] = rows.strides[i][k + 1]
            rows.ndim -= 1
        d -= 1


cdef bint is_loose(cnp.ndarray x) noexcept:
    """Whether a contiguous array has other strides than a new one, along dimensions of size 1."""
    cdef npy_intp step = cnp.PyArray_ITEMSIZE(x)
    cdef int d
    if cnp.PyArray_IS_C_CONTIGUOUS(x):
        for d in range(x.ndim - 1, -1, -1):
            if x.strides[d] != step:
                return cnp.PyArray_SIZE(x) > 0
            step *= x.shape[d]
    return False


cdef bint all_contiguous(PyObject** operands, int count, cnp.ndarray model) noexcept:
    """Whether all operands are contiguous arrays of one shape: their result has the strides of a new array."""
    cdef int i
    for i in range(count):
        if not cnp.PyArray_CheckExact(<object>operands[i]) or not cnp.PyArray_IS_C_CONTIGUOUS(<object>operands[i]):
            return False
        if not cnp.PyArray_SAMESHAPE(<object>operands[i], model):
            return False
    return True


cdef bint all_channels_last(PyObject** operands, int count, cnp.ndarray model) noexcept:
    """Whether all operands are arrays of one shape with channels last, and with dimensions of size 1."""
    cdef cnp.ndarray x
    cdef npy_intp step
    cdef int i, d
    if model.ndim != 4 or not (model.shape[0] == 1 or model.shape[1] == 1 or model.shape[2] == 1 or model.shape[3] == 1):
        return False
    for i in range(count):
        if not cnp.PyArray_CheckExact(<object>operands[i]) or not cnp.PyArray_SAMESHAPE(<object>operands[i], model):
            return False
        x = <cnp.ndarray>operands[i]
        step = cnp.PyArray_ITEMSIZE(x)
        for d in (1, 3, 2, 0):
            if x.shape[d] != 1 and x.strides[d] != step:
                return False
            step *= x.shape[d]
    return True


cpdef bint lies_as_elementwise(list operands, cnp.ndarray result) except -1:
    """Whether a quick look shows that a result has the layout of an elementwise result."""
    cdef PyObject* arrays[MOST_ARRAYS]
    cdef Rows rows
    cdef npy_intp step = cnp.PyArray_ITEMSIZE(result)
    cdef int d, i, n = len(operands)
    if n > MOST_ARRAYS or not cnp.PyArray_ISWRITEABLE(result):
        return False
    for i in range(n):
        arrays[i] = <PyObject*>operands[i]
        if operands[i] is None:
            return False
    if not broadcast_shape(arrays, n, &rows) or rows.ndim != result.ndim or all_channels_last(arrays, n, result):
        return False
    if all_contiguous(arrays, n, result):
        return cnp.PyArray_IS_C_CONTIGUOUS(result) and not is_loose(result)
    for i in range(n):
        note_strides(arrays[i], &rows, i)
    sort_dims(&rows, n)
    for d in range(rows.ndim - 1, -1, -1):
        if result.shape[rows.order[d]] != rows.shape[rows.order[d]] or result.strides[rows.order[d]] != step:
            return False
        step *= result.shape[rows.order[d]]
    return True


ctypedef fused element:
    float
    double
    char


cdef inline void copy_elements(
    const char* x, npy_intp apart, npy_intp count, npy_intp step, npy_intp n, element* to
) noexcept nogil:
    """Copies `count` rows that are `apart` bytes apart, of n elements that are `step` bytes apart."""
    cdef npy_intp i, k
    for k in range(count):
        for i in range(n):
            to[i] = (<const element*>(x + i * step))[0]
        to += n
        x += apart


cdef always copy_in_pieces(const char* x, npy_intp apart, npy_intp count, npy_intp line, npy_intp piece,
                           char* to) noexcept nogil:
    """Copies `count` rows in pieces of a constant number of bytes, the last once more where a row is not a multiple."""
    cdef npy_intp i, k
    for k in range(count):
        for i in range(line // piece):
            memcpy(to + piece * i, x + piece * i, piece)
        memcpy(to + line - piece, x + line - piece, piece)
        to += line
        x += apart


cdef wide copy_long_rows(const char* x, npy_intp apart, npy_intp count, npy_intp line, char* to) noexcept nogil:
    """Copies `count` rows of at least 64 bytes."""
    copy_in_pieces(x, apart, count, line, 64, to)


cdef wide repeat_elements(const char* x, npy_intp apart, npy_intp count, npy_intp n, element* to) noexcept nogil:
    """Writes `count` rows of n times one element, which are `apart` bytes apart."""
    cdef npy_intp i, k
    cdef element value
    for k in range(count):
        value = (<const element*>x)[0]
        for i in range(n):
            to[i] = value
        to += n
        x += apart


cdef inline void repeat_rows(const char* x, npy_intp apart, npy_intp count, npy_intp n, int size, char* to) noexcept nogil:
    """`repeat_elements` for elements of a size."""
    if size == 4:
        repeat_elements(x, apart, count, n, <float*>to)
    elif size == 8:
        repeat_elements(x, apart, count, n, <double*>to)
    else:
        repeat_elements(x, apart, count, n, to)


cdef inline void copy_rows(
    const char* x, npy_intp apart, npy_intp count, npy_intp step, npy_intp n, int size, char* to
) noexcept nogil:
    """`copy_elements` for elements of a size; contiguous rows without looking at their elements."""
    if step == 0:
        repeat_rows(x, apart, count, n, size, to)
    elif step == size and n * size >= 64:
        copy_long_rows(x, apart, count, n * size, to)
    elif step == size and n * size >= 16:
        copy_in_pieces(x, apart, count, n * size, 16, to)
    elif size == 4:
        copy_elements(x, apart, count, step, n, <float*>to)
    elif size == 8:
        copy_elements(x, apart, count, step, n, <double*>to)
    else:
        copy_elements(x, apart, count, step, n, to)


cdef void gather(const Rows* rows, int operand, const char* base, npy_intp start, npy_intp n, char* to) noexcept nogil:
    """Copies an operand's elements, from number `start` of the result on, to consecutive memory."""
    cdef npy_intp index[MOST_DIMS]
    cdef npy_intp rest = start, part, count = 1, apart = 0
    cdef const npy_intp* strides = rows.strides[operand]
    cdef int d, last = rows.ndim - 1, size = rows.sizes[operand]
    for d in range(last, -1, -1):
        index[d] = rest % rows.shape[d]
        rest = rest // rows.shape[d]
        base += index[d] * strides[d]
    while True:
        part = min(n, rows.shape[last] - index[last])
        if last > 0 and part == rows.shape[last]:  # rows one after the other, as many as are whole
            count, apart = min(n // part, rows.shape[last - 1] - index[last - 1]), strides[last - 1]
            index[last - 1] += count - 1
            base += (count - 1) * apart
        copy_rows(base - (count - 1) * apart, apart, count, strides[last], part, size, to)
        n -= part * count
        if n == 0:
            return
        to += part * count * size
        count = 1
        base -= index[last] * strides[last]
        index[last] = 0
        d = last - 1
        while d >= 0:
            base += strides[d]
            index[d] += 1
            if index[d] < rows.shape[d]:
                break
            base -= index[d] * strides[d]
            index[d] = 0
            d -= 1
