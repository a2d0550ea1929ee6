# cython: boundscheck=False, wraparound=False, cdivision=True
"""The compiled version of formulas.py: elementwise formulas as steps, each an inner loop of NumPy's or our own.

A small array goes through all steps at once, with the intermediate results on the stack. A large one is cut into
chunks, so that intermediate results stay in the L1 cache, and the chunks are shared among threads. This is done for
arrays of one float dtype and one gapless layout, boolean arrays of that layout, numbers, and arrays that repeat one
number. Where arrays broadcast, or have different layouts, the steps run row by row (`rows.pyx`). Formulas of one step
are computed so for arrays of truths, integers and complex numbers too. For anything else the formula is called as a
Python function.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.string cimport memcpy
from numpy cimport npy_intp

import numpy as np

from rushlight.core.loops cimport loop_for
from rushlight.core.rows cimport (
    MOST_DIMS, Rows, all_contiguous, array_in_order, broadcast_shape, gather, is_loose, join_dims, note_strides,
    reordered, sort_dims, sort_dims_by)
from rushlight.kernels.compiled.arrays cimport empty_like, same_strides
from rushlight.kernels.compiled.codes cimport MOST_INPUTS, MOST_STEPS
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.ufuncs cimport Loop

from rushlight.core.expression_loops import EXPRESSIONS
from rushlight.core.expressions import expressed
from rushlight.core.tracing import TracedNumber, trace
from rushlight.kernels import parts
from rushlight.kernels.parts import applied

cnp.import_array()

cdef enum:
    MOST_OPERANDS = 4
    RESULT = MOST_OPERANDS + 2 * MOST_STEPS  # the slot of the result, after operands, constants and steps
    SLOTS = RESULT + 1
    SMALL = 2048  # the largest number of elements that is computed at once, holding the GIL
    CHUNK = 2048  # elements of a larger array that are computed at a time
    SCRATCH = 8192  # bytes on the stack for intermediate results
    MOST_BUFFERS = 8  # intermediate results that are needed at the same time
    SHARED = 1 << 16  # elements times steps from which on threads pay off
    GRAIN = 1 << 15  # elements of one thread's part
    MOST_VALUES = 16  # how many values of numbers and options a formula is traced for separately, where that is needed
    SHORT = 512  # rows of fewer elements are gathered in chunks
    FEW = 512  # too few elements to be worth gathering

# The kind of an operand, in two bits: a number or an option, or an array by what it holds.
cdef enum:
    VALUE = 0
    SINGLES = 1
    DOUBLES = 2
    TRUTHS = 3

cdef object FLOAT32 = np.dtype(np.float32), FLOAT64 = np.dtype(np.float64), BOOL = np.dtype(bool)
cdef frozenset FLOATS = frozenset((cnp.NPY_FLOAT, cnp.NPY_DOUBLE))
cdef object UNTRACED = object()
cdef int MOST_PLAIN = parts.MOST_PLAIN  # the last type number of truths, integers, floats and complex numbers
cdef npy_intp LARGE = parts.LARGE  # bytes of an array whose formula is applied in parts


cdef struct Step:
    Loop loop
    int arity
    int operands[MOST_INPUTS]
    int out
    npy_intp size  # bytes of an element of the result, where it is an intermediate one


cdef struct Slot:
    char* start
    npy_intp stride  # from one element to the next: 0 for a number
    npy_intp move  # how far `base` moves for each element of earlier chunks: 0 for intermediate results


cdef class Tape:
    """The steps of a formula for one dtype, ready to run."""

    cdef int operands, count, buffers, result, kind
    cdef int leading  # the operand whose layout each array on the way to the result has; -1 if there is none
    cdef bint single, gives_truths, takes_all
    cdef bint takes[MOST_OPERANDS]  # whether a step takes an operand
    cdef Step steps[MOST_STEPS]
    cdef bint holds_truths[MOST_STEPS]
    cdef double doubles[MOST_STEPS]
    cdef float singles[MOST_STEPS]
    cdef int constants

    def __init__(self, written, kind):
        self.leading = leader(written)
        self.operands, constants, steps, self.result, _ = expressed(written, EXPRESSIONS) if kind in FLOATS else written
        self.kind, self.single = kind, kind == cnp.NPY_FLOAT
        self.constants = len(constants)
        for i, value in enumerate(constants):
            self.doubles[i] = value
            self.singles[i] = <float>self.doubles[i]
        self.count = len(steps)
        taken = {place for _, _, places in steps for place in places}
        for i in range(self.operands):
            self.takes[i] = i in taken
        self.takes_all = taken.issuperset(range(self.operands))
        self.place_steps(steps, self.operands + self.constants)

    cdef place_steps(self, list steps, int first):
        """Stores the steps.

        Each result gets a buffer that no later step still reads; the last step writes to the result.
        """
        cdef Step* step
        last_use = {}
        for i, (_, _, places) in enumerate(steps):
            for place in places:
                last_use[place] = i
        buffers, unused = {}, {False: [], True: []}
        for i, (function, types, places) in enumerate(steps):
            step = &self.steps[i]
            step.loop = loop_for(function, types)
            step.arity = len(places)
            for k, place in enumerate(places):
                step.operands[k] = buffers.get(place, place)
            truths = types.endswith("?")
            if i == self.count - 1:
                step.out = RESULT
                self.gives_truths = truths
            else:
                step.size = 1 if truths else 4 if self.single else 8
                if not unused[truths]:
                    self.holds_truths[self.buffers] = truths
                    unused[truths].append(first + self.buffers)
                    self.buffers += 1
                step.out = buffers[first + i] = unused[truths].pop()
            for place in set(places):
                if place in buffers and last_use[place] == i:
                    unused[self.holds_truths[buffers[place] - first]].append(buffers[place])


cdef int leader(object written) except -2:
    """The operand that comes first in the last step of a formula, or in the step that its first operand comes from."""
    cdef int first = written.operands + len(written.constants), place = written.result
    while place >= first:
        arrays = [given for given in written.steps[place - first].places
                  if given >= first or (given < written.operands and written.kinds[given] in "a?")]
        if not arrays:
            return -1
        place = arrays[0]
    return place if place < written.operands and written.kinds[place] in "a?" else -1


cdef void take_steps(Tape tape, Slot* slots, npy_intp start, npy_intp n) noexcept nogil:
    """Runs the steps on `n` elements from `start` on; on one element where all that a step takes is repeated."""
    cdef char* args[MOST_INPUTS + 1]
    cdef npy_intp strides[MOST_INPUTS + 1]
    cdef Step* step
    cdef Slot* slot
    cdef npy_intp count
    cdef bint repeated
    cdef int i, k
    for i in range(tape.count):
        step = &tape.steps[i]
        count, repeated = n, True
        for k in range(step.arity):
            slot = &slots[step.operands[k]]
            args[k] = slot.start + start * slot.move
            strides[k] = slot.stride
            repeated = repeated and slot.stride == 0
        slot = &slots[step.out]
        if step.out != RESULT:
            slot.stride = 0 if repeated else step.size
            count = 1 if repeated else n
        args[step.arity] = slot.start + start * slot.move
        strides[step.arity] = slot.stride or step.size
        step.loop.function(args, &count, strides, step.loop.data)


cdef void place_buffers(Tape tape, Slot* slots, char* scratch, npy_intp n) noexcept nogil:
    """Assigns memory to the results of steps: `n` elements each."""
    cdef int i
    cdef int first = tape.operands + tape.constants
    cdef npy_intp size = 4 if tape.single else 8
    for i in range(tape.buffers):
        slots[first + i] = Slot(scratch + i * n * size, 1 if tape.holds_truths[i] else size, 0)


cdef struct Job:
    void* tape
    Slot* slots


cdef void compute_chunks(const void* job, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Runs the steps on a part of a large array, chunk by chunk; a single step on all of it."""
    cdef const Job* given = <const Job*>job
    cdef npy_intp chunk = CHUNK if (<Tape>given.tape).buffers else stop - start
    cdef Slot slots[SLOTS]
    cdef char scratch[MOST_BUFFERS * CHUNK * 8]
    memcpy(slots, given.slots, sizeof(slots))
    place_buffers(<Tape>given.tape, slots, scratch, CHUNK)
    while start < stop:
        take_steps(<Tape>given.tape, slots, start, min(chunk, <npy_intp>(stop - start)))
        start += chunk


