# cython: boundscheck=False, wraparound=False, cdivision=True
"""Where truths are true: their places, and values that are put there one after the other.

No step depends on a branch, which would be mispredicted for every other element of a random mask.
"""

cimport numpy as cnp
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from rushlight.kernels.compiled.copies cimport item
from rushlight.kernels.compiled.lanes cimport wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    MOST_DIMS = 32
    BLOCK = 4096  # elements of a row whose places are collected at once
    PART = 1 << 15  # elements that a thread counts or selects from

ctypedef cnp.npy_int64 whole


cdef wide count_true(const cnp.npy_uint8* mask, Py_ssize_t n, Py_ssize_t* found) noexcept nogil:
    """Adds the number of truths that are true."""
    cdef Py_ssize_t i, total = 0
    for i in range(n):
        total += mask[i] != 0
    found[0] += total


cdef inline Py_ssize_t collect(const cnp.npy_uint8* mask, Py_ssize_t first, Py_ssize_t n, whole* places) noexcept nogil:
    """Writes the places of what is true, from `first` on, and returns their number; one more is written to."""
    cdef Py_ssize_t i, k = 0
    for i in range(n):
        places[k] = first + i
        k += mask[i] != 0
    return k


cdef bint is_mask(object x) noexcept:
    """Whether an array has truths, in order."""
    return cnp.PyArray_CheckExact(x) and cnp.PyArray_TYPE(x) == cnp.NPY_BOOL and cnp.PyArray_IS_C_CONTIGUOUS(x)


cdef void walk(const cnp.npy_uint8* mask, cnp.ndarray x, whole* out, Py_ssize_t count, whole* found) noexcept nogil:
    """Writes the coordinates of what is true, those of each dimension in a row of their own."""
    cdef Py_ssize_t[MOST_DIMS] at
    cdef int d, last = cnp.PyArray_NDIM(x) - 1
    cdef Py_ssize_t n = cnp.PyArray_DIM(x, last), k = 0, first, many, i
    for d in range(last):
        at[d] = 0
    while k < count:
        first = 0
        while first < n:
            many = collect(mask + first, first, min(n - first, <Py_ssize_t>BLOCK), found)
            memcpy(out + last * count + k, found, many * sizeof(whole))
            for d in range(last):
                for i in range(many):
                    out[d * count + k + i] = at[d]
            k += many
            first += BLOCK
        mask += n
        d = last - 1
        while d >= 0:
            at[d] += 1
            if at[d] < cnp.PyArray_DIM(x, d):
                break
            at[d] = 0
            d -= 1


def places(mask):
    """The coordinates of what is true: a row for each dimension. None for other arrays than contiguous truths."""
    cdef Py_ssize_t count = 0
    cdef cnp.npy_intp[2] shape
    cdef whole* found
    if not is_mask(mask) or not 0 < (<cnp.ndarray>mask).ndim <= MOST_DIMS:
        return None
    cdef cnp.ndarray truths = mask
    cdef const cnp.npy_uint8* start = <const cnp.npy_uint8*>cnp.PyArray_DATA(truths)
    count_true(start, cnp.PyArray_SIZE(truths), &count)
    shape[0], shape[1] = truths.ndim, count
    cdef cnp.ndarray out = cnp.PyArray_SimpleNew(2, shape, cnp.NPY_INT64)
    found = <whole*>malloc((BLOCK + 1) * sizeof(whole))
    if found == NULL:
        raise MemoryError
    with nogil:
        walk(start, truths, <whole*>cnp.PyArray_DATA(out), count, found)
    free(found)
    return out


cdef void spread(const cnp.npy_uint8* mask, const item* x, const item* values, item* out, Py_ssize_t n) noexcept nogil:
    """Takes values where the mask is true, one after the other, and elsewhere the elements of x."""
    cdef Py_ssize_t i, k = 0
    cdef size_t place, chosen
    for i in range(n):
        chosen = mask[i] != 0
        place = <size_t>(x + i)
        place += (0 - chosen) & (<size_t>(values + k) - place)
        out[i] = (<const item*>place)[0]
        k += chosen


cdef void spread_any(cnp.ndarray mask, cnp.ndarray x, cnp.ndarray values, cnp.ndarray out, item* like) noexcept:
    """`spread` for elements of a size."""
    spread(<const cnp.npy_uint8*>cnp.PyArray_DATA(mask), <const item*>cnp.PyArray_DATA(x),
           <const item*>cnp.PyArray_DATA(values), <item*>cnp.PyArray_DATA(out), cnp.PyArray_SIZE(x))


