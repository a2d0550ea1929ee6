# cython: boundscheck=False, wraparound=False, cdivision=True
"""Sorting by whole numbers: keys of 64 bits, in the order of the elements, with the index of each in the last bits.

NumPy sorts such numbers several times as fast as it sorts indices, and equal elements stay in their order. The first
bits of an element may be too few to tell it from others: where that leaves some in the wrong order, they are sorted again.
"""

cimport numpy as cnp
from libc.string cimport memcpy

from rushlight.kernels.compiled.arrays cimport number_type
from rushlight.kernels.compiled.lanes cimport wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    GRAIN = 1 << 14  # elements of one thread's part
    MANY = 64  # places that an element may be moved by when it is sorted again

ctypedef cnp.npy_int64 whole

ctypedef fused element:
    float
    double
    cnp.npy_int64

cdef struct Job:
    const void* rows
    whole* keys
    void* values
    whole* places
    Py_ssize_t n
    int bits  # of an index
    whole turned  # -1 for descending order, which turns all bits, else 0
    int kind
    bint failed


cdef inline whole whole_of(element x) noexcept nogil:
    """A whole number in the order of the elements; that of NaN is the largest, and both zeros have one."""
    cdef cnp.npy_int32 single
    cdef whole found
    if element is float:
        memcpy(&single, &x, sizeof(float))
        single ^= (single >> 31) & 0x7FFFFFFF
        single = 0 if x == 0 else single
        return single if x == x else 0x7FFFFFFF
    elif element is double:
        memcpy(&found, &x, sizeof(double))
        found ^= (found >> 63) & <whole>0x7FFFFFFFFFFFFFFF
        found = 0 if x == 0 else found
        return found if x == x else <whole>0x7FFFFFFFFFFFFFFF
    else:
        return x


cdef wide write_keys(const element* x, whole* keys, Py_ssize_t n, int bits, whole turned, whole first) noexcept nogil:
    """The keys of a row: of floats their 32 bits, of doubles the first ones, of integers what they are above `first`."""
    cdef whole last = (<whole>1 << bits) - 1, i
    for i in range(n):
        if element is float:
            keys[i] = ((whole_of(x[i]) ^ turned) << 32) | i
        elif element is double:
            keys[i] = ((whole_of(x[i]) ^ turned) & ~last) | i
        else:
            keys[i] = (((x[i] - first) ^ turned) << bits) | i


cdef wide find_range(const whole* x, Py_ssize_t n, whole* found) noexcept nogil:
    """The smallest and the largest of some integers."""
    cdef Py_ssize_t i
    cdef whole low = x[0], high = x[0]
    for i in range(n):
        low = x[i] if x[i] < low else low
        high = x[i] if x[i] > high else high
    found[0], found[1] = low, high


cdef void key_rows(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Writes the keys of some rows."""
    cdef Job* job = <Job*>given
    cdef whole[2] limits
    cdef Py_ssize_t i, at
    for i in range(start, stop):
        at = i * job.n
        if job.kind == cnp.NPY_FLOAT:
            write_keys(<const float*>job.rows + at, job.keys + at, job.n, job.bits, job.turned, 0)
        elif job.kind == cnp.NPY_DOUBLE:
            write_keys(<const double*>job.rows + at, job.keys + at, job.n, job.bits, job.turned, 0)
        else:
            find_range(<const whole*>job.rows + at, job.n, limits)
            if (<cnp.npy_uint64>limits[1] - <cnp.npy_uint64>limits[0]) >> (62 - job.bits):
                job.failed = True
                return
            write_keys(<const whole*>job.rows + at, job.keys + at, job.n, job.bits, job.turned, limits[0])


cdef bint settle_row(const element* x, const whole* keys, element* values, whole* places, const Job* job) noexcept nogil:
    """Writes the elements of a row in order, and their places; returns whether few had to be sorted again."""
    cdef whole last = (<whole>1 << job.bits) - 1, i, j, place, key
    for i in range(job.n):
        place = keys[i] & last
        places[i], values[i] = place, x[place]
        if element is double:
            if i == 0 or (keys[i] ^ keys[i - 1]) & ~last:
                continue
            key, j = whole_of(x[place]) ^ job.turned, i
            while j > 0 and whole_of(values[j - 1]) ^ job.turned > key:
                if i - j == MANY:
                    return False
                places[j], values[j] = places[j - 1], values[j - 1]
                j -= 1
            places[j], values[j] = place, x[place]
    return True


cdef void settle_rows(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Writes some rows in order."""
    cdef Job* job = <Job*>given
    cdef Py_ssize_t i, at
    for i in range(start, stop):
        at = i * job.n
        if job.kind == cnp.NPY_FLOAT:
            settle_row(<const float*>job.rows + at, job.keys + at, <float*>job.values + at, job.places + at, job)
        elif job.kind == cnp.NPY_INT64:
            settle_row(<const whole*>job.rows + at, job.keys + at, <whole*>job.values + at, job.places + at, job)
        elif not settle_row(
            <const double*>job.rows + at, job.keys + at, <double*>job.values + at, job.places + at, job
        ):
            job.failed = True
            return


cdef bint begin(Job* job, cnp.ndarray rows, bint descending, int kind) noexcept:
    """Notes the rows of a contiguous array in a job; returns whether their indices fit into keys."""
    job.rows, job.kind, job.n = cnp.PyArray_DATA(rows), kind, rows.shape[rows.ndim - 1]
    job.turned, job.failed, job.bits = -<whole>descending, False, 1
    while job.n >> job.bits:
        job.bits += 1
    if kind == cnp.NPY_FLOAT:
        job.bits = 32
    return job.n < <Py_ssize_t>1 << 31


def keys(rows, bint descending):
    """The keys of each row along the last dimension of a contiguous array.

    None for other arrays than of float32, float64 and int64, and for integers too far apart.
    """
    cdef int kind = number_type(rows)
    cdef Job job
    if kind == 0 or (<cnp.ndarray>rows).ndim == 0 or not cnp.PyArray_IS_C_CONTIGUOUS(rows) \
            or not begin(&job, rows, descending, kind):
        return None
    cdef cnp.ndarray out = cnp.PyArray_SimpleNew((<cnp.ndarray>rows).ndim, (<cnp.ndarray>rows).shape, cnp.NPY_INT64)
    job.keys = <whole*>cnp.PyArray_DATA(out)
    shared(key_rows, &job, cnp.PyArray_SIZE(rows) // job.n, max(1, GRAIN // job.n))
    return None if job.failed else out


def settled(cnp.ndarray rows not None, cnp.ndarray keys not None, bint descending):
    """The elements of each row in the order of its sorted keys, and their places; None if too many are not in order."""
    cdef Job job
    cdef cnp.ndarray values = cnp.PyArray_SimpleNew(rows.ndim, rows.shape, cnp.PyArray_TYPE(rows))
    cdef cnp.ndarray places = cnp.PyArray_SimpleNew(rows.ndim, rows.shape, cnp.NPY_INT64)
    begin(&job, rows, descending, cnp.PyArray_TYPE(rows))
    job.keys, job.values = <whole*>cnp.PyArray_DATA(keys), cnp.PyArray_DATA(values)
    job.places = <whole*>cnp.PyArray_DATA(places)
    shared(settle_rows, &job, cnp.PyArray_SIZE(rows) // job.n, max(1, GRAIN // job.n))
    return None if job.failed else (values, places)
