# cython: cdivision=True
"""Cumulative sums, products, maxima and minima along any dimension of arrays (outer, n, inner).

If the dimension is the last one, a few lines of floats are computed in parallel: each is a chain of dependent
operations. Their sums and products are kept in double precision, as PyTorch's are. Integers are those of 64 bits.
"""

cimport numpy as cnp

from libc.string cimport memcpy

from rushlight.kernels.compiled.arrays cimport float_type, number_type
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    LINES = 8  # chains in parallel
    SIDE_BY_SIDE = 64  # chains in parallel whose elements are neighbours
    GRAIN = 1 << 14  # elements of one thread's part
    SUM
    PRODUCT
    MAX
    MIN
    RECURRENCE

ctypedef fused number:
    float
    double
    cnp.npy_int64

cdef struct Job:
    const void* x
    const void* factors  # of a recurrence
    void* out
    cnp.npy_int64* places
    Py_ssize_t n
    Py_ssize_t inner
    int kind
    int type  # the number of the elements' type
    bint backwards


cdef inline void follow(
    const real* x, real* out, Py_ssize_t n, Py_ssize_t step, Py_ssize_t chains, Py_ssize_t apart, bint product
) noexcept nogil:
    """Sums or products along at most `SIDE_BY_SIDE` chains: `apart` is from one to the next, `step` along each."""
    cdef double[SIDE_BY_SIDE] totals
    cdef Py_ssize_t k, r
    for r in range(chains):
        totals[r] = product
    for k in range(n):
        for r in range(chains):
            totals[r] = totals[r] * x[r * apart] if product else totals[r] + x[r * apart]
            out[r * apart] = <real>totals[r]
        x += step
        out += step


cdef wide accumulate(const real* x, real* out, Py_ssize_t n, Py_ssize_t inner, Py_ssize_t step, bint product) noexcept nogil:
    """Cumulative sums or products over n steps, from one run of `inner` elements to the next."""
    cdef Py_ssize_t i = 0
    while i + SIDE_BY_SIDE <= inner:
        follow(x + i, out + i, n, step, SIDE_BY_SIDE, 1, product)
        i += SIDE_BY_SIDE
    follow(x + i, out + i, n, step, inner - i, 1, product)


cdef wide accumulate_lines(const real* x, real* out, Py_ssize_t n, Py_ssize_t step, Py_ssize_t line, bint product) noexcept nogil:
    """Cumulative sums or products along `LINES` lines in parallel."""
    follow(x, out, n, step, LINES, line, product)


cdef wide accumulate_whole(const cnp.npy_int64* x, cnp.npy_int64* out, Py_ssize_t n, Py_ssize_t inner, Py_ssize_t step,
                           bint product) noexcept nogil:
    """Cumulative sums or products of integers over n steps, from one run of `inner` elements to the next."""
    cdef Py_ssize_t k, i
    cdef cnp.npy_int64 total = product
    if inner == 1:
        for k in range(n):
            total = total * x[k * step] if product else total + x[k * step]
            out[k * step] = total
        return
    memcpy(out, x, inner * sizeof(cnp.npy_int64))
    for k in range(1, n):
        x += step
        out += step
        for i in range(inner):
            out[i] = out[i - step] * x[i] if product else out[i - step] + x[i]


cdef inline void recur(const real* x, const real* factors, real* out, Py_ssize_t n, Py_ssize_t step, Py_ssize_t chains,
                       Py_ssize_t apart) noexcept nogil:
    """The recurrence y[k] = x[k] + factors[k] * y[k - 1] along chains, as `follow` goes along them."""
    cdef real[SIDE_BY_SIDE] last
    cdef Py_ssize_t k, r
    for k in range(n):
        for r in range(chains):
            last[r] = x[r * apart] + factors[r * apart] * last[r] if k else x[r * apart]
            out[r * apart] = last[r]
        x += step
        factors += step
        out += step


cdef wide recur_side_by_side(const real* x, const real* factors, real* out, Py_ssize_t n, Py_ssize_t inner,
                             Py_ssize_t step) noexcept nogil:
    """Recurrences over n steps, from one run of `inner` elements to the next."""
    cdef Py_ssize_t i = 0
    while i + SIDE_BY_SIDE <= inner:
        recur(x + i, factors + i, out + i, n, step, SIDE_BY_SIDE, 1)
        i += SIDE_BY_SIDE
    recur(x + i, factors + i, out + i, n, step, inner - i, 1)


cdef wide recur_lines(const real* x, const real* factors, real* out, Py_ssize_t n, Py_ssize_t step,
                      Py_ssize_t line) noexcept nogil:
    """Recurrences along `LINES` lines in parallel."""
    recur(x, factors, out, n, step, LINES, line)


cdef inline bint wins(number x, number best, int kind) noexcept nogil:
    """Whether x is the new extreme: equal values are, NaN is, and stays."""
    return x != x or (best == best and (x >= best if kind == MAX else x <= best))


cdef void find_in_line(const number* x, number* out, cnp.npy_int64* places, Py_ssize_t n, int kind) noexcept nogil:
    """The cumulative extremes of a line, and their indices."""
    cdef Py_ssize_t k, place = 0
    cdef number best = x[0]
    for k in range(n):
        if wins(x[k], best, kind):
            best, place = x[k], k
        out[k], places[k] = best, place


cdef void find_extremes(const number* x, number* out, cnp.npy_int64* places, Py_ssize_t n, Py_ssize_t inner,
                        int kind) noexcept nogil:
    """The cumulative extremes over n steps, from one run of `inner` elements to the next."""
    cdef Py_ssize_t k, i
    cdef bint new
    for k in range(n):
        for i in range(inner):
            new = k == 0 or wins(x[i], out[i - inner], kind)
            out[i] = x[i] if new else out[i - inner]
            places[i] = k if new else places[i - inner]
        x += inner
        out += inner
        places += inner


