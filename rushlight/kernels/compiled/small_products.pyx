# cython: boundscheck=False, wraparound=False, cdivision=True
"""Products of many small matrices of float32 or float64, where a call of BLAS for each would cost more than the product.

The right matrix is laid out in rows of whole vectors. A row of the result is the sum of these rows, each times a number
of the left matrix, in a register or two.
"""

cimport numpy as cnp

from rushlight.kernels.compiled.batches cimport SHARED, Batch, index, number_of
from rushlight.kernels.compiled.lanes cimport add_to, always, doubles, floats, number, put, wide
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.tiles cimport beside, lanes

cdef enum:
    MOST = 16  # columns, and numbers in a sum

cdef double[8] ZEROS = [0] * 8


cdef struct Job:
    const char* a
    const char* b
    char* out
    const char* b_end  # behind the last matrix
    index a_step, a_down, a_right, b_step, b_down, b_right  # bytes to the next matrix and the row below; elements to the right
    index m, n, depth, item
    bint adds


cdef bint are_small(Batch a, Batch b, index m, index n, index depth) noexcept nogil:
    """Whether `multiply_small` is made for these matrices."""
    return n <= MOST and depth <= MOST and has_one_step(a) and has_one_step(b)


cdef bint has_one_step(Batch x) noexcept nogil:
    """Whether one step leads from each matrix of a batch to the next."""
    cdef int dim
    for dim in range(x.dims - 1):
        if x.strides[dim] != x.strides[dim + 1] * x.shape[dim + 1]:
            return False
    return x.dims > 0


cdef always lay_rows(const lanes* b, const Job* job, lanes* rows, int vectors) noexcept nogil:
    """Copies a matrix to rows of whole vectors, which end with what is in memory behind the matrix's rows, or with zeros."""
    cdef index k, j, width = vectors * sizeof(lanes)
    cdef int v
    for k in range(job.depth):
        if job.b_right == 1 and <const char*>b + width <= job.b_end:
            for v in range(vectors):
                rows[k * vectors + v] = b[v]
        else:
            for j in range(job.n):
                put(<lanes*>beside(rows + k * vectors, j * job.item), number(b, j * job.b_right))
        b = <const lanes*>beside(b, job.b_down)


cdef always clear(lanes* x, index count) noexcept nogil:
    """Sets vectors to 0."""
    cdef index k
    for k in range(count):
        x[k] = (<const lanes*>ZEROS)[0]


cdef always add_up(const lanes* rows, const lanes* left, const Job* job, lanes* sums, int vectors) noexcept nogil:
    """sums = the sum of rows, each times a number of a row of the left matrix."""
    cdef index k
    cdef int v
    clear(sums, vectors)
    for k in range(job.depth):
        for v in range(vectors):
            sums[v] += number(left, k * job.a_right) * rows[k * vectors + v]


cdef always put_row(lanes* out, const lanes* sums, const Job* job, bint whole, int vectors) noexcept nogil:
    """out = or += the first numbers of the sums; whole vectors are written where what they overwrite comes later."""
    cdef index j
    cdef int v
    if job.adds:
        for j in range(job.n):
            add_to(out, j, number(sums, j))
    elif whole:
        for v in range(vectors):
            out[v] = sums[v]
    else:
        for j in range(job.n):
            put(<lanes*>beside(out, j * job.item), number(sums, j))


cdef always multiply_some(const Job* job, const lanes* a, const lanes* b, lanes* out, index count, int vectors) noexcept nogil:
    """The products of so many matrices."""
    cdef lanes[2 * MOST] rows
    cdef lanes[2] sums
    cdef index i, r, line = job.n * job.item, left = count * job.m * line
    clear(rows, job.depth * vectors)
    for i in range(count):
        lay_rows(<const lanes*>beside(b, i * job.b_step), job, rows, vectors)
        for r in range(job.m):
            add_up(rows, <const lanes*>beside(a, i * job.a_step + r * job.a_down), job, sums, vectors)
            put_row(out, sums, job, left >= vectors * <index>sizeof(lanes), vectors)
            out = <lanes*>beside(out, line)
            left -= line


cdef wide multiply_floats(const Job* job, const char* a, const char* b, char* out, index count) noexcept nogil:
    multiply_some(job, <const floats*>a, <const floats*>b, <floats*>out, count, 1)


cdef wide multiply_doubles(const Job* job, const char* a, const char* b, char* out, index count) noexcept nogil:
    if job.n <= MOST // 2:
        multiply_some(job, <const doubles*>a, <const doubles*>b, <doubles*>out, count, 1)
    else:
        multiply_some(job, <const doubles*>a, <const doubles*>b, <doubles*>out, count, 2)


cdef void compute(const void* given, index start, index stop) noexcept nogil:
    """Computes some products of a batch."""
    cdef const Job* job = <const Job*>given
    cdef const char* a = job.a + start * job.a_step
    cdef const char* b = job.b + start * job.b_step
    cdef char* out = job.out + start * job.m * job.n * job.item
    if job.item == sizeof(float):
        multiply_floats(job, a, b, out, stop - start)
    else:
        multiply_doubles(job, a, b, out, stop - start)


cdef int multiply_small(Batch a, Batch b, char* out, index m, index n, index depth, bint single, bint adds) except -1:
    """out (..., m, n) = or += a (..., m, depth) @ b (..., depth, n), shared among threads; results are contiguous."""
    cdef index item = sizeof(float) if single else sizeof(double), count = number_of(a)
    cdef const cnp.npy_intp* left = a.strides + a.dims - 1
    cdef const cnp.npy_intp* right = b.strides + b.dims - 1
    cdef Job job = Job(a.start, b.start, out, NULL, left[0], left[1], left[2] // item, right[0], right[1],
                       right[2] // item, m, n, depth, item, adds)
    job.b_end = b.start + (count - 1) * job.b_step + (depth - 1) * job.b_down + n * item
    return shared(compute, &job, count, max(1, SHARED // (m * n * depth + 1)))
