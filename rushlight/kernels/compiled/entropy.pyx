# distutils: extra_compile_args = -fassociative-math -fno-signed-zeros
# cython: cdivision=True
"""Cross entropy of rows of scores with class indices, without the matrix of log probabilities.

The forward pass computes for each row its largest score and the logarithm of the sum of exponentials relative to it;
from these two the backward pass computes the probabilities again.
"""

cimport numpy as cnp
from libc.math cimport log
from libc.stdlib cimport free, malloc

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.exponential cimport exponentials
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.softmax cimport below_peaks, rows_of_block
from rushlight.kernels.compiled.steps cimport zeros

cnp.import_array()

cdef enum:
    GRAIN = 1 << 14  # elements of one thread's part

cdef struct Job:
    const void* x
    const cnp.npy_int64* target
    void* peaks
    void* sums
    void* out  # NULL in the forward pass
    double grad
    Py_ssize_t n
    bint single


cdef wide logarithms_of_sums(const real* x, real* sums, Py_ssize_t rows, Py_ssize_t n) noexcept nogil:
    """The logarithm of each row's sum."""
    cdef Py_ssize_t r, i
    cdef real total
    for r in range(rows):
        total = 0
        for i in range(n):
            total += x[i]
        sums[r] = <real>log(total)
        x += n


cdef wide below_sums(const real* x, const real* peaks, const real* sums, real* out, Py_ssize_t rows,
                     Py_ssize_t n) noexcept nogil:
    """Log probabilities. In two loops: in one, the compiler would add peak and sum first, and lose precision."""
    cdef Py_ssize_t r, i
    for r in range(rows):
        for i in range(n):
            out[i] = x[i] - peaks[r]
        for i in range(n):
            out[i] -= sums[r]
        x += n
        out += n


cdef wide scale(real* out, Py_ssize_t n, real factor) noexcept nogil:
    """Multiplies n elements by a factor, in place."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] *= factor


cdef void forward(const real* x, real* scratch, real* peaks, real* sums, Py_ssize_t rows, Py_ssize_t n) noexcept nogil:
    """Peaks and sums of the rows of a block."""
    below_peaks(x, scratch, peaks, rows, n)
    exponentials(scratch, scratch, rows * n)
    logarithms_of_sums(scratch, sums, rows, n)


cdef void back(const real* x, const cnp.npy_int64* target, const real* peaks, const real* sums, real* out,
               Py_ssize_t rows, Py_ssize_t n, real grad) noexcept nogil:
    """(softmax - one-hot) * grad for the rows of a block."""
    cdef Py_ssize_t r
    below_sums(x, peaks, sums, out, rows, n)
    exponentials(out, out, rows * n)
    scale(out, rows * n, grad)
    for r in range(rows):
        if 0 <= target[r] < n:  # targets may have been changed since the forward pass
            out[r * n + target[r]] -= grad


cdef void compute_rows(const Job* job, const real* x, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes some rows of a job, block by block."""
    cdef Py_ssize_t n = job.n, block = rows_of_block(n), rows
    cdef real* peaks = <real*>job.peaks
    cdef real* sums = <real*>job.sums
    cdef real* scratch = <real*>malloc(block * n * sizeof(real)) if job.out == NULL else NULL
    while start < stop:
        rows = min(block, stop - start)
        if job.out == NULL:
            forward(x + start * n, scratch, peaks + start, sums + start, rows, n)
        else:
            back(x + start * n, job.target + start, peaks + start, sums + start, <real*>job.out + start * n, rows, n,
                 <real>job.grad)
        start += rows
    free(scratch)


