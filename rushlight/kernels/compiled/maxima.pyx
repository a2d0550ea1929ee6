# distutils: extra_compile_args = -ffp-contract=off
# cython: boundscheck=False, wraparound=False, cdivision=True
"""Maxima of windows with their indices: all kinds of maximum pooling.

Arrays are (outer, plane, inner), and a table lists the positions in the plane that each window sees, in the order in
which they are compared. Of equal elements the first counts, but the last NaN.
"""

cimport numpy as cnp

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    GRAIN = 1 << 13  # elements that a thread's part looks at

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
    bint even  # whether each window sees the positions of the one before it, moved by a stride
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


cdef inline void look_ahead(const cnp.npy_int64* seen, Py_ssize_t taps, Py_ssize_t windows, const real* x, real* best,
                            cnp.npy_int64* found, Py_ssize_t stride) noexcept nogil:
    """The maxima of consecutive windows, tap by tap."""
    cdef Py_ssize_t t, w, at
    cdef bint wins
    for w in range(windows):
        best[w], found[w] = x[seen[0] + w * stride], seen[0] + w * stride
    for t in range(1, taps):
        for w in range(windows):
            at = seen[t] + w * stride
            wins = (x[at] > best[w]) | (x[at] != x[at])
            best[w] = x[at] if wins else best[w]
            found[w] = at if wins else found[w]


cdef wide look_in_steps(const cnp.npy_int64* seen, Py_ssize_t taps, Py_ssize_t windows, const real* x, real* best,
                        cnp.npy_int64* found, Py_ssize_t stride) noexcept nogil:
    """The maxima of consecutive windows; for the usual strides in vectors."""
    if stride == 1:
        look_ahead(seen, taps, windows, x, best, found, 1)
    elif stride == 2:
        look_ahead(seen, taps, windows, x, best, found, 2)
    else:
        look_ahead(seen, taps, windows, x, best, found, stride)


cdef void look_along_planes(const Job* job, Py_ssize_t start, Py_ssize_t stop, const real* x, real* values) noexcept nogil:
    """The maxima of some windows of all planes, where windows follow each other evenly."""
    cdef Py_ssize_t plane, window, count, stride = job.seen[job.taps] - job.seen[0]
    while start < stop:
        plane, window = start // job.windows, start % job.windows
        count = min(stop - start, job.windows - window)
        look_in_steps(job.seen + window * job.taps, job.taps, count, x + plane * job.plane, values + start,
                      job.found + start, stride)
        start += count


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
    if job.even and job.single:
        look_along_planes(job, start, stop, <const float*>job.x, <float*>job.values)
    elif job.even:
        look_along_planes(job, start, stop, <const double*>job.x, <double*>job.values)
    elif job.single:
        look(job, start, stop, <const float*>job.x, <float*>job.values)
    else:
        look(job, start, stop, <const double*>job.x, <double*>job.values)


