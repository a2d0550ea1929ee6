# cython: boundscheck=False, wraparound=False, cdivision=True
"""Gathers, scatters or reduces elements of any size along a dimension by an index, for arrays of any strides."""

from libc.string cimport memcpy

cimport numpy as cnp
from numpy cimport npy_intp

from rushlight.kernels.compiled.copies cimport item
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.moves cimport contiguous
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    MOST_DIMS = 16
    TAKE = 0
    PUT = 1
    SUM = 2
    PRODUCT = 3
    LARGEST = 4
    SMALLEST = 5
    GRAIN = 1 << 14  # elements of one thread's part

WAYS = {None: PUT, "sum": SUM, "prod": PRODUCT, "amax": LARGEST, "amin": SMALLEST}


cdef struct Walk:
    int ndim
    npy_intp shape[MOST_DIMS]  # of the values
    npy_intp places[MOST_DIMS]  # strides of the index: 0 where a vector of indices is repeated
    npy_intp array[MOST_DIMS]  # strides of the gathered or scattered array: 0 along `dim`
    npy_intp values[MOST_DIMS]  # strides of the values: 0 where they are repeated
    npy_intp step, size  # stride and size of the array along `dim`


cdef bint is_block(const Walk* walk, npy_intp size) noexcept nogil:
    """Whether a row of the array is adjacent in memory, with one index, and its values too, or one value."""
    cdef int last = walk.ndim - 1
    return walk.places[last] == 0 and walk.array[last] == size and walk.values[last] in (0, size)


cdef inline void copy_block(void* out, const void* x, size_t bytes) noexcept nogil:
    """Copies a row; a number of bytes that the compiler knows takes no call."""
    if bytes == 64:
        memcpy(out, x, 64)
    elif bytes == 128:
        memcpy(out, x, 128)
    elif bytes == 32:
        memcpy(out, x, 32)
    else:
        memcpy(out, x, bytes)


cdef inline bint move_block(const Walk* walk, const char* index, char* array, char* values, int way,
                            item* like) noexcept nogil:
    """Gathers or scatters such a row; returns whether its index was valid."""
    cdef npy_intp i, k = (<const cnp.npy_int64*>index)[0], count = walk.shape[walk.ndim - 1]
    cdef item* target = <item*>(array + k * walk.step)
    cdef item value = (<item*>values)[0]
    if not 0 <= k < walk.size:
        return False
    if way == TAKE:
        copy_block(values, target, count * sizeof(item))
    elif walk.values[walk.ndim - 1]:
        copy_block(target, values, count * sizeof(item))
    else:
        for i in range(count):
            target[i] = value
    return True


cdef struct Line:  # how a row is traversed
    npy_intp n
    npy_intp places, along, apart  # strides of the index, of the array apart from `step`, and of the values
    npy_intp step, size  # of the array along the dimension


cdef inline Line line_of(const Walk* walk) noexcept nogil:
    """How the rows of a walk are traversed."""
    cdef int last = walk.ndim - 1
    return Line(walk.shape[last], walk.places[last], walk.array[last], walk.values[last], walk.step, walk.size)


cdef struct Rows:  # how the rows of a matrix, the last two dimensions, are traversed
    npy_intp n
    npy_intp places, array, values  # strides


cdef inline Rows rows_of(const Walk* walk) noexcept nogil:
    """How the rows of a walk's matrices are traversed; a walk of one dimension has one row."""
    cdef int d = walk.ndim - 2
    if d < 0:
        return Rows(1, 0, 0, 0)
    return Rows(walk.shape[d], walk.places[d], walk.array[d], walk.values[d])


cdef inline bint is_plain_line(const Line* line, npy_intp size) noexcept nogil:
    """Whether indices and values are adjacent in memory, and the array's elements along the dimension."""
    return line.places == sizeof(cnp.npy_int64) and line.along == 0 and line.step == line.apart == size


