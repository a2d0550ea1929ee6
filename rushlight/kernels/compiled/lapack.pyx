# cython: boundscheck=False, wraparound=False, cdivision=True
"""LAPACK's functions for matrices and batches of them, by NumPy's OpenBLAS.

The wrappers of SciPy and NumPy check, convert and allocate for longer than a small matrix takes. Here a matrix is read
once, into the column-major result that LAPACK works on. Threads share the matrices of a batch, or the right sides of
equations; OpenBLAS is kept to one thread meanwhile. The functions give None for what they do not take, and where LAPACK
fails in a way that has no number in the result.
"""

cimport numpy as cnp
from cython cimport floating
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from rushlight.machine import blas
from rushlight.kernels.compiled.batches cimport MOST_DIMS, SHARED, Batch, batch_of, index
from rushlight.kernels.compiled.blas cimport begin, end
from rushlight.kernels.compiled.sharing cimport Kernel, number_of_threads, shared

cnp.import_array()

ctypedef void (*Getrf)(index*, index*, void*, index*, index*, index*) noexcept nogil
ctypedef void (*Getri)(index*, void*, index*, index*, void*, index*, index*) noexcept nogil
ctypedef void (*Getrs)(char*, index*, index*, void*, index*, index*, void*, index*, index*, size_t) noexcept nogil
ctypedef void (*Potrf)(char*, index*, void*, index*, index*, size_t) noexcept nogil
ctypedef void (*Potrs)(char*, index*, index*, void*, index*, void*, index*, index*, size_t) noexcept nogil
ctypedef void (*Geqrf)(index*, index*, void*, index*, void*, void*, index*, index*) noexcept nogil
ctypedef void (*Orgqr)(index*, index*, index*, void*, index*, void*, void*, index*, index*) noexcept nogil
ctypedef void (*Sytrf)(char*, index*, void*, index*, index*, void*, index*, index*, size_t) noexcept nogil
ctypedef void (*Sytrs)(char*, index*, index*, void*, index*, index*, void*, index*, void*, index*, size_t) noexcept nogil
ctypedef void (*Trsm)(char*, char*, char*, char*, index*, index*, void*, void*, index*, void*, index*, size_t, size_t,
                      size_t, size_t) noexcept nogil
ctypedef void (*Syevd)(char*, char*, index*, void*, index*, void*, void*, index*, index*, index*, index*, size_t,
                       size_t) noexcept nogil
ctypedef void (*Geev)(char*, char*, index*, void*, index*, void*, void*, void*, index*, void*, index*, void*, index*,
                      index*, size_t, size_t) noexcept nogil
ctypedef void (*Gelsy)(index*, index*, index*, void*, index*, void*, index*, index*, void*, index*, void*, index*,
                       index*) noexcept nogil

ctypedef fused Cell:
    unsigned int
    unsigned long long
    double complex

cdef enum:
    ROOM = 64  # columns of workspace for each row
    GRAIN = 1 << 15  # multiplications in one thread's part of a batch
    TILE = 16  # columns that are read together
    FEW = 4  # types: of float32, float64, complex64 and complex128

# one function for each type; NULL if there is none
ctypedef void* Kinds[FEW]
cdef Kinds GETRF, GETRI, GETRS, POTRF, POTRI, POTRS, GEQRF, ORGQR, TRSM, SYTRF, SYTRS, HETRF, HETRS, SYEVD, GEEV, GELSY
cdef index MANY = blas.MANY  # rows from which on OpenBLAS may take its threads


cdef bint find(void** table, str real, str hermitian):
    """Finds the functions of a name, which may be another one for complex numbers; returns whether all are there."""
    cdef int kind
    for kind in range(FEW):
        name = "sdcz"[kind] + (hermitian if kind > 1 else real)
        table[kind] = <void*><size_t>(blas.address(f"{name}_") if hermitian or kind < 2 else 0)
    return table[0] != NULL and table[1] != NULL and (not hermitian or (table[2] != NULL and table[3] != NULL))


AVAILABLE = all([
    find(GETRF, "getrf", "getrf"), find(GETRI, "getri", "getri"), find(GETRS, "getrs", "getrs"),
    find(POTRF, "potrf", "potrf"), find(POTRI, "potri", ""), find(POTRS, "potrs", ""),
    find(GEQRF, "geqrf", "geqrf"), find(ORGQR, "orgqr", "ungqr"), find(TRSM, "trsm", "trsm"),
    find(SYTRF, "sytrf", "sytrf"), find(SYTRS, "sytrs2", "sytrs2"),
    find(HETRF, "sytrf", "hetrf"), find(HETRS, "sytrs2", "hetrs2"),
    find(SYEVD, "syevd", ""), find(GEEV, "geev", ""), find(GELSY, "gelsy", ""),
])
NEEDS = "OpenBLAS"

cdef struct Job:
    Batch a, b  # what is read
    char* out  # the result's matrices, column by column
    char* other  # a second result
    int* pivots
    int* info
    bint* failed
    index rows, columns  # of a
    index sides  # columns of b
    index chunks  # parts of the sides of one matrix, for threads
    int kind
    index item
    bint upper, turned, unit, hermitian
    double tolerance


