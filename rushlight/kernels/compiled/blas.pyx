# cython: boundscheck=False, wraparound=False, cdivision=True
"""Products of float32 and float64 matrices by NumPy's OpenBLAS, shared among our own threads.

OpenBLAS's threads wait for each other within a product, and for a moment after it, without giving up their CPUs. If
other programs use these too, a product takes many times as long as on one thread (measured: up to 25 times). So
OpenBLAS is kept to one thread while a product runs here, and each part of the result is a call of its own.

BLAS sees all matrices transposed: out.T = b.T @ a.T. A matrix is any array of which one stride is that of an element.
"""

cimport numpy as cnp
from cpython.pycapsule cimport PyCapsule_GetName, PyCapsule_GetPointer

import sys

from rushlight.core.locks import around_forks
from rushlight.machine import blas
from rushlight.kernels.compiled.batches cimport MOST_DIMS, SHARED, Batch, batch_of, index, number_of
from rushlight.kernels.compiled.sharing cimport number_of_threads, shared
from rushlight.kernels.compiled.small_products cimport are_small, multiply_small

cnp.import_array()

ctypedef void (*Gemm)(char*, char*, index*, index*, index*, void*, void*, index*, void*, index*, void*, void*, index*) noexcept nogil
ctypedef void (*Gemv)(char*, index*, index*, void*, void*, index*, void*, index*, void*, void*, index*) noexcept nogil
ctypedef int (*Get)() noexcept nogil
ctypedef void (*Set)(int) noexcept nogil

cdef enum:
    SHARED_ROW = 1 << 16  # as SHARED, for a matrix and a vector, whose product reads memory more than it computes

cdef void* function(str name):
    """A function of OpenBLAS; NULL if there is none."""
    return <void*><size_t>blas.address(name)


cdef Gemm SGEMM = <Gemm>function("sgemm_")
cdef Gemm DGEMM = <Gemm>function("dgemm_")
cdef Gemv SGEMV = <Gemv>function("sgemv_")
cdef Gemv DGEMV = <Gemv>function("dgemv_")
cdef Get GET_THREADS = <Get>function("openblas_get_num_threads")
cdef Set SET_THREADS = <Set>function("openblas_set_num_threads")
cdef long USERS = 0  # products at work
cdef int BEFORE = 1  # OpenBLAS's threads before the first of them

AVAILABLE = all((SGEMM != NULL, DGEMM != NULL, SGEMV != NULL, DGEMV != NULL, GET_THREADS != NULL, SET_THREADS != NULL))
NEEDS = "OpenBLAS"


def takes_scipys():
    """Takes SciPy's BLAS, with its own threads, where NumPy has no OpenBLAS; returns whether it could.

    Its integers have 32 bits. On a little-endian CPU they begin where one of 64 bits does.
    """
    global SGEMM, DGEMM, SGEMV, DGEMV
    if sys.byteorder != "little":
        return False
    from scipy.linalg import cython_blas  # only here: it takes longer to load than NumPy
    SGEMM, DGEMM = <Gemm>exported(cython_blas, "sgemm"), <Gemm>exported(cython_blas, "dgemm")
    SGEMV, DGEMV = <Gemv>exported(cython_blas, "sgemv"), <Gemv>exported(cython_blas, "dgemv")
    return True


cdef void* exported(module, str name):
    """A function that a compiled module exports to others."""
    capsule = module.__pyx_capi__[name]
    return PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule))


cdef struct Matrix:
    const char* start
    index down, right  # in elements


cdef struct Job:
    Batch a, b, out
    index m, n, depth, item
    bint single, adds, by_columns


cdef inline Matrix matrix_of(const Batch* batch, index i, index rows, index columns, index item) noexcept nogil:
    """The i-th matrix of a batch."""
    cdef const char* start = batch.start
    cdef index down = batch.strides[batch.dims] // item, right = batch.strides[batch.dims + 1] // item
    cdef int dim
    for dim in range(batch.dims - 1, -1, -1):
        start += i % batch.shape[dim] * batch.strides[dim]
        i //= batch.shape[dim]
    if rows == 1:
        down = columns if right == 1 else 1
    if columns == 1:
        right = 1 if rows == 1 or down != 1 else rows
    return Matrix(start, down, right)