cdef inline bint move_line(Line line, const char* index, char* array, char* values, int way, item* like) noexcept nogil:
    """Gathers or scatters a row; returns whether its indices were valid."""
    cdef npy_intp i, k
    for i in range(line.n):
        k = (<const cnp.npy_int64*>index)[0]
        if <size_t>k >= <size_t>line.size:
            return False
        if way == TAKE:
            (<item*>values)[0] = (<item*>(array + k * line.step))[0]
        else:
            (<item*>(array + k * line.step))[0] = (<item*>values)[0]
        index += line.places
        array += line.along
        values += line.apart
    return True


cdef bint move_rows(const Walk* walk, const char* index, char* array, char* values, int way, item* like) noexcept nogil:
    """Gathers or scatters the rows of a matrix; returns whether their indices were valid."""
    cdef Rows rows = rows_of(walk)
    cdef Line line = line_of(walk)
    cdef bint block = is_block(walk, sizeof(item)), plain = is_plain_line(&line, sizeof(item)), valid = True
    cdef npy_intp i
    for i in range(rows.n):
        if block:
            valid = move_block(walk, index, array, values, way, like)
        elif plain:  # the compiler knows the strides
            line.places, line.along, line.apart, line.step = sizeof(cnp.npy_int64), 0, sizeof(item), sizeof(item)
            valid = move_line(line, index, array, values, TAKE, like) if way == TAKE else \
                move_line(line, index, array, values, PUT, like)
        else:
            valid = move_line(line, index, array, values, way, like)
        if not valid:
            return False
        index += rows.places
        array += rows.array
        values += rows.values
    return True


cdef inline real reduced(real old, real new, int way) noexcept nogil:
    """The old and the new value reduced; NaN stays."""
    cdef real best
    if way == SUM:
        return old + new
    if way == PRODUCT:
        return old * new
    if way == LARGEST:  # one instruction; a branch would often be mispredicted
        best = new if new > old else old
    else:
        best = new if new < old else old
    return best if new == new else new


cdef inline bint reduce_line(Line line, const char* index, char* array, const char* values, int way,
                             real* like) noexcept nogil:
    """Reduces a row into the array in a way that the compiler knows; returns whether its indices were valid."""
    cdef npy_intp i, k
    cdef real* place
    for i in range(line.n):
        k = (<const cnp.npy_int64*>index)[0]
        if <size_t>k >= <size_t>line.size:
            return False
        place = <real*>(array + k * line.step)
        place[0] = reduced(place[0], (<const real*>values)[0], way)
        index += line.places
        array += line.along
        values += line.apart
    return True


cdef inline bint reduce_any_line(Line line, const char* index, char* array, const char* values, int way,
                                 real* like) noexcept nogil:
    """`reduce_line` for any way."""
    if way == SUM:
        return reduce_line(line, index, array, values, SUM, like)
    if way == PRODUCT:
        return reduce_line(line, index, array, values, PRODUCT, like)
    if way == LARGEST:
        return reduce_line(line, index, array, values, LARGEST, like)
    return reduce_line(line, index, array, values, SMALLEST, like)


cdef inline void reduce_block(real* target, const real* values, npy_intp n, bint one, int way) noexcept nogil:
    """Reduces a row of values, or one value, into adjacent elements in a way that the compiler knows."""
    cdef npy_intp i
    cdef real value = values[0]
    if one:
        for i in range(n):
            target[i] = reduced(target[i], value, way)
    else:
        for i in range(n):
            target[i] = reduced(target[i], values[i], way)


cdef inline bint reduce_any_block(const Walk* walk, const char* index, char* array, const real* values, int way,
                                  real* like) noexcept nogil:
    """`reduce_block` for any way; returns whether its index was valid."""
    cdef npy_intp k = (<const cnp.npy_int64*>index)[0], n = walk.shape[walk.ndim - 1]
    cdef bint one = walk.values[walk.ndim - 1] == 0
    cdef real* target = <real*>(array + k * walk.step)
    if not 0 <= k < walk.size:
        return False
    if way == SUM:
        reduce_block(target, values, n, one, SUM)
    elif way == PRODUCT:
        reduce_block(target, values, n, one, PRODUCT)
    elif way == LARGEST:
        reduce_block(target, values, n, one, LARGEST)
    else:
        reduce_block(target, values, n, one, SMALLEST)
    return True


