# cython: boundscheck=False, wraparound=False, cdivision=True
"""Products of a small matrix and a vector, of two vectors, and of points in space; and adding and summing rows.

A matrix with contiguous rows is multiplied 8 rows at a time, each with a vector of partial sums; one with contiguous
columns (a transposed one) column by column. There are no threads and no buffers, but for
the inner products of long vectors.
"""

cimport numpy as cnp
from libc.stdlib cimport free, malloc

from rushlight.kernels.compiled.arrays cimport fits, float_type
from rushlight.kernels.compiled.lanes cimport add_to, always, few_doubles, few_floats, number, put, real, wide
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.steps cimport zeros
from rushlight.kernels.compiled.tiles cimport beside

cnp.import_array()

cdef extern from *:
    """
    #define rushlight_lane(x, i) ((x)[i])
    typedef float rushlight_half_floats __attribute__((vector_size(16), aligned(4), may_alias));
    """
    ctypedef float half_floats "rushlight_half_floats"
    double lane "rushlight_lane"(double x, int i) noexcept nogil

ctypedef fused few:
    few_floats
    few_doubles

cdef enum:
    SMALL = 4096  # elements up to which a call of BLAS costs more than it saves (measured)
    NARROW = 8  # columns from which on rows are added up here
    VECTOR = 32  # bytes
    SUMS = 8  # vectors: they fit in AVX2's registers beside an operand, and no addition waits for the one before
    WRITTEN = 1 << 16  # elements of one thread's part of an outer product
    PARTIAL = 64  # sums of an inner product
    CHUNK = 1 << 14  # elements of a long vector whose products are summed up alone
    CHUNKS = 4  # of one thread's part
    ACROSS = 4  # vectors of a column that are summed up at a time

cdef double[4] ZEROS = [0] * 4


cdef always clear(few* sums, int count) noexcept nogil:
    """Sets some vectors to 0."""
    cdef int k
    for k in range(count):
        sums[k] = (<const few*>ZEROS)[0]


cdef always put_total(few* x, few* place) noexcept nogil:
    """Writes the sum of a vector's elements to the first element of a place."""
    cdef half_floats half
    if few is few_floats:
        half = (<const half_floats*>x)[0] + (<const half_floats*>x)[1]
        put(place, (lane(half, 0) + lane(half, 1)) + (lane(half, 2) + lane(half, 3)))
    else:
        put(place, (lane(x[0], 0) + lane(x[0], 1)) + (lane(x[0], 2) + lane(x[0], 3)))


