# distutils: extra_compile_args = -ffp-contract=off
# cython: boundscheck=False, wraparound=False, cdivision=True
"""Maxima of windows, with or without their indices: all kinds of maximum pooling.

Windows are boxes in planes that are contiguous, or, in arrays (outer, plane, inner), any positions in the plane that a
table lists. Of equal elements the first counts, in the order in which they are compared, but the last NaN.
"""

cimport numpy as cnp
from libc.stdlib cimport free, malloc

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.lanes cimport always, real, wide
from rushlight.kernels.compiled.sharing cimport Kernel, shared
from rushlight.kernels.compiled.spans cimport MOST, Line, begin, dividing, end, measure, places_along, single_line, sliding

cnp.import_array()

cdef enum:
    GRAIN = 1 << 13  # elements that a thread's part looks at
    CHUNK = 512  # windows side by side

cdef struct Job:
    const void* x
    void* values
    cnp.npy_int64* found
    const cnp.npy_int64* seen
    Py_ssize_t windows
    Py_ssize_t taps
    Py_ssize_t plane
    Py_ssize_t inner
    bint alike  # whether all planes share one table
    bint single


cdef void look_along(const cnp.npy_int64* seen, Py_ssize_t taps, const real* x, real* value,
                     cnp.npy_int64* place) noexcept nogil:
    """The maximum of one window, without branches: which element wins, no CPU can guess."""
    cdef Py_ssize_t t, at, found = seen[0]
    cdef real best = x[found]
    cdef bint wins
    for t in range(1, taps):
        at = seen[t]
        wins = (x[at] > best) | (x[at] != x[at])
        best = x[at] if wins else best
        found = at if wins else found
    value[0], place[0] = best, found


cdef wide look_beside(const cnp.npy_int64* seen, Py_ssize_t taps, Py_ssize_t inner, const real* x, real* best,
                      cnp.npy_int64* found) noexcept nogil:
    """The maxima of one window in planes that are stored side by side."""
    cdef Py_ssize_t t, i, at
    cdef bint wins
    for i in range(inner):
        best[i], found[i] = x[seen[0] * inner + i], seen[0]
    for t in range(1, taps):
        at = seen[t]
        for i in range(inner):
            wins = (x[at * inner + i] > best[i]) | (x[at * inner + i] != x[at * inner + i])
            best[i] = x[at * inner + i] if wins else best[i]
            found[i] = at if wins else found[i]


cdef void look(const Job* job, Py_ssize_t start, Py_ssize_t stop, const real* x, real* values) noexcept nogil:
    """The maxima of some windows of all planes."""
    cdef Py_ssize_t line, window = start % job.windows, inner = job.inner
    cdef const cnp.npy_int64* seen = job.seen + (window if job.alike else start) * job.taps
    x += start // job.windows * job.plane * inner
    for line in range(start, stop):
        if inner == 1:
            look_along(seen, job.taps, x, values + line, job.found + line)
        else:
            look_beside(seen, job.taps, inner, x, values + line * inner, job.found + line * inner)
        seen += job.taps
        window += 1
        if window == job.windows:
            window = 0
            x += job.plane * inner
            seen = job.seen if job.alike else seen