def largest(x, seen, bint even=False):
    """The maxima of (outer, plane, inner) and their positions (outer, windows, inner); None if not supported.

    `seen` (outer or 1, windows, taps) lists positions in the plane, which are not checked. With `even`, each window sees
    the positions of the one before it, moved by a stride.
    """
    cdef int kind = float_type(x)
    cdef cnp.npy_intp[3] shape
    cdef Job job
    if kind == 0 or not cnp.PyArray_CheckExact(seen) or cnp.PyArray_TYPE(seen) != cnp.NPY_INT64 \
            or cnp.PyArray_SIZE(seen) == 0:
        return None
    cdef cnp.ndarray source = cnp.PyArray_GETCONTIGUOUS(x), table = cnp.PyArray_GETCONTIGUOUS(seen)
    job.windows, job.taps, job.alike = table.shape[1], table.shape[2], table.shape[0] == 1
    job.even = even and job.alike and job.windows > 1 and source.shape[2] == 1
    job.plane, job.inner, job.single = source.shape[1], source.shape[2], kind == cnp.NPY_FLOAT
    shape[0], shape[1], shape[2] = source.shape[0], job.windows, job.inner
    cdef cnp.ndarray values = cnp.PyArray_SimpleNew(3, shape, kind)
    cdef cnp.ndarray found = cnp.PyArray_SimpleNew(3, shape, cnp.NPY_INT64)
    job.x, job.values = cnp.PyArray_DATA(source), cnp.PyArray_DATA(values)
    job.found = <cnp.npy_int64*>cnp.PyArray_DATA(found)
    job.seen = <const cnp.npy_int64*>cnp.PyArray_DATA(table)
    shared(look_at_lines, &job, shape[0] * job.windows, max(1, GRAIN // (job.taps * job.inner)))
    return values, found


# fractional pooling: windows at random distances


cdef struct Line:
    Py_ssize_t size, count, width  # of the plane, of windows, of a window
    Py_ssize_t which  # of a plane's random numbers is for it


cdef Py_ssize_t start_of(const Line* line, const real* samples, Py_ssize_t i) noexcept nogil:
    """The start of a window along a line."""
    cdef real alpha, sample
    if i == line.count - 1:
        return line.size - line.width
    alpha = <real>(<double>(line.size - line.width) / (line.count - 1))
    sample = samples[line.which]
    return <Py_ssize_t>((<real>i + sample) * alpha) - <Py_ssize_t>(sample * alpha)


cdef void list_plane(const Line* lines, const real* samples, cnp.npy_int64* table) noexcept nogil:
    """Lists the positions that the windows of a plane see."""
    cdef const Line* a = lines
    cdef const Line* b = lines + 1
    cdef const Line* c = lines + 2
    cdef Py_ssize_t p, q, r, i, j, k, first, second, third
    for p in range(a.count):
        first = start_of(a, samples, p)
        for q in range(b.count):
            second = start_of(b, samples, q)
            for r in range(c.count):
                third = start_of(c, samples, r)
                for i in range(first, first + a.width):
                    for j in range(second, second + b.width):
                        for k in range(third, third + c.width):
                            table[0] = (i * b.size + j) * c.size + k
                            table += 1


def fractional(given, spatial, places, kernel):
    """The positions (planes, windows, taps) that windows at random distances see; None for inputs that are not taken.

    Each plane has as many random numbers as dimensions, in two dimensions the one for the width first.
    """
    cdef int kind = float_type(given), d, own, dims = len(spatial)
    cdef Line lines[3]
    cdef cnp.npy_intp[3] shape
    cdef Py_ssize_t plane, each
    if kind == 0:
        return None
    cdef cnp.ndarray samples = cnp.PyArray_GETCONTIGUOUS(given)
    shape[0], shape[1], shape[2] = cnp.PyArray_SIZE(samples) // dims, 1, 1
    for d in range(3):
        own = d - (3 - dims)
        if own < 0:
            lines[d] = Line(1, 1, 1, 0)
        else:
            lines[d] = Line(spatial[own], places[own], kernel[own], own if dims == 3 else dims - 1 - own)
        shape[1] *= lines[d].count
        shape[2] *= lines[d].width
    cdef cnp.ndarray table = cnp.PyArray_SimpleNew(3, shape, cnp.NPY_INT64)
    each = shape[1] * shape[2]
    for plane in range(shape[0]):
        if kind == cnp.NPY_FLOAT:
            list_plane(lines, <const float*>cnp.PyArray_DATA(samples) + plane * dims, table_at(table, plane * each))
        else:
            list_plane(lines, <const double*>cnp.PyArray_DATA(samples) + plane * dims, table_at(table, plane * each))
    return table


cdef cnp.npy_int64* table_at(cnp.ndarray table, Py_ssize_t place) noexcept:
    """The address of an element."""
    return <cnp.npy_int64*>cnp.PyArray_DATA(table) + place