cdef void compute_part(const Job* job, const number* x, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of `outer`."""
    cdef Py_ssize_t n = job.n, inner = job.inner, at, step = -inner if job.backwards else inner
    cdef number* out = <number*>job.out
    while start < stop:
        at = start * n * inner
        if job.backwards:
            at += (n - 1) * inner
        if job.kind == MAX or job.kind == MIN:
            if inner == 1:
                find_in_line(x + at, out + at, job.places + at, n, job.kind)
            else:
                find_extremes(x + at, out + at, job.places + at, n, inner, job.kind)
        elif number is cnp.npy_int64:
            accumulate_whole(x + at, out + at, n, inner, step, job.kind == PRODUCT)
        else:
            start += compute_chains(job, x + at, out + at, <const number*>job.factors + at, step, stop - start) - 1
        start += 1


cdef Py_ssize_t compute_chains(const Job* job, const real* x, real* out, const real* factors, Py_ssize_t step,
                               Py_ssize_t most) noexcept nogil:
    """Computes sums, products or a recurrence of floats for one of `outer`, or for `LINES`; returns for how many."""
    cdef Py_ssize_t n = job.n, inner = job.inner
    cdef bint in_lines = inner == 1 and most >= LINES
    if job.kind == RECURRENCE and in_lines:
        recur_lines(x, factors, out, n, step, n)
    elif job.kind == RECURRENCE:
        recur_side_by_side(x, factors, out, n, inner, step)
    elif in_lines:
        accumulate_lines(x, out, n, step, n, job.kind == PRODUCT)
    else:
        accumulate(x, out, n, inner, step, job.kind == PRODUCT)
    return LINES if in_lines else 1


cdef void compute(const void* pointer, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of a job, by its dtype."""
    cdef const Job* job = <const Job*>pointer
    if job.type == cnp.NPY_FLOAT:
        compute_part(job, <const float*>job.x, start, stop)
    elif job.type == cnp.NPY_INT64:
        compute_part(job, <const cnp.npy_int64*>job.x, start, stop)
    else:
        compute_part(job, <const double*>job.x, start, stop)


cdef int run(Job* job, cnp.ndarray x, cnp.ndarray out, int dim) except -1:
    """Sets where the data of a job are, and runs it."""
    cdef int d
    job.x, job.out, job.n, job.inner = cnp.PyArray_DATA(x), cnp.PyArray_DATA(out), x.shape[dim], 1
    job.type = cnp.PyArray_TYPE(x)
    for d in range(dim + 1, x.ndim):
        job.inner *= x.shape[d]
    return shared(compute, job, cnp.PyArray_SIZE(x) // (job.n * job.inner), max(1, GRAIN // (job.n * job.inner)))


cdef cnp.ndarray prepared(object x, int dim):
    """x in C order; None for inputs that the kernel does not take."""
    return cnp.PyArray_GETCONTIGUOUS(x) if number_type(x) and 0 <= dim < (<cnp.ndarray>x).ndim else None


cdef accumulated(object x, int dim, int kind, bint backwards):
    """The cumulative sums or products; None for inputs that the kernel does not take."""
    cdef Job job
    cdef cnp.ndarray source = prepared(x, dim)
    if source is None:
        return None
    out = cnp.PyArray_SimpleNew(source.ndim, source.shape, cnp.PyArray_TYPE(source))
    job.kind, job.backwards = kind, backwards
    run(&job, source, out, dim)
    return out


def cumulative_sum(x, int dim, bint backwards):
    """The cumulative sums, from the end with `backwards`; None for inputs that the kernel does not take."""
    return accumulated(x, dim, SUM, backwards)


def cumulative_product(x, int dim, bint backwards):
    """The cumulative products, from the end with `backwards`; None for inputs that the kernel does not take."""
    return accumulated(x, dim, PRODUCT, backwards)


def cumulative_extreme(x, int dim, bint largest):
    """The cumulative maxima or minima, and the index of the latest; None for inputs that are not supported."""
    cdef Job job
    cdef cnp.ndarray source = prepared(x, dim)
    if source is None:
        return None
    out = cnp.PyArray_SimpleNew(source.ndim, source.shape, cnp.PyArray_TYPE(source))
    places = cnp.PyArray_SimpleNew(source.ndim, source.shape, cnp.NPY_INT64)
    job.kind, job.places = MAX if largest else MIN, <cnp.npy_int64*>cnp.PyArray_DATA(places)
    job.backwards = False
    run(&job, source, out, dim)
    return out, places


def recurrence(x, factors, int dim, bint backwards):
    """The recurrence y[k] = x[k] + factors[k] * y[k - 1], or y[k + 1] with `backwards`; None for other inputs."""
    cdef Job job
    cdef cnp.ndarray source = prepared(x, dim), scale = prepared(factors, dim)
    if not float_type(x) or scale is None or cnp.PyArray_TYPE(source) != cnp.PyArray_TYPE(scale) \
            or not cnp.PyArray_SAMESHAPE(source, scale) or cnp.PyArray_SIZE(source) == 0:
        return None
    out = cnp.PyArray_SimpleNew(source.ndim, source.shape, cnp.PyArray_TYPE(source))
    job.kind, job.backwards, job.factors = RECURRENCE, backwards, cnp.PyArray_DATA(scale)
    run(&job, source, out, dim)
    return out
