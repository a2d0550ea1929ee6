# cython: boundscheck=False, wraparound=False, cdivision=True
"""Means of the windows of planes (average pooling), and the adjoint: shares numbers among the elements of windows."""

cimport numpy as cnp
from libc.string cimport memset

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.lanes cimport always, real, wide
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.spans cimport (
    MOST, Line, begin, counted, dividing, end, measure, places_along, single_line, sliding)

cnp.import_array()

cdef enum:
    GRAIN = 1 << 14  # additions of one thread's part
    CHUNK = 512  # windows side by side
    WIDTH = 1024  # columns whose sums are kept
    OFTEN = 64  # windows that see an element
    PARTS = 8  # partial sums of a row

cdef struct Job:
    void* x
    void* means
    Line lines[MOST]  # of size 1 where there are fewer dimensions
    Py_ssize_t divisor  # 0 for the windows' own sizes
    bint padded  # whether these count the padding
    bint single, back


cdef always add_row(const real* row, Py_ssize_t n, real* total) noexcept nogil:
    """Adds the elements of a row to a sum."""
    cdef real parts[PARTS]
    cdef Py_ssize_t k = 0, t
    if n >= PARTS:
        for t in range(PARTS):
            parts[t] = 0
        while k + PARTS <= n:
            for t in range(PARTS):
                parts[t] += row[k + t]
            k += PARTS
        for t in range(PARTS // 2):
            parts[t] += parts[t + PARTS // 2]
        for t in range(PARTS // 2):
            total[0] += parts[t]
    while k < n:
        total[0] += row[k]
        k += 1


cdef always window(real* x, real* mean, const Job* job, Py_ssize_t p, Py_ssize_t q, Py_ssize_t r) noexcept nogil:
    """The mean of one window, or adds a share of it to its elements."""
    cdef const Line* a = &job.lines[0]
    cdef const Line* b = &job.lines[1]
    cdef const Line* c = &job.lines[2]
    cdef Py_ssize_t first = begin(c, r), last = end(c, r), i, j, k
    cdef real size = <real>(job.divisor if job.divisor else
                            counted(a, p, job.padded) * counted(b, q, job.padded) * counted(c, r, job.padded))
    cdef real total = mean[0] / size if job.back else 0
    cdef real* row
    for i in range(begin(a, p), end(a, p)):
        for j in range(begin(b, q), end(b, q)):
            row = x + (i * b.size + j) * c.size
            if job.back:
                for k in range(first, last):
                    row[k] += total
            else:
                add_row(row + first, last - first, &total)
    if not job.back:
        mean[0] = total / size


cdef always add_beside(real* x, real* sums, Py_ssize_t n, Py_ssize_t stride, bint back) noexcept nogil:
    """Adds an element of each window to its sum, or the other way round."""
    cdef Py_ssize_t w
    if back:
        for w in range(n):
            x[w * stride] += sums[w]
    else:
        for w in range(n):
            sums[w] += x[w * stride]


cdef always windows_beside(real* x, real* means, const Job* job, Py_ssize_t p, Py_ssize_t q, Py_ssize_t r,
                           Py_ssize_t n) noexcept nogil:
    """`window` for some windows of a row, which lie inside: element by element of all of them."""
    cdef const Line* a = &job.lines[0]
    cdef const Line* b = &job.lines[1]
    cdef const Line* c = &job.lines[2]
    cdef real sums[CHUNK]
    cdef real size = <real>(job.divisor if job.divisor else
                            counted(a, p, job.padded) * counted(b, q, job.padded) * c.kernel)
    cdef Py_ssize_t i, j, k, w
    cdef real* row
    for w in range(n):
        sums[w] = means[w] / size if job.back else 0
    for i in range(begin(a, p), end(a, p)):
        for j in range(begin(b, q), end(b, q)):
            row = x + (i * b.size + j) * c.size + r * c.stride - c.padding
            for k in range(c.kernel):
                if c.stride == 1:
                    add_beside(row + k, sums, n, 1, job.back)
                else:
                    add_beside(row + k, sums, n, 2, job.back)
    if not job.back:
        for w in range(n):
            means[w] = sums[w] / size


cdef always columns_first(const real* x, real* means, const Job* job, Py_ssize_t p, Py_ssize_t q) noexcept nogil:
    """The means of a row of windows: sums of columns, all beside each other, then those of each window's columns."""
    cdef const Line* a = &job.lines[0]
    cdef const Line* b = &job.lines[1]
    cdef const Line* c = &job.lines[2]
    cdef real sums[WIDTH]
    cdef real total
    cdef Py_ssize_t i, j, k, r, size, rows = counted(a, p, job.padded) * counted(b, q, job.padded)
    for k in range(c.size):
        sums[k] = 0
    for i in range(begin(a, p), end(a, p)):
        for j in range(begin(b, q), end(b, q)):
            for k in range(c.size):
                sums[k] += x[(i * b.size + j) * c.size + k]
    for r in range(c.places):
        total = 0
        add_row(sums + begin(c, r), end(c, r) - begin(c, r), &total)
        size = job.divisor if job.divisor else rows * counted(c, r, job.padded)
        means[r] = total / <real>size


cdef wide plane(real* x, real* means, const Job* job) noexcept nogil:
    """The means of the windows of a plane, or adds shares of them to the plane."""
    cdef const Line* c = &job.lines[2]
    cdef Py_ssize_t p, q, r
    cdef bint by_columns = not job.back and c.low == c.high and c.stride <= c.kernel + 1 and c.size <= WIDTH
    if job.back:
        memset(x, 0, job.lines[0].size * job.lines[1].size * c.size * sizeof(real))
    for p in range(job.lines[0].places):
        for q in range(job.lines[1].places):
            if by_columns:
                columns_first(x, means, job, p, q)
                means += c.places
                continue
            for r in range(c.low):
                window(x, means + r, job, p, q, r)
            r = c.low
            while r < c.high:
                windows_beside(x, means + r, job, p, q, r, min(<Py_ssize_t>CHUNK, c.high - r))
                r += CHUNK
            for r in range(c.high, c.places):
                window(x, means + r, job, p, q, r)
            means += c.places


cdef void planes(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some of the planes."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t i, d, size = 1, places = 1
    for d in range(MOST):
        size *= job.lines[d].size
        places *= job.lines[d].places
    for i in range(start, stop):
        if job.single:
            plane(<float*>job.x + i * size, <float*>job.means + i * places, job)
        else:
            plane(<double*>job.x + i * size, <double*>job.means + i * places, job)


cdef cnp.ndarray pooled(cnp.ndarray given, Job* job, int dims):
    """Runs a job on an array; the result is new."""
    cdef cnp.npy_intp[MOST + 2] shape
    cdef Py_ssize_t number, work = measure(job.lines, given, dims, job.back, shape, &number)
    cdef int kind = cnp.PyArray_TYPE(given)
    cdef cnp.ndarray made = cnp.PyArray_SimpleNew(given.ndim, shape, kind)
    job.x, job.means = cnp.PyArray_DATA(made if job.back else given), cnp.PyArray_DATA(given if job.back else made)
    job.single = kind == cnp.NPY_FLOAT
    shared(planes, job, number, max(<Py_ssize_t>1, GRAIN // work))
    return made


cdef bint is_taken(object x, int dims) noexcept:
    """Whether an array is of the types that are computed with, contiguous, and a batch or a sample."""
    return float_type(x) != 0 and cnp.PyArray_IS_C_CONTIGUOUS(x) and dims <= MOST \
        and 0 <= (<cnp.ndarray>x).ndim - dims <= 2


cdef bint suits(kernel, stride) except -1:
    """Whether few windows see each element, so that sums along one dimension after the other would take longer."""
    cdef int d
    cdef double seen = 1
    for d in range(len(kernel)):
        seen *= <double>kernel[d] / <double>stride[d]
    return seen <= OFTEN


def means(x, kernel, stride, padding, bint ceil_mode, bint padded, divisor):
    """The means of the windows of an array (..., *spatial); None for arrays that are not taken, or without windows."""
    cdef Job job
    cdef int dims = len(kernel), d, own
    cdef Py_ssize_t size, places
    if not is_taken(x, dims):
        return None
    job.back, job.padded, job.divisor = False, padded, 0 if divisor is None else divisor
    if divisor is not None and job.divisor == 0 or not suits(kernel, stride):
        return None
    for d in range(MOST):
        own = d - (MOST - dims)
        if own < 0:
            job.lines[d] = single_line()
            continue
        size = (<cnp.ndarray>x).shape[(<cnp.ndarray>x).ndim - dims + own]
        places = places_along(size, kernel[own], stride[own], padding[own], 1, ceil_mode)
        if places < 1:
            return None
        job.lines[d] = sliding(size, places, kernel[own], stride[own], padding[own], 1)
    return pooled(x, &job, dims)


def shares(grad, spatial, kernel, stride, padding, bint padded, divisor):
    """The adjoint of `means`: an array (..., *spatial); None for arrays that are not taken."""
    cdef Job job
    cdef int dims = len(kernel), d, own
    if not is_taken(grad, dims):
        return None
    job.back, job.padded, job.divisor = True, padded, 0 if divisor is None else divisor
    if divisor is not None and job.divisor == 0 or not suits(kernel, stride):
        return None
    for d in range(MOST):
        own = d - (MOST - dims)
        job.lines[d] = single_line() if own < 0 else sliding(
            spatial[own], (<cnp.ndarray>grad).shape[(<cnp.ndarray>grad).ndim - dims + own], kernel[own], stride[own],
            padding[own], 1)
    return pooled(grad, &job, dims)


def divided(given, sizes, bint back):
    """The means of as many windows as `sizes` of an array (..., *spatial), or the adjoint: an array (..., *sizes).

    None for arrays that are not taken, and where there are no windows.
    """
    cdef Job job
    cdef int dims = len(sizes), d, own
    cdef Py_ssize_t size, places
    if not is_taken(given, dims):
        return None
    job.back, job.padded, job.divisor = back, False, 0
    for d in range(MOST):
        own = d - (MOST - dims)
        if own < 0:
            job.lines[d] = single_line()
            continue
        size, places = sizes[own], (<cnp.ndarray>given).shape[(<cnp.ndarray>given).ndim - dims + own]
        if size < 1:
            return None
        job.lines[d] = dividing(size, places) if back else dividing(places, size)
    return pooled(given, &job, dims)