def scattered(x, mask, values):
    """A copy of an array with values where the mask is true; None for arrays that are not contiguous and alike.

    ValueError if there are too few values.
    """
    cdef Py_ssize_t count = 0, n, size
    cdef cnp.ndarray truths, given, source, out
    if not is_mask(mask) or not cnp.PyArray_CheckExact(x) or not cnp.PyArray_CheckExact(values) \
            or not cnp.PyArray_ISCARRAY_RO(x) or not cnp.PyArray_ISCARRAY_RO(values) \
            or cnp.PyArray_TYPE(x) != cnp.PyArray_TYPE(values) or not cnp.PyArray_SAMESHAPE(x, mask) \
            or cnp.PyArray_TYPE(x) == cnp.NPY_OBJECT or cnp.PyArray_SIZE(values) == 0:
        return None
    truths, given, source = mask, x, values
    n, size = cnp.PyArray_SIZE(x), cnp.PyArray_ITEMSIZE(x)
    if size not in (1, 2, 4, 8, 16):
        return None
    count_true(<const cnp.npy_uint8*>cnp.PyArray_DATA(mask), n, &count)
    if count > cnp.PyArray_SIZE(values):
        raise ValueError
    out = cnp.PyArray_SimpleNew(given.ndim, given.shape, cnp.PyArray_TYPE(given))
    if size == 1:
        spread_any(truths, given, source, out, <cnp.npy_uint8*>NULL)
    elif size == 2:
        spread_any(truths, given, source, out, <cnp.npy_uint16*>NULL)
    elif size == 4:
        spread_any(truths, given, source, out, <cnp.npy_uint32*>NULL)
    elif size == 8:
        spread_any(truths, given, source, out, <cnp.npy_uint64*>NULL)
    else:
        spread_any(truths, given, source, out, <double complex*>NULL)
    return out


cdef struct Choice:
    const cnp.npy_uint8* mask
    const void* x
    void* out
    Py_ssize_t n
    int size  # of an element
    Py_ssize_t* starts  # where the elements of each part go, and at the end their number


cdef void count_parts(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Counts what is true in some parts."""
    cdef const Choice* job = <const Choice*>given
    cdef Py_ssize_t i
    for i in range(start, stop):
        job.starts[i + 1] = 0
        count_true(job.mask + i * PART, min(job.n - i * PART, <Py_ssize_t>PART), job.starts + i + 1)


cdef inline void gather(const cnp.npy_uint8* mask, const item* x, item* out, Py_ssize_t count) noexcept nogil:
    """Writes the first `count` elements where the mask is true."""
    cdef Py_ssize_t i = 0, k = 0
    while k < count:
        out[k] = x[i]
        k += mask[i] != 0
        i += 1


cdef inline void gather_part(const Choice* job, Py_ssize_t part, item* like) noexcept nogil:
    """`gather` for a part."""
    cdef Py_ssize_t first = job.starts[part]
    gather(job.mask + part * PART, <const item*>job.x + part * PART, <item*>job.out + first, job.starts[part + 1] - first)


cdef void gather_parts(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Gathers some parts, by the size of their elements."""
    cdef const Choice* job = <const Choice*>given
    cdef Py_ssize_t i
    for i in range(start, stop):
        if job.size == 1:
            gather_part(job, i, <cnp.npy_uint8*>NULL)
        elif job.size == 2:
            gather_part(job, i, <cnp.npy_uint16*>NULL)
        elif job.size == 4:
            gather_part(job, i, <cnp.npy_uint32*>NULL)
        elif job.size == 8:
            gather_part(job, i, <cnp.npy_uint64*>NULL)
        else:
            gather_part(job, i, <double complex*>NULL)


def selected(x, mask):
    """The elements where a mask is true, as a vector; None for arrays that are not contiguous and of one shape."""
    cdef Choice job
    cdef Py_ssize_t parts, i
    cdef cnp.ndarray out
    if not is_mask(mask) or not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISCARRAY_RO(x) \
            or not cnp.PyArray_SAMESHAPE(x, mask) or cnp.PyArray_TYPE(x) == cnp.NPY_OBJECT:
        return None
    job.mask, job.x = <const cnp.npy_uint8*>cnp.PyArray_DATA(mask), cnp.PyArray_DATA(x)
    job.n, job.size = cnp.PyArray_SIZE(x), cnp.PyArray_ITEMSIZE(x)
    if job.size not in (1, 2, 4, 8, 16):
        return None
    parts = (job.n + PART - 1) // PART
    job.starts = <Py_ssize_t*>malloc((parts + 1) * sizeof(Py_ssize_t))
    if job.starts == NULL:
        raise MemoryError
    try:
        job.starts[0] = 0
        shared(count_parts, &job, parts, 1)
        for i in range(parts):
            job.starts[i + 1] += job.starts[i]
        out = cnp.PyArray_SimpleNew(1, <cnp.npy_intp*>job.starts + parts, cnp.PyArray_TYPE(x))
        job.out = cnp.PyArray_DATA(out)
        shared(gather_parts, &job, parts, 1)
    finally:
        free(job.starts)
    return out
