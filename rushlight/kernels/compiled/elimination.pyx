# cython: boundscheck=False, wraparound=False, cdivision=True
"""Solutions, inverses, determinants and Cholesky factors of many small matrices, by elimination in double precision.

A call of LAPACK takes longer than the arithmetic on a matrix of a few rows. Rows are exchanged as LAPACK does it: the
largest element of a column is its pivot.
"""

cimport numpy as cnp
from libc.math cimport fabs, sqrt

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    MOST = 16  # rows
    GRAIN = 1 << 15  # multiplications in one thread's part

cdef struct Job:
    const void* matrices
    const void* sides  # NULL for the columns of the identity
    void* out  # the solutions, column by column; or the determinants
    bint* singular  # or not positive definite
    Py_ssize_t n
    Py_ssize_t columns  # 0 for determinants
    bint single
    bint upper


cdef void read(const void* source, Py_ssize_t start, Py_ssize_t count, bint single, double* out) noexcept nogil:
    """Reads numbers of either type."""
    cdef Py_ssize_t i
    for i in range(count):
        out[i] = (<const float*>source)[start + i] if single else (<const double*>source)[start + i]


cdef void write(void* target, Py_ssize_t start, Py_ssize_t count, bint single, const double* numbers) noexcept nogil:
    """Writes numbers of either type."""
    cdef Py_ssize_t i
    for i in range(count):
        if single:
            (<float*>target)[start + i] = <float>numbers[i]
        else:
            (<double*>target)[start + i] = numbers[i]


cdef double factorize(double* a, Py_ssize_t* order, Py_ssize_t n) noexcept nogil:
    """Replaces a matrix by its triangular factors, and tells the order of its rows in them; returns the determinant."""
    cdef Py_ssize_t i, j, k, pivot
    cdef double factor, determinant = 1
    for k in range(n):
        order[k] = k
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if fabs(a[i * n + k]) > fabs(a[pivot * n + k]):
                pivot = i
        if pivot != k:
            order[k], order[pivot] = order[pivot], order[k]
            for j in range(n):
                a[k * n + j], a[pivot * n + j] = a[pivot * n + j], a[k * n + j]
            determinant = -determinant
        determinant *= a[k * n + k]
        if a[k * n + k] == 0:
            return 0
        for i in range(k + 1, n):
            factor = a[i * n + k] = a[i * n + k] / a[k * n + k]
            for j in range(k + 1, n):
                a[i * n + j] -= factor * a[k * n + j]
    return determinant


