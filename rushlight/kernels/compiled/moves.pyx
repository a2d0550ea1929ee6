# cython: boundscheck=False, wraparound=False, cdivision=True
"""Copies of arrays of any strides: as they are, flipped, rolled or joined.

Dimensions are sorted by the steps of the result and joined where both arrays have no gaps between their rows. What both
arrays have side by side is moved as one run. Where a dimension lies side by side in one array and another in the other,
blocks of both are moved, so that neither array is read or written far apart; floats in squares in registers.
"""

cimport numpy as cnp
from libc.string cimport memcpy

from rushlight.kernels.compiled.arrays cimport PyArray_NewLikeArray
from rushlight.kernels.compiled.copies cimport item
from rushlight.kernels.compiled.lanes cimport always, floats, wide, wide_registers, widest
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.squares cimport turned

cnp.import_array()

cdef enum:
    MOST_DIMS = 64
    FEW = 8  # indices of a dimension along which runs are not moved one after the other if another has more
    GRAIN = 1 << 17  # bytes of one thread's part
    SIDE = 16  # rows and columns of a square
    ROWS = 64  # of a block
    COLUMNS = 64

cdef struct Move:
    char* out
    const char* x
    Py_ssize_t size  # bytes of an element
    Py_ssize_t run  # bytes that are moved at once
    int ndim  # of the runs
    Py_ssize_t shape[MOST_DIMS]
    Py_ssize_t to[MOST_DIMS]  # bytes from one index to the next
    Py_ssize_t step[MOST_DIMS]
    int down  # with blocks the dimension that lies side by side in x; what is behind it does in the result
    Py_ssize_t columns  # of the result, behind that dimension


cdef wide move_items(char* out, Py_ssize_t to, const char* x, Py_ssize_t step, Py_ssize_t n, item* like) noexcept nogil:
    """Moves n elements; loops over neighbours become vector instructions."""
    cdef Py_ssize_t i
    cdef item value
    if to == sizeof(item) and step == 0:
        value = (<const item*>x)[0]
        for i in range(n):
            (<item*>out)[i] = value
    elif to == sizeof(item) and step == -<Py_ssize_t>sizeof(item):
        for i in range(n):
            (<item*>out)[i] = (<const item*>x)[-i]
    elif to == sizeof(item):
        for i in range(n):
            (<item*>out)[i] = (<const item*>(x + i * step))[0]
    else:
        for i in range(n):
            (<item*>(out + i * to))[0] = (<const item*>(x + i * step))[0]


cdef inline void move_runs(char* out, Py_ssize_t to, const char* x, Py_ssize_t step, Py_ssize_t n,
                           Py_ssize_t run) noexcept nogil:
    """Moves n runs of some bytes; a number that the compiler knows takes no call."""
    cdef Py_ssize_t i
    for i in range(n):
        memcpy(out + i * to, x + i * step, run)


cdef void move_line(const Move* job, char* out, const char* x, Py_ssize_t n) noexcept nogil:
    """Moves the runs at n indices of the last dimension."""
    cdef Py_ssize_t to = job.to[job.ndim - 1], step = job.step[job.ndim - 1]
    if job.run != job.size:
        if job.run == 8:
            move_runs(out, to, x, step, n, 8)
        elif job.run == 16:
            move_runs(out, to, x, step, n, 16)
        elif job.run == 32:
            move_runs(out, to, x, step, n, 32)
        else:
            move_runs(out, to, x, step, n, job.run)
    elif job.size == 4:
        move_items(out, to, x, step, n, <cnp.npy_uint32*>NULL)
    elif job.size == 8:
        move_items(out, to, x, step, n, <cnp.npy_uint64*>NULL)
    elif job.size == 1:
        move_items(out, to, x, step, n, <cnp.npy_uint8*>NULL)
    elif job.size == 2:
        move_items(out, to, x, step, n, <cnp.npy_uint16*>NULL)
    elif job.size == 16:
        move_items(out, to, x, step, n, <double complex*>NULL)
    else:
        move_runs(out, to, x, step, n, job.run)