cdef int compute(Tape tape, Slot* slots, npy_intp n) except -1:
    """Computes all `n` elements of a result."""
    cdef npy_intp size = 4 if tape.single else 8
    cdef char scratch[SCRATCH]
    cdef Job job
    if n <= SMALL and tape.buffers * n * size <= SCRATCH:
        place_buffers(tape, slots, scratch, n)
        take_steps(tape, slots, 0, n)
        return 0
    job.tape, job.slots = <void*>tape, slots
    if n * tape.count < SHARED:
        with nogil:
            compute_chunks(&job, 0, n)
        return 0
    return shared(compute_chunks, &job, n, GRAIN)


# operands that broadcast, or have different layouts


cdef struct RowJob:
    void* tape
    Slot* slots
    const Rows* rows


cdef void compute_rows(const void* job, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Runs the steps on some pieces of rows of the result; a row is its last dimension, for one index of the others."""
    cdef const RowJob* given = <const RowJob*>job
    cdef const Rows* rows = given.rows
    cdef Slot slots[SLOTS]
    cdef char scratch[MOST_BUFFERS * CHUNK * 8]
    cdef char memory[CHUNK * 8]
    cdef char* made = memory
    cdef npy_intp index[MOST_DIMS]
    cdef npy_intp n = rows.shape[rows.ndim - 1], pieces = pieces_of(n), piece = start % pieces, rest = start // pieces
    cdef npy_intp done, some
    cdef npy_intp size = rows.sizes[rows.count - 1], step = rows.strides[rows.count - 1][rows.ndim - 1]
    cdef char* out
    cdef int i, d
    memcpy(slots, given.slots, sizeof(slots))
    place_buffers(<Tape>given.tape, slots, scratch, CHUNK)
    for d in range(rows.ndim - 2, -1, -1):
        index[d] = rest % rows.shape[d]
        rest = rest // rows.shape[d]
        for i in range(rows.count):
            slots[slot_of(rows, i)].start += index[d] * rows.strides[i][d]
    while start < stop:
        done = piece * CHUNK
        some = min(<npy_intp>CHUNK, n - done)
        if step == size or n == 1:
            take_steps(<Tape>given.tape, slots, done, some)
        else:  # loops write elements that follow each other
            out = slots[RESULT].start
            slots[RESULT] = Slot(made, size, 0)
            take_steps(<Tape>given.tape, slots, done, some)
            put_apart(made, out + done * step, step, some, size)
            slots[RESULT] = Slot(out, size, size)
        piece += 1
        if piece == pieces:
            piece = 0
            next_row(rows, slots, index)
        start += 1


cdef inline npy_intp pieces_of(npy_intp n) noexcept nogil:
    """The pieces that a row of n elements is computed in."""
    return (n + CHUNK - 1) // CHUNK


cdef void put_apart(const char* made, char* out, npy_intp step, npy_intp n, npy_intp size) noexcept nogil:
    """Copies elements to places that are so many bytes apart."""
    cdef npy_intp i
    for i in range(n):
        if size == sizeof(float):
            (<float*>(out + i * step))[0] = (<const float*>made)[i]
        else:
            (<double*>(out + i * step))[0] = (<const double*>made)[i]


cdef inline int slot_of(const Rows* rows, int operand) noexcept nogil:
    """The slot of an operand, or of the result, which has the last number."""
    return RESULT if operand == rows.count - 1 else operand


cdef inline void next_row(const Rows* rows, Slot* slots, npy_intp* index) noexcept nogil:
    """Advances the slots to the next row."""
    cdef int d = rows.ndim - 2, i
    while d >= 0:
        index[d] += 1
        if index[d] < rows.shape[d]:
            for i in range(rows.count):
                slots[slot_of(rows, i)].start += rows.strides[i][d]
            return
        index[d] = 0
        for i in range(rows.count):
            slots[slot_of(rows, i)].start -= (rows.shape[d] - 1) * rows.strides[i][d]
        d -= 1


cdef inline bint lies_as_result(const Rows* rows, int operand) noexcept nogil:
    """Whether an operand's elements are in the order of the result's, without gaps."""
    cdef npy_intp step = rows.sizes[operand]
    cdef int d
    for d in range(rows.ndim - 1, -1, -1):
        if rows.strides[operand][d] != step:
            return False
        step *= rows.shape[d]
    return True


cdef void compute_gathered(const void* job, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Runs the steps on a part of the result chunk by chunk, gathering operands that lie otherwise first."""
    cdef const RowJob* given = <const RowJob*>job
    cdef const Rows* rows = given.rows
    cdef Slot slots[SLOTS]
    cdef char scratch[MOST_BUFFERS * CHUNK * 8]
    cdef char memory[MOST_OPERANDS * CHUNK * 8]
    cdef char* gathered = memory
    cdef bint apart[MOST_OPERANDS]
    cdef npy_intp n
    cdef int i
    memcpy(slots, given.slots, sizeof(slots))
    place_buffers(<Tape>given.tape, slots, scratch, CHUNK)
    for i in range(rows.count - 1):
        apart[i] = not rows.repeats[i] and not lies_as_result(rows, i)
        if apart[i]:
            slots[i] = Slot(gathered + i * CHUNK * 8, rows.sizes[i], 0)
        elif not rows.repeats[i]:
            slots[i].stride = slots[i].move = rows.sizes[i]
    while start < stop:
        n = min(<npy_intp>CHUNK, stop - start)
        for i in range(rows.count - 1):
            if apart[i]:
                gather(rows, i, given.slots[i].start, start, n, gathered + i * CHUNK * 8)
        take_steps(<Tape>given.tape, slots, start, n)
        start += n


cdef object take_rows(Tape tape, PyObject** operands, Slot* slots, cnp.ndarray target):
    """`take` for arrays that broadcast or have different layouts."""
    cdef Rows rows
    cdef RowJob job
    cdef cnp.ndarray result
    cdef int i, last
    cdef npy_intp size, n
    if not broadcast_shape(operands, tape.operands, &rows):
        return NotImplemented
    for i in range(tape.operands):
        note_strides(operands[i], &rows, i)
    if target is not None and not has_shape(target, &rows):
        return NotImplemented
    if target is None:
        sort_dims(&rows, tape.operands)
        result = array_in_order(&rows, cnp.NPY_BOOL if tape.gives_truths else tape.kind)
        note_strides(<PyObject*>result, &rows, tape.operands)
    else:
        result = target
        note_strides(<PyObject*>result, &rows, tape.operands)
        sort_dims_by(&rows, tape.operands)
    size = cnp.PyArray_SIZE(result)
    if size == 0:
        return result
    rows.count = tape.operands + 1
    reordered(&rows)
    join_dims(&rows)
    last = rows.ndim - 1
    n = rows.shape[last]
    if rows.strides[tape.operands][last] != cnp.PyArray_ITEMSIZE(result):
        return NotImplemented
    slots[RESULT].start = cnp.PyArray_BYTES(result)
    slots[RESULT].stride = slots[RESULT].move = cnp.PyArray_ITEMSIZE(result)
    job.tape, job.slots, job.rows = <void*>tape, slots, &rows
    if n < SHORT and size > FEW and lies_as_result(&rows, tape.operands):
        if size * tape.count < SHARED:
            compute_gathered(&job, 0, size)
        else:
            shared(compute_gathered, &job, size, GRAIN)
        return result
    for i in range(tape.operands):
        slots[i].stride = slots[i].move = rows.strides[i][last]
    if size * tape.count < SHARED:
        compute_rows(&job, 0, size // n * pieces_of(n))
    else:
        shared(compute_rows, &job, size // n * pieces_of(n), max(1, GRAIN // min(n, <npy_intp>CHUNK)))
    return result


cdef inline bint has_shape(cnp.ndarray x, const Rows* rows) noexcept:
    """Whether an array has the shape that the operands broadcast to."""
    cdef int d
    if x.ndim != rows.ndim:
        return False
    for d in range(x.ndim):
        if x.shape[d] != rows.shape[d]:
            return False
    return True


cdef inline Slot number_slot(float* as_single, double* as_double, bint single) noexcept:
    """The slot of a number, in the precision of the computation."""
    if single:
        return Slot(<char*>as_single, 0, 0)
    return Slot(<char*>as_double, 0, 0)


cdef inline bint repeats(cnp.ndarray x) noexcept:
    """Whether an array has one element, or is one element expanded."""
    cdef int i
    for i in range(x.ndim):
        if x.shape[i] != 1 and x.strides[i] != 0:
            return False
    return cnp.PyArray_SIZE(x) > 0


cdef inline bint fits(cnp.ndarray x, cnp.ndarray model) noexcept:
    """Whether an array that repeats one number broadcasts to the shape of another."""
    return x.ndim <= model.ndim and (cnp.PyArray_SIZE(x) == 1 or cnp.PyArray_SAMESHAPE(x, model))


cdef cnp.ndarray model_of(PyObject** operands, int n, bint* all_repeat):
    """The array that gives the result its layout: the first operand that does not repeat one number, if there is one."""
    cdef cnp.ndarray x, model = None
    cdef int i
    for i in range(n):
        if cnp.PyArray_CheckExact(<object>operands[i]):
            x = <cnp.ndarray>operands[i]
            if not repeats(x):
                all_repeat[0] = False
                return x
            if model is None or x.ndim > model.ndim or cnp.PyArray_SIZE(x) > cnp.PyArray_SIZE(model):
                model = x
    all_repeat[0] = True
    return model


cdef inline bint in_step(cnp.ndarray x, cnp.ndarray model) noexcept:
    """Whether two arrays of one shape have their elements in the same order in memory, without gaps."""
    if cnp.PyArray_TYPE(x) == cnp.PyArray_TYPE(model):
        return same_strides(x, model)
    return cnp.PyArray_IS_C_CONTIGUOUS(x) and cnp.PyArray_IS_C_CONTIGUOUS(model)


cdef cnp.ndarray like(cnp.ndarray model, int kind):
    """A new array for the result, in the model's layout; None if that has gaps."""
    cdef cnp.ndarray result
    if cnp.PyArray_IS_C_CONTIGUOUS(model) or repeats(model):
        return cnp.PyArray_SimpleNew(model.ndim, model.shape, kind)
    if cnp.PyArray_TYPE(model) != kind:
        return None
    result = empty_like(model)
    return result if same_strides(result, model) else None


cdef void leave_out_others(Tape tape, PyObject** operands) noexcept:
    """Puts None in place of arrays that no step takes, where there is one of the same shape that a step takes."""
    cdef int i, k
    for i in range(tape.operands):
        for k in range(tape.operands):
            if not tape.takes[i] and tape.takes[k] and cnp.PyArray_CheckExact(<object>operands[i]) \
                    and cnp.PyArray_CheckExact(<object>operands[k]) \
                    and cnp.PyArray_SAMESHAPE(<cnp.ndarray>operands[i], <cnp.ndarray>operands[k]):
                operands[i] = <PyObject*>None


cdef object take(Tape tape, PyObject** operands, cnp.ndarray target):
    """The value of a formula by its steps, in a new array or in `target`.

    NotImplemented for operands that the steps cannot take.
    """
    cdef Slot slots[SLOTS]
    cdef double doubles[MOST_OPERANDS]
    cdef float singles[MOST_OPERANDS]
    cdef bint all_repeat
    cdef cnp.ndarray x, model, result
    cdef int i
    cdef npy_intp size
    cdef bint alike = True
    if not tape.takes_all:
        leave_out_others(tape, operands)
    model = model_of(operands, tape.operands, &all_repeat)
    for i in range(tape.operands):
        if not cnp.PyArray_CheckExact(<object>operands[i]):
            if type(<object>operands[i]) is float or type(<object>operands[i]) is int:
                doubles[i] = <object>operands[i]
                singles[i] = <float>doubles[i]
            slots[i] = number_slot(&singles[i], &doubles[i], tape.single)
            continue
        x = <cnp.ndarray>operands[i]
        if not cnp.PyArray_ISBEHAVED_RO(x):
            return NotImplemented
        size = cnp.PyArray_ITEMSIZE(x)
        if all_repeat or (x is not model and repeats(x)):
            alike = alike and fits(x, model)
            slots[i] = Slot(cnp.PyArray_BYTES(x), 0, 0)
        else:
            if x is not model:
                alike = alike and cnp.PyArray_SAMESHAPE(x, model) and in_step(x, model)
            slots[i] = Slot(cnp.PyArray_BYTES(x), size, size)
    for i in range(tape.constants):
        slots[tape.operands + i] = number_slot(&tape.singles[i], &tape.doubles[i], tape.single)
    if target is None and alike and is_loose(model):
        alike = all_contiguous(operands, tape.operands, model)
    if target is not None:
        alike = alike and cnp.PyArray_SAMESHAPE(target, model) and in_step(target, model)
        result = target if alike and cnp.PyArray_ISONESEGMENT(target) else None
    else:
        result = like(model, cnp.NPY_BOOL if tape.gives_truths else tape.kind) if alike else None
    if result is None:
        return take_rows(tape, operands, slots, target) if tape.kind in FLOATS else NotImplemented
    size = cnp.PyArray_ITEMSIZE(result)
    slots[RESULT] = Slot(cnp.PyArray_BYTES(result), size, size)
    compute(tape, slots, cnp.PyArray_SIZE(result))
    return result


cdef class Formula:
    """An elementwise function of up to four operands: arrays, numbers and options."""

    def __init__(self, function, arity):
        self.function = function
        self.arity = arity
        self.singles = self.doubles = UNTRACED if self.arity <= MOST_OPERANDS else None
        self.others = {}
        self.numbers = None

    cdef tape_for(self, int kinds, tuple operands):
        """The tape for some kinds of operands: one for all numbers, or one for exactly the given values."""
        if self.arity > MOST_OPERANDS:
            return None
        tape = self.others.get(kinds, UNTRACED)
        if tape is UNTRACED:
            options = [x for x in operands if type(x) is str or x is None]
            tape = self.others[kinds] = ({} if options else self.traced(kinds, operands, True)) or {}
        if type(tape) is not dict:
            return tape
        values = tuple([None if cnp.PyArray_CheckExact(x) else x for x in operands])
        found = tape.get(values, UNTRACED)
        if found is UNTRACED:
            if len(tape) == MOST_VALUES:
                return None
            found = tape[values] = self.traced(kinds, operands, False)
        return found

    cdef traced(self, int kinds, tuple operands, bint any_number):
        """The tape for some kinds of operands; None where the formula has to stay a Python function."""
        given, dtype = [], None
        for i, x in enumerate(operands):
            kind = kinds >> 2 * i & 3
            if kind == VALUE:
                given.append(TracedNumber if any_number else x)
            else:
                given.append((None, FLOAT32, FLOAT64, BOOL)[kind])
                dtype = dtype if kind == TRUTHS else given[i]
        written = None if dtype is None else trace(self.function, given, dtype)
        if written is None:
            return None
        tape = Tape(written, dtype.num)
        return None if tape.buffers > MOST_BUFFERS else tape

    cdef tape_of_type(self, int type_number):
        """The tape for arrays of one type that is no float; None if it has several steps."""
        if type_number < 0 or type_number > MOST_PLAIN or self.arity > MOST_OPERANDS:
            return None
        found = self.others.get(-type_number - 1, UNTRACED)
        if found is UNTRACED:
            dtype = np.dtype(cnp.PyArray_DescrFromType(type_number))
            written = trace(self.function, [dtype] * self.arity, dtype)
            found = None if written is None or len(written.steps) > 1 else Tape(written, type_number)
            self.others[-type_number - 1] = found
        return found


cpdef object evaluate(Formula formula, object a, object b, object c, object d):
    """The value of a formula for operands of which the first is an array. Operands beyond its arity are ignored."""
    cdef PyObject* operands[MOST_OPERANDS]
    operands[0], operands[1], operands[2], operands[3] = <PyObject*>a, <PyObject*>b, <PyObject*>c, <PyObject*>d
    found = tape_among(formula, operands)
    if found is None:
        return call(formula, a, b, c, d)
    if (<Tape>found).count == 0:
        return <object>operands[(<Tape>found).result]
    result = take(<Tape>found, operands, None)
    return call(formula, a, b, c, d) if result is NotImplemented else result


def evaluate_in_steps(Formula formula, a, b=None, c=None, d=None):
    """The value of a formula that lies as if each step made an array, as PyTorch's do; None where this is not known.

    It is known for float arrays of one shape, of which the first that each step takes has no expanded dimension.
    """
    cdef PyObject* operands[MOST_OPERANDS]
    cdef cnp.ndarray x, first
    cdef int i
    operands[0], operands[1], operands[2], operands[3] = <PyObject*>a, <PyObject*>b, <PyObject*>c, <PyObject*>d
    found = tape_among(formula, operands)
    if found is None or (<Tape>found).count == 0 or (<Tape>found).leading < 0 or (<Tape>found).kind not in FLOATS:
        return None
    first = <cnp.ndarray>operands[(<Tape>found).leading]
    if (<Tape>found).gives_truths or cnp.PyArray_TYPE(first) != (<Tape>found).kind:
        return None
    for i in range(first.ndim):
        if first.shape[i] < 2 or first.strides[i] == 0:
            return None
    for i in range(formula.arity):
        if cnp.PyArray_CheckExact(<object>operands[i]):
            x = <cnp.ndarray>operands[i]
            if cnp.PyArray_SIZE(x) != 1 and not cnp.PyArray_SAMESHAPE(x, first):
                return None
    result = take(<Tape>found, operands, empty_like(first))
    return None if result is NotImplemented else result


def evaluate_to(Formula formula, cnp.ndarray target not None, a, b=None, c=None, d=None):
    """Writes the value of a formula to an array of its shape and type, whose last dimension has no gaps; whether it did."""
    cdef PyObject* operands[MOST_OPERANDS]
    operands[0], operands[1], operands[2], operands[3] = <PyObject*>a, <PyObject*>b, <PyObject*>c, <PyObject*>d
    found = tape_among(formula, operands)
    if found is None or (<Tape>found).count == 0 or (<Tape>found).gives_truths \
            or (<Tape>found).kind != cnp.PyArray_TYPE(target) or not cnp.PyArray_ISBEHAVED(target):
        return False
    return take(<Tape>found, operands, target) is not NotImplemented


def evaluate_into(Formula formula, cnp.ndarray target not None, b=None, c=None, d=None):
    """Writes the value of a formula over its first operand, a float array; returns whether it did.

    The other operands are numbers, options, arrays of the same dtype, or of truths.
    """
    cdef PyObject* operands[MOST_OPERANDS]
    cdef int i
    operands[0], operands[1], operands[2], operands[3] = <PyObject*>target, <PyObject*>b, <PyObject*>c, <PyObject*>d
    if not cnp.PyArray_ISBEHAVED(target):
        return False
    if not cnp.PyArray_ISONESEGMENT(target):
        for i in range(1, formula.arity):
            if not are_apart(target, <object>operands[i]):
                return False
    found = tape_among(formula, operands)
    if found is None or (<Tape>found).count == 0:
        return False
    if (<Tape>found).gives_truths:
        if formula.numbers is None:
            formula.numbers = Formula(in_first_dtype(formula.function), formula.arity)
        return evaluate_into(formula.numbers, target, b, c, d)
    return take(<Tape>found, operands, target) is not NotImplemented


cdef bint are_apart(cnp.ndarray target, x) except -1:
    """Whether an operand has no memory in common with an array that is written to, or all of it in the same places."""
    if not cnp.PyArray_CheckExact(x) or (cnp.PyArray_BYTES(x) == cnp.PyArray_BYTES(target)
                                         and cnp.PyArray_SAMESHAPE(x, target) and same_strides(x, target)):
        return True
    return not np.may_share_memory(target, x)


cdef object in_first_dtype(object function):
    """A formula that gives truths as one that gives numbers of its first operand's dtype."""
    return lambda first, *others: function(first, *others).astype(first.dtype)


cdef inline object tape_among(Formula formula, PyObject** operands):
    """The tape for some operands; None where the formula has to be called as a Python function."""
    cdef int i, kinds = 0, type_number = common_type(operands, formula.arity)
    cdef bint has_floats = False
    if type_number == cnp.NPY_FLOAT and formula.singles is not UNTRACED:
        return formula.singles
    if type_number == cnp.NPY_DOUBLE and formula.doubles is not UNTRACED:
        return formula.doubles
    if type_number >= 0 and type_number != cnp.NPY_FLOAT and type_number != cnp.NPY_DOUBLE:
        return formula.tape_of_type(type_number)
    for i in range(formula.arity):
        if cnp.PyArray_CheckExact(<object>operands[i]):
            type_number = cnp.PyArray_TYPE(<cnp.ndarray>operands[i])
            has_floats = has_floats or type_number == cnp.NPY_FLOAT or type_number == cnp.NPY_DOUBLE
            if type_number == cnp.NPY_FLOAT:
                kinds |= SINGLES << 2 * i
            elif type_number == cnp.NPY_DOUBLE:
                kinds |= DOUBLES << 2 * i
            elif type_number == cnp.NPY_BOOL:
                kinds |= TRUTHS << 2 * i
            else:
                return None
        elif not is_value(<object>operands[i]):
            return None
    if not has_floats:
        return None
    return tape_of(formula, kinds, <object>operands[0], <object>operands[1], <object>operands[2], <object>operands[3])


cdef inline int common_type(PyObject** operands, int n) noexcept:
    """The number of the type that all operands are arrays of; -1 if there is none."""
    cdef int i, found = -1
    for i in range(n):
        if not cnp.PyArray_CheckExact(<object>operands[i]):
            return -1
        if i and cnp.PyArray_TYPE(<cnp.ndarray>operands[i]) != found:
            return -1
        found = cnp.PyArray_TYPE(<cnp.ndarray>operands[i])
    return found


cdef inline bint is_value(object x) noexcept:
    """Whether an operand is a number or an option, which formulas may depend on."""
    return type(x) is float or type(x) is int or x is None or type(x) is str


cdef object tape_of(Formula formula, int kinds, object a, object b, object c, object d):
    """The tape for operands of some kinds; arrays of one float dtype are looked up first."""
    cdef int all_singles = (1 << 2 * formula.arity) // 3  # SINGLES for each operand
    if kinds == all_singles:
        if formula.singles is UNTRACED:
            formula.singles = formula.traced(kinds, (a, b, c, d)[: formula.arity], False)
        return formula.singles
    if kinds == 2 * all_singles:
        if formula.doubles is UNTRACED:
            formula.doubles = formula.traced(kinds, (a, b, c, d)[: formula.arity], False)
        return formula.doubles
    if is_mixed(kinds, formula.arity):
        return None
    return formula.tape_for(kinds, (a, b, c, d)[: formula.arity])


cdef inline bint is_mixed(int kinds, int arity) noexcept:
    """Whether arrays of both float dtypes are among the operands."""
    cdef int i, found = 0
    for i in range(arity):
        if kinds >> 2 * i & 3 != TRUTHS:
            found |= kinds >> 2 * i & 3
    return found == (SINGLES | DOUBLES)


cdef object call(Formula formula, object a, object b, object c, object d):
    """Calls the formula as a Python function; for a large array in parts, if that is possible."""
    cdef tuple operands = (a, b, c, d)[: formula.arity]
    if cnp.PyArray_CheckExact(a) and cnp.PyArray_NBYTES(<cnp.ndarray>a) >= LARGE:
        return applied(formula.function, operands)
    return formula.function(*operands)


cdef Tape SINGLE_SUM = Tape(trace(np.add, (FLOAT32, FLOAT32), FLOAT32), cnp.NPY_FLOAT)
cdef Tape DOUBLE_SUM = Tape(trace(np.add, (FLOAT64, FLOAT64), FLOAT64), cnp.NPY_DOUBLE)


cpdef object add_to(object array, object other):
    """Computes `array += other`."""
    cdef Slot slots[SLOTS]
    cdef cnp.ndarray x, y
    cdef bint single
    cdef npy_intp size
    if cnp.PyArray_CheckExact(array) and cnp.PyArray_CheckExact(other):
        x, y = array, other
        single = cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT
        if (single or cnp.PyArray_TYPE(x) == cnp.NPY_DOUBLE) and cnp.PyArray_TYPE(y) == cnp.PyArray_TYPE(x) \
                and cnp.PyArray_IS_C_CONTIGUOUS(x) and cnp.PyArray_IS_C_CONTIGUOUS(y) and cnp.PyArray_SAMESHAPE(x, y) \
                and cnp.PyArray_ISBEHAVED(x) and cnp.PyArray_ISBEHAVED_RO(y):
            size = 4 if single else 8
            slots[0] = slots[RESULT] = Slot(cnp.PyArray_BYTES(x), size, size)
            slots[1] = Slot(cnp.PyArray_BYTES(y), size, size)
            compute(SINGLE_SUM if single else DOUBLE_SUM, slots, cnp.PyArray_SIZE(x))
            return array
    array += other
    return array