cdef void multiply_one(const Job* job, Matrix a, Matrix b, Matrix out, index m, index n) noexcept nogil:
    """out (m, n) = or += a @ b."""
    cdef float one = 1, start = 1 if job.adds else 0
    cdef double double_one = 1, double_start = 1 if job.adds else 0
    cdef index depth = job.depth
    cdef bint turns_a = not (a.right == 1 and a.down >= depth), turns_b = not (b.right == 1 and b.down >= n)
    cdef char turn_a = b"T" if turns_a else b"N", turn_b = b"T" if turns_b else b"N"
    cdef index step_a = a.right if turns_a else a.down, step_b = b.right if turns_b else b.down
    if job.n == 1:
        times_vector(job, a, m, b.down, b.start, out.down, out.start)
    elif job.m == 1:
        times_vector(job, Matrix(b.start, b.right, b.down), n, a.right, a.start, out.right, out.start)
    elif job.single:
        SGEMM(&turn_b, &turn_a, &n, &m, &depth, &one, <void*>b.start, &step_b, <void*>a.start, &step_a, &start,
              <void*>out.start, &out.down)
    else:
        DGEMM(&turn_b, &turn_a, &n, &m, &depth, &double_one, <void*>b.start, &step_b, <void*>a.start, &step_a,
              &double_start, <void*>out.start, &out.down)


cdef bint has_blas() noexcept nogil:
    """Whether BLAS's products of matrices are there."""
    return SGEMM != NULL and DGEMM != NULL


cdef void rows_times(const char* a, index a_down, const char* b, index b_down, bint turns_b, char* out, index m,
                     index n, index depth, bint single, bint adds) noexcept nogil:
    """out (m, n) = or += a (m, depth) @ b, or its transpose, for rows that are so far apart: in this thread alone.

    OpenBLAS has to be kept to one thread by `begin` and `end`.
    """
    cdef float one = 1, start = 1 if adds else 0
    cdef double double_one = 1, double_start = start
    cdef char turn_a = b"N", turn_b = b"T" if turns_b else b"N"
    if single:
        SGEMM(&turn_b, &turn_a, &n, &m, &depth, &one, <void*>b, &b_down, <void*>a, &a_down, &start, out, &n)
    else:
        DGEMM(&turn_b, &turn_a, &n, &m, &depth, &double_one, <void*>b, &b_down, <void*>a, &a_down, &double_start, out, &n)


cdef void times_vector(const Job* job, Matrix a, index rows, index step, const char* x, index step_out,
                       const char* out) noexcept nogil:
    """out (rows) = or += a @ x."""
    cdef float one = 1, start = 1 if job.adds else 0
    cdef double double_one = 1, double_start = 1 if job.adds else 0
    cdef bint is_turned = a.right == 1 and a.down >= job.depth
    cdef index m = job.depth if is_turned else rows, n = rows if is_turned else job.depth
    cdef index lead = max(a.down if is_turned else a.right, m)
    cdef char turn = b"T" if is_turned else b"N"
    if job.single:
        SGEMV(&turn, &m, &n, &one, <void*>a.start, &lead, <void*>x, &step, &start, <void*>out, &step_out)
    else:
        DGEMV(&turn, &m, &n, &double_one, <void*>a.start, &lead, <void*>x, &step, &double_start, <void*>out, &step_out)


cdef void compute_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some rows or columns of a product."""
    cdef const Job* job = <const Job*>given
    cdef Matrix a = matrix_of(&job.a, 0, job.m, job.depth, job.item)
    cdef Matrix b = matrix_of(&job.b, 0, job.depth, job.n, job.item)
    cdef Matrix out = matrix_of(&job.out, 0, job.m, job.n, job.item)
    if job.by_columns:
        b.start += start * b.right * job.item
        out.start += start * out.right * job.item
        multiply_one(job, a, b, out, job.m, stop - start)
    else:
        a.start += start * a.down * job.item
        out.start += start * out.down * job.item
        multiply_one(job, a, b, out, stop - start, job.n)


cdef void compute_products(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some products of a batch."""
    cdef const Job* job = <const Job*>given
    cdef index i
    for i in range(start, stop):
        multiply_one(job, matrix_of(&job.a, i, job.m, job.depth, job.item), matrix_of(&job.b, i, job.depth, job.n, job.item),
                     matrix_of(&job.out, i, job.m, job.n, job.item), job.m, job.n)


