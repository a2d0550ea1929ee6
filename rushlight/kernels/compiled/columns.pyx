# cython: boundscheck=False, wraparound=False, cdivision=True
"""Patches of images as columns (im2col), and the adjoint, which adds columns up to images (col2im).

Also the sums of overlapping windows of one dimension, which may have a distance and any size.
"""

import numpy as np

cimport numpy as cnp
from libc.string cimport memset

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.lanes cimport always, real, wide
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.steps cimport zeros

cnp.import_array()

cdef enum:
    DIMS = 2
    GRAIN = 1 << 14  # elements of one thread's part

cdef struct Line:
    Py_ssize_t size, kernel, places, stride, padding, dilation

cdef struct Job:
    void* images
    void* columns
    Line lines[DIMS]
    bint back, single


cdef always move(real* row, real* column, Py_ssize_t n, Py_ssize_t stride, bint back) noexcept nogil:
    """Copies elements of a row to a column, or adds them back."""
    cdef Py_ssize_t q
    if back:
        for q in range(n):
            row[q * stride] += column[q]
    else:
        for q in range(n):
            column[q] = row[q * stride]


cdef always move_row(real* row, real* column, const Line* line, Py_ssize_t tap, bint back) noexcept nogil:
    """What a tap sees of a row; zeros in the padding."""
    cdef Py_ssize_t shift = tap * line.dilation - line.padding
    cdef Py_ssize_t first = 0 if shift >= 0 else min(line.places, (line.stride - 1 - shift) // line.stride)
    cdef Py_ssize_t room = line.size - 1 - shift
    cdef Py_ssize_t last = max(first, min(line.places, room // line.stride + 1 if room >= 0 else 0))
    if not back:
        memset(column, 0, first * sizeof(real))
        memset(column + last, 0, (line.places - last) * sizeof(real))
    row += first * line.stride + shift
    if line.stride == 1:
        move(row, column + first, last - first, 1, back)
    else:
        move(row, column + first, last - first, line.stride, back)


cdef wide move_plane(real* plane, real* columns, const Job* job) noexcept nogil:
    """Copies all patches of a plane to columns, or adds them back."""
    cdef const Line* a = &job.lines[0]
    cdef const Line* b = &job.lines[1]
    cdef Py_ssize_t i, j, p, at
    for i in range(a.kernel):
        for j in range(b.kernel):
            for p in range(a.places):
                at = p * a.stride - a.padding + i * a.dilation
                if 0 <= at < a.size:
                    move_row(plane + at * b.size, columns, b, j, job.back)
                elif not job.back:
                    memset(columns, 0, b.places * sizeof(real))
                columns += b.places


cdef void move_planes(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Processes some planes."""
    cdef const Job* job = <const Job*>given
    cdef const Line* a = &job.lines[0]
    cdef const Line* b = &job.lines[1]
    cdef Py_ssize_t i, plane = a.size * b.size, patches = a.kernel * b.kernel * a.places * b.places
    for i in range(start, stop):
        if job.single:
            move_plane(<float*>job.images + i * plane, <float*>job.columns + i * patches, job)
        else:
            move_plane(<double*>job.images + i * plane, <double*>job.columns + i * patches, job)


def moved(given, spatial, places, kernel, stride, padding, dilation, bint back):
    """The patches of images (N, C, *spatial) as columns (N, C * taps, places); with `back` columns added up to images.

    None for arrays that are not taken.
    """
    cdef Job job
    cdef cnp.npy_intp[4] shape
    cdef cnp.ndarray source, out
    cdef int d, kind = float_type(given)
    cdef Py_ssize_t taps = 1, count = 1
    if kind == 0 or (<cnp.ndarray>given).ndim != (3 if back else 4):
        return None
    source = cnp.PyArray_GETCONTIGUOUS(given)
    for d in range(DIMS):
        job.lines[d] = Line(spatial[d], kernel[d], places[d], stride[d], padding[d], dilation[d])
        taps *= job.lines[d].kernel
        count *= job.lines[d].places
    shape[0] = source.shape[0]
    if back:
        shape[1], shape[2], shape[3] = source.shape[1] // taps, job.lines[0].size, job.lines[1].size
        out = zeros(4, shape, kind)
    else:
        shape[1], shape[2] = source.shape[1] * taps, count
        out = cnp.PyArray_SimpleNew(3, shape, kind)
    job.images, job.columns = cnp.PyArray_DATA(out if back else source), cnp.PyArray_DATA(source if back else out)
    job.back, job.single = back, kind == cnp.NPY_FLOAT
    shared(move_planes, &job, shape[0] * (shape[1] if back else source.shape[1]), max(1, GRAIN // (taps * count)))
    return out


cdef struct Windows:
    const void* x  # (outer, count, inner, size)
    void* out  # (outer, length, inner)
    Py_ssize_t count, inner, size, step, length
    bint single


cdef always add_line(real* out, Py_ssize_t to, const real* x, Py_ssize_t apart, Py_ssize_t n, Py_ssize_t terms,
                     Py_ssize_t back) noexcept nogil:
    """Writes n sums of some terms each, which are `back` apart."""
    cdef Py_ssize_t i, t
    cdef real total
    for i in range(n):
        total = 0
        for t in range(terms):
            total += x[i * apart - t * back]
        out[i * to] = total


cdef always add_some(real* out, Py_ssize_t to, const real* x, Py_ssize_t apart, Py_ssize_t n, Py_ssize_t terms,
                     Py_ssize_t back) noexcept nogil:
    """`add_line`; few terms take no loop."""
    if terms == 1:
        add_line(out, to, x, apart, n, 1, back)
    elif terms == 2:
        add_line(out, to, x, apart, n, 2, back)
    elif terms == 3:
        add_line(out, to, x, apart, n, 3, back)
    elif terms == 4:
        add_line(out, to, x, apart, n, 4, back)
    else:
        add_line(out, to, x, apart, n, terms, back)


cdef wide add_windows(const real* x, real* out, const Windows* job, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Writes the sums at `step` places each from the start-th to the stop-th window of a line, and beyond the last.

    All windows but the first and last few meet equally many others.
    """
    cdef Py_ssize_t inner = job.inner, step = job.step, k, c, n, first, last, terms
    cdef Py_ssize_t back = inner * job.size - step  # from an element to the one at its place in the window before
    for k in range(step):
        terms = (job.size - k + step - 1) // step if k < job.size else 0
        c = start
        while c < stop and c * step + k < job.length:
            first, last = max(<Py_ssize_t>0, c - job.count + 1), min(terms, c + 1)
            n = 1
            if inner == 1 and terms - 1 <= c < job.count:
                n = min(min(stop, job.count) - c, (job.length - k - 1) // step + 1 - c)
            add_some(out + (c * step + k) * inner, step if inner == 1 else 1, x + c * inner * job.size + k - first * back,
                     job.size, n if inner == 1 else inner, max(<Py_ssize_t>0, last - first), back)
            c += n


cdef void add_lines(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Processes some windows, counted through all lines."""
    cdef const Windows* job = <const Windows*>given
    cdef Py_ssize_t windows = (job.length - 1) // job.step + 1, line, first, last
    cdef Py_ssize_t source = job.count * job.inner * job.size, target = job.length * job.inner
    while start < stop:
        line, first = start // windows, start % windows
        last = min(windows, first + stop - start)
        start += last - first
        if job.single:
            add_windows(<const float*>job.x + line * source, <float*>job.out + line * target, job, first, last)
        else:
            add_windows(<const double*>job.x + line * source, <double*>job.out + line * target, job, first, last)


def added(given, tuple shape not None, int dim, Py_ssize_t step):
    """The sum of overlapping windows of a dimension, `step` apart, in an array of a shape; their elements come last.

    None for arrays that are not taken.
    """
    cdef Windows job
    cdef cnp.ndarray source, out
    cdef int d, kind = float_type(given)
    cdef Py_ssize_t outer = 1
    if kind == 0:
        return None
    source = cnp.PyArray_GETCONTIGUOUS(given)
    out = np.empty(shape, source.dtype)
    job.x, job.out, job.single = cnp.PyArray_DATA(source), cnp.PyArray_DATA(out), kind == cnp.NPY_FLOAT
    job.count, job.size, job.step = source.shape[dim], source.shape[source.ndim - 1], step
    job.length, job.inner = out.shape[dim], 1
    for d in range(out.ndim):
        if d < dim:
            outer *= out.shape[d]
        elif d > dim:
            job.inner *= out.shape[d]
    windows = (job.length - 1) // step + 1
    shared(add_lines, &job, outer * windows, max(1, GRAIN // (job.size * job.inner)))
    return out
