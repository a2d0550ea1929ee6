# cython: boundscheck=False, wraparound=False, cdivision=True
"""Distances of all rows of a matrix from all rows of another, and their gradients, without an array of differences."""

cimport numpy as cnp
from libc.math cimport sqrt, sqrtf

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    SIDE_BY_SIDE = 32  # partial sums of a distance
    GRAIN = 1 << 15  # differences in one thread's part
    ONE = 1  # the sum of absolute values
    TWO = 2  # the root of the sum of squares
    MOST = 3  # the largest absolute value
    NARROW = 16  # columns up to which the differences take less time than a product of matrices
    TOGETHER = 4  # columns whose squares are added at once


cdef struct Job:
    const void* x
    const void* y
    const void* weights  # NULL for distances; else the factors of the differences in gradients
    void* out
    Py_ssize_t rows  # of y
    Py_ssize_t columns
    Py_ssize_t down  # from a row of x to the next, and of y, in `weights`
    Py_ssize_t along
    int kind
    bint single
    bint pairs  # only the distances of each row from those after it, in a vector


cdef inline real added(real sum, real apart, int kind) noexcept nogil:
    """A sum, or the largest absolute value so far, with one more difference; NaN stays."""
    cdef real size = apart if apart > 0 else -apart
    if kind == ONE:
        return sum + size
    if kind == TWO:
        return sum + apart * apart
    return sum if (sum >= size) | (sum != sum) else size


cdef inline void fold(real* sums, int width, int kind) noexcept nogil:
    """Combines the second half of some partial results with the first."""
    cdef int k
    for k in range(width):
        if kind == MOST:
            sums[k] = sums[k] if (sums[k] >= sums[k + width]) | (sums[k] != sums[k]) else sums[k + width]
        else:
            sums[k] += sums[k + width]