cdef always some_rows(const few* matrix, Py_ssize_t stride, const few* x, few* y, Py_ssize_t m, int rows) noexcept nogil:
    """y = matrix @ x for 1 or `SUMS` rows."""
    cdef few[SUMS] sums
    cdef int i, k, several = SUMS // rows, item = 4 if few is few_floats else 8
    cdef Py_ssize_t j, whole = m * item - m * item % VECTOR, together = whole - whole % (several * VECTOR)
    clear(sums, SUMS)
    for j from 0 <= j < together by several * VECTOR:
        for i in range(rows):
            for k in range(several):
                sums[i + k] += (<const few*>beside(matrix, i * stride + j))[k] * (<const few*>beside(x, j))[k]
    for j from together <= j < whole by VECTOR:
        for i in range(rows):
            sums[i] += (<const few*>beside(matrix, i * stride + j))[0] * (<const few*>beside(x, j))[0]
    for k in range(1, several):
        sums[0] += sums[k]
    for i in range(rows):
        put_total(sums + i, <few*>beside(y, i * item))
    for j in range(whole // item, m):
        for i in range(rows):
            add_to(y, i, number(<const few*>beside(matrix, i * stride), j) * number(x, j))


cdef always some_columns(const few* matrix, Py_ssize_t stride, const few* x, few* y, Py_ssize_t m, int vectors) noexcept nogil:
    """y = matrix @ x for as many rows as the vectors have elements."""
    cdef few[2 * ACROSS] sums
    cdef int k
    cdef Py_ssize_t j
    clear(sums, 2 * ACROSS)
    for j from 0 <= j < m - 1 by 2:
        for k in range(vectors):
            sums[k] += number(x, j) * (<const few*>beside(matrix, j * stride))[k]
            sums[ACROSS + k] += number(x, j + 1) * (<const few*>beside(matrix, (j + 1) * stride))[k]
    if m % 2:
        for k in range(vectors):
            sums[k] += number(x, m - 1) * (<const few*>beside(matrix, (m - 1) * stride))[k]
    for k in range(vectors):
        y[k] = sums[k] + sums[ACROSS + k]


cdef wide by_rows(const real* matrix, Py_ssize_t stride, const real* x, real* y, Py_ssize_t n, Py_ssize_t m) noexcept nogil:
    """y = matrix @ x with contiguous rows, `stride` elements apart; several rows at a time, the last ones maybe twice."""
    cdef Py_ssize_t i
    for i in range(n if n < SUMS else 0):
        take_rows(matrix + i * stride, stride, x, y + i, m, 1)
    for i from 0 <= i <= n - SUMS by SUMS:
        take_rows(matrix + i * stride, stride, x, y + i, m, SUMS)
    if n > SUMS and n % SUMS:
        take_rows(matrix + (n - SUMS) * stride, stride, x, y + n - SUMS, m, SUMS)


cdef always take_rows(const real* matrix, Py_ssize_t stride, const real* x, real* y, Py_ssize_t m, int rows) noexcept nogil:
    """`some_rows` for numbers of either type."""
    if real is float:
        some_rows(<const few_floats*>matrix, stride * sizeof(real), <const few_floats*>x, <few_floats*>y, m, rows)
    else:
        some_rows(<const few_doubles*>matrix, stride * sizeof(real), <const few_doubles*>x, <few_doubles*>y, m, rows)


cdef wide by_columns(const real* matrix, Py_ssize_t stride, const real* x, real* y, Py_ssize_t n, Py_ssize_t m) noexcept nogil:
    """y = matrix @ x with contiguous columns, `stride` elements apart; the last rows maybe twice."""
    cdef Py_ssize_t i, j, lanes = VECTOR // sizeof(real), whole = n - n % (ACROSS * lanes)
    for i from 0 <= i < whole by ACROSS * lanes:
        take_columns(matrix + i, stride, x, y + i, m, ACROSS)
    for i from whole <= i <= n - lanes by lanes:
        take_columns(matrix + i, stride, x, y + i, m, 1)
    if n >= lanes:
        if n % lanes:
            take_columns(matrix + n - lanes, stride, x, y + n - lanes, m, 1)
        return
    for i in range(n):
        y[i] = 0
    for j in range(m):
        for i in range(n):
            y[i] += x[j] * matrix[j * stride + i]


cdef always take_columns(const real* matrix, Py_ssize_t stride, const real* x, real* y, Py_ssize_t m, int vectors) noexcept nogil:
    """`some_columns` for numbers of either type."""
    if real is float:
        some_columns(<const few_floats*>matrix, stride * sizeof(real), <const few_floats*>x, <few_floats*>y, m, vectors)
    else:
        some_columns(<const few_doubles*>matrix, stride * sizeof(real), <const few_doubles*>x, <few_doubles*>y, m, vectors)


cdef wide all_products(const real* column, const real* row, const real* base, real* out, Py_ssize_t n,
                       Py_ssize_t m) noexcept nogil:
    """out[i, j] = column[i] * row[j], added to base[i, j] if there is a base."""
    cdef Py_ssize_t i, j
    for i in range(n):
        if base == NULL:
            for j in range(m):
                out[i * m + j] = column[i] * row[j]
        else:
            for j in range(m):
                out[i * m + j] = base[i * m + j] + column[i] * row[j]


cdef wide add_to_all(real* matrix, const real* row, Py_ssize_t n, Py_ssize_t m) noexcept nogil:
    """matrix[i, j] += row[j]."""
    cdef Py_ssize_t i, j
    for i in range(n):
        for j in range(m):
            matrix[i * m + j] += row[j]


cdef wide add_up(const real* matrix, real* total, Py_ssize_t n, Py_ssize_t m) noexcept nogil:
    """total[j] += matrix[i, j]."""
    cdef Py_ssize_t i, j
    for i in range(n):
        for j in range(m):
            total[j] += matrix[i * m + j]


cdef inline bint is_vector(cnp.ndarray x, int kind) noexcept:
    """Whether an array is a contiguous vector of a kind."""
    return x.ndim == 1 and cnp.PyArray_TYPE(x) == kind and cnp.PyArray_IS_C_CONTIGUOUS(x) and cnp.PyArray_ISBEHAVED_RO(x)


cdef void times_vector(const real* matrix, Py_ssize_t down, Py_ssize_t right, const real* x, real* y, Py_ssize_t n,
                       Py_ssize_t m) noexcept nogil:
    """y = matrix @ x, where one of the matrix's strides is 1."""
    if right == 1:
        by_rows(matrix, down, x, y, n, m)
    else:
        by_columns(matrix, right, x, y, n, m)


cdef void multiply(cnp.ndarray a, cnp.ndarray x, cnp.ndarray y, real* typed) noexcept:
    """y = a @ x for arrays of matching shapes."""
    cdef Py_ssize_t size = sizeof(real)
    times_vector(<real*>cnp.PyArray_DATA(a), a.strides[0] // size, a.strides[1] // size, <real*>cnp.PyArray_DATA(x),
                 <real*>cnp.PyArray_DATA(y), a.shape[0], a.shape[1])


def matvec(matrix, vector):
    """`matrix @ vector` for small contiguous ones of float32 or float64; None for others."""
    return matvec_of(matrix, vector) if cnp.PyArray_CheckExact(matrix) and cnp.PyArray_CheckExact(vector) else None


cdef object matvec_of(cnp.ndarray matrix, cnp.ndarray vector):
    cdef int kind = cnp.PyArray_TYPE(matrix)
    cdef cnp.ndarray result
    cdef cnp.npy_intp size = cnp.PyArray_ITEMSIZE(matrix)
    if (kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE) or matrix.ndim != 2 or not is_vector(vector, kind):
        return None
    if matrix.shape[1] != vector.shape[0] or matrix.shape[0] * matrix.shape[1] > SMALL:
        return None
    if not cnp.PyArray_ISBEHAVED_RO(matrix) or (matrix.strides[1] != size and matrix.strides[0] != size):
        return None
    result = cnp.PyArray_SimpleNew(1, matrix.shape, kind)
    if kind == cnp.NPY_FLOAT:
        multiply[float](matrix, vector, result, NULL)
    else:
        multiply[double](matrix, vector, result, NULL)
    return result


cdef struct Outer:
    const char* column
    const char* row
    const char* base
    char* out
    Py_ssize_t m
    bint single


cdef void multiply_rows(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some rows of an outer product."""
    cdef const Outer* job = <const Outer*>given
    cdef Py_ssize_t item = 4 if job.single else 8, place = start * job.m * item
    cdef const char* base = NULL if job.base == NULL else job.base + place
    if job.single:
        all_products(<const float*>(job.column + start * item), <const float*>job.row, <const float*>base,
                     <float*>(job.out + place), stop - start, job.m)
    else:
        all_products(<const double*>(job.column + start * item), <const double*>job.row, <const double*>base,
                     <double*>(job.out + place), stop - start, job.m)


def outer(column, row, base):
    """The outer product of two contiguous vectors of float32 or float64, added to a contiguous matrix unless that is None.

    None for others.
    """
    if not cnp.PyArray_CheckExact(column) or not cnp.PyArray_CheckExact(row):
        return None
    return outer_of(column, row, base) if base is None or cnp.PyArray_CheckExact(base) else None


cdef object outer_of(cnp.ndarray column, cnp.ndarray row, cnp.ndarray base):
    cdef int kind = cnp.PyArray_TYPE(row)
    cdef cnp.ndarray result
    cdef cnp.npy_intp shape[2]
    cdef Outer job
    if (kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE) or not is_vector(column, kind) or not is_vector(row, kind):
        return None
    shape[0], shape[1] = column.shape[0], row.shape[0]
    result = cnp.PyArray_SimpleNew(2, shape, kind)
    job.column, job.row, job.base = cnp.PyArray_BYTES(column), cnp.PyArray_BYTES(row), NULL
    job.out, job.m, job.single = cnp.PyArray_BYTES(result), shape[1], kind == cnp.NPY_FLOAT
    if base is not None:
        if not is_matrix(base, kind) or not cnp.PyArray_SAMESHAPE(base, result):
            return None
        job.base = cnp.PyArray_BYTES(base)
    shared(multiply_rows, &job, shape[0], 1 + WRITTEN // (shape[1] + 1))
    return result


cdef struct Cross:
    const void* x
    const void* y
    void* out
    Py_ssize_t inner  # from one of the three elements of a vector to the next
    bint single


cdef wide cross_rows(const real* x, const real* y, real* out, Py_ssize_t n) noexcept nogil:
    """The cross products of n vectors, one after the other."""
    cdef Py_ssize_t i
    for i in range(n):
        out[3 * i] = x[3 * i + 1] * y[3 * i + 2] - x[3 * i + 2] * y[3 * i + 1]
        out[3 * i + 1] = x[3 * i + 2] * y[3 * i] - x[3 * i] * y[3 * i + 2]
        out[3 * i + 2] = x[3 * i] * y[3 * i + 1] - x[3 * i + 1] * y[3 * i]


cdef wide cross_columns(const real* x, const real* y, real* out, Py_ssize_t n, Py_ssize_t inner) noexcept nogil:
    """The cross products of n vectors side by side."""
    cdef Py_ssize_t i
    cdef real a, b, c, d, e, f
    for i in range(n):
        a, b, c = x[i], x[inner + i], x[2 * inner + i]
        d, e, f = y[i], y[inner + i], y[2 * inner + i]
        out[i], out[inner + i], out[2 * inner + i] = b * f - c * e, c * d - a * f, a * e - b * d


cdef void cross_of(const Cross* job, const real* x, const real* y, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Some cross products."""
    cdef real* out = <real*>job.out
    cdef Py_ssize_t n, place
    if job.inner == 1:
        cross_rows(x + 3 * start, y + 3 * start, out + 3 * start, stop - start)
        return
    while start < stop:
        n = min(stop - start, job.inner - start % job.inner)
        place = start + start // job.inner * 2 * job.inner
        cross_columns(x + place, y + place, out + place, n, job.inner)
        start += n


cdef void cross_some(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Some cross products, by their type."""
    cdef const Cross* job = <const Cross*>given
    if job.single:
        cross_of(job, <const float*>job.x, <const float*>job.y, start, stop)
    else:
        cross_of(job, <const double*>job.x, <const double*>job.y, start, stop)


def cross(x, y, int dim):
    """The cross products along a dimension, counted from the end, of arrays of one shape; None for others."""
    cdef int kind = float_type(x), d
    cdef cnp.ndarray first, second, out
    cdef Cross job
    if kind == 0 or not fits(y, x):
        return None
    first, second = cnp.PyArray_GETCONTIGUOUS(x), cnp.PyArray_GETCONTIGUOUS(y)
    out = cnp.PyArray_SimpleNew(first.ndim, first.shape, kind)
    job.inner, job.single = 1, kind == cnp.NPY_FLOAT
    for d in range(first.ndim + dim + 1, first.ndim):
        job.inner *= first.shape[d]
    job.x, job.y, job.out = cnp.PyArray_DATA(first), cnp.PyArray_DATA(second), cnp.PyArray_DATA(out)
    shared(cross_some, &job, cnp.PyArray_SIZE(out) // 3, WRITTEN // 6)
    return out


cdef struct Dot:
    const void* x
    const void* y
    double* sums  # one for each chunk
    Py_ssize_t n
    bint single


cdef wide sum_products(const real* x, const real* y, double* total, Py_ssize_t n) noexcept nogil:
    """The sum of the products of some elements."""
    cdef real[PARTIAL] sums
    cdef Py_ssize_t i, k, whole = n - n % PARTIAL
    for k in range(PARTIAL):
        sums[k] = 0
    for i from 0 <= i < whole by PARTIAL:
        for k in range(PARTIAL):
            sums[k] += x[i + k] * y[i + k]
    for k in range(n - whole):
        sums[k] += x[whole + k] * y[whole + k]
    i = PARTIAL // 2
    while i > 0:
        for k in range(i):
            sums[k] += sums[k + i]
        i //= 2
    total[0] = sums[0]


cdef void sum_chunks(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Sums up some chunks."""
    cdef const Dot* job = <const Dot*>given
    cdef Py_ssize_t i, n
    for i in range(start, stop):
        n = min(<Py_ssize_t>CHUNK, job.n - i * CHUNK)
        if job.single:
            sum_products(<const float*>job.x + i * CHUNK, <const float*>job.y + i * CHUNK, job.sums + i, n)
        else:
            sum_products(<const double*>job.x + i * CHUNK, <const double*>job.y + i * CHUNK, job.sums + i, n)


def dot(x, y):
    """The inner product of two contiguous vectors of float32 or float64, as an array; None for others."""
    return dot_of(x, y) if cnp.PyArray_CheckExact(x) and cnp.PyArray_CheckExact(y) else None


cdef object dot_of(cnp.ndarray x, cnp.ndarray y):
    cdef int kind = cnp.PyArray_TYPE(x)
    cdef double total = 0
    cdef Py_ssize_t i, count
    cdef cnp.ndarray result
    cdef Dot job
    if (kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE) or not is_vector(x, kind) or not is_vector(y, kind) \
            or x.shape[0] != y.shape[0]:
        return None
    count = (x.shape[0] + CHUNK - 1) // CHUNK
    job = Dot(cnp.PyArray_DATA(x), cnp.PyArray_DATA(y), &total, x.shape[0], kind == cnp.NPY_FLOAT)
    if count > 1:
        job.sums = <double*>malloc(count * sizeof(double))
        if job.sums == NULL:
            raise MemoryError
        try:
            shared(sum_chunks, &job, count, CHUNKS)
            for i in range(count):
                total += job.sums[i]
        finally:
            free(job.sums)
    elif count:
        sum_chunks(&job, 0, 1)
    result = cnp.PyArray_SimpleNew(0, NULL, kind)
    if kind == cnp.NPY_FLOAT:
        (<float*>cnp.PyArray_DATA(result))[0] = <float>total
    else:
        (<double*>cnp.PyArray_DATA(result))[0] = total
    return result


cdef inline bint is_matrix(cnp.ndarray x, int kind) noexcept:
    """Whether an array is a contiguous matrix of a supported type."""
    return x.ndim == 2 and cnp.PyArray_TYPE(x) == kind and cnp.PyArray_IS_C_CONTIGUOUS(x) \
        and cnp.PyArray_ISBEHAVED_RO(x) and (kind == cnp.NPY_FLOAT or kind == cnp.NPY_DOUBLE)


def add_row(matrix, row):
    """Adds a vector to each row of a matrix, both contiguous; returns whether they were."""
    return add_row_of(matrix, row) if cnp.PyArray_CheckExact(matrix) and cnp.PyArray_CheckExact(row) else False


cdef object add_row_of(cnp.ndarray matrix, cnp.ndarray row):
    cdef int kind = cnp.PyArray_TYPE(matrix)
    if not is_matrix(matrix, kind) or not is_vector(row, kind) or matrix.shape[1] != row.shape[0]:
        return False
    if kind == cnp.NPY_FLOAT:
        add_to_all(<float*>cnp.PyArray_DATA(matrix), <float*>cnp.PyArray_DATA(row), matrix.shape[0], matrix.shape[1])
    else:
        add_to_all(<double*>cnp.PyArray_DATA(matrix), <double*>cnp.PyArray_DATA(row), matrix.shape[0], matrix.shape[1])
    return True


def sum_rows(matrix):
    """The sum of the rows of a contiguous matrix; None for others, and for narrow ones."""
    return sum_rows_of(matrix) if cnp.PyArray_CheckExact(matrix) else None


cdef object sum_rows_of(cnp.ndarray matrix):
    cdef int kind = cnp.PyArray_TYPE(matrix)
    cdef cnp.ndarray result
    if not is_matrix(matrix, kind) or matrix.shape[1] < NARROW:
        return None
    result = zeros(1, &matrix.shape[1], kind)
    if kind == cnp.NPY_FLOAT:
        add_up(<float*>cnp.PyArray_DATA(matrix), <float*>cnp.PyArray_DATA(result), matrix.shape[0], matrix.shape[1])
    else:
        add_up(<double*>cnp.PyArray_DATA(matrix), <double*>cnp.PyArray_DATA(result), matrix.shape[0], matrix.shape[1])
    return result