cdef int multiply_by_blas(Batch a, Batch b, Batch out, index m, index n, index depth, bint single, bint adds) except -1:
    """out (..., m, n) = or += a (..., m, depth) @ b (..., depth, n); the rows of the result are contiguous."""
    cdef Job job = Job(a, b, out, m, n, depth, 4 if single else 8, single, adds, n > m)
    cdef index count = number_of(a), least = SHARED if m > 1 and n > 1 else SHARED_ROW, parts
    cdef long threads = number_of_threads()  # found before OpenBLAS, whose number it is by default, is kept to one
    if are_small(a, b, m, n, depth) and are_packed(out, m, n, job.item):
        return multiply_small(a, b, <char*>out.start, m, n, depth, single, adds)
    begin()
    try:
        if count == 1:
            parts = max(1, min(threads, m * n * depth // least))
            shared(compute_part, &job, max(m, n), (max(m, n) + parts - 1) // parts)
        else:
            shared(compute_products, &job, count, max(1, least // (m * n * depth + 1)))
    finally:
        end()
    return 0


cdef bint are_packed(Batch x, index rows, index columns, index item) noexcept nogil:
    """Whether the matrices of a batch are contiguous, one after the other."""
    cdef int dim = x.dims
    cdef index step = rows * columns * item
    if x.strides[dim] != columns * item or x.strides[dim + 1] != item:
        return False
    for dim in range(x.dims - 1, -1, -1):
        if x.strides[dim] != step:
            return False
        step *= x.shape[dim]
    return True


cdef int begin() except -1:
    """Keeps OpenBLAS to one thread."""
    global USERS, BEFORE
    if USERS == 0 and AVAILABLE:
        BEFORE = GET_THREADS()
        if BEFORE != 1:
            SET_THREADS(1)
    USERS += 1
    return 0


cdef int end() except -1:
    """Gives OpenBLAS its threads back after the last product at work, unless others were asked for meanwhile."""
    global USERS
    USERS -= 1
    if USERS == 0 and BEFORE != 1 and GET_THREADS() == 1:
        SET_THREADS(BEFORE)
    return 0


def forget():
    """Forgets the products of threads that exist only in the parent process after a fork."""
    global USERS
    if USERS:
        USERS = 1
        end()


cdef inline bint takes(cnp.ndarray x, int kind) noexcept:
    """Whether an array consists of matrices that BLAS can read."""
    cdef index item = cnp.PyArray_ITEMSIZE(x), rows, columns, down, right
    cdef int i
    if x.ndim < 2 or x.ndim > MOST_DIMS or cnp.PyArray_TYPE(x) != kind or not cnp.PyArray_ISBEHAVED_RO(x):
        return False
    for i in range(x.ndim):
        if x.strides[i] % item or x.shape[i] == 0:
            return False
    rows, columns, down, right = x.shape[x.ndim - 2], x.shape[x.ndim - 1], x.strides[x.ndim - 2], x.strides[x.ndim - 1]
    if rows == 1 or columns == 1:
        return (rows == 1 or down > 0) and (columns == 1 or right > 0)
    return (right == item and down >= columns * item) or (down == item and right >= rows * item)


cdef bint fit(cnp.ndarray a, cnp.ndarray b) noexcept:
    """Whether two arrays can be multiplied here."""
    cdef int kind = cnp.PyArray_TYPE(a), dim
    if (kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE) or not takes(a, kind) or not takes(b, kind):
        return False
    if a.ndim != b.ndim or a.shape[a.ndim - 1] != b.shape[a.ndim - 2]:
        return False
    for dim in range(a.ndim - 2):
        if a.shape[dim] != b.shape[dim]:
            return False
    return True


def product(a, b):
    """`a @ b` for float32 or float64 matrices, or equally many in batches of one shape; None for others."""
    if not (AVAILABLE and cnp.PyArray_CheckExact(a) and cnp.PyArray_CheckExact(b)):
        return None
    return product_of(a, b) if fit(a, b) else None


cdef object product_of(cnp.ndarray a, cnp.ndarray b):
    cdef cnp.npy_intp shape[MOST_DIMS]
    cdef cnp.ndarray result
    cdef int dim
    for dim in range(a.ndim - 1):
        shape[dim] = a.shape[dim]
    shape[a.ndim - 1] = b.shape[a.ndim - 1]
    result = cnp.PyArray_SimpleNew(a.ndim, shape, cnp.PyArray_TYPE(a))
    multiply(a, b, result)
    return result


cdef int multiply(cnp.ndarray a, cnp.ndarray b, cnp.ndarray out) except -1:
    cdef int dims = a.ndim - 2
    return multiply_by_blas(batch_of(a), batch_of(b), batch_of(out), out.shape[dims], out.shape[dims + 1],
                            a.shape[dims + 1], cnp.PyArray_TYPE(a) == cnp.NPY_FLOAT, False)


def product_into(a, b, out):
    """Writes `a @ b` to a writable array of its shape and dtype; returns whether it could."""
    if not (AVAILABLE and cnp.PyArray_CheckExact(a) and cnp.PyArray_CheckExact(b) and cnp.PyArray_CheckExact(out)):
        return False
    if not fit(a, b) or not has_rows(out, cnp.PyArray_TYPE(a)):
        return False
    multiply(a, b, out)
    return True


cdef bint has_rows(cnp.ndarray out, int kind) noexcept:
    """Whether an array has contiguous rows to write to, one after the other."""
    cdef int down = out.ndim - 2, right = out.ndim - 1
    return (takes(out, kind) and out.shape[down] > 1 and out.shape[right] > 1
            and out.strides[right] == cnp.PyArray_ITEMSIZE(out))


around_forks(after_in_child=forget)