cdef int kind_of(object x) noexcept:
    """The place of the type of matrices in the tables of functions; -1 for what is not taken."""
    cdef cnp.ndarray array
    if not cnp.PyArray_CheckExact(x):
        return -1
    array = x
    if array.ndim < 2 or array.ndim > MOST_DIMS or not cnp.PyArray_ISBEHAVED_RO(array) or cnp.PyArray_SIZE(array) == 0:
        return -1
    kind = cnp.PyArray_TYPE(array)
    if kind == cnp.NPY_FLOAT or kind == cnp.NPY_DOUBLE:
        return kind != cnp.NPY_FLOAT
    return 2 + (kind != cnp.NPY_CFLOAT) if kind == cnp.NPY_CFLOAT or kind == cnp.NPY_CDOUBLE else -1


cdef bint are_pairs(cnp.ndarray a, object b) noexcept:
    """Whether there is a matrix of right sides for each square matrix, of the same type."""
    cdef int d, last = a.ndim - 1
    cdef cnp.ndarray y
    if a.shape[last] != a.shape[last - 1] or kind_of(b) < 0:
        return False
    y = b
    if cnp.PyArray_TYPE(y) != cnp.PyArray_TYPE(a) or y.ndim != a.ndim:
        return False
    for d in range(last):
        if y.shape[d] != a.shape[d]:
            return False
    return True


cdef bint is_square(cnp.ndarray a) noexcept:
    return a.shape[a.ndim - 1] == a.shape[a.ndim - 2]


cdef index matrices_of(cnp.ndarray a) noexcept:
    """How many matrices there are."""
    return cnp.PyArray_SIZE(a) // (a.shape[a.ndim - 1] * a.shape[a.ndim - 2])


cdef cnp.ndarray new(cnp.ndarray model, int type, int dims, index first, index second):
    """An array for the results of each matrix of a model: numbers, lines of `first`, or matrices of them."""
    cdef cnp.npy_intp[MOST_DIMS] shape
    cdef int d, batch = model.ndim - 2
    for d in range(batch):
        shape[d] = model.shape[d]
    shape[batch] = first
    shape[batch + 1] = second
    return cnp.PyArray_SimpleNew(batch + dims, shape, type)


cdef cnp.ndarray new_columns(cnp.ndarray model, index rows, index columns, int type=-1):
    """An array for matrices column by column: the transposed matrices."""
    return new(model, cnp.PyArray_TYPE(model) if type < 0 else type, 2, columns, rows)


cdef object turned(cnp.ndarray columns):
    """The matrices that are stored column by column in an array."""
    return cnp.PyArray_SwapAxes(columns, columns.ndim - 2, columns.ndim - 1)


cdef Job job_of(cnp.ndarray a, int kind, bint* failed) noexcept:
    """A job that reads some matrices."""
    cdef Job job
    memset(&job, 0, sizeof(Job))
    job.a, job.kind, job.item, job.failed = batch_of(a), kind, cnp.PyArray_ITEMSIZE(a), failed
    job.rows, job.columns, job.chunks = a.shape[a.ndim - 2], a.shape[a.ndim - 1], 1
    return job


