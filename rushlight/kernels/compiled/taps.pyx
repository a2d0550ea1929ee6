# cython: boundscheck=False, wraparound=False, cdivision=True
"""Small convolutions, those with one channel in each group, and their adjoints: tap by tap, row by row."""

cimport numpy as cnp

from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    MOST = 3  # spatial dimensions
    RESULT = 0  # what is added to
    INPUT = 1
    WEIGHT = 2
    SIDE_BY_SIDE = 16  # products of a row that are added up separately
    GRAIN = 1 << 16  # products of a thread's part

cdef struct Line:
    Py_ssize_t size, kernel, places, stride, padding, dilation

cdef struct Job:
    void* x
    void* weight
    void* out
    bint single
    Py_ssize_t samples, groups, outer, inner  # channels of the result and of the input, in a group
    Line lines[MOST]  # of size 1 where there are fewer dimensions
    int target


cdef Py_ssize_t first_place(const Line* line, Py_ssize_t tap) noexcept nogil:
    """The first position at which a tap is not on the padding before the line."""
    cdef Py_ssize_t before = line.padding - tap * line.dilation
    return (before + line.stride - 1) // line.stride if before > 0 else 0


cdef Py_ssize_t end_of_places(const Line* line, Py_ssize_t tap) noexcept nogil:
    """The end of the positions at which a tap is not on the padding after the line."""
    cdef Py_ssize_t room = line.size - 1 + line.padding - tap * line.dilation
    return min(line.places, room // line.stride + 1) if room >= 0 else 0


cdef wide add_scaled(const real* x, real factor, real* out, Py_ssize_t n) noexcept nogil:
    """Adds a multiple of a row."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] += factor * x[i]


cdef wide add_product(const real* x, const real* out, real* weight, Py_ssize_t n) noexcept nogil:
    """Adds the inner product of two rows to a weight."""
    cdef real[SIDE_BY_SIDE] found
    cdef real total = 0
    cdef Py_ssize_t i, j
    for j in range(SIDE_BY_SIDE):
        found[j] = 0
    for i in range(n // SIDE_BY_SIDE):
        for j in range(SIDE_BY_SIDE):
            found[j] += x[i * SIDE_BY_SIDE + j] * out[i * SIDE_BY_SIDE + j]
    for i in range(n - n % SIDE_BY_SIDE, n):
        total += x[i] * out[i]
    for j in range(SIDE_BY_SIDE):
        total += found[j]
    weight[0] += total


cdef void add_row(real* x, real* weight, real* out, Py_ssize_t n, Py_ssize_t stride, int target) noexcept nogil:
    """Applies one tap to a row of n positions, whose input elements are `stride` apart."""
    cdef Py_ssize_t i
    cdef real factor = weight[0], total = 0
    if target == RESULT and stride == 1:
        add_scaled(x, factor, out, n)
    elif target == RESULT:
        for i in range(n):
            out[i] += factor * x[i * stride]
    elif target == INPUT and stride == 1:
        add_scaled(out, factor, x, n)
    elif target == INPUT:
        for i in range(n):
            x[i * stride] += factor * out[i]
    elif stride == 1:
        add_product(x, out, weight, n)
    else:
        for i in range(n):
            total += x[i * stride] * out[i]
        weight[0] += total


cdef void add_plane(real* x, real* weight, real* out, const Job* job) noexcept nogil:
    """Applies all taps of one input channel to one channel of the result."""
    cdef const Line* a = &job.lines[0]
    cdef const Line* b = &job.lines[1]
    cdef const Line* c = &job.lines[2]
    cdef Py_ssize_t i, j, k, p, q, first, n, row, seen
    for i in range(a.kernel):
        for j in range(b.kernel):
            for k in range(c.kernel):
                first = first_place(c, k)
                n = end_of_places(c, k) - first
                if n > 0:
                    for p in range(first_place(a, i), end_of_places(a, i)):
                        for q in range(first_place(b, j), end_of_places(b, j)):
                            seen = (p * a.stride + i * a.dilation - a.padding) * b.size
                            seen = (seen + q * b.stride + j * b.dilation - b.padding) * c.size
                            seen += first * c.stride + k * c.dilation - c.padding
                            row = (p * b.places + q) * c.places + first
                            add_row(x + seen, weight, out + row, n, c.stride, job.target)
                weight += 1


cdef void add_group(real* x, real* weight, real* out, const Job* job, Py_ssize_t sample, Py_ssize_t group) noexcept nogil:
    """Processes the channels of a group in a sample."""
    cdef Py_ssize_t elements = job.lines[0].size * job.lines[1].size * job.lines[2].size
    cdef Py_ssize_t taps = job.lines[0].kernel * job.lines[1].kernel * job.lines[2].kernel
    cdef Py_ssize_t places = job.lines[0].places * job.lines[1].places * job.lines[2].places
    cdef Py_ssize_t o, i, row
    for o in range(job.outer):
        row = group * job.outer + o
        for i in range(job.inner):
            add_plane(
                x + ((sample * job.groups + group) * job.inner + i) * elements,
                weight + (row * job.inner + i) * taps,
                out + (sample * job.groups * job.outer + row) * places,
                job,
            )


cdef void add_groups(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Processes some groups: of one sample after the other, or each in all samples where the weight is added to."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t number, sample, group, samples = job.samples if job.target == WEIGHT else 1
    for number in range(start * samples, stop * samples):
        if job.target == WEIGHT:
            sample, group = number % samples, number // samples
        else:
            sample, group = number // job.groups, number % job.groups
        if job.single:
            add_group(<float*>job.x, <float*>job.weight, <float*>job.out, job, sample, group)
        else:
            add_group(<double*>job.x, <double*>job.weight, <double*>job.out, job, sample, group)


def add(
    cnp.ndarray x not None, cnp.ndarray weight not None, cnp.ndarray out not None, int target,
    stride, padding, dilation, Py_ssize_t groups,
):
    """Adds the products of a convolution to its result, or to its input or weight: `target` is 0, 1 or 2.

    The arrays (N, C, *spatial), (O, C / groups, *kernel) and (N, O, *places) are contiguous and of one type.
    """
    cdef Job job
    cdef int dims = x.ndim - 2, d, own
    cdef Py_ssize_t count, size = cnp.PyArray_SIZE(weight) // groups
    job.samples, job.groups, job.target = x.shape[0], groups, target
    job.outer, job.inner = weight.shape[0] // groups, weight.shape[1]
    for d in range(MOST):
        own = d - (MOST - dims)
        if own < 0:
            job.lines[d] = Line(1, 1, 1, 1, 0, 1)
        else:
            job.lines[d] = Line(
                x.shape[own + 2], weight.shape[own + 2], out.shape[own + 2], stride[own], padding[own], dilation[own]
            )
        size *= job.lines[d].places
    job.x, job.weight, job.out = cnp.PyArray_DATA(x), cnp.PyArray_DATA(weight), cnp.PyArray_DATA(out)
    job.single = cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT
    count = job.groups if target == WEIGHT else job.groups * job.samples
    size = size * job.samples if target == WEIGHT else size
    shared(add_groups, &job, count, max(1, GRAIN // max(1, size)))