cdef void substitute(const double* a, double* x, Py_ssize_t n) noexcept nogil:
    """Solves the equations of both factors for one right side, in its place."""
    cdef Py_ssize_t i, j
    for i in range(n):
        for j in range(i):
            x[i] -= a[i * n + j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= a[i * n + j] * x[j]
        x[i] /= a[i * n + i]


cdef void eliminate(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some of the matrices."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t m, i, c, n = job.n, columns = job.columns
    cdef double a[MOST * MOST]
    cdef double x[MOST]
    cdef Py_ssize_t order[MOST]
    cdef double determinant
    for m in range(start, stop):
        read(job.matrices, m * n * n, n * n, job.single, a)
        determinant = factorize(a, order, n)
        if columns == 0:
            write(job.out, m, 1, job.single, &determinant)
            continue
        for i in range(n):
            if a[i * n + i] == 0:
                job.singular[0] = True
                return
        for c in range(columns):
            for i in range(n):
                x[i] = order[i] == c
                if job.sides != NULL:
                    read(job.sides, (m * n + order[i]) * columns + c, 1, job.single, x + i)
            substitute(a, x, n)
            write(job.out, (m * columns + c) * n, n, job.single, x)


cdef bint takes(object matrices) noexcept:
    """Whether an array has small square matrices of a type that is computed with."""
    cdef cnp.ndarray a
    if not float_type(matrices):
        return False
    a = matrices
    return a.ndim > 1 and a.shape[a.ndim - 1] == a.shape[a.ndim - 2] <= MOST


cdef bint fill(cnp.ndarray a, cnp.ndarray sides, cnp.ndarray out, Py_ssize_t columns) except -1:
    """Fills `out` with solutions or determinants; returns whether there are some: not for singular matrices."""
    cdef Job job
    cdef bint singular = False
    job.n, job.columns, job.singular = a.shape[a.ndim - 1], columns, &singular
    job.single = cnp.PyArray_TYPE(a) == cnp.NPY_FLOAT
    job.matrices, job.out = cnp.PyArray_DATA(a), cnp.PyArray_DATA(out)
    job.sides = NULL if sides is None else cnp.PyArray_DATA(sides)
    shared(eliminate, &job, cnp.PyArray_SIZE(a) // (job.n * job.n), 1 + GRAIN // (job.n * job.n * (job.n + columns)))
    return not singular


cdef bint factorize_definite(const double* a, double* factor, Py_ssize_t n, bint upper) noexcept nogil:
    """Finds the lower Cholesky factor, column by column, from one triangle; returns whether there is one."""
    cdef Py_ssize_t i, j, k
    cdef double rest
    for j in range(n):
        for i in range(j, n):
            rest = a[j * n + i] if upper else a[i * n + j]
            for k in range(j):
                rest -= factor[k * n + i] * factor[k * n + j]
            if i > j:
                factor[j * n + i] = rest / factor[j * n + j]
            elif rest > 0:
                factor[j * n + j] = sqrt(rest)
            else:
                return False
        for i in range(j):
            factor[j * n + i] = 0
    return True


cdef void factorize_definites(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes the Cholesky factors of some matrices, column by column, or of upper ones row by row."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t m, n = job.n
    cdef double a[MOST * MOST]
    cdef double factor[MOST * MOST]
    for m in range(start, stop):
        read(job.matrices, m * n * n, n * n, job.single, a)
        if not factorize_definite(a, factor, n, job.upper):
            job.singular[0] = True
            return
        write(job.out, m * n * n, n * n, job.single, factor)


def solved(matrices, sides):
    """The solutions of equations, or the inverses if `sides` is None, in columns; None for what is not supported.

    That includes singular matrices, and sides of another type or of other batch dimensions.
    """
    cdef cnp.npy_intp[64] shape
    cdef int d, last
    cdef cnp.ndarray a, b, out
    if not takes(matrices):
        return None
    a, b = cnp.PyArray_GETCONTIGUOUS(matrices), None
    last = a.ndim - 1
    shape[last - 1] = shape[last] = a.shape[last]
    if sides is not None:
        if float_type(sides) != cnp.PyArray_TYPE(a) or sides.ndim != a.ndim:
            return None
        b = cnp.PyArray_GETCONTIGUOUS(sides)
        shape[last - 1] = b.shape[last]
        for d in range(last):
            if b.shape[d] != a.shape[d]:
                return None
    for d in range(last - 1):
        shape[d] = a.shape[d]
    out = cnp.PyArray_SimpleNew(a.ndim, shape, cnp.PyArray_TYPE(a))
    return cnp.PyArray_SwapAxes(out, last - 1, last) if fill(a, b, out, shape[last - 1]) else None


def determinants(matrices):
    """The determinants of matrices; None for what is not supported."""
    cdef cnp.ndarray a, out
    if not takes(matrices):
        return None
    a = cnp.PyArray_GETCONTIGUOUS(matrices)
    out = cnp.PyArray_SimpleNew(a.ndim - 2, a.shape, cnp.PyArray_TYPE(a))
    fill(a, None, out, 0)
    return out


def cholesky(matrices, bint upper):
    """The Cholesky factors; None for what is not supported, and where a matrix is not positive definite."""
    cdef Job job
    cdef bint singular = False
    cdef cnp.ndarray a, out
    if not takes(matrices):
        return None
    a = cnp.PyArray_GETCONTIGUOUS(matrices)
    out = cnp.PyArray_SimpleNew(a.ndim, a.shape, cnp.PyArray_TYPE(a))
    job.n, job.singular, job.upper = a.shape[a.ndim - 1], &singular, upper
    job.single = cnp.PyArray_TYPE(a) == cnp.NPY_FLOAT
    job.matrices, job.out = cnp.PyArray_DATA(a), cnp.PyArray_DATA(out)
    shared(factorize_definites, &job, cnp.PyArray_SIZE(a) // (job.n * job.n), 1 + GRAIN // (job.n * job.n * job.n))
    if singular:
        return None
    return out if upper else cnp.PyArray_SwapAxes(out, a.ndim - 2, a.ndim - 1)
