# distutils: extra_compile_args = -ffp-contract=off
# cython: boundscheck=False, wraparound=False, cdivision=True
"""Sparse matrices times arrays along dimensions that follow each other: for resizing, and averages of windows.

Where an array has many planes of these dimensions, each is multiplied by all matrices while it is in the cache.
"""

cimport numpy as cnp
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.lanes cimport always, real, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    GRAIN = 1 << 14  # products of a thread's part
    TILE = 32  # elements of the longest line that is added up in registers
    MOST = 3  # matrices that are multiplied by at once
    ROOM = 1 << 18  # bytes between two matrices that stay in the cache
    MANY = 8  # planes that threads can share

# A matrix times an array (outer, n, inner).
cdef struct Job:
    const void* x
    const void* weights  # NULL if all are 1
    const int* starts  # of each row's weights
    const int* places  # the column of each weight; or else `far_places`
    const cnp.npy_int64* far_places
    void* out
    Py_ssize_t outer
    Py_ssize_t rows
    Py_ssize_t n
    Py_ssize_t inner
    bint single
    bint single_weights  # each row has one
    int repeats  # rows that each column has, in order, 2 to 4; 0 if that differs
    int addends  # columns that each row has, in order, 2 to 4; 0 if that differs
    Py_ssize_t first, last  # rows between have two weights each


cdef inline Py_ssize_t place_of(const Job* job, Py_ssize_t k) noexcept nogil:
    """The column of a weight."""
    return job.places[k] if job.far_places == NULL else job.far_places[k]


cdef always combine_pairs(const Job* job, Py_ssize_t row, Py_ssize_t count, const real* source, const real* weights,
                          real* out) noexcept nogil:
    """Computes some rows of two weights for one line of numbers."""
    cdef const int* places = job.places + job.starts[row]
    cdef Py_ssize_t i
    weights += job.starts[row]
    for i in range(count):
        out[i] = weights[2 * i] * source[places[2 * i]] + weights[2 * i + 1] * source[places[2 * i + 1]]