cdef void look_at_lines(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of a job, by its dtype."""
    cdef const Job* job = <const Job*>given
    if job.single:
        look(job, start, stop, <const float*>job.x, <float*>job.values)
    else:
        look(job, start, stop, <const double*>job.x, <double*>job.values)


def largest(x, seen):
    """The maxima of (outer, plane, inner) and their positions (outer, windows, inner); None if not supported.

    `seen` (outer or 1, windows, taps) lists positions in the plane, which are not checked.
    """
    cdef int kind = float_type(x)
    cdef cnp.npy_intp[3] shape
    cdef Job job
    if kind == 0 or not cnp.PyArray_CheckExact(seen) or cnp.PyArray_TYPE(seen) != cnp.NPY_INT64 \
            or cnp.PyArray_SIZE(seen) == 0:
        return None
    cdef cnp.ndarray source = cnp.PyArray_GETCONTIGUOUS(x), table = cnp.PyArray_GETCONTIGUOUS(seen)
    job.windows, job.taps, job.alike = table.shape[1], table.shape[2], table.shape[0] == 1
    job.plane, job.inner, job.single = source.shape[1], source.shape[2], kind == cnp.NPY_FLOAT
    shape[0], shape[1], shape[2] = source.shape[0], job.windows, job.inner
    cdef cnp.ndarray values = cnp.PyArray_SimpleNew(3, shape, kind)
    cdef cnp.ndarray found = cnp.PyArray_SimpleNew(3, shape, cnp.NPY_INT64)
    job.x, job.values = cnp.PyArray_DATA(source), cnp.PyArray_DATA(values)
    job.found = <cnp.npy_int64*>cnp.PyArray_DATA(found)
    job.seen = <const cnp.npy_int64*>cnp.PyArray_DATA(table)
    shared(look_at_lines, &job, shape[0] * job.windows, max(1, GRAIN // (job.taps * job.inner)))
    return values, found


# windows that are boxes


cdef struct Boxes:
    const void* x
    void* values
    cnp.npy_int64* found  # NULL if no indices are asked for
    Line lines[MOST]  # of size 1 where there are fewer dimensions
    bint single


cdef always look_into(const real* x, const Boxes* job, Py_ssize_t p, Py_ssize_t q, Py_ssize_t r, real* value,
                      cnp.npy_int64* place) noexcept nogil:
    """The maximum of one window."""
    cdef const Line* a = &job.lines[0]
    cdef const Line* b = &job.lines[1]
    cdef const Line* c = &job.lines[2]
    cdef Py_ssize_t i = begin(a, p), below = end(a, p), first = begin(b, q), last = end(b, q), left = begin(c, r), j, at
    cdef Py_ssize_t right = end(c, r), found = (i * b.size + first) * c.size + left
    cdef real best = x[found]
    cdef bint wins
    while i < below:
        j = first
        while j < last:
            at = (i * b.size + j) * c.size + left
            while at < (i * b.size + j) * c.size + right:
                wins = (x[at] > best) | (x[at] != x[at])
                best = x[at] if wins else best
                found = at if wins else found
                at += c.dilation
            j += b.dilation
        i += a.dilation
    value[0] = best
    if place != NULL:
        place[0] = found


cdef always compare_beside(const real* x, real* best, cnp.npy_int64* found, Py_ssize_t n, Py_ssize_t at,
                           Py_ssize_t stride, bint with_indices) noexcept nogil:
    """Compares an element of each window, the first at a position, with its maximum."""
    cdef Py_ssize_t w
    cdef bint wins
    cdef real value
    for w in range(n):
        value = x[at + w * stride]
        wins = (value > best[w]) | (value != value)
        best[w] = value if wins else best[w]
        if with_indices:
            found[w] = at + w * stride if wins else found[w]


cdef always look_beside_each_other(const real* x, const Boxes* job, Py_ssize_t p, Py_ssize_t q, Py_ssize_t r,
                                   Py_ssize_t n, real* best, cnp.npy_int64* found, bint with_indices) noexcept nogil:
    """The maxima of some windows of a row, which lie inside: element by element of all of them."""
    cdef const Line* a = &job.lines[0]
    cdef const Line* b = &job.lines[1]
    cdef const Line* c = &job.lines[2]
    cdef Py_ssize_t i = begin(a, p), first = begin(b, q), j, k, w, at
    at = (i * b.size + first) * c.size + r * c.stride - c.padding
    for w in range(n):
        best[w] = x[at + w * c.stride]
        if with_indices:
            found[w] = at + w * c.stride
    while i < end(a, p):
        j = first
        while j < end(b, q):
            at = (i * b.size + j) * c.size + r * c.stride - c.padding
            for k in range(c.kernel):
                if c.stride == 1:
                    compare_beside(x, best, found, n, at, 1, with_indices)
                else:
                    compare_beside(x, best, found, n, at, 2, with_indices)
                at += c.dilation
            j += b.dilation
        i += a.dilation


cdef wide look_into_plane(const real* x, const Boxes* job, real* values, cnp.npy_int64* found) noexcept nogil:
    """The maxima of the windows of a plane."""
    cdef const Line* c = &job.lines[2]
    cdef Py_ssize_t p, q, r, n
    for p in range(job.lines[0].places):
        for q in range(job.lines[1].places):
            r = 0
            while r < c.places:
                if c.low <= r < c.high:
                    n = min(<Py_ssize_t>CHUNK, c.high - r)
                    if found == NULL:
                        look_beside_each_other(x, job, p, q, r, n, values, found, False)
                    else:
                        look_beside_each_other(x, job, p, q, r, n, values, found, True)
                else:
                    n = 1
                    look_into(x, job, p, q, r, values, found)
                values += n
                if found != NULL:
                    found += n
                r += n


cdef void look_into_planes(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some of the planes."""
    cdef const Boxes* job = <const Boxes*>given
    cdef Py_ssize_t i, d, size = 1, places = 1
    cdef cnp.npy_int64* found = NULL
    for d in range(MOST):
        size *= job.lines[d].size
        places *= job.lines[d].places
    for i in range(start, stop):
        if job.found != NULL:
            found = job.found + i * places
        if job.single:
            look_into_plane(<const float*>job.x + i * size, job, <float*>job.values + i * places, found)
        else:
            look_into_plane(<const double*>job.x + i * size, job, <double*>job.values + i * places, found)


cdef tuple maxima_of(cnp.ndarray x, Boxes* job, int dims, bint with_indices, Kernel kernel):
    """Runs a job, or one that begins with it, on an array: the maxima, and their indices or None."""
    cdef cnp.npy_intp[MOST + 2] shape
    cdef Py_ssize_t planes, work = measure(job.lines, x, dims, False, shape, &planes)
    cdef int kind = cnp.PyArray_TYPE(x)
    cdef cnp.ndarray values, found = None
    values = cnp.PyArray_SimpleNew(x.ndim, shape, kind)
    job.x, job.values, job.single, job.found = cnp.PyArray_DATA(x), cnp.PyArray_DATA(values), kind == cnp.NPY_FLOAT, NULL
    if with_indices:
        found = cnp.PyArray_SimpleNew(x.ndim, shape, cnp.NPY_INT64)
        job.found = <cnp.npy_int64*>cnp.PyArray_DATA(found)
    shared(kernel, job, planes, max(<Py_ssize_t>1, GRAIN // work))
    return values, found


cdef cnp.ndarray taken(object x, int dims):
    """The array, contiguous; None if it is not of the types that are taken, or if the samples lie innermost."""
    cdef cnp.ndarray array
    if float_type(x) == 0 or dims > MOST or not 0 <= (<cnp.ndarray>x).ndim - dims <= 2:
        return None
    array = x
    if array.ndim == dims + 2 and array.shape[0] > 1 and array.strides[0] == cnp.PyArray_ITEMSIZE(array):
        return None
    return cnp.PyArray_GETCONTIGUOUS(array)


cdef bint sees_all(const Line* line) noexcept nogil:
    """Whether each window sees at least one element."""
    cdef Py_ssize_t place = 0
    while place < line.places and place * line.stride < line.padding:
        if begin(line, place) >= line.size:
            return False
        place += 1
    return begin(line, line.places - 1) < line.size


def slid(x, kernel, stride, padding, dilation, bint ceil_mode, bint with_indices):
    """The maxima of windows at equal distances in an array (..., *spatial), and their indices in the plane, or None.

    None for arrays that are not taken, and where no window fits or one sees only padding.
    """
    cdef Boxes job
    cdef int dims = len(kernel), d, own
    cdef Py_ssize_t size, places
    cdef cnp.ndarray array = taken(x, dims)
    if array is None:
        return None
    for d in range(MOST):
        own = d - (MOST - dims)
        if own < 0:
            job.lines[d] = single_line()
            continue
        size = array.shape[array.ndim - dims + own]
        places = places_along(size, kernel[own], stride[own], padding[own], dilation[own], ceil_mode)
        job.lines[d] = sliding(size, places, kernel[own], stride[own], padding[own], dilation[own])
        if places < 1 or not sees_all(&job.lines[d]):
            return None
    return maxima_of(array, &job, dims, with_indices, look_into_planes)


def divided(x, sizes):
    """The maxima of as many windows as `sizes` of an array (..., *spatial), and their indices; None if not taken."""
    cdef Boxes job
    cdef int dims = len(sizes), d, own
    cdef cnp.ndarray array = taken(x, dims)
    if array is None:
        return None
    for d in range(MOST):
        own = d - (MOST - dims)
        if own < 0:
            job.lines[d] = single_line()
        elif sizes[own] < 1:
            return None
        else:
            job.lines[d] = dividing(array.shape[array.ndim - dims + own], sizes[own])
    return maxima_of(array, &job, dims, True, look_into_planes)


# fractional pooling: windows at random distances


cdef struct Sample:
    Boxes boxes
    const void* samples  # random numbers, for each plane as many as dimensions
    int dims
    bint failed  # if memory ran out


cdef void list_starts(const Line* line, real sample, Py_ssize_t* starts) noexcept nogil:
    """Lists the starts of the windows along a line, given its random number."""
    cdef Py_ssize_t i, last = line.places - 1
    cdef real alpha
    if last > 0:
        alpha = <real>(<double>(line.size - line.kernel) / last)
        for i in range(last):
            starts[i] = <Py_ssize_t>((<real>i + sample) * alpha) - <Py_ssize_t>(sample * alpha)
    starts[last] = line.size - line.kernel


cdef void sample_planes(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some of the planes, each with its own windows; in two dimensions the number for the width is first."""
    cdef Sample* job = <Sample*>given
    cdef Boxes own = job.boxes
    cdef int d, dims = job.dims
    cdef Py_ssize_t plane, which, room = 0
    cdef Py_ssize_t* starts
    for d in range(MOST - dims, MOST):
        room += own.lines[d].places
    starts = <Py_ssize_t*>malloc(room * sizeof(Py_ssize_t))
    if starts == NULL:
        job.failed = True
        return
    for plane in range(start, stop):
        room = 0
        for d in range(MOST - dims, MOST):
            which = plane * dims + (d - (MOST - dims) if dims == 3 else MOST - 1 - d)
            if own.single:
                list_starts(&own.lines[d], (<const float*>job.samples)[which], starts + room)
            else:
                list_starts(&own.lines[d], (<const double*>job.samples)[which], starts + room)
            own.lines[d].starts = starts + room
            room += own.lines[d].places
        look_into_planes(&own, plane, plane + 1)
    free(starts)


def fractional(x, given, places, kernel):
    """The maxima of windows at random distances in an array (..., *spatial), and their indices in the plane.

    Each plane has as many random numbers as dimensions. None for inputs that are not taken.
    """
    cdef Sample job
    cdef int dims = len(places), d, own
    cdef cnp.ndarray array = taken(x, dims), samples
    if array is None or float_type(given) != cnp.PyArray_TYPE(array):
        return None
    samples = cnp.PyArray_GETCONTIGUOUS(given)
    job.samples, job.dims, job.failed = cnp.PyArray_DATA(samples), dims, False
    for d in range(MOST):
        own = d - (MOST - dims)
        if own < 0:
            job.boxes.lines[d] = single_line()
            continue
        job.boxes.lines[d] = dividing(array.shape[array.ndim - dims + own], places[own])
        job.boxes.lines[d].kernel = kernel[own]
        if job.boxes.lines[d].places < 1 or job.boxes.lines[d].size < job.boxes.lines[d].kernel:
            return None
    found = maxima_of(array, &job.boxes, dims, True, sample_planes)
    if job.failed:
        raise MemoryError
    return found
