# cython: cdivision=True
"""The logarithms of sums of exponentials over neighbouring dimensions, without overflow.

The array is seen as (outer, n, inner), where the middle is summed, for many columns at the same time. Short columns are
gathered, so that they lie side by side; of long rows the elements at each 16th place are columns, which are combined.
"""

cimport numpy as cnp
from libc.math cimport INFINITY, log

from rushlight.kernels.compiled.arrays cimport Division, divided, float_type
from rushlight.kernels.compiled.exponential cimport exponentials
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.moves cimport contiguous
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    COLUMNS = 256  # columns, or elements of a row, that are computed at a time
    SIDE_BY_SIDE = 16  # columns of a row
    SHORT = 64  # elements of columns that are gathered
    NARROW = 64  # columns that are gathered at most
    ROOM = 1 << 12  # elements that are gathered at once
    GRAIN = 1 << 14  # elements of one thread's part

cdef struct Job:
    const void* x
    void* out
    Py_ssize_t n, inner
    Py_ssize_t runs  # of columns
    bint single


cdef wide find_peaks(const real* x, real* peaks, Py_ssize_t n, Py_ssize_t step, Py_ssize_t width) noexcept nogil:
    """The largest of each column; NaN counts only in the first row."""
    cdef Py_ssize_t k, i
    for i in range(width):
        peaks[i] = x[i]
    for k in range(1, n):
        for i in range(width):
            peaks[i] = x[k * step + i] if x[k * step + i] > peaks[i] else peaks[i]


cdef wide subtract(const real* x, const real* peaks, real* out, Py_ssize_t width) noexcept nogil:
    """x minus the peaks."""
    cdef Py_ssize_t i
    for i in range(width):
        out[i] = x[i] - peaks[i]


cdef wide subtract_one(const real* x, real peak, real* out, Py_ssize_t n) noexcept nogil:
    """x minus one peak."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = x[i] - peak


cdef wide add(const real* x, real* sums, Py_ssize_t n, Py_ssize_t width) noexcept nogil:
    """Adds rows to sums."""
    cdef Py_ssize_t k, i
    for k in range(n):
        for i in range(width):
            sums[i] += x[k * width + i]


cdef inline bint is_finite(real x) noexcept nogil:
    """Whether a number is neither infinite nor NaN."""
    return x - x == 0


cdef real settled(const real* x, Py_ssize_t n, Py_ssize_t step, real peak) noexcept nogil:
    """The result of a column with an infinity or NaN as its peak."""
    cdef Py_ssize_t k
    for k in range(n):
        if x[k * step] != x[k * step]:
            return x[k * step]
    return peak


cdef void sum_columns(const real* x, real* out, Py_ssize_t n, Py_ssize_t step, Py_ssize_t width) noexcept nogil:
    """The results of some columns."""
    cdef real[COLUMNS] peaks
    cdef real[COLUMNS] sums
    cdef real[COLUMNS] part
    cdef Py_ssize_t k, i
    find_peaks(x, peaks, n, step, width)
    for i in range(width):
        sums[i] = 0
    for k in range(n):
        subtract(x + k * step, peaks, part, width)
        exponentials(part, part, width)
        add(part, sums, 1, width)
    for i in range(width):
        out[i] = <real>log(sums[i]) + peaks[i] if is_finite(peaks[i]) else settled(x + i, n, step, peaks[i])


cdef real sum_row(const real* x, Py_ssize_t n) noexcept nogil:
    """The result of a row."""
    cdef real[COLUMNS] part
    cdef real[SIDE_BY_SIDE] sums
    cdef real peak = x[0]
    cdef double total = 0
    cdef Py_ssize_t whole = n - n % SIDE_BY_SIDE, i, k, some
    if whole:
        find_peaks(x, sums, whole // SIDE_BY_SIDE, SIDE_BY_SIDE, SIDE_BY_SIDE)
        for i in range(SIDE_BY_SIDE):
            peak = sums[i] if sums[i] > peak else peak
    for i in range(whole, n):
        peak = x[i] if x[i] > peak else peak
    if not is_finite(peak):
        return settled(x, n, 1, peak)
    for i in range(SIDE_BY_SIDE):
        sums[i] = 0
    for i from 0 <= i < n by COLUMNS:
        some = min(n - i, COLUMNS)
        subtract_one(x + i, peak, part, some)
        exponentials(part, part, some)
        add(part, sums, some // SIDE_BY_SIDE, SIDE_BY_SIDE)
        for k in range(some - some % SIDE_BY_SIDE, some):
            total += part[k]
    for i in range(SIDE_BY_SIDE):
        total += sums[i]
    return <real>log(total) + peak


cdef wide gather(const real* x, real* out, Py_ssize_t first, Py_ssize_t count, Py_ssize_t n,
                 Py_ssize_t inner) noexcept nogil:
    """Some columns, counted through the whole array, side by side."""
    cdef Py_ssize_t i, k
    cdef const real* column
    for i in range(count):
        column = x + (first + i) // inner * n * inner + (first + i) % inner
        for k in range(n):
            out[k * count + i] = column[k * inner]


cdef void sum_short(const real* x, real* out, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t n,
                    Py_ssize_t inner) noexcept nogil:
    """The results of some short columns."""
    cdef real[ROOM] room
    cdef Py_ssize_t i = start, count
    while i < stop:
        count = min(stop - i, NARROW, ROOM // n)
        gather(x, room, i, count, n, inner)
        sum_columns(room, out + i, n, count, count)
        i += count


cdef void compute_part(const Job* job, const real* x, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of `outer`, or some runs of columns that are counted through it."""
    cdef Py_ssize_t i, column, inner = job.inner
    cdef real* out = <real*>job.out
    if job.n <= SHORT and inner < NARROW:
        sum_short(x, out, start * inner, stop * inner, job.n, inner)
        return
    for i in range(start, stop):
        if inner == 1:
            out[i] = sum_row(x + i * job.n, job.n)
        else:
            column = i % job.runs * COLUMNS
            sum_columns(x + i // job.runs * job.n * inner + column, out + i // job.runs * inner + column, job.n, inner,
                        min(<Py_ssize_t>COLUMNS, inner - column))


cdef void compute(const void* pointer, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of a job, by its dtype."""
    cdef const Job* job = <const Job*>pointer
    if job.single:
        compute_part(job, <const float*>job.x, start, stop)
    else:
        compute_part(job, <const double*>job.x, start, stop)


def log_sums(x, int first, int last):
    """The results for the dimensions from `first` to `last`, which are left out; None for inputs that are not taken."""
    cdef int kind = float_type(x)
    cdef Job job
    cdef Division parts
    cdef cnp.ndarray source, out
    if kind == 0 or not 0 <= first <= last < (<cnp.ndarray>x).ndim:
        return None
    source = x
    if source.ndim == 2 and first == last and cnp.PyArray_IS_F_CONTIGUOUS(source):
        source, first = source.T, 1 - first
        last = first
    source = contiguous(source)
    parts = divided(source, first, last)
    out = cnp.PyArray_SimpleNew(source.ndim - (last - first + 1), parts.shape, kind)
    job.x, job.out, job.single = cnp.PyArray_DATA(source), cnp.PyArray_DATA(out), kind == cnp.NPY_FLOAT
    job.n, job.inner, job.runs = parts.size, parts.columns, (parts.columns - 1) // COLUMNS + 1
    shared(compute, &job, parts.outer * job.runs, max(1, GRAIN // (job.n * min(job.inner, <Py_ssize_t>COLUMNS))))
    return out