cdef wide reduce_rows(const Walk* walk, const char* index, char* array, const char* values, int way, bint* valid,
                      real* like) noexcept nogil:
    """Reduces the rows of a matrix into the array; notes whether their indices were valid."""
    cdef Rows rows = rows_of(walk)
    cdef Line line = line_of(walk)
    cdef bint block = is_block(walk, sizeof(real)), plain = is_plain_line(&line, sizeof(real))
    cdef npy_intp i
    for i in range(rows.n):
        if block:
            valid[0] = reduce_any_block(walk, index, array, <const real*>values, way, like)
        elif plain:  # the compiler knows the strides
            line.places, line.along, line.apart, line.step = sizeof(cnp.npy_int64), 0, sizeof(real), sizeof(real)
            valid[0] = reduce_any_line(line, index, array, values, way, like)
        else:
            valid[0] = reduce_any_line(line, index, array, values, way, like)
        if not valid[0]:
            return
        index += rows.places
        array += rows.array
        values += rows.values


cdef bint do_rows(const Walk* walk, const char* index, char* array, char* values, int size, int way) noexcept nogil:
    """Processes the rows of a matrix by the size of its elements; those that are reduced are floats or doubles."""
    cdef bint valid = True
    if way != TAKE and way != PUT:
        if size == 4:
            reduce_rows(walk, index, array, values, way, &valid, <float*>NULL)
        else:
            reduce_rows(walk, index, array, values, way, &valid, <double*>NULL)
        return valid
    if size == 1:
        return move_rows(walk, index, array, values, way, <cnp.npy_uint8*>NULL)
    if size == 2:
        return move_rows(walk, index, array, values, way, <cnp.npy_uint16*>NULL)
    if size == 4:
        return move_rows(walk, index, array, values, way, <cnp.npy_uint32*>NULL)
    if size == 8:
        return move_rows(walk, index, array, values, way, <cnp.npy_uint64*>NULL)
    return move_rows(walk, index, array, values, way, <double complex*>NULL)


cdef struct Job:
    const Walk* walk
    const char* index
    char* array
    char* values
    int size, way
    int cut  # the dimension whose indices threads share
    bint failed  # whether an index is invalid


