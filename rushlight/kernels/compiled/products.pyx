# cython: boundscheck=False, wraparound=False, cdivision=True
"""Products of a small matrix and a vector, of two vectors, and helpers of matrix products: adding and summing rows.

A matrix with contiguous rows is multiplied row by row, with 16 partial sums; one with contiguous columns (a transposed
one) column by column. There are no threads and no buffers.
"""

cimport numpy as cnp
from rushlight.kernels.compiled.lanes cimport always, doubles, floats, real, wide

cnp.import_array()

cdef enum:
    SMALL = 4096  # elements up to which a call of BLAS costs more than it saves (measured)
    SIDE_BY_SIDE = 16
    ROWS = 16  # that are summed up at a time
    COLUMN = 32  # elements of a column that are summed up in registers

cdef double[8] ZEROS = [0] * 8


cdef inline real dot(const real* x, const real* y, Py_ssize_t n) noexcept nogil:
    """The sum of the products of two contiguous vectors."""
    cdef real sums[SIDE_BY_SIDE]
    cdef real total = 0
    cdef Py_ssize_t i, j
    for j in range(SIDE_BY_SIDE):
        sums[j] = 0
    for i in range(n // SIDE_BY_SIDE):
        for j in range(SIDE_BY_SIDE):
            sums[j] += x[i * SIDE_BY_SIDE + j] * y[i * SIDE_BY_SIDE + j]
    for i in range(n - n % SIDE_BY_SIDE, n):
        total += x[i] * y[i]
    for j in range(8):
        sums[j] += sums[j + 8]
    for j in range(4):
        sums[j] += sums[j + 4]
    return total + ((sums[0] + sums[1]) + (sums[2] + sums[3]))


cdef always sums_of_products(const real* x, const real* y, Py_ssize_t n, real* sums) noexcept nogil:
    """Several partial sums of the products of two contiguous vectors."""
    cdef floats single = (<const floats*>ZEROS)[0]
    cdef doubles low = (<const doubles*>ZEROS)[0], high = (<const doubles*>ZEROS)[0]
    cdef Py_ssize_t i, whole = n - n % SIDE_BY_SIDE
    for i from 0 <= i < whole by SIDE_BY_SIDE:
        if real is float:
            single += (<const floats*>(x + i))[0] * (<const floats*>(y + i))[0]
        else:
            low += (<const doubles*>(x + i))[0] * (<const doubles*>(y + i))[0]
            high += (<const doubles*>(x + i + 8))[0] * (<const doubles*>(y + i + 8))[0]
    if real is float:
        (<floats*>sums)[0] = single
    else:
        (<doubles*>sums)[0] = low
        (<doubles*>(sums + 8))[0] = high
    for i in range(whole, n):
        sums[0] += x[i] * y[i]


cdef wide by_rows(const real* matrix, Py_ssize_t stride, const real* x, real* y, Py_ssize_t n, Py_ssize_t m) noexcept nogil:
    """y = matrix @ x with contiguous rows, `stride` elements apart; several rows at a time."""
    cdef real sums[ROWS][SIDE_BY_SIDE]
    cdef real halves[ROWS][8]
    cdef real quarters[ROWS][4]
    cdef Py_ssize_t part, first, i, j, rows
    for part in range((n + ROWS - 1) // ROWS):
        first = part * ROWS
        rows = min(<Py_ssize_t>ROWS, n - first)
        for i in range(rows):
            sums_of_products(matrix + (first + i) * stride, x, m, sums[i])
        for i in range(rows):
            for j in range(8):
                halves[i][j] = sums[i][j] + sums[i][j + 8]
        for i in range(rows):
            for j in range(4):
                quarters[i][j] = halves[i][j] + halves[i][j + 4]
        for i in range(rows):
            y[first + i] = (quarters[i][0] + quarters[i][1]) + (quarters[i][2] + quarters[i][3])


cdef wide by_columns(const real* matrix, Py_ssize_t stride, const real* x, real* y, Py_ssize_t n, Py_ssize_t m) noexcept nogil:
    """y = matrix @ x with contiguous columns, `stride` elements apart."""
    cdef real sums[COLUMN]
    cdef Py_ssize_t i, j, part, first, whole = n - n % COLUMN
    for part in range(n // COLUMN):
        first = part * COLUMN
        for i in range(COLUMN):
            sums[i] = 0
        for j in range(m):
            for i in range(COLUMN):
                sums[i] += x[j] * matrix[j * stride + first + i]
        for i in range(COLUMN):
            y[first + i] = sums[i]
    for i in range(whole, n):
        y[i] = 0
    for j in range(m):
        for i in range(whole, n):
            y[i] += x[j] * matrix[j * stride + i]


cdef wide all_products(const real* column, const real* row, real* out, Py_ssize_t n, Py_ssize_t m) noexcept nogil:
    """out[i, j] = column[i] * row[j]."""
    cdef Py_ssize_t i, j
    for i in range(n):
        for j in range(m):
            out[i * m + j] = column[i] * row[j]


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


def outer(column, row):
    """The outer product of two contiguous vectors of float32 or float64; None for others."""
    return outer_of(column, row) if cnp.PyArray_CheckExact(column) and cnp.PyArray_CheckExact(row) else None


cdef object outer_of(cnp.ndarray column, cnp.ndarray row):
    cdef int kind = cnp.PyArray_TYPE(row)
    cdef cnp.ndarray result
    cdef cnp.npy_intp shape[2]
    if (kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE) or not is_vector(column, kind) or not is_vector(row, kind):
        return None
    shape[0], shape[1] = column.shape[0], row.shape[0]
    result = cnp.PyArray_SimpleNew(2, shape, kind)
    if kind == cnp.NPY_FLOAT:
        all_products(<float*>cnp.PyArray_DATA(column), <float*>cnp.PyArray_DATA(row),
                     <float*>cnp.PyArray_DATA(result), shape[0], shape[1])
    else:
        all_products(<double*>cnp.PyArray_DATA(column), <double*>cnp.PyArray_DATA(row),
                     <double*>cnp.PyArray_DATA(result), shape[0], shape[1])
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
    if not is_matrix(matrix, kind) or matrix.shape[1] < SIDE_BY_SIDE // 2:
        return None
    result = cnp.PyArray_ZEROS(1, &matrix.shape[1], kind, 0)
    if kind == cnp.NPY_FLOAT:
        add_up(<float*>cnp.PyArray_DATA(matrix), <float*>cnp.PyArray_DATA(result), matrix.shape[0], matrix.shape[1])
    else:
        add_up(<double*>cnp.PyArray_DATA(matrix), <double*>cnp.PyArray_DATA(result), matrix.shape[0], matrix.shape[1])
    return result