cdef bint run(Kernel kernel, Job* job, index count, index work) except -1:
    """Computes a job for all matrices, each of which takes some multiplications; returns whether it has results."""
    cdef bint alone = max(job.rows, job.columns) < MANY or count > 1
    if alone:
        begin()
    try:
        shared(kernel, job, count * job.chunks, 1 if job.chunks > 1 else 1 + GRAIN // work)
    finally:
        if alone:
            end()
    return not job.failed[0]


cdef int cut_sides(Job* job, index count) except -1:
    """Cuts the right sides of few large matrices into parts for threads."""
    cdef index threads = number_of_threads()
    if count < threads and job.rows * job.rows * job.sides >= 2 * SHARED:
        job.chunks = min(threads, job.sides)
    return 0


# how matrices are read


cdef const char* start_of(const Batch* x, index i) noexcept nogil:
    """Where the i-th matrix of a batch starts."""
    cdef const char* start = x.start
    cdef int dim
    for dim in range(x.dims - 1, -1, -1):
        start += i % x.shape[dim] * x.strides[dim]
        i //= x.shape[dim]
    return start


cdef void copy_turned(const char* start, index down, index right, index rows, index columns, Cell* out,
                      index lead) noexcept nogil:
    """Copies a matrix column by column, some columns together."""
    cdef index tile, first, i, j
    for tile in range((columns + TILE - 1) // TILE):
        first = tile * TILE
        for i in range(rows):
            for j in range(first, min(first + TILE, columns)):
                out[j * lead + i] = (<const Cell*>(start + i * down + j * right))[0]


cdef void read(const Batch* x, index i, index rows, index columns, index item, char* out, index lead) noexcept nogil:
    """Copies the i-th matrix of a batch column by column, each of `lead` numbers."""
    cdef const char* start = start_of(x, i)
    cdef index down = x.strides[x.dims], right = x.strides[x.dims + 1], j
    if down == item or rows == 1:
        for j in range(columns):
            memcpy(out + j * lead * item, start + j * right, rows * item)
    elif item == 4:
        copy_turned(start, down, right, rows, columns, <unsigned int*>out, lead)
    elif item == 8:
        copy_turned(start, down, right, rows, columns, <unsigned long long*>out, lead)
    else:
        copy_turned(start, down, right, rows, columns, <double complex*>out, lead)


cdef bint lies_by_rows(const Batch* x, index item) noexcept nogil:
    """Whether the rows of matrices are contiguous."""
    return x.strides[x.dims + 1] == item


cdef Batch transposed(Batch x, cnp.npy_intp* strides) noexcept nogil:
    """The transposed matrices of a batch, whose strides are written."""
    memcpy(strides, x.strides, (x.dims + 2) * sizeof(cnp.npy_intp))
    strides[x.dims], strides[x.dims + 1] = x.strides[x.dims + 1], x.strides[x.dims]
    return Batch(x.start, x.dims, x.shape, strides)


cdef bint can_be_used(Batch x, index rows, index columns, index item) noexcept nogil:
    """Whether LAPACK can read matrices where they are, as columns."""
    return x.strides[x.dims] == item and x.strides[x.dims + 1] >= rows * item and x.strides[x.dims + 1] % item == 0


cdef double real_part(const char* numbers, index i, int kind) noexcept nogil:
    """The real part of a number."""
    if kind % 2:
        return (<const double*>numbers)[i * (1 + kind // 2)]
    return (<const float*>numbers)[i * (1 + kind // 2)]


cdef void clear(char* matrix, index rows, index columns, index item, bint above) noexcept nogil:
    """Fills what is above the diagonal of a matrix, or below, with zeros."""
    cdef index j
    for j in range(columns):
        if above:
            memset(matrix + j * rows * item, 0, min(j, rows) * item)
        elif j + 1 < rows:
            memset(matrix + (j * rows + j + 1) * item, 0, (rows - j - 1) * item)


# LU decompositions, equations and inverses


cdef struct Sides:
    index matrix
    index width
    char* out


cdef Sides sides_of(const Job* job, index part) noexcept nogil:
    """The right sides of one part of a job, copied to where their solutions will be."""
    cdef index i = part // job.chunks, place = part % job.chunks
    cdef index first = place * job.sides // job.chunks, last = (place + 1) * job.sides // job.chunks
    cdef Sides some = Sides(i, last - first, job.out + (i * job.sides + first) * job.rows * job.item)
    cdef Batch sides = job.b
    sides.start += first * sides.strides[sides.dims + 1]
    read(&sides, i, job.rows, some.width, job.item, some.out, job.rows)
    return some


cdef index factor(Job* job, index i, char* matrix, index* pivots) noexcept nogil:
    """Replaces a matrix by its LU decomposition; gives LAPACK's `info`."""
    cdef index info = 0
    read(&job.a, i, job.rows, job.columns, job.item, matrix, job.rows)
    (<Getrf>GETRF[job.kind])(&job.rows, &job.columns, matrix, &job.rows, pivots, &info)
    return info


cdef void factor_all(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Decomposes some matrices."""
    cdef Job* job = <Job*>given
    cdef index i, j, n = min(job.rows, job.columns)
    cdef index* pivots = <index*>malloc(n * sizeof(index))
    if pivots == NULL:
        job.failed[0] = True
        return
    for i in range(start, stop):
        job.info[i] = <int>factor(job, i, job.out + i * job.rows * job.columns * job.item, pivots)
        for j in range(n):
            job.pivots[i * n + j] = <int>pivots[j]
    free(pivots)


def lu(a):
    """L and U in one matrix, the row exchanges (counted from 1), and LAPACK's `info`, of each matrix."""
    cdef int kind = kind_of(a)
    if kind < 0 or not AVAILABLE:
        return None
    return factored(a, kind)


cdef tuple factored(cnp.ndarray a, int kind):
    cdef bint failed = False
    cdef Job job = job_of(a, kind, &failed)
    cdef index n = min(job.rows, job.columns)
    cdef cnp.ndarray out = new_columns(a, job.rows, job.columns), pivots = new(a, cnp.NPY_INT32, 1, n, 0)
    cdef cnp.ndarray info = new(a, cnp.NPY_INT32, 0, 0, 0)
    job.out, job.pivots, job.info = cnp.PyArray_BYTES(out), <int*>cnp.PyArray_DATA(pivots), <int*>cnp.PyArray_DATA(info)
    return (turned(out), pivots, info) if run(factor_all, &job, matrices_of(a), job.rows * job.columns * n) else None


cdef void substitute_all(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Solves some equations, or parts of their right sides, with LU decompositions."""
    cdef Job* job = <Job*>given
    cdef index part, j, info, n = job.rows
    cdef Sides some
    cdef index* pivots = <index*>malloc(n * sizeof(index))
    cdef char trans = b"T" if job.turned else b"N"
    if pivots == NULL:
        job.failed[0] = True
        return
    for part in range(start, stop):
        some = sides_of(job, part)
        for j in range(n):
            pivots[j] = job.pivots[some.matrix * n + j]
        (<Getrs>GETRS[job.kind])(&trans, &n, &some.width, <void*>start_of(&job.a, some.matrix), &n, pivots, some.out, &n, &info, 1)
    free(pivots)


cdef object substituted(cnp.ndarray packed, cnp.ndarray pivots, cnp.ndarray b, bint transpose):
    """The solutions with LU decompositions that are stored column by column, with transposed matrices if asked for."""
    cdef bint failed = False
    cdef Job job = job_of(packed, kind_of(packed), &failed)
    cdef index count = matrices_of(packed)
    cdef cnp.ndarray out
    job.b, job.sides, job.turned = batch_of(b), b.shape[b.ndim - 1], transpose
    out = new_columns(packed, job.rows, job.sides)
    job.out, job.pivots = cnp.PyArray_BYTES(out), <int*>cnp.PyArray_DATA(pivots)
    cut_sides(&job, count)
    return turned(out) if run(substitute_all, &job, count, job.rows * job.rows * job.sides) else None


def lu_solution(packed, b, pivots, bint transpose):
    """The solutions X of A X = B, or of A^T X = B, with the `lu` of A."""
    if not AVAILABLE or kind_of(packed) < 0 or not are_pairs(packed, b):
        return None
    cdef cnp.ndarray exchanges = pivots, factors = packed
    if cnp.PyArray_TYPE(exchanges) != cnp.NPY_INT32 or not cnp.PyArray_IS_C_CONTIGUOUS(exchanges):
        return None
    if not cnp.PyArray_IS_C_CONTIGUOUS(turned(factors)):
        return None
    return substituted(factors, exchanges, b, transpose)


def solution(a, b):
    """The solutions of A X = B, and the LU decompositions and row exchanges; None where a matrix is singular."""
    cdef int kind = kind_of(a)
    if kind < 0 or not AVAILABLE or not are_pairs(a, b):
        return None
    found = factored(a, kind)
    if found is None or any_is_set(found[2]):
        return None
    return substituted(found[0], found[1], b, False), found[0], found[1]


cdef bint any_is_set(cnp.ndarray info) noexcept:
    """Whether any number is not 0."""
    cdef index i
    for i in range(cnp.PyArray_SIZE(info)):
        if (<int*>cnp.PyArray_DATA(info))[i]:
            return True
    return False


cdef void invert_all(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Inverts some matrices."""
    cdef Job* job = <Job*>given
    cdef index i, info, n = job.rows, room = n * ROOM
    cdef char* matrix
    cdef char* work = <char*>malloc(room * job.item + n * sizeof(index))
    cdef index* pivots = <index*>(work + room * job.item)
    if work == NULL:
        job.failed[0] = True
        return
    for i in range(start, stop):
        matrix = job.out + i * n * n * job.item
        if factor(job, i, matrix, pivots):
            job.failed[0] = True
            break
        (<Getri>GETRI[job.kind])(&n, matrix, &n, pivots, work, &room, &info)
    free(work)


def inverse(a):
    """The inverses; None where a matrix is singular."""
    cdef int kind = kind_of(a)
    cdef bint failed = False
    cdef Job job
    cdef cnp.ndarray out
    if kind < 0 or not AVAILABLE or not is_square(a):
        return None
    job = job_of(a, kind, &failed)
    out = new_columns(a, job.rows, job.rows)
    job.out = cnp.PyArray_BYTES(out)
    return turned(out) if run(invert_all, &job, matrices_of(a), job.rows * job.rows * job.rows) else None


cdef void solve_triangles(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Solves some equations with triangular matrices, or parts of their right sides."""
    cdef Job* job = <Job*>given
    cdef index part, lead, n = job.rows
    cdef Sides some
    cdef cnp.npy_intp[MOST_DIMS + 2] strides
    cdef Batch matrices = job.a
    cdef bint by_rows = not can_be_used(matrices, n, n, job.item)
    cdef char left = b"L", diagonal = b"U" if job.unit else b"N"
    cdef char uplo = b"U" if job.upper != by_rows else b"L", trans = b"T" if by_rows else b"N"
    cdef double complex one = 1
    cdef float complex single_one = 1
    cdef char* own = NULL
    cdef const char* matrix
    if by_rows:
        matrices = transposed(matrices, strides)
    if not can_be_used(matrices, n, n, job.item):
        own = <char*>malloc(n * n * job.item)
        if own == NULL:
            job.failed[0] = True
            return
    lead = n if own != NULL else matrices.strides[matrices.dims + 1] // job.item
    for part in range(start, stop):
        some = sides_of(job, part)
        matrix = start_of(&matrices, some.matrix)
        if own != NULL:
            read(&matrices, some.matrix, n, n, job.item, own, n)
            matrix = own
        (<Trsm>TRSM[job.kind])(&left, &uplo, &trans, &diagonal, &n, &some.width,
                               <void*>&one if job.kind % 2 else <void*>&single_one, <void*>matrix, &lead, some.out, &n,
                               1, 1, 1, 1)
    free(own)


def triangular_solution(a, b, bint upper, bint unit):
    """The solutions of A X = B with triangular matrices; only one triangle is read, and no diagonal if it is `unit`."""
    cdef int kind = kind_of(a)
    cdef bint failed = False
    cdef Job job
    cdef index count
    cdef cnp.ndarray out, sides
    if kind < 0 or not AVAILABLE or not are_pairs(a, b):
        return None
    job, sides, count = job_of(a, kind, &failed), b, matrices_of(a)
    job.b, job.sides, job.upper, job.unit = batch_of(sides), sides.shape[sides.ndim - 1], upper, unit
    out = new_columns(a, job.rows, job.sides)
    job.out = cnp.PyArray_BYTES(out)
    cut_sides(&job, count)
    return turned(out) if run(solve_triangles, &job, count, job.rows * job.rows * job.sides) else None


# Cholesky decompositions


cdef void factor_definites(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Decomposes some matrices; the `info` of one with NaN on the diagonal of its factor is the place of the first."""
    cdef Job* job = <Job*>given
    cdef index i, j, info, n = job.rows
    cdef double number
    cdef char* matrix
    cdef char uplo = b"U" if job.upper else b"L"
    for i in range(start, stop):
        matrix = job.out + i * n * n * job.item
        read(&job.a, i, n, n, job.item, matrix, n)
        (<Potrf>POTRF[job.kind])(&uplo, &n, matrix, &n, &info, 1)
        clear(matrix, n, n, job.item, not job.upper)
        for j in range(n if info == 0 else 0):
            number = real_part(matrix, j * n + j, job.kind)
            if number != number:
                info = j + 1
                break
        job.info[i] = <int>info


def cholesky(a, bint upper):
    """The Cholesky factors, and `info`: 0, or the number of the first minor that is not positive, or is NaN."""
    cdef int kind = kind_of(a)
    cdef bint failed = False
    cdef Job job
    cdef cnp.ndarray out, info
    if kind < 0 or not AVAILABLE or not is_square(a):
        return None
    job = job_of(a, kind, &failed)
    out, info, job.upper = new_columns(a, job.rows, job.rows), new(a, cnp.NPY_INT32, 0, 0, 0), upper
    job.out, job.info = cnp.PyArray_BYTES(out), <int*>cnp.PyArray_DATA(info)
    run(factor_definites, &job, matrices_of(a), job.rows * job.rows * job.rows)
    return turned(out), info


cdef void solve_definites(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Solves some equations with Cholesky factors, or parts of their right sides."""
    cdef Job* job = <Job*>given
    cdef index part, info, n = job.rows
    cdef Sides some
    cdef cnp.npy_intp[MOST_DIMS + 2] strides
    cdef Batch matrices = job.a
    cdef bint by_rows = lies_by_rows(&matrices, job.item) and n > 1
    cdef char uplo = b"U" if job.upper != by_rows else b"L"
    cdef char* own = <char*>malloc(n * n * job.item)
    if own == NULL:
        job.failed[0] = True
        return
    if by_rows:
        matrices = transposed(matrices, strides)
    for part in range(start, stop):
        some = sides_of(job, part)
        read(&matrices, some.matrix, n, n, job.item, own, n)
        (<Potrs>POTRS[job.kind])(&uplo, &n, &some.width, own, &n, some.out, &n, &info, 1)
    free(own)


def definite_solution(factors, b, bint upper):
    """The solutions of A X = B with real Cholesky factors of A."""
    cdef int kind = kind_of(factors)
    cdef bint failed = False
    cdef Job job
    cdef index count
    cdef cnp.ndarray out, sides
    if kind < 0 or kind > 1 or not AVAILABLE or not are_pairs(factors, b):
        return None
    job, sides, count = job_of(factors, kind, &failed), b, matrices_of(factors)
    job.b, job.sides, job.upper = batch_of(sides), sides.shape[sides.ndim - 1], upper
    out = new_columns(factors, job.rows, job.sides)
    job.out = cnp.PyArray_BYTES(out)
    cut_sides(&job, count)
    return turned(out) if run(solve_definites, &job, count, 2 * job.rows * job.rows * job.sides) else None


cdef void invert_definites(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Inverts some matrices with their Cholesky factors."""
    cdef Job* job = <Job*>given
    cdef index i, j, k, info, n = job.rows
    cdef char* matrix
    cdef char uplo = b"U" if job.upper else b"L"
    for i in range(start, stop):
        matrix = job.out + i * n * n * job.item
        read(&job.a, i, n, n, job.item, matrix, n)
        (<Potrf>POTRI[job.kind])(&uplo, &n, matrix, &n, &info, 1)
        if info:
            job.failed[0] = True
            return
        if job.kind == 0:
            reflect(<float*>matrix, n, job.upper)
        else:
            reflect(<double*>matrix, n, job.upper)


cdef void reflect(floating* matrix, index n, bint upper) noexcept nogil:
    """Copies one triangle of a matrix, which is stored column by column, to the other."""
    cdef index tile, first, i, j
    for tile in range((n + TILE - 1) // TILE):
        first = tile * TILE
        for i in range(n):
            for j in range(first, min(first + TILE, i, n)):
                if upper:
                    matrix[j * n + i] = matrix[i * n + j]
                else:
                    matrix[i * n + j] = matrix[j * n + i]


def definite_inverse(factors, bint upper):
    """The inverses of matrices with real Cholesky factors; None where a factor has a 0 on its diagonal."""
    cdef int kind = kind_of(factors)
    cdef bint failed = False
    cdef Job job
    cdef cnp.ndarray out
    if kind < 0 or kind > 1 or not AVAILABLE or not is_square(factors):
        return None
    job = job_of(factors, kind, &failed)
    out, job.upper = new_columns(factors, job.rows, job.rows), upper
    job.out = cnp.PyArray_BYTES(out)
    return turned(out) if run(invert_definites, &job, matrices_of(factors), job.rows * job.rows * job.rows) else None


# LDL decompositions


cdef void factor_symmetric(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Decomposes some symmetric or Hermitian matrices."""
    cdef Job* job = <Job*>given
    cdef index i, j, info, n = job.rows, room = n * ROOM
    cdef char* matrix
    cdef char* work = <char*>malloc(room * job.item + n * sizeof(index))
    cdef index* pivots = <index*>(work + room * job.item)
    cdef char uplo = b"L"
    cdef Sytrf function = <Sytrf>(HETRF[job.kind] if job.hermitian else SYTRF[job.kind])
    if work == NULL:
        job.failed[0] = True
        return
    for i in range(start, stop):
        matrix = job.out + i * n * n * job.item
        read(&job.a, i, n, n, job.item, matrix, n)
        function(&uplo, &n, matrix, &n, pivots, work, &room, &info, 1)
        clear(matrix, n, n, job.item, True)
        job.info[i] = <int>info
        for j in range(n):
            job.pivots[i * n + j] = <int>pivots[j]
    free(work)


def ldl(a, bint hermitian):
    """L and D in one lower triangle, LAPACK's pivots and its `info`, of each matrix."""
    cdef int kind = kind_of(a)
    cdef bint failed = False
    cdef Job job
    cdef cnp.ndarray out, pivots, info
    if kind < 0 or not AVAILABLE or not is_square(a):
        return None
    job = job_of(a, kind, &failed)
    out, job.hermitian = new_columns(a, job.rows, job.rows), hermitian
    pivots, info = new(a, cnp.NPY_INT32, 1, job.rows, 0), new(a, cnp.NPY_INT32, 0, 0, 0)
    job.out, job.pivots, job.info = cnp.PyArray_BYTES(out), <int*>cnp.PyArray_DATA(pivots), <int*>cnp.PyArray_DATA(info)
    done = run(factor_symmetric, &job, matrices_of(a), job.rows * job.rows * job.rows)
    return (turned(out), pivots, info) if done else None


cdef void solve_symmetric(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Solves some equations with LDL decompositions, or parts of their right sides."""
    cdef Job* job = <Job*>given
    cdef index part, j, info, n = job.rows
    cdef Sides some
    cdef char* own = <char*>malloc((n + 1) * n * job.item + n * sizeof(index))  # LAPACK changes the matrix meanwhile
    cdef char* work = own + n * n * job.item
    cdef index* pivots = <index*>(own + (n + 1) * n * job.item)
    cdef char uplo = b"L"
    cdef Sytrs function = <Sytrs>(HETRS[job.kind] if job.hermitian else SYTRS[job.kind])
    if own == NULL:
        job.failed[0] = True
        return
    for part in range(start, stop):
        some = sides_of(job, part)
        read(&job.a, some.matrix, n, n, job.item, own, n)
        for j in range(n):
            pivots[j] = job.pivots[some.matrix * n + j]
        function(&uplo, &n, &some.width, own, &n, pivots, some.out, &n, work, &info, 1)
    free(own)


def ldl_solution(packed, b, pivots, bint hermitian):
    """The solutions of A X = B with the `ldl` of A."""
    cdef int kind = kind_of(packed)
    cdef bint failed = False
    cdef Job job
    cdef index count
    cdef cnp.ndarray out, sides, exchanges
    if kind < 0 or not AVAILABLE or not are_pairs(packed, b):
        return None
    job, sides, count, exchanges = job_of(packed, kind, &failed), b, matrices_of(packed), pivots
    if cnp.PyArray_TYPE(exchanges) != cnp.NPY_INT32 or not cnp.PyArray_IS_C_CONTIGUOUS(exchanges) \
            or cnp.PyArray_SIZE(exchanges) != count * job.rows:
        return None
    job.b, job.sides, job.hermitian = batch_of(sides), sides.shape[sides.ndim - 1], hermitian
    out = new_columns(packed, job.rows, job.sides)
    job.out, job.pivots = cnp.PyArray_BYTES(out), <int*>cnp.PyArray_DATA(exchanges)
    cut_sides(&job, count)
    return turned(out) if run(solve_symmetric, &job, count, 2 * job.rows * job.rows * job.sides) else None


# QR decompositions and least squares


cdef void factor_orthogonal(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes Q and R of some matrices."""
    cdef Job* job = <Job*>given
    cdef index i, j, info, m = job.rows, n = job.columns, least = min(m, n), width = job.sides, wide = max(n, width)
    cdef index room = wide * ROOM
    cdef char* own = <char*>malloc((m * wide + least + room) * job.item)
    cdef char* tau = own + m * wide * job.item
    cdef char* work = tau + least * job.item
    cdef char* R
    if own == NULL:
        job.failed[0] = True
        return
    for i in range(start, stop):
        read(&job.a, i, m, n, job.item, own, m)
        (<Geqrf>GEQRF[job.kind])(&m, &n, own, &m, tau, work, &room, &info)
        R = job.other + i * width * n * job.item
        for j in range(n):
            memcpy(R + j * width * job.item, own + j * m * job.item, min(j + 1, width) * job.item)
        clear(R, width, n, job.item, False)
        (<Orgqr>ORGQR[job.kind])(&m, &width, &least, own, &m, tau, work, &room, &info)
        memcpy(job.out + i * m * width * job.item, own, m * width * job.item)
    free(own)


def qr(a, bint complete):
    """Q and R, with all columns of Q if it is to be `complete`."""
    cdef int kind = kind_of(a)
    cdef bint failed = False
    cdef Job job
    cdef cnp.ndarray Q, R
    if kind < 0 or not AVAILABLE:
        return None
    job = job_of(a, kind, &failed)
    job.sides = job.rows if complete else min(job.rows, job.columns)
    Q, R = new_columns(a, job.rows, job.sides), new_columns(a, job.sides, job.columns)
    job.out, job.other = cnp.PyArray_BYTES(Q), cnp.PyArray_BYTES(R)
    done = run(factor_orthogonal, &job, matrices_of(a), job.rows * job.columns * job.sides)
    return (turned(Q), turned(R)) if done else None


cdef void solve_least_squares(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Finds the solutions and ranks of some least squares problems."""
    cdef Job* job = <Job*>given
    cdef index i, j, rank, info, m = job.rows, n = job.columns, sides = job.sides, lead = max(m, n)
    cdef index room = m * n + max(2 * n + ROOM * (n + 1), 2 * m * n + ROOM * sides)
    cdef char* own = <char*>malloc((m * n + room) * job.item + n * sizeof(index))
    cdef char* work = own + m * n * job.item
    cdef index* pivots = <index*>(work + room * job.item)
    cdef char* out
    cdef float tolerance = job.tolerance
    if own == NULL:
        job.failed[0] = True
        return
    for i in range(start, stop):
        out = job.out + i * lead * sides * job.item
        read(&job.a, i, m, n, job.item, own, m)
        read(&job.b, i, m, sides, job.item, out, lead)
        memset(pivots, 0, n * sizeof(index))
        (<Gelsy>GELSY[job.kind])(&m, &n, &sides, own, &m, out, &lead, pivots,
                                 <void*>&job.tolerance if job.kind else <void*>&tolerance, &rank, work, &room, &info)
        (<index*>job.other)[i] = rank
    free(own)


def least_squares(a, b, double tolerance):
    """The solutions of least squares problems with real matrices by the driver gelsy, and the ranks.

    They are in the first rows of column-major arrays, in which LAPACK gets the right sides.
    """
    cdef int kind = kind_of(a), d
    cdef bint failed = False
    cdef Job job
    cdef cnp.ndarray x, y, out, ranks
    if kind < 0 or kind > 1 or not AVAILABLE or kind_of(b) != kind:
        return None
    x, y = a, b
    if x.ndim != y.ndim:
        return None
    for d in range(x.ndim - 1):
        if x.shape[d] != y.shape[d]:
            return None
    job = job_of(a, kind, &failed)
    job.b, job.sides, job.tolerance = batch_of(y), y.shape[y.ndim - 1], tolerance
    out, ranks = new_columns(x, max(job.rows, job.columns), job.sides), new(x, cnp.NPY_INT64, 0, 0, 0)
    job.out, job.other = cnp.PyArray_BYTES(out), cnp.PyArray_BYTES(ranks)
    done = run(solve_least_squares, &job, matrices_of(x), job.rows * job.columns * (job.columns + job.sides))
    return (turned(out), ranks) if done else None


# eigenvalues


cdef void find_symmetric(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Finds the eigenvalues, and the eigenvectors if they are wanted, of some symmetric matrices."""
    cdef Job* job = <Job*>given
    cdef index i, info, n = job.rows, room = 1 + 6 * n + 2 * n * n, whole = 3 + 5 * n
    cdef bint vectors = job.out != NULL, by_rows = lies_by_rows(&job.a, job.item)
    cdef char wanted = b"V" if vectors else b"N", uplo = b"U" if job.upper != by_rows else b"L"
    cdef cnp.npy_intp[MOST_DIMS + 2] strides
    cdef Batch matrices = transposed(job.a, strides) if by_rows else job.a
    cdef char* own = <char*>malloc((n * n + room) * job.item + whole * sizeof(index))
    cdef char* work = own + n * n * job.item
    cdef index* places = <index*>(work + room * job.item)
    cdef char* matrix
    if own == NULL:
        job.failed[0] = True
        return
    for i in range(start, stop):
        matrix = job.out + i * n * n * job.item if vectors else own
        read(&matrices, i, n, n, job.item, matrix, n)
        (<Syevd>SYEVD[job.kind])(&wanted, &uplo, &n, matrix, &n, job.other + i * n * job.item, work, &room, places, &whole,
                                 &info, 1, 1)
        if info:
            job.failed[0] = True
            break
    free(own)


def eigh(a, bint upper, bint vectors):
    """The eigenvalues, and with `vectors` the eigenvectors, of real symmetric matrices; None where they do not converge."""
    cdef int kind = kind_of(a)
    cdef bint failed = False
    cdef Job job
    cdef cnp.ndarray out = None, values
    if kind < 0 or kind > 1 or not AVAILABLE or not is_square(a):
        return None
    job = job_of(a, kind, &failed)
    values, job.upper = new(a, cnp.PyArray_TYPE(a), 1, job.rows, 0), upper
    job.other = cnp.PyArray_BYTES(values)
    if vectors:
        out = new_columns(a, job.rows, job.rows)
        job.out = cnp.PyArray_BYTES(out)
    if not run(find_symmetric, &job, matrices_of(a), 4 * job.rows * job.rows * job.rows):
        return None
    return (values, turned(out)) if vectors else (values,)


cdef void pair_up(floating* values, const floating* real, const floating* imaginary, floating* vectors,
                  const floating* columns, index n) noexcept nogil:
    """Writes complex eigenvalues and eigenvectors; those of a pair are one column and its imaginary part in the next."""
    cdef index i, j = 0
    for j in range(n):
        values[2 * j], values[2 * j + 1] = real[j], imaginary[j]
        for i in range(n):
            if imaginary[j] == 0:
                vectors[2 * (j * n + i)], vectors[2 * (j * n + i) + 1] = columns[j * n + i], 0
            elif imaginary[j] > 0:
                vectors[2 * (j * n + i)] = columns[j * n + i]
                vectors[2 * (j * n + i) + 1] = columns[(j + 1) * n + i]
            else:
                vectors[2 * (j * n + i)] = columns[(j - 1) * n + i]
                vectors[2 * (j * n + i) + 1] = -columns[j * n + i]


cdef void find_general(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Finds the eigenvalues and eigenvectors of some matrices."""
    cdef Job* job = <Job*>given
    cdef index i, info, n = job.rows, room = n * ROOM
    cdef char none = b"N", wanted = b"V"
    cdef char* own = <char*>malloc((2 * n * n + 2 * n + room) * job.item)
    cdef char* columns = own + n * n * job.item
    cdef char* real = columns + n * n * job.item
    cdef char* imaginary = real + n * job.item
    cdef char* work = imaginary + n * job.item
    cdef char* values
    cdef char* vectors
    if own == NULL:
        job.failed[0] = True
        return
    for i in range(start, stop):
        values, vectors = job.other + 2 * i * n * job.item, job.out + 2 * i * n * n * job.item
        read(&job.a, i, n, n, job.item, own, n)
        (<Geev>GEEV[job.kind])(&none, &wanted, &n, own, &n, real, imaginary, NULL, &n, columns, &n, work, &room, &info, 1, 1)
        if info:
            job.failed[0] = True
            break
        if job.kind == 0:
            pair_up(<float*>values, <float*>real, <float*>imaginary, <float*>vectors, <float*>columns, n)
        else:
            pair_up(<double*>values, <double*>real, <double*>imaginary, <double*>vectors, <double*>columns, n)
    free(own)


def eig(a):
    """The complex eigenvalues and eigenvectors of real matrices; None where they do not converge."""
    cdef int kind = kind_of(a), type
    cdef bint failed = False
    cdef Job job
    cdef cnp.ndarray values, vectors
    if kind < 0 or kind > 1 or not AVAILABLE or not is_square(a):
        return None
    job, type = job_of(a, kind, &failed), cnp.NPY_CDOUBLE if kind else cnp.NPY_CFLOAT
    values, vectors = new(a, type, 1, job.rows, 0), new_columns(a, job.rows, job.rows, type)
    job.out, job.other = cnp.PyArray_BYTES(vectors), cnp.PyArray_BYTES(values)
    done = run(find_general, &job, matrices_of(a), 20 * job.rows * job.rows * job.rows)
    return (values, turned(vectors)) if done else None