cdef void walk_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Processes some indices of the dimension that is cut."""
    cdef Job* job = <Job*>given
    cdef Walk walk = job.walk[0]
    cdef int cut = job.cut
    walk.shape[cut] = stop - start
    if not walked(&walk, job.index + start * walk.places[cut], job.array + start * walk.array[cut],
                  job.values + start * walk.values[cut], job.size, job.way):
        job.failed = True


cdef bint walked(Walk* walk, const char* index, char* array, char* values, int size, int way) noexcept nogil:
    """Processes all matrices of rows; returns whether all indices were valid."""
    cdef npy_intp at[MOST_DIMS]
    cdef int d
    for d in range(walk.ndim):
        if walk.shape[d] == 0:
            return True
        at[d] = 0
    while True:
        if not do_rows(walk, index, array, values, size, way):
            return False
        d = walk.ndim - 3
        while d >= 0:
            at[d] += 1
            index += walk.places[d]
            array += walk.array[d]
            values += walk.values[d]
            if at[d] < walk.shape[d]:
                break
            index -= at[d] * walk.places[d]
            array -= at[d] * walk.array[d]
            values -= at[d] * walk.values[d]
            at[d] = 0
            d -= 1
        if d < 0:
            return True


cdef bint is_plain(object x) noexcept:
    """Whether an array has elements of a supported size, aligned and in native byte order."""
    return cnp.PyArray_CheckExact(x) and cnp.PyArray_ISBEHAVED_RO(x) and not cnp.PyArray_ISOBJECT(x) \
        and cnp.PyArray_ITEMSIZE(x) in (1, 2, 4, 8, 16)


cdef bint prepare(Walk* walk, object array, object index, int dim) except -1:
    """Sets how arrays are traversed; returns whether they can be. Indices of a vector stand for whole slices."""
    cdef cnp.ndarray x, places
    cdef bint vector
    cdef int d
    if not is_plain(array) or not is_plain(index) or cnp.PyArray_TYPE(index) != cnp.NPY_INT64:
        return False
    x, places = array, index
    walk.ndim = x.ndim
    vector = places.ndim == 1
    if x.ndim == 0 or x.ndim > MOST_DIMS or not (vector or places.ndim == x.ndim) or not 0 <= dim < x.ndim:
        return False
    for d in range(x.ndim):
        if vector:
            walk.shape[d], walk.places[d] = x.shape[d], 0
            continue
        if d != dim and places.shape[d] > x.shape[d]:
            return False
        walk.shape[d], walk.places[d] = places.shape[d], places.strides[d]
    if vector:
        walk.shape[dim], walk.places[dim] = places.shape[0], places.strides[0]
    for d in range(x.ndim):
        walk.array[d] = 0 if d == dim else x.strides[d]
    walk.step, walk.size = x.strides[dim], x.shape[dim]
    return True


cdef bint spread(Walk* walk, cnp.ndarray values) except -1:
    """Sets how values are repeated; returns whether they broadcast to the shape."""
    cdef int d, own = values.ndim - walk.ndim
    if own > 0:
        return False
    for d in range(walk.ndim):
        if d + own < 0 or (values.shape[d + own] == 1 and walk.shape[d] != 1):
            walk.values[d] = 0
        elif values.shape[d + own] == walk.shape[d]:
            walk.values[d] = values.strides[d + own]
        else:
            return False
    return True


cdef bint run(Walk* walk, cnp.ndarray array, cnp.ndarray index, cnp.ndarray values, int way) except -1:
    """Traverses the arrays; returns whether all indices were valid."""
    cdef int d
    cdef npy_intp count = 1, grain
    cdef Job job = Job(walk, cnp.PyArray_BYTES(index), cnp.PyArray_BYTES(array), cnp.PyArray_BYTES(values),
                       cnp.PyArray_ITEMSIZE(array), way, -1, False)
    for d in range(walk.ndim):
        count *= walk.shape[d]
        if job.cut < 0 and walk.shape[d] > 1 and (way == TAKE or walk.array[d] != 0):  # no element is written twice
            job.cut = d
    if job.cut < 0 or count < GRAIN:
        with nogil:
            return walked(walk, job.index, job.array, job.values, job.size, way)
    grain = max(1, GRAIN * walk.shape[job.cut] // count)
    if job.cut == walk.ndim - 1:
        grain = max(grain, walk.shape[job.cut] // 8)  # long pieces of rows
    shared(walk_part, &job, walk.shape[job.cut], grain)
    return not job.failed


cdef object in_step(object index, object array):
    """An index in the order of a contiguous array, rather than backwards."""
    if not cnp.PyArray_CheckExact(index) or not cnp.PyArray_CheckExact(array) or cnp.PyArray_IS_C_CONTIGUOUS(index):
        return index
    return contiguous(index) if cnp.PyArray_IS_F_CONTIGUOUS(index) and cnp.PyArray_IS_C_CONTIGUOUS(array) else index


def taken(array, index, int dim):
    """The elements of an array at `index` along a dimension; None for inputs that the kernel does not take."""
    cdef Walk walk
    cdef cnp.ndarray out
    index = in_step(index, array)
    if not prepare(&walk, array, index, dim):
        return None
    out = cnp.PyArray_EMPTY(walk.ndim, walk.shape, cnp.PyArray_TYPE(array), 0)
    spread(&walk, out)
    return out if run(&walk, array, index, out, TAKE) else None


def put(array, index, int dim, values, reduce):
    """Writes values into an array along a dimension, or reduces them, repeated to the shape; returns whether it could.

    If it could not, some may already have been written.
    """
    cdef Walk walk
    cdef int way = WAYS[reduce]
    index = in_step(index, array)
    if not prepare(&walk, array, index, dim) or not is_plain(values) or not cnp.PyArray_ISWRITEABLE(array) \
            or cnp.PyArray_TYPE(values) != cnp.PyArray_TYPE(array) or not spread(&walk, values):
        return False
    if way != PUT and cnp.PyArray_TYPE(array) != cnp.NPY_FLOAT and cnp.PyArray_TYPE(array) != cnp.NPY_DOUBLE:
        return False
    return run(&walk, array, index, values, way)