cdef always repeat_numbers(Py_ssize_t row, Py_ssize_t count, const real* source, const real* weights, real* out,
                           int times) noexcept nogil:
    """Computes some rows where each column has a constant number of them."""
    cdef Py_ssize_t i = 0, j
    cdef int t
    while i < count and (row + i) % times:
        out[i] = weights[row + i] * source[(row + i) // times]
        i += 1
    source += (row + i) // times
    weights += row
    for j in range((count - i) // times):
        for t in range(times):
            out[i + j * times + t] = weights[i + j * times + t] * source[j]
    source += (count - i) // times
    for j in range(count - (count - i) % times, count):
        out[j] = weights[j] * source[0]


cdef always add_numbers(Py_ssize_t row, Py_ssize_t count, const real* source, const real* weights, real* out,
                        int times) noexcept nogil:
    """Computes some rows that have a constant number of columns each."""
    cdef Py_ssize_t i
    cdef int t
    cdef real total
    source += row * times
    weights += row * times
    for i in range(count):
        total = weights[i * times] * source[i * times]
        for t in range(1, times):
            total += weights[i * times + t] * source[i * times + t]
        out[i] = total


cdef always combine_in_order(const Job* job, Py_ssize_t row, Py_ssize_t count, const real* source, const real* weights,
                             real* out) noexcept nogil:
    """Computes some rows for one line of numbers, where columns or rows have as many each, in order."""
    if job.repeats == 2:
        repeat_numbers(row, count, source, weights, out, 2)
    elif job.repeats == 3:
        repeat_numbers(row, count, source, weights, out, 3)
    elif job.repeats == 4:
        repeat_numbers(row, count, source, weights, out, 4)
    elif job.addends == 2:
        add_numbers(row, count, source, weights, out, 2)
    elif job.addends == 3:
        add_numbers(row, count, source, weights, out, 3)
    else:
        add_numbers(row, count, source, weights, out, 4)


cdef always combine_numbers(const Job* job, Py_ssize_t row, Py_ssize_t count, const real* source, const real* weights,
                            real* out) noexcept nogil:
    """Computes some rows, from `row` on, for one line of numbers."""
    cdef const int* starts = job.starts + row
    cdef Py_ssize_t i = 0, k, pairs
    cdef real total
    if job.single_weights:
        for i in range(count):
            out[i] = weights[row + i] * source[job.places[row + i]]
        return
    while i < count:
        if job.first <= row + i < job.last:
            pairs = min(count - i, job.last - row - i)
            combine_pairs(job, row + i, pairs, source, weights, out + i)
            i += pairs
            continue
        total = 0
        for k in range(starts[i], starts[i + 1]):
            total += (weights[k] if weights != NULL else 1) * source[place_of(job, k)]
        out[i] = total
        i += 1


cdef always combine_row(const Job* job, Py_ssize_t row, const real* source, const real* weights, real* out) noexcept nogil:
    """Computes one row, for contiguous lines: short ones are added up in registers."""
    cdef const int* starts = job.starts + row
    if job.inner == TILE:
        combine_tile(job, starts, source, weights, out, TILE)
    elif job.inner == TILE // 2:
        combine_tile(job, starts, source, weights, out, TILE // 2)
    else:
        combine_lines(job, starts, source, weights, out)


cdef always combine_tile(const Job* job, const int* starts, const real* source, const real* weights, real* out,
                         Py_ssize_t n) noexcept nogil:
    """Computes a row of n elements, a constant number."""
    cdef real sums[TILE]
    cdef Py_ssize_t c, k
    cdef const real* line
    cdef real weight
    for c in range(n):
        sums[c] = 0
    for k in range(starts[0], starts[1]):
        line = source + place_of(job, k) * n
        weight = weights[k] if weights != NULL else 1
        for c in range(n):
            sums[c] += weight * line[c]
    for c in range(n):
        out[c] = sums[c]


cdef always combine_lines(const Job* job, const int* starts, const real* source, const real* weights,
                          real* out) noexcept nogil:
    """Computes a row line by line, so that memory is read in its order."""
    cdef Py_ssize_t c, k
    cdef const real* line
    cdef real weight
    if starts[0] == starts[1]:
        memset(out, 0, job.inner * sizeof(real))
    for k in range(starts[0], starts[1]):
        line = source + place_of(job, k) * job.inner
        weight = weights[k] if weights != NULL else 1
        if k == starts[0]:
            for c in range(job.inner):
                out[c] = weight * line[c]
        else:
            for c in range(job.inner):
                out[c] += weight * line[c]


cdef wide combine(const Job* job, Py_ssize_t start, Py_ssize_t stop, const real* x, const real* weights,
                  real* out) noexcept nogil:
    """Computes some lines of the result."""
    cdef Py_ssize_t line = start, row, count
    cdef const real* source
    while line < stop:
        row = line % job.rows
        count = 1 if job.inner > 1 else min(job.rows - row, stop - line)
        source = x + line // job.rows * job.n * job.inner
        if job.inner > 1:
            combine_row(job, row, source, weights, out + line * job.inner)
        elif job.repeats or job.addends:
            combine_in_order(job, row, count, source, weights, out + line)
        else:
            combine_numbers(job, row, count, source, weights, out + line)
        line += count


cdef void combine_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of a job, by its dtype."""
    cdef const Job* job = <const Job*>given
    if job.single:
        combine(job, start, stop, <const float*>job.x, <const float*>job.weights, <float*>job.out)
    else:
        combine(job, start, stop, <const double*>job.x, <const double*>job.weights, <double*>job.out)


cdef inline int times_of(Py_ssize_t many, Py_ssize_t few) noexcept nogil:
    """How many times as many there are, if that is 2 to 4; else 0."""
    return <int>(many // few) if many % few == 0 and 2 <= many // few <= 4 else 0


cdef void find_patterns(Job* job) noexcept nogil:
    """Finds out which rows have one weight or two, and whether columns or rows have as many each, in order."""
    cdef Py_ssize_t row, k, weights = job.starts[job.rows]
    job.single_weights, job.repeats, job.addends, job.first, job.last = False, 0, 0, 0, 0
    if job.inner > 1 or job.weights == NULL or job.far_places != NULL:
        return
    job.single_weights = weights == job.rows
    job.repeats = times_of(job.rows, job.n) if job.single_weights else 0
    job.addends = times_of(job.n, job.rows) if weights == job.n else 0
    for row in range(job.rows):
        if job.starts[row + 1] - job.starts[row] != 1:
            job.single_weights, job.repeats = False, 0
        if job.starts[row] != row * job.addends:
            job.addends = 0
    for k in range(weights):
        if job.repeats and job.places[k] != k // job.repeats:
            job.repeats = 0
        if job.addends and job.places[k] != k:
            job.addends = 0
    while job.first < job.rows and job.starts[job.first + 1] - job.starts[job.first] != 2:
        job.first += 1
    job.last = job.first
    while job.last < job.rows and job.starts[job.last + 1] - job.starts[job.last] == 2:
        job.last += 1


cdef inline Py_ssize_t work_of(const Job* job) noexcept nogil:
    """How many products a row takes, at least."""
    return max(<Py_ssize_t>1, job.starts[job.rows] // job.rows) * job.inner


# the products of an array with several matrices, in the order in which they are computed

cdef struct Planes:
    Job steps[MOST]
    int count
    const void* x
    void* out
    Py_ssize_t taken, made  # bytes of a plane, before and after
    Py_ssize_t room  # bytes of the largest plane between two products
    bint failed  # if memory ran out


cdef void put_next(Planes* job, const Job* step, int d, Py_ssize_t* sizes, int dims, Py_ssize_t tail) noexcept nogil:
    """Puts a product along dimension d behind those that are there, and changes the sizes of the plane as it does."""
    cdef Job* put = &job.steps[job.count]
    cdef int k
    put[0] = step[0]
    put.n, put.outer, put.inner = sizes[d], 1, tail
    for k in range(dims):
        if k < d:
            put.outer *= sizes[k]
        elif k > d:
            put.inner *= sizes[k]
    sizes[d] = put.rows
    find_patterns(put)
    job.count += 1


cdef void put_in_order(Planes* job, const Job* steps, Py_ssize_t* sizes, int dims, Py_ssize_t tail) noexcept nogil:
    """Puts the products in an order that keeps planes small, and rows that are computed as a whole long.

    Those that shrink a plane come first, the outer dimensions before the inner; then those that let it grow, the inner
    dimensions before the outer.
    """
    cdef Py_ssize_t before[MOST]
    cdef int d
    for d in range(dims):
        before[d] = sizes[d]
        if steps[d].rows <= before[d]:
            put_next(job, &steps[d], d, sizes, dims, tail)
    for d in range(dims - 1, -1, -1):
        if steps[d].rows > before[d]:
            put_next(job, &steps[d], d, sizes, dims, tail)


cdef void map_planes(const void* pointer, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some planes, each by all products."""
    cdef Planes* job = <Planes*>pointer
    cdef char* memory = <char*>malloc(2 * job.room)
    cdef const char* source
    cdef Py_ssize_t i
    cdef Job step
    cdef int k
    if memory == NULL:
        job.failed = True
        return
    for i in range(start, stop):
        source = <const char*>job.x + i * job.taken
        for k in range(job.count):
            step = job.steps[k]
            step.x = source
            step.out = <char*>job.out + i * job.made if k + 1 == job.count else memory + k % 2 * job.room
            combine_part(&step, 0, step.outer * step.rows)
            source = <const char*>step.out
    free(memory)


cdef int compute(Planes* job, Py_ssize_t planes, Py_ssize_t element, int kind) except -1:
    """Computes all planes: each by all products, or all by one product after the other."""
    cdef cnp.ndarray between = None, last
    cdef Py_ssize_t work = 0
    cdef cnp.npy_intp size
    cdef const void* source = job.x
    cdef Job* step
    cdef int k
    job.room, job.failed = 0, False
    for k in range(job.count):
        step = &job.steps[k]
        work += step.outer * step.rows * work_of(step)
        if k + 1 < job.count:
            job.room = max(job.room, step.outer * step.rows * step.inner * element)
    if job.count > 1 and planes >= MANY and job.room <= ROOM:
        shared(map_planes, job, planes, max(<Py_ssize_t>1, GRAIN // work))
        if job.failed:
            raise MemoryError
        return 0
    for k in range(job.count):
        step = &job.steps[k]
        step.outer *= planes
        step.x, step.out, last = source, job.out, between  # which has to be kept until it is read
        if k + 1 < job.count:
            size = step.outer * step.rows * step.inner
            between = cnp.PyArray_SimpleNew(1, &size, kind)
            step.out = cnp.PyArray_DATA(between)
        shared(combine_part, step, step.outer * step.rows, max(<Py_ssize_t>1, GRAIN // work_of(step)))
        source = step.out
    return 0


cdef bint noted(Job* job, starts, cnp.ndarray places, cnp.ndarray weights, int kind) except -1:
    """Notes a matrix in a job; whether it is of the types that are taken."""
    if cnp.PyArray_TYPE(starts) != cnp.NPY_INT or not cnp.PyArray_IS_C_CONTIGUOUS(places) \
            or cnp.PyArray_TYPE(places) != cnp.NPY_INT and cnp.PyArray_TYPE(places) != cnp.NPY_INT64:
        return False
    job.rows, job.single = cnp.PyArray_SIZE(starts) - 1, kind == cnp.NPY_FLOAT
    job.weights = NULL if weights is None else cnp.PyArray_DATA(weights)
    job.starts, job.places, job.far_places = <const int*>cnp.PyArray_DATA(starts), NULL, NULL
    if cnp.PyArray_TYPE(places) == cnp.NPY_INT:
        job.places = <const int*>cnp.PyArray_DATA(places)
    else:
        job.far_places = <const cnp.npy_int64*>cnp.PyArray_DATA(places)
    return True


def mapped(x, int dim, *matrices):
    """Matrices in compressed rows times an array along dimensions from `dim` on; None for inputs that are not taken.

    Of each there are the starts of its rows (int32), the places (int32 or int64) and the weights, which have the dtype
    of the array, or are all 1 if None.
    """
    cdef cnp.npy_intp[64] shape
    cdef Py_ssize_t sizes[MOST]
    cdef Py_ssize_t planes = 1, tail = 1, element
    cdef Planes job
    cdef Job steps[MOST]
    cdef int d, dims = len(matrices), kind = float_type(x)
    cdef cnp.ndarray source, out
    if kind == 0 or dims > MOST:
        return None
    source = cnp.PyArray_GETCONTIGUOUS(x)
    element = cnp.PyArray_ITEMSIZE(source)
    for d in range(source.ndim):
        shape[d] = source.shape[d]
        if d < dim:
            planes *= shape[d]
        elif d >= dim + dims:
            tail *= shape[d]
    job.taken = job.made = element * tail
    for d in range(dims):
        starts, places, weights = matrices[d]
        if not noted(&steps[d], starts, places, weights, kind):
            return None
        sizes[d], shape[dim + d] = shape[dim + d], steps[d].rows
        job.taken, job.made = job.taken * sizes[d], job.made * steps[d].rows
    out = cnp.PyArray_SimpleNew(source.ndim, shape, kind)
    if cnp.PyArray_SIZE(out) == 0:
        return out
    job.x, job.out, job.count = cnp.PyArray_DATA(source), cnp.PyArray_DATA(out), 0
    put_in_order(&job, steps, sizes, dims, tail)
    compute(&job, planes, element, kind)
    return out
