# cython: cdivision=True
"""Cumulative sums, products, extremes and logarithms of sums along any dimension of arrays (outer, n, inner).

Some columns are computed side by side, and if the dimension is the last one a few lines of floats: each is a chain of
dependent operations. Their sums and products are kept in double precision, as PyTorch's are. Integers are those of 64
bits.
"""

import numpy as np

cimport numpy as cnp
from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy

from rushlight.core.loops cimport loop_for
from rushlight.kernels.compiled.arrays cimport float_type, number_type
from rushlight.kernels.compiled.exponential cimport exponentials
from rushlight.kernels.compiled.lanes cimport always, real, wide
from rushlight.kernels.compiled.moves cimport contiguous
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.ufuncs cimport Loop, run

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
    LOGARITHM

cdef Loop LOG32 = loop_for(np.log, "f->f"), LOG64 = loop_for(np.log, "d->d")

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
    Py_ssize_t runs  # of columns that are computed side by side
    int kind
    int type  # the number of the elements' type
    bint backwards


cdef always follow(
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


cdef wide accumulate(const real* x, real* out, Py_ssize_t n, Py_ssize_t step, Py_ssize_t chains, Py_ssize_t apart,
                     bint product) noexcept nogil:
    """`follow` in a way, and for usual numbers of chains, that the compiler knows."""
    if chains == SIDE_BY_SIDE and apart == 1:
        if product:
            follow(x, out, n, step, SIDE_BY_SIDE, 1, True)
        else:
            follow(x, out, n, step, SIDE_BY_SIDE, 1, False)
    elif chains == LINES:
        if product:
            follow(x, out, n, step, LINES, apart, True)
        else:
            follow(x, out, n, step, LINES, apart, False)
    else:
        follow(x, out, n, step, chains, apart, product)


cdef always follow_whole(const cnp.npy_int64* x, cnp.npy_int64* out, Py_ssize_t n, Py_ssize_t width,
                         Py_ssize_t step, bint product) noexcept nogil:
    """Cumulative sums or products of integers over n steps, each of `width` neighbours."""
    cdef Py_ssize_t k, i
    cdef cnp.npy_int64 total = product
    if width == 1:
        for k in range(n):
            total = total * x[k * step] if product else total + x[k * step]
            out[k * step] = total
        return
    memcpy(out, x, width * sizeof(cnp.npy_int64))
    for k in range(1, n):
        x += step
        out += step
        for i in range(width):
            out[i] = out[i - step] * x[i] if product else out[i - step] + x[i]


cdef wide accumulate_whole(const cnp.npy_int64* x, cnp.npy_int64* out, Py_ssize_t n, Py_ssize_t width, Py_ssize_t step,
                           bint product) noexcept nogil:
    """`follow_whole` for sums or products, as the compiler then knows."""
    if product:
        follow_whole(x, out, n, width, step, True)
    else:
        follow_whole(x, out, n, width, step, False)


cdef always recur(const real* x, const real* factors, real* out, Py_ssize_t n, Py_ssize_t step, Py_ssize_t chains,
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


cdef wide recur_chains(const real* x, const real* factors, real* out, Py_ssize_t n, Py_ssize_t step,
                       Py_ssize_t chains, Py_ssize_t apart) noexcept nogil:
    """`recur` with a number of chains that the compiler knows, if it is a usual one."""
    if chains == SIDE_BY_SIDE and apart == 1:
        recur(x, factors, out, n, step, SIDE_BY_SIDE, 1)
    elif chains == LINES:
        recur(x, factors, out, n, step, LINES, apart)
    else:
        recur(x, factors, out, n, step, chains, apart)


cdef wide find_distances(const real* x, const real* peaks, real* out, Py_ssize_t chains, Py_ssize_t apart) noexcept nogil:
    """The distances of some elements from the peaks so far, negative; 0 from an infinite one that is equal."""
    cdef Py_ssize_t r
    for r in range(chains):
        out[r] = 0 if x[r * apart] == peaks[r] else -fabs(x[r * apart] - peaks[r])


cdef wide add_exponentials(const real* x, real* peaks, double* sums, real* part, Py_ssize_t chains,
                           Py_ssize_t apart) noexcept nogil:
    """Adds some elements' exponentials to the sums, which are relative to the peaks; leaves the new sums in `part`."""
    cdef Py_ssize_t r
    cdef bint higher
    for r in range(chains):
        higher = x[r * apart] > peaks[r]
        sums[r] = sums[r] * part[r] + 1 if higher else sums[r] + part[r]
        peaks[r] = x[r * apart] if higher else peaks[r]
        part[r] = <real>sums[r]


cdef wide add_peaks(const real* part, const real* peaks, real* out, Py_ssize_t chains, Py_ssize_t apart) noexcept nogil:
    """The logarithms of the whole sums, from those of the relative ones."""
    cdef Py_ssize_t r
    for r in range(chains):
        out[r * apart] = part[r] + peaks[r]


cdef void add_up_logarithms(const real* x, real* out, Py_ssize_t n, Py_ssize_t step, Py_ssize_t chains,
                            Py_ssize_t apart) noexcept nogil:
    """The logarithms of cumulative sums of exponentials along chains, as `follow` goes along them."""
    cdef real[SIDE_BY_SIDE] peaks
    cdef real[SIDE_BY_SIDE] part
    cdef double[SIDE_BY_SIDE] sums
    cdef Py_ssize_t k, r
    for r in range(chains):
        peaks[r], sums[r] = -INFINITY, 0
    for k in range(n):
        find_distances(x, peaks, part, chains, apart)
        exponentials(part, part, chains)
        add_exponentials(x, peaks, sums, part, chains, apart)
        run(&LOG32 if real is float else &LOG64, part, part, chains, sizeof(real))
        add_peaks(part, peaks, out, chains, apart)
        x += step
        out += step


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
                        Py_ssize_t width, int kind) noexcept nogil:
    """The cumulative extremes over n steps, from one row of `inner` elements to the next, of `width` neighbours."""
    cdef Py_ssize_t k, i
    cdef bint new
    for k in range(n):
        for i in range(width):
            new = k == 0 or wins(x[i], out[i - inner], kind)
            out[i] = x[i] if new else out[i - inner]
            places[i] = k if new else places[i - inner]
        x += inner
        out += inner
        places += inner


cdef void compute_part(const Job* job, const number* x, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some runs of columns, counted through `outer`, or some lines."""
    cdef Py_ssize_t n = job.n, inner = job.inner, step = -inner if job.backwards else inner, column, width, at
    cdef number* out = <number*>job.out
    while start < stop:
        column = start % job.runs * SIDE_BY_SIDE
        width = min(inner - column, <Py_ssize_t>SIDE_BY_SIDE)
        at = start // job.runs * n * inner + column
        if job.backwards:
            at += (n - 1) * inner
        if job.kind == MAX or job.kind == MIN:
            if inner == 1:
                find_in_line(x + at, out + at, job.places + at, n, job.kind)
            else:
                find_extremes(x + at, out + at, job.places + at, n, inner, width, job.kind)
        elif number is cnp.npy_int64:
            accumulate_whole(x + at, out + at, n, width, step, job.kind == PRODUCT)
        elif inner == 1:
            width = min(stop - start, lines_at_once(job.kind))
            compute_chains(job, x + at, out + at, <const number*>job.factors + at, step, width, n)
            start += width - 1
        else:
            compute_chains(job, x + at, out + at, <const number*>job.factors + at, step, width, 1)
        start += 1


cdef inline Py_ssize_t lines_at_once(int kind) noexcept nogil:
    """How many lines are computed in parallel at most."""
    return SIDE_BY_SIDE if kind == LOGARITHM else LINES


cdef void compute_chains(const Job* job, const real* x, real* out, const real* factors, Py_ssize_t step,
                         Py_ssize_t chains, Py_ssize_t apart) noexcept nogil:
    """Computes sums, products, their logarithms or a recurrence of floats along chains."""
    if job.kind == RECURRENCE:
        recur_chains(x, factors, out, job.n, step, chains, apart)
    elif job.kind == LOGARITHM:
        add_up_logarithms(x, out, job.n, step, chains, apart)
    else:
        accumulate(x, out, job.n, step, chains, apart, job.kind == PRODUCT)


cdef void compute(const void* pointer, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of a job, by its dtype."""
    cdef const Job* job = <const Job*>pointer
    if job.type == cnp.NPY_FLOAT:
        compute_part(job, <const float*>job.x, start, stop)
    elif job.type == cnp.NPY_INT64:
        compute_part(job, <const cnp.npy_int64*>job.x, start, stop)
    else:
        compute_part(job, <const double*>job.x, start, stop)


cdef int carry_out(Job* job, cnp.ndarray x, cnp.ndarray out, int dim) except -1:
    """Sets where the data of a job are, and runs it."""
    cdef int d
    cdef Py_ssize_t grain
    job.x, job.out, job.n, job.inner = cnp.PyArray_DATA(x), cnp.PyArray_DATA(out), x.shape[dim], 1
    job.type = cnp.PyArray_TYPE(x)
    for d in range(dim + 1, x.ndim):
        job.inner *= x.shape[d]
    job.runs = (job.inner + SIDE_BY_SIDE - 1) // SIDE_BY_SIDE
    grain = max(1, GRAIN // (job.n * min(job.inner, <Py_ssize_t>SIDE_BY_SIDE)))
    if job.inner == 1:
        grain = max(grain, lines_at_once(job.kind))
    return shared(compute, job, cnp.PyArray_SIZE(x) // (job.n * job.inner) * job.runs, grain)


cdef cnp.ndarray prepared(object x, int dim):
    """x in C order; None for inputs that the kernel does not take."""
    return contiguous(x) if number_type(x) and 0 <= dim < (<cnp.ndarray>x).ndim else None


cdef accumulated(object x, int dim, int kind, bint backwards):
    """The cumulative sums or products; None for inputs that the kernel does not take."""
    cdef Job job
    cdef cnp.ndarray source = prepared(x, dim)
    if source is None:
        return None
    out = cnp.PyArray_SimpleNew(source.ndim, source.shape, cnp.PyArray_TYPE(source))
    job.kind, job.backwards = kind, backwards
    carry_out(&job, source, out, dim)
    return out


def cumulative_sum(x, int dim, bint backwards):
    """The cumulative sums, from the end with `backwards`; None for inputs that the kernel does not take."""
    return accumulated(x, dim, SUM, backwards)


def cumulative_product(x, int dim, bint backwards):
    """The cumulative products, from the end with `backwards`; None for inputs that the kernel does not take."""
    return accumulated(x, dim, PRODUCT, backwards)


def cumulative_logarithm(x, int dim):
    """The logarithms of cumulative sums of exponentials; None for inputs that the kernel does not take."""
    return accumulated(x, dim, LOGARITHM, False) if float_type(x) else None


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
    carry_out(&job, source, out, dim)
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
    carry_out(&job, source, out, dim)
    return out