cdef void move_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Moves the runs at some indices of the first dimension."""
    cdef const Move* job = <const Move*>given
    cdef Py_ssize_t at[MOST_DIMS]
    cdef int d, last = job.ndim - 1
    cdef char* out = job.out + start * job.to[0]
    cdef const char* x = job.x + start * job.step[0]
    if last == 0:
        move_line(job, out, x, stop - start)
        return
    for d in range(last):
        at[d] = 0
    at[0] = start
    while True:
        move_line(job, out, x, job.shape[last])
        d = last - 1
        while True:
            at[d] += 1
            out += job.to[d]
            x += job.step[d]
            if at[d] < (job.shape[d] if d else stop):
                break
            if d == 0:
                return
            out -= at[d] * job.to[d]
            x -= at[d] * job.step[d]
            at[d] = 0
            d -= 1


cdef void exchange(Move* job, int d, int other) noexcept nogil:
    """Exchanges two dimensions."""
    job.shape[d], job.shape[other] = job.shape[other], job.shape[d]
    job.to[d], job.to[other] = job.to[other], job.to[d]
    job.step[d], job.step[other] = job.step[other], job.step[d]


cdef void arrange(Move* job) noexcept nogil:
    """Sorts and joins the dimensions; the last may then be moved as one run."""
    cdef int d, kept = 0
    for d in range(job.ndim):
        if job.shape[d] != 1:
            job.shape[kept], job.to[kept], job.step[kept] = job.shape[d], job.to[d], job.step[d]
            kept += 1
    job.ndim = kept
    for kept in range(1, job.ndim):
        for d in range(kept, 0, -1):
            if job.to[d] <= job.to[d - 1]:
                break
            exchange(job, d, d - 1)
    for d in range(job.ndim - 1, 0, -1):
        if job.to[d - 1] == job.to[d] * job.shape[d] and job.step[d - 1] == job.step[d] * job.shape[d]:
            job.to[d - 1], job.step[d - 1] = job.to[d], job.step[d]
            job.shape[d - 1] *= job.shape[d]
            for kept in range(d, job.ndim - 1):
                exchange(job, kept, kept + 1)
            job.ndim -= 1
    if job.ndim and job.to[job.ndim - 1] == job.run and job.step[job.ndim - 1] == job.run:
        job.ndim -= 1
        job.run *= job.shape[job.ndim]


cdef void choose_line(Move* job) noexcept nogil:
    """Makes the last dimension one along which enough runs are moved one after the other."""
    cdef int d, longest = job.ndim - 1
    if job.shape[longest] < FEW:
        for d in range(job.ndim):
            if job.shape[d] > job.shape[longest]:
                longest = d
        exchange(job, longest, job.ndim - 1)


cdef bint is_crossed(Move* job) noexcept nogil:
    """Whether blocks of two dimensions are moved; the one that lies side by side in x is then next to the columns."""
    cdef int d, last = job.ndim - 1, first = job.ndim - 1
    if job.ndim < 2 or job.run != job.size or job.to[last] != job.size or job.size not in (1, 2, 4, 8, 16):
        return False
    job.columns = job.shape[last]
    while first and job.to[first - 1] == job.to[first] * job.shape[first] and job.step[first - 1] != job.size:
        first -= 1
        job.columns *= job.shape[first]
    for d in range(first):
        if job.step[d] == job.size and job.shape[d] >= FEW:
            for last in range(d, first - 1):
                exchange(job, last, last + 1)
            job.down = first - 1
            return True
    return False


cdef void locate(const Move* job, Py_ssize_t column, Py_ssize_t n, Py_ssize_t* places) noexcept nogil:
    """Where n columns are in x."""
    cdef Py_ssize_t at[MOST_DIMS]
    cdef Py_ssize_t place = 0, done = 0, run, i
    cdef int d, last = job.ndim - 1
    for d in range(last, job.down, -1):
        at[d] = column % job.shape[d]
        column //= job.shape[d]
        place += at[d] * job.step[d]
    while True:
        run = min(n - done, job.shape[last] - at[last])
        for i in range(run):
            places[done + i] = place + i * job.step[last]
        done += run
        if done == n:
            return
        d = last
        at[d] += run
        place += run * job.step[d]
        while at[d] == job.shape[d]:
            place += job.step[d - 1] - at[d] * job.step[d]
            at[d] = 0
            d -= 1
            at[d] += 1


cdef always turn_rows(char* out, Py_ssize_t to, const char* x, const Py_ssize_t* places, Py_ssize_t rows,
                      Py_ssize_t columns, item* like) noexcept nogil:
    """Moves some rows of some columns."""
    cdef Py_ssize_t i, j
    for i in range(rows):
        for j in range(columns):
            (<item*>(out + i * to))[j] = (<const item*>(x + places[j]))[i]


cdef wide turn(char* out, Py_ssize_t to, const char* x, const Py_ssize_t* places, Py_ssize_t rows, Py_ssize_t columns,
               item* like) noexcept nogil:
    """Moves some rows of up to 16 columns; a number of these that the compiler knows takes no loop."""
    if columns == SIDE:
        turn_rows(out, to, x, places, rows, SIDE, like)
    elif columns == 8:
        turn_rows(out, to, x, places, rows, 8, like)
    elif columns == 4:
        turn_rows(out, to, x, places, rows, 4, like)
    elif columns == 3:
        turn_rows(out, to, x, places, rows, 3, like)
    elif columns == 2:
        turn_rows(out, to, x, places, rows, 2, like)
    else:
        turn_rows(out, to, x, places, rows, columns, like)


cdef widest turn_floats(char* out, Py_ssize_t to, const char* x, const Py_ssize_t* places) noexcept nogil:
    """Moves a whole square of floats."""
    cdef floats square[SIDE]
    cdef int i
    for i in range(SIDE):
        square[i] = (<const floats*>(x + places[i]))[0]
    turned(square)
    for i in range(SIDE):
        (<floats*>(out + i * to))[0] = square[i]


cdef void turn_square(const Move* job, char* out, const char* x, const Py_ssize_t* places, Py_ssize_t rows,
                      Py_ssize_t columns) noexcept nogil:
    """Moves some rows of the columns of a square."""
    cdef Py_ssize_t to = job.to[job.down]
    if job.size == 4 and rows == SIDE and columns == SIDE and wide_registers():
        turn_floats(out, to, x, places)
    elif job.size == 4:
        turn(out, to, x, places, rows, columns, <cnp.npy_uint32*>NULL)
    elif job.size == 8:
        turn(out, to, x, places, rows, columns, <cnp.npy_uint64*>NULL)
    elif job.size == 1:
        turn(out, to, x, places, rows, columns, <cnp.npy_uint8*>NULL)
    elif job.size == 2:
        turn(out, to, x, places, rows, columns, <cnp.npy_uint16*>NULL)
    else:
        turn(out, to, x, places, rows, columns, <double complex*>NULL)


cdef void move_blocks(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Moves some blocks, counted through all matrices: row by row of blocks."""
    cdef const Move* job = <const Move*>given
    cdef Py_ssize_t[COLUMNS] places
    cdef Py_ssize_t block, matrix, row, rows, column, columns, side = SIDE if job.columns >= SIDE else ROWS
    cdef char* out
    cdef const char* x
    cdef int d
    for block in range(start, stop):
        column, matrix = block % blocks_across(job) * COLUMNS, block // blocks_across(job)
        row, matrix = matrix % blocks_down(job) * ROWS, matrix // blocks_down(job)
        rows, columns = min(<Py_ssize_t>ROWS, job.shape[job.down] - row), min(<Py_ssize_t>COLUMNS, job.columns - column)
        locate(job, column, columns, places)
        out, x = job.out + row * job.to[job.down] + column * job.size, job.x + row * job.size
        for d in range(job.down - 1, -1, -1):
            out += matrix % job.shape[d] * job.to[d]
            x += matrix % job.shape[d] * job.step[d]
            matrix //= job.shape[d]
        for row from 0 <= row < rows by side:
            for column from 0 <= column < columns by SIDE:
                turn_square(job, out + row * job.to[job.down] + column * job.size, x + row * job.size, places + column,
                            min(side, rows - row), min(<Py_ssize_t>SIDE, columns - column))