cdef inline void distance(const real* x, const real* y, real* out, Py_ssize_t n, int kind) noexcept nogil:
    cdef real sums[SIDE_BY_SIDE]
    cdef real rest = 0
    cdef double total
    cdef Py_ssize_t i, k
    for k in range(SIDE_BY_SIDE):
        sums[k] = 0
    for i in range(n // SIDE_BY_SIDE):
        for k in range(SIDE_BY_SIDE):
            sums[k] = added(sums[k], x[i * SIDE_BY_SIDE + k] - y[i * SIDE_BY_SIDE + k], kind)
    for i in range(n - n % SIDE_BY_SIDE, n):
        rest = added(rest, x[i] - y[i], kind)
    fold(sums, 16, kind)
    fold(sums, 8, kind)
    fold(sums, 4, kind)
    total = rest
    for k in range(4):
        if kind == MOST:
            total = total if (total >= sums[k]) | (total != total) else sums[k]
        else:
            total += sums[k]
    out[0] = <real>(sqrt(total) if kind == TWO else total)


cdef wide distances_of(const real* x, const real* y, real* out, Py_ssize_t rows, Py_ssize_t n, int kind) noexcept nogil:
    """The distances of one row from all rows."""
    cdef Py_ssize_t j
    if kind == ONE:
        for j in range(rows):
            distance(x, y + j * n, out + j, n, ONE)
    elif kind == TWO:
        for j in range(rows):
            distance(x, y + j * n, out + j, n, TWO)
    else:
        for j in range(rows):
            distance(x, y + j * n, out + j, n, MOST)


cdef wide slopes_of(
    const real* x, const real* y, const real* weights, Py_ssize_t along, real* out, Py_ssize_t rows, Py_ssize_t n,
    int kind
) noexcept nogil:
    """The gradient of one row: differences, or their signs, times their weights."""
    cdef Py_ssize_t i, j
    cdef real weight, apart
    for i in range(n):
        out[i] = 0
    for j in range(rows):
        weight = weights[j * along]
        if kind == TWO:
            for i in range(n):
                out[i] += weight * (x[i] - y[j * n + i])
        else:
            for i in range(n):
                apart = x[i] - y[j * n + i]
                out[i] += weight * (<real>(apart > 0) - <real>(apart < 0))


cdef void compute_rows(const Job* job, const real* x, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some rows of x."""
    cdef const real* y = <const real*>job.y
    cdef const real* weights = <const real*>job.weights
    cdef real* out = <real*>job.out
    cdef Py_ssize_t i, n = job.columns
    for i in range(start, stop):
        if job.pairs:
            distances_of(x + i * n, y + (i + 1) * n, out + i * (2 * job.rows - i - 1) // 2, job.rows - i - 1, n, job.kind)
        elif weights == NULL:
            distances_of(x + i * n, y, out + i * job.rows, job.rows, n, job.kind)
        else:
            slopes_of(x + i * n, y, weights + i * job.down, job.along, out + i * n, job.rows, n, job.kind)


cdef void compute(const void* pointer, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of a job, by its dtype."""
    cdef const Job* job = <const Job*>pointer
    if job.single:
        compute_rows(job, <const float*>job.x, start, stop)
    else:
        compute_rows(job, <const double*>job.x, start, stop)


cdef bint takes(x, y) noexcept:
    """Whether the kernel takes two matrices."""
    return float_type(x) and float_type(x) == float_type(y) and x.ndim == y.ndim == 2


cdef int kind_of(double p) noexcept:
    """The kind of distance for p; 0 if not supported."""
    return ONE if p == 1 else TWO if p == 2 else MOST if p == float("inf") else 0


cdef cnp.ndarray computed(cnp.ndarray x, cnp.ndarray y, Job* job, Py_ssize_t width):
    """A new array with a row for each row of x; x and y are in C order."""
    cdef cnp.npy_intp[2] shape
    cdef cnp.ndarray out
    shape[0], shape[1] = x.shape[0], width
    out = cnp.PyArray_SimpleNew(2, shape, cnp.PyArray_TYPE(x))
    job.x, job.y, job.out = cnp.PyArray_DATA(x), cnp.PyArray_DATA(y), cnp.PyArray_DATA(out)
    job.rows, job.columns, job.single = y.shape[0], x.shape[1], cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT
    shared(compute, job, x.shape[0], max(1, GRAIN // (job.rows * job.columns)))
    return out


def distances(x, y, double p):
    """The distances of all rows of x from all of y; None for inputs that the kernel does not take."""
    cdef Job job
    job.kind, job.weights, job.pairs = kind_of(p), NULL, False
    if not job.kind or not takes(x, y):
        return None
    return computed(cnp.PyArray_GETCONTIGUOUS(x), cnp.PyArray_GETCONTIGUOUS(y), &job, y.shape[0])


def pair_distances(x, double p):
    """The distances of each row from those after it, in a vector; None for inputs that the kernel does not take."""
    cdef Job job
    cdef cnp.npy_intp count
    cdef cnp.ndarray source, out
    job.kind, job.weights, job.pairs = kind_of(p), NULL, True
    if not job.kind or not takes(x, x):
        return None
    source = cnp.PyArray_GETCONTIGUOUS(x)
    job.rows, job.columns, job.single = source.shape[0], source.shape[1], cnp.PyArray_TYPE(source) == cnp.NPY_FLOAT
    count = job.rows * (job.rows - 1) // 2
    out = cnp.PyArray_SimpleNew(1, &count, cnp.PyArray_TYPE(source))
    job.x = job.y = cnp.PyArray_DATA(source)
    job.out = cnp.PyArray_DATA(out)
    shared(compute, &job, job.rows, max(1, GRAIN // (job.rows * job.columns)))
    return out


def cotangents(weights, x, y, double p, bint both=True):
    """The gradients of x and y, from that of the distances (for p = 2 divided by them); None if not supported.

    Without `both` that of x alone.
    """
    cdef Job job
    job.pairs, job.kind = False, kind_of(p)
    if job.kind not in (ONE, TWO) or not takes(x, y) or not float_type(weights) \
            or cnp.PyArray_TYPE(weights) != cnp.PyArray_TYPE(x):
        return None
    x, y, weights = [cnp.PyArray_GETCONTIGUOUS(array) for array in (x, y, weights)]
    job.weights, job.down, job.along = cnp.PyArray_DATA(weights), y.shape[0], 1
    of_x = computed(x, y, &job, x.shape[1])
    if not both:
        return of_x
    job.down, job.along = 1, y.shape[0]
    return of_x, computed(y, x, &job, x.shape[1])


# Euclidean distances of many rows

cdef struct Euclidean:
    const char* x  # of products the sums of squares of the rows
    const char* y  # of narrow matrices the columns, else the sums of squares of the other rows
    char* out
    Py_ssize_t batches, rows, others, columns
    bint single


cdef wide turn(const real* y, real* out, Py_ssize_t rows, Py_ssize_t columns) noexcept nogil:
    """The columns of a matrix, one after the other."""
    cdef Py_ssize_t i, j
    for j in range(columns):
        for i in range(rows):
            out[j * rows + i] = y[i * columns + j]


cdef wide narrow_distances(const real* x, const real* turned, real* out, Py_ssize_t others, Py_ssize_t columns,
                           Py_ssize_t rows) noexcept nogil:
    """The distances of some rows of a few numbers from all others, of which the columns are given."""
    cdef Py_ssize_t i, j, k
    cdef real a, b, c, d
    cdef const real* y
    cdef real* row
    for i in range(rows):
        row = out + i * others
        for j in range(others):
            row[j] = 0
        for k from 0 <= k <= columns - TOGETHER by TOGETHER:
            a, b, c, d = x[i * columns + k], x[i * columns + k + 1], x[i * columns + k + 2], x[i * columns + k + 3]
            y = turned + k * others
            for j in range(others):
                row[j] += ((a - y[j]) * (a - y[j]) + (b - y[others + j]) * (b - y[others + j])) + (
                    (c - y[2 * others + j]) * (c - y[2 * others + j]) + (d - y[3 * others + j]) * (d - y[3 * others + j]))
        for k in range(columns - columns % TOGETHER, columns):
            a, y = x[i * columns + k], turned + k * others
            for j in range(others):
                row[j] += (a - y[j]) * (a - y[j])
        for j in range(others):
            row[j] = <real>sqrt(row[j]) if real is double else <real>sqrtf(row[j])


cdef void measure(const Euclidean* job, const real* x, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """The distances of some rows, counted through all matrices of a batch."""
    cdef Py_ssize_t batch, last, n = job.columns
    while start < stop:
        batch = start // job.rows
        last = min(stop, (batch + 1) * job.rows)
        narrow_distances(x + start * n, <const real*>job.y + batch * job.others * n,
                         <real*>job.out + start * job.others, job.others, n, last - start)
        start = last


cdef void measure_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """The distances of some rows, by their type."""
    cdef const Euclidean* job = <const Euclidean*>given
    if job.single:
        measure(job, <const float*>job.x, start, stop)
    else:
        measure(job, <const double*>job.x, start, stop)


cdef void turn_all(const Euclidean* job, const real* y) noexcept nogil:
    """The columns of the other matrices."""
    cdef Py_ssize_t batch, size = job.others * job.columns
    for batch in range(job.batches):
        turn(y + batch * size, <real*>job.y + batch * size, job.others, job.columns)


def euclidean(x, y):
    """The Euclidean distances of narrow rows in matrices, or in batches of one shape; None for others."""
    cdef int kind = float_type(x), d
    cdef Euclidean job
    cdef cnp.npy_intp[64] shape
    cdef cnp.ndarray first, second, out, turned
    if kind == 0 or float_type(y) != kind or (<cnp.ndarray>x).ndim != (<cnp.ndarray>y).ndim or (<cnp.ndarray>x).ndim < 2:
        return None
    d = (<cnp.ndarray>x).ndim - 2
    if (<cnp.ndarray>x).shape[d + 1] > NARROW or (<cnp.ndarray>x).shape[d + 1] != (<cnp.ndarray>y).shape[d + 1]:
        return None
    first, second = cnp.PyArray_GETCONTIGUOUS(x), cnp.PyArray_GETCONTIGUOUS(y)
    job.rows, job.others, job.columns = first.shape[d], second.shape[d], first.shape[d + 1]
    shape[d], shape[d + 1] = job.rows, job.others
    job.batches = 1
    for d in range(first.ndim - 2):
        if first.shape[d] != second.shape[d]:
            return None
        shape[d] = first.shape[d]
        job.batches *= first.shape[d]
    out = cnp.PyArray_SimpleNew(first.ndim, shape, kind)
    turned = cnp.PyArray_SimpleNew(second.ndim, second.shape, kind)
    job.x, job.y, job.out = cnp.PyArray_BYTES(first), cnp.PyArray_BYTES(turned), cnp.PyArray_BYTES(out)
    job.single = kind == cnp.NPY_FLOAT
    if job.single:
        turn_all(&job, <const float*>cnp.PyArray_DATA(second))
    else:
        turn_all(&job, <const double*>cnp.PyArray_DATA(second))
    shared(measure_part, &job, job.batches * job.rows, max(1, GRAIN // (job.others * job.columns)))
    return out


cdef wide finish(real* row, real own, const real* squares, Py_ssize_t others) noexcept nogil:
    """The distances of a row, given its products and the sums of squares."""
    cdef Py_ssize_t j
    cdef real apart
    for j in range(others):
        apart = (own + squares[j]) - 2 * row[j]
        apart = <real>0 if apart < 0 else apart
        row[j] = <real>sqrt(apart) if real is double else <real>sqrtf(apart)


cdef void finish_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Finishes some rows, counted through all matrices of a batch."""
    cdef const Euclidean* job = <const Euclidean*>given
    cdef Py_ssize_t i, n = job.others, first
    for i in range(start, stop):
        first = i // job.rows * n
        if job.single:
            finish(<float*>job.out + i * n, (<const float*>job.x)[i], <const float*>job.y + first, n)
        else:
            finish(<double*>job.out + i * n, (<const double*>job.x)[i], <const double*>job.y + first, n)


def finish_products(products, squares, other_squares):
    """Replaces the products of rows with others by their distances, given the sums of squares; returns whether it could.

    The rounding error is that of the squares.
    """
    cdef int kind = float_type(products), d
    cdef Euclidean job
    cdef cnp.ndarray out, first, second
    if kind == 0 or float_type(squares) != kind or float_type(other_squares) != kind:
        return False
    out, first, second = products, squares, other_squares
    if not cnp.PyArray_ISCARRAY(out) or not cnp.PyArray_IS_C_CONTIGUOUS(first) or not cnp.PyArray_IS_C_CONTIGUOUS(second) \
            or first.ndim != out.ndim - 1 or second.ndim != out.ndim - 1 or out.ndim < 2:
        return False
    job.rows, job.others = out.shape[out.ndim - 2], out.shape[out.ndim - 1]
    if first.shape[out.ndim - 2] != job.rows or second.shape[out.ndim - 2] != job.others:
        return False
    for d in range(out.ndim - 2):
        if first.shape[d] != out.shape[d] or second.shape[d] != out.shape[d]:
            return False
    job.x, job.y, job.out = cnp.PyArray_BYTES(first), cnp.PyArray_BYTES(second), cnp.PyArray_BYTES(out)
    job.single = kind == cnp.NPY_FLOAT
    shared(finish_part, &job, cnp.PyArray_SIZE(first), max(1, GRAIN // job.others))
    return True
