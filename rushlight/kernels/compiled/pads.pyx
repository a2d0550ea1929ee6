# cython: boundscheck=False, wraparound=False, cdivision=True
"""Padding: lines of a result, made of pieces of an array's lines and of a constant; and the adjoint."""

cimport numpy as cnp
import numpy as np
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    MOST = 3  # dimensions that are padded at once
    GRAIN = 1 << 15  # bytes of one thread's part
    CONSTANT = -1  # the position of elements that do not come from the array

cdef struct Piece:
    Py_ssize_t place  # in the array's line, in bytes; or CONSTANT
    Py_ssize_t start  # in the result's line, in bytes
    Py_ssize_t size
    bint backwards  # the position is that of the last element, which comes first

ctypedef fused element:
    cnp.uint8_t
    cnp.uint16_t
    cnp.uint32_t
    cnp.uint64_t

ctypedef float complex floatcomplex
ctypedef double complex doublecomplex

ctypedef fused number:
    float
    double
    floatcomplex
    doublecomplex

ctypedef void (*Adder)(void* out, const void* x, Py_ssize_t n, bint backwards) noexcept nogil

cdef struct Job:
    const char* x
    char* out
    Py_ssize_t line, source_line  # bytes
    Py_ssize_t counts[MOST]  # lines of the result along each dimension but the last
    Py_ssize_t sizes[MOST]  # and of the array
    const cnp.int64_t* places[MOST]
    int dims
    const Piece* pieces
    Py_ssize_t number
    const char* constants  # a line of them
    Py_ssize_t size  # bytes of an element
    Adder add  # of the adjoint, whose `x` is the result
    Py_ssize_t lines, source_lines  # in a block: all of the padded dimensions


cdef void turn(element* out, const element* x, Py_ssize_t n) noexcept nogil:
    """Copies `n` elements in reverse order."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = x[n - 1 - i]


cdef void turn_piece(char* out, const char* x, Py_ssize_t bytes, Py_ssize_t size) noexcept nogil:
    """Copies elements of any size in reverse order."""
    cdef Py_ssize_t i
    if size == 8:
        turn(<cnp.uint64_t*>out, <const cnp.uint64_t*>x, bytes // 8)
    elif size == 4:
        turn(<cnp.uint32_t*>out, <const cnp.uint32_t*>x, bytes // 4)
    elif size == 2:
        turn(<cnp.uint16_t*>out, <const cnp.uint16_t*>x, bytes // 2)
    elif size == 1:
        turn(<cnp.uint8_t*>out, <const cnp.uint8_t*>x, bytes)
    else:
        for i in range(bytes // size):
            memcpy(out + i * size, x + bytes - (i + 1) * size, size)


cdef Py_ssize_t source_of(const Job* job, Py_ssize_t line) noexcept nogil:
    """The number of the array's line that a line of the result is made of; or CONSTANT."""
    cdef Py_ssize_t source = 0, step = 1, place
    cdef int d
    for d in range(job.dims - 2, -1, -1):
        place = job.places[d][line % job.counts[d]]
        if place == CONSTANT:
            return CONSTANT
        source += place * step
        step *= job.sizes[d]
        line = line // job.counts[d]
    return source + line * step