cdef Py_ssize_t blocks_down(const Move* job) noexcept nogil:
    """The number of blocks below one another."""
    return (job.shape[job.down] - 1) // ROWS + 1


cdef Py_ssize_t blocks_across(const Move* job) noexcept nogil:
    """The number of blocks beside one another."""
    return (job.columns - 1) // COLUMNS + 1


cdef void copy_bytes(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Copies some bytes of one run."""
    cdef const Move* job = <const Move*>given
    memcpy(job.out + start, job.x + start, stop - start)


cdef int move(Move* job) except -1:
    """Moves all elements; the job is arranged for it."""
    cdef Py_ssize_t bytes = job.run, blocks
    cdef int d
    for d in range(job.ndim):
        bytes *= job.shape[d]
    if bytes == 0:
        return 0
    arrange(job)
    if job.ndim == 0:
        return shared(copy_bytes, job, bytes, GRAIN)
    if is_crossed(job):
        blocks = blocks_down(job) * blocks_across(job)
        for d in range(job.down):
            blocks *= job.shape[d]
        return shared(move_blocks, job, blocks, max(1, GRAIN * blocks // bytes))
    choose_line(job)
    return shared(move_part, job, job.shape[0], max(1, GRAIN * job.shape[0] // bytes))


cdef bint is_plain(object x) noexcept:
    """Whether an array's elements can be moved: not those of objects, nor parts of others."""
    return cnp.PyArray_CheckExact(x) and cnp.PyArray_ISALIGNED(x) and cnp.PyArray_TYPE(x) != cnp.NPY_OBJECT


cdef void begin(Move* job, cnp.ndarray out, cnp.ndarray x) noexcept:
    """Sets a job that moves all elements of an array to those of another."""
    cdef int d
    job.out, job.x = cnp.PyArray_BYTES(out), cnp.PyArray_BYTES(x)
    job.ndim, job.size, job.run = x.ndim, cnp.PyArray_ITEMSIZE(x), cnp.PyArray_ITEMSIZE(x)
    for d in range(x.ndim):
        job.shape[d], job.to[d], job.step[d] = x.shape[d], out.strides[d], x.strides[d]


cdef bint may_overlap(cnp.ndarray x, cnp.ndarray y) noexcept:
    """Whether the memory between the first and the last elements of two arrays overlaps."""
    cdef const char* ends[4]
    cdef cnp.ndarray array
    cdef int i, d
    for i in range(2):
        array = y if i else x
        ends[2 * i] = cnp.PyArray_BYTES(array)
        ends[2 * i + 1] = ends[2 * i] + cnp.PyArray_ITEMSIZE(array)
        for d in range(array.ndim):
            ends[2 * i + (array.strides[d] > 0)] += (array.shape[d] - 1) * array.strides[d]
    return ends[0] < ends[3] and ends[2] < ends[1]


def assigned(cnp.ndarray out not None, cnp.ndarray x not None):
    """Copies an array into another of its type, repeated to the other's shape; returns whether it did.

    It does not where they may share memory.
    """
    cdef Move job
    cdef int d, missing = out.ndim - x.ndim
    if not is_plain(out) or not is_plain(x) or cnp.PyArray_TYPE(x) != cnp.PyArray_TYPE(out) or missing < 0 \
            or not cnp.PyArray_ISBEHAVED(out) or not cnp.PyArray_ISBEHAVED_RO(x) or may_overlap(out, x):
        return False
    begin(&job, out, out)
    job.x = cnp.PyArray_BYTES(x)
    for d in range(out.ndim):
        if d < missing or (x.shape[d - missing] == 1 and out.shape[d] != 1):
            job.step[d] = 0
        elif x.shape[d - missing] == out.shape[d]:
            job.step[d] = x.strides[d - missing]
        else:
            return False
    move(&job)
    return True


def copied(x):
    """A contiguous copy of an array; None for others than plain arrays."""
    cdef Move job
    if not is_plain(x):
        return None
    cdef cnp.ndarray out = PyArray_NewLikeArray(x, cnp.NPY_CORDER, NULL, 0)
    begin(&job, out, x)
    move(&job)
    return out


cdef cnp.ndarray contiguous(object x):
    """An array itself if it is contiguous, else a copy that is."""
    if cnp.PyArray_IS_C_CONTIGUOUS(x):
        return x
    found = copied(x)
    return cnp.PyArray_GETCONTIGUOUS(x) if found is None else found


def flipped(x, tuple dims not None):
    """A copy with some dimensions reversed, in the array's order in memory; None for others than plain arrays."""
    cdef Move job
    cdef int d
    if not is_plain(x):
        return None
    cdef cnp.ndarray out = PyArray_NewLikeArray(x, cnp.NPY_KEEPORDER, NULL, 0)
    begin(&job, out, x)
    for d in dims:
        job.x += (job.shape[d] - 1) * job.step[d]
        job.step[d] = -job.step[d]
    move(&job)
    return out


def rolled(x, shifts, dims):
    """A contiguous copy whose elements are shifted along dimensions; None for others than plain arrays."""
    cdef Py_ssize_t shift[MOST_DIMS]
    cdef Move job
    cdef int d
    cdef Py_ssize_t by
    if not is_plain(x):
        return None
    cdef cnp.ndarray out = PyArray_NewLikeArray(x, cnp.NPY_CORDER, NULL, 0)
    if cnp.PyArray_SIZE(out) == 0:
        return out
    begin(&job, out, x)
    for d in range(job.ndim):
        shift[d] = 0
    for by, d in zip(shifts, dims):
        shift[d] = (shift[d] + by % job.shape[d] + job.shape[d]) % job.shape[d]
    roll(&job, shift, 0)
    return out


cdef int roll(const Move* job, const Py_ssize_t* shift, int dim) except -1:
    """Moves the two parts along each dimension from `dim` on: what stays behind the shift, and what re-enters."""
    cdef Move part = job[0]
    cdef Py_ssize_t left
    while dim < job.ndim and shift[dim] == 0:
        dim += 1
    if dim == job.ndim:
        return move(&part)
    left = job.shape[dim] - shift[dim]
    part.shape[dim] = left
    part.out += shift[dim] * job.to[dim]
    roll(&part, shift, dim + 1)
    part = job[0]
    part.shape[dim] = shift[dim]
    part.x += left * job.step[dim]
    return roll(&part, shift, dim + 1)


def joined(list arrays not None, int dim, bint new):
    """Arrays of one type joined along a dimension, or with `new` along one that is put in there.

    None for others, and for arrays that do not fit together.
    """
    cdef cnp.ndarray first, x, out
    cdef cnp.npy_intp[MOST_DIMS] shape
    cdef Py_ssize_t place = 0
    cdef Move job
    cdef int d
    if not arrays or not is_plain(arrays[0]):
        return None
    first = arrays[0]
    if first.ndim + new > MOST_DIMS or not 0 <= dim < first.ndim + new:
        return None
    for d in range(first.ndim):
        shape[d + (new and d >= dim)] = first.shape[d]
    shape[dim] = 0
    for one in arrays:
        if not is_plain(one):
            return None
        x = one
        if x.ndim != first.ndim or cnp.PyArray_TYPE(x) != cnp.PyArray_TYPE(first) or not cnp.PyArray_ISBEHAVED_RO(x):
            return None
        for d in range(x.ndim):
            if x.shape[d] != first.shape[d] and (new or d != dim):
                return None
        shape[dim] += 1 if new else x.shape[dim]
    out = cnp.PyArray_SimpleNew(first.ndim + new, shape, cnp.PyArray_TYPE(first))
    for one in arrays:
        x = one
        begin(&job, x, x)
        job.out = cnp.PyArray_BYTES(out) + place * out.strides[dim]
        for d in range(x.ndim):
            job.to[d] = out.strides[d + (new and d >= dim)]
        move(&job)
        place += 1 if new else x.shape[dim]
    return out