cdef void compute(const void* pointer, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Computes a part of a job, by its dtype."""
    cdef const Job* job = <const Job*>pointer
    if job.single:
        compute_rows(job, <const float*>job.x, start, stop)
    else:
        compute_rows(job, <const double*>job.x, start, stop)


cdef real loss_of(const real* x, const Job* job, Py_ssize_t rows, double factor) noexcept nogil:
    """The sum of the losses of rows, times a factor."""
    cdef Py_ssize_t r
    cdef double total = 0
    cdef real below
    for r in range(rows):
        below = x[r * job.n + job.target[r]] - (<real*>job.peaks)[r]
        total += (<real*>job.sums)[r] - <double>below
    return <real>(total * factor)


cdef real picked(const real* x, const cnp.npy_int64* target, Py_ssize_t rows, Py_ssize_t n, Py_ssize_t places,
                 double factor) noexcept nogil:
    """The sum of the scores of the classes at each place of each row, times a factor."""
    cdef Py_ssize_t r, i
    cdef double total = 0
    for r in range(rows):
        for i in range(places):
            total += x[(r * n + target[r * places + i]) * places + i]
    return <real>(total * factor)


cdef bint takes(object x, object target) noexcept:
    """Whether the kernel takes these scores and classes: a contiguous matrix and a vector."""
    return float_type(x) and (<cnp.ndarray>x).ndim == 2 and cnp.PyArray_IS_C_CONTIGUOUS(x) \
        and cnp.PyArray_CheckExact(target) and cnp.PyArray_ISCARRAY_RO(target) \
        and cnp.PyArray_TYPE(target) == cnp.NPY_INT64 and (<cnp.ndarray>target).ndim == 1 \
        and (<cnp.ndarray>target).shape[0] == (<cnp.ndarray>x).shape[0]


cdef bint fit(object x, object target) noexcept:
    """Whether there is a class for each row of scores, or for each place of it: (N, C, ...) and (N, ...)."""
    cdef int dim
    if not float_type(x) or (<cnp.ndarray>x).ndim < 2 or not cnp.PyArray_IS_C_CONTIGUOUS(x) \
            or not cnp.PyArray_CheckExact(target) or not cnp.PyArray_ISCARRAY_RO(target) \
            or cnp.PyArray_TYPE(target) != cnp.NPY_INT64 or (<cnp.ndarray>target).ndim != (<cnp.ndarray>x).ndim - 1:
        return False
    for dim in range((<cnp.ndarray>target).ndim):
        if (<cnp.ndarray>target).shape[dim] != (<cnp.ndarray>x).shape[dim + 1 if dim else 0]:
            return False
    return True


def are_classes(x, target):
    """Whether there is a valid class for each row of scores (N, C), or for each place of it (N, C, ...)."""
    cdef Py_ssize_t i, n
    cdef const cnp.npy_int64* classes
    if not fit(x, target):
        return False
    n, classes = (<cnp.ndarray>x).shape[1], <const cnp.npy_int64*>cnp.PyArray_DATA(target)
    for i in range(cnp.PyArray_SIZE(target)):
        if not 0 <= classes[i] < n:
            return False
    return cnp.PyArray_SIZE(target) > 0


cdef int prepare(Job* job, cnp.ndarray x, cnp.ndarray target, cnp.ndarray moments) except -1:
    """Sets where the data of a job are."""
    cdef Py_ssize_t rows = x.shape[0]
    job.x, job.target, job.n = cnp.PyArray_DATA(x), <const cnp.npy_int64*>cnp.PyArray_DATA(target), x.shape[1]
    job.single = cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT
    job.peaks = cnp.PyArray_DATA(moments)
    job.sums = <char*>job.peaks + rows * cnp.PyArray_ITEMSIZE(x)
    return 0


def cross_entropy(x, target, double factor):
    """The sum of the losses times a factor, and the rows' peaks and sums; None for inputs that are not supported."""
    cdef Job job
    cdef cnp.npy_intp[2] shape
    if not takes(x, target):
        return None
    shape[0], shape[1] = 2, (<cnp.ndarray>x).shape[0]
    moments = cnp.PyArray_SimpleNew(2, shape, cnp.PyArray_TYPE(x))
    loss = cnp.PyArray_SimpleNew(0, NULL, cnp.PyArray_TYPE(x))
    prepare(&job, x, target, moments)
    job.out = NULL
    shared(compute, &job, shape[1], max(1, GRAIN // job.n))
    if job.single:
        (<float*>cnp.PyArray_DATA(loss))[0] = loss_of(<const float*>job.x, &job, shape[1], factor)
    else:
        (<double*>cnp.PyArray_DATA(loss))[0] = loss_of(<const double*>job.x, &job, shape[1], factor)
    return loss, moments


def cross_entropy_cotangent(double grad, x, target, moments):
    """The gradient of x, given that of the sum of the losses; None for inputs that the kernel does not take."""
    cdef Job job
    if not takes(x, target) or float_type(moments) != cnp.PyArray_TYPE(x) or not cnp.PyArray_IS_C_CONTIGUOUS(moments):
        return None
    out = cnp.PyArray_SimpleNew(2, (<cnp.ndarray>x).shape, cnp.PyArray_TYPE(x))
    prepare(&job, x, target, moments)
    job.out, job.grad = cnp.PyArray_DATA(out), grad
    shared(compute, &job, (<cnp.ndarray>x).shape[0], max(1, GRAIN // job.n))
    return out


def pick(x, target, double factor):
    """The sum of the scores of the classes times a factor; None for inputs that the kernel does not take."""
    if not fit(x, target):
        return None
    cdef cnp.ndarray matrix = x, loss = cnp.PyArray_SimpleNew(0, NULL, cnp.PyArray_TYPE(x))
    cdef const cnp.npy_int64* classes = <const cnp.npy_int64*>cnp.PyArray_DATA(target)
    cdef void* scores = cnp.PyArray_DATA(matrix)
    cdef Py_ssize_t rows = matrix.shape[0], n = matrix.shape[1], places = cnp.PyArray_SIZE(target) // max(1, rows)
    if cnp.PyArray_TYPE(matrix) == cnp.NPY_FLOAT:
        (<float*>cnp.PyArray_DATA(loss))[0] = picked(<const float*>scores, classes, rows, n, places, factor)
    else:
        (<double*>cnp.PyArray_DATA(loss))[0] = picked(<const double*>scores, classes, rows, n, places, factor)
    if loss == 0:
        cnp.PyArray_FILLWBYTE(loss, 0)  # no negative zero, as in PyTorch, which subtracts
    return loss


cdef bint put_at(real value, real* out, const cnp.npy_int64* target, Py_ssize_t rows, Py_ssize_t n,
                 Py_ssize_t places) noexcept nogil:
    """Writes a number at the class of each place of each row; returns whether all classes are valid."""
    cdef Py_ssize_t r, i
    for r in range(rows):
        for i in range(places):
            if not 0 <= target[r * places + i] < n:
                return False
            out[(r * n + target[r * places + i]) * places + i] = value
    return True


def put(grad, double factor, target, tuple shape):
    """Zeros with a number times a factor at the classes; None for inputs that the kernel does not take."""
    cdef int kind = float_type(grad)
    cdef bint done
    if kind == 0 or cnp.PyArray_SIZE(grad) != 1 or not cnp.PyArray_CheckExact(target) \
            or not cnp.PyArray_ISCARRAY_RO(target) or cnp.PyArray_TYPE(target) != cnp.NPY_INT64:
        return None
    cdef Py_ssize_t rows = shape[0], n = shape[1], places = cnp.PyArray_SIZE(target) // max(1, rows)
    cdef const cnp.npy_int64* classes = <const cnp.npy_int64*>cnp.PyArray_DATA(target)
    cdef cnp.npy_intp[64] sizes
    cdef int d, dims = len(shape)
    for d in range(dims):
        sizes[d] = shape[d]
    cdef cnp.ndarray out = zeros(dims, sizes, kind)
    if kind == cnp.NPY_FLOAT:
        done = put_at((<float*>cnp.PyArray_DATA(grad))[0] * <float>factor, <float*>cnp.PyArray_DATA(out), classes, rows,
                      n, places)
    else:
        done = put_at((<double*>cnp.PyArray_DATA(grad))[0] * factor, <double*>cnp.PyArray_DATA(out), classes, rows, n,
                      places)
    return out if done else None