cdef void pad_lines(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Writes some lines of the result."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t line, source, i
    cdef const Piece* piece
    cdef const char* found
    cdef char* out
    for line in range(start, stop):
        out = job.out + line * job.line
        source = source_of(job, line)
        if source == CONSTANT:
            memcpy(out, job.constants, job.line)
            continue
        found = job.x + source * job.source_line
        for i in range(job.number):
            piece = job.pieces + i
            if piece.backwards:
                turn_piece(out + piece.start, found + piece.place, piece.size, job.size)
            elif piece.place == CONSTANT:
                memcpy(out + piece.start, job.constants, piece.size)
            else:
                memcpy(out + piece.start, found + piece.place, piece.size)


cdef void add_piece(number* out, const number* x, Py_ssize_t n, bint backwards) noexcept nogil:
    """Adds `n` elements, in reverse order with `backwards`."""
    cdef Py_ssize_t i
    if backwards:
        for i in range(n):
            out[i] = out[i] + x[n - 1 - i]
    else:
        for i in range(n):
            out[i] = out[i] + x[i]


cdef void add_blocks(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Adds the lines of some padded blocks to the lines that they were made of."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t line, source, i, block = job.source_lines * job.source_line
    cdef const Piece* piece
    cdef char* out
    memset(job.out + start * block, 0, (stop - start) * block)
    for line in range(start * job.lines, stop * job.lines):
        source = source_of(job, line)
        if source == CONSTANT:
            continue
        out = job.out + source * job.source_line
        for i in range(job.number):
            piece = job.pieces + i
            if piece.place != CONSTANT:
                job.add(
                    out + piece.place, job.x + line * job.line + piece.start, piece.size // job.size, piece.backwards
                )


cdef Adder adder(int type):
    """What adds elements of one of NumPy's types; NULL for other types than floats and complex numbers."""
    if type == cnp.NPY_FLOAT:
        return <Adder>add_piece[float]
    if type == cnp.NPY_DOUBLE:
        return <Adder>add_piece[double]
    if type == cnp.NPY_CFLOAT:
        return <Adder>add_piece[floatcomplex]
    if type == cnp.NPY_CDOUBLE:
        return <Adder>add_piece[doublecomplex]
    return NULL


cdef Py_ssize_t cut(const cnp.int64_t* places, Py_ssize_t n, Py_ssize_t size, Piece* pieces) noexcept nogil:
    """The pieces of a line, and their number: consecutive elements, in either direction, or constants."""
    cdef Py_ssize_t number = 0, i
    cdef Piece* last = NULL
    for i in range(n):
        if last != NULL and places[i] == CONSTANT and last.place == CONSTANT:
            last.size += size
        elif last != NULL and places[i] != CONSTANT and last.place != CONSTANT and not last.backwards \
                and places[i] == places[i - 1] + 1:
            last.size += size
        elif last != NULL and places[i] != CONSTANT and last.place != CONSTANT and places[i] == places[i - 1] - 1 \
                and (last.backwards or last.size == size):
            last.size, last.backwards, last.place = last.size + size, True, places[i] * size
        else:
            last = pieces + number
            last.place = places[i] * size if places[i] != CONSTANT else CONSTANT
            last.start, last.size, last.backwards = i * size, size, False
            number += 1
    return number


cdef bint noted(tuple places, const cnp.npy_intp* sizes, Job* job) except -1:
    """Notes the positions along dimensions of these sizes in a job; returns whether they are taken: int64 vectors."""
    cdef cnp.ndarray index
    cdef int d
    job.dims = len(places)
    for d in range(job.dims):
        index = places[d]
        if cnp.PyArray_TYPE(index) != cnp.NPY_INT64 or not cnp.PyArray_IS_C_CONTIGUOUS(index):
            return False
        job.counts[d], job.sizes[d] = cnp.PyArray_SIZE(index), sizes[d]
        job.places[d] = <const cnp.int64_t*>cnp.PyArray_DATA(index)
    return True


cdef void repeat(char* out, const char* value, Py_ssize_t size, Py_ssize_t n) noexcept nogil:
    """Writes an element n times."""
    cdef Py_ssize_t done = 1
    memcpy(out, value, size)
    while done < n:
        memcpy(out + done * size, out, min(done, n - done) * size)
        done += min(done, n - done)


def padded(cnp.ndarray x not None, tuple places, cnp.ndarray value, int behind=0):
    """The elements at the given positions of each of one to three dimensions, or `value` for position -1.

    So many dimensions are behind these, and taken whole. Positions are int64 vectors. None for an array that is not
    aligned, not in native byte order, or of objects.
    """
    cdef cnp.npy_intp[64] shape
    cdef cnp.npy_intp count
    cdef cnp.ndarray source, constants = None
    cdef int d, first = x.ndim - behind - len(places), dims = len(places)
    cdef Py_ssize_t lines = 1, block = 1, size, n
    cdef Job job
    cdef Piece* pieces
    if not 1 <= dims <= MOST or first < 0 or x.ndim > 64:
        return None
    if cnp.PyArray_TYPE(x) == cnp.NPY_OBJECT or not cnp.PyArray_ISBEHAVED_RO(x):
        return None
    source = cnp.PyArray_GETCONTIGUOUS(x)
    for d in range(x.ndim):
        shape[d] = source.shape[d]
        if d >= first + dims:
            block *= source.shape[d]
    if not noted(places, source.shape + first, &job):
        return None
    size = block * cnp.PyArray_ITEMSIZE(x)
    for d in range(dims):
        shape[first + d] = job.counts[d]
    n = job.counts[dims - 1]
    for d in range(first + dims - 1):
        lines *= shape[d]
    out = cnp.PyArray_EMPTY(x.ndim, shape, cnp.PyArray_TYPE(x), False)
    if lines * n * block == 0:
        return out
    job.x, job.out, job.constants = cnp.PyArray_BYTES(source), cnp.PyArray_BYTES(out), NULL
    if value is not None:
        count = n * block
        constants = cnp.PyArray_EMPTY(1, &count, cnp.PyArray_TYPE(x), False)
        repeat(cnp.PyArray_BYTES(constants), cnp.PyArray_BYTES(value), cnp.PyArray_ITEMSIZE(x), count)
        job.constants = cnp.PyArray_BYTES(constants)
    job.size, job.line, job.source_line = size, n * size, job.sizes[dims - 1] * size
    pieces = <Piece*>malloc(n * sizeof(Piece))
    if pieces == NULL:
        raise MemoryError
    job.pieces, job.number = pieces, cut(job.places[dims - 1], n, size, pieces)
    try:
        shared(pad_lines, &job, lines, max(1, GRAIN // job.line))
    finally:
        free(pieces)
    return out


def unpadded(cnp.ndarray x not None, tuple shape, tuple places):
    """The adjoint of `padded` for arrays of `shape`: each element is added to the one at its position.

    None for other types than floats and complex numbers, and where `padded` gives None.
    """
    cdef cnp.ndarray source, out
    cdef int d, dims = len(places), first = len(shape) - dims
    cdef Py_ssize_t blocks = 1, size = cnp.PyArray_ITEMSIZE(x), n
    cdef Job job
    cdef Piece* pieces
    job.add = adder(cnp.PyArray_TYPE(x))
    if not 1 <= dims <= MOST or first < 0 or job.add == NULL or not cnp.PyArray_ISBEHAVED_RO(x):
        return None
    source = cnp.PyArray_GETCONTIGUOUS(x)
    out = np.empty(shape, x.dtype)
    if not noted(places, out.shape + first, &job):
        return None
    job.lines, job.source_lines = 1, 1
    for d in range(dims - 1):
        job.lines *= job.counts[d]
        job.source_lines *= job.sizes[d]
    for d in range(first):
        blocks *= out.shape[d]
    if cnp.PyArray_SIZE(out) == 0:
        return out
    n = job.counts[dims - 1]
    job.x, job.out = cnp.PyArray_BYTES(source), cnp.PyArray_BYTES(out)
    job.size, job.line, job.source_line = size, n * size, job.sizes[dims - 1] * size
    pieces = <Piece*>malloc((n + 1) * sizeof(Piece))
    if pieces == NULL:
        raise MemoryError
    job.pieces, job.number = pieces, cut(job.places[dims - 1], n, size, pieces)
    try:
        shared(add_blocks, &job, blocks, max(1, GRAIN // (job.lines * job.line + 1)))
    finally:
        free(pieces)
    return out
