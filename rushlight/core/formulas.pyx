# cython: boundscheck=False, wraparound=False, cdivision=True
"""The compiled twin of formulas.py: elementwise formulas as steps, each an inner loop of NumPy's.

A small array goes through all steps at once, with what they compute on the way on the stack. A large one is cut into
chunks, so that this stays in the nearest cache, and the chunks are shared among threads. Arrays of one float dtype and one
layout without gaps are computed like this, with numbers or arrays that repeat one number among them; for anything else
the formula is called as the function that it is.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.string cimport memcpy
from numpy cimport npy_intp

import numpy as np

from rushlight.kernels.compiled.arrays cimport empty_like, same_strides
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.ufuncs cimport Loop, loop_of

from rushlight.core.tracing import Traced, TracedNumber, trace

cnp.import_array()

cdef enum:
    MOST_OPERANDS = 4
    MOST_STEPS = 32  # and constants; as in tracing.py
    RESULT = MOST_OPERANDS + 2 * MOST_STEPS  # the slot of the result, after operands, constants and steps
    SLOTS = RESULT + 1
    SMALL = 2048  # elements that are computed at once, holding the interpreter lock
    CHUNK = 2048  # elements of a larger array that are computed at once
    SCRATCH = 8192  # bytes on the stack for the results of steps
    MOST_BUFFERS = 8  # results of steps that are needed at the same time
    SHARED = 1 << 16  # steps for an element each from which on threads pay
    GRAIN = 1 << 15  # elements of a thread's part
    MOST_NUMBERS = 16  # values of a number for each of which a formula is traced, where it has to be

cdef object PLAIN_OPERANDS = tuple((Traced,) * n for n in range(MOST_OPERANDS + 1))
cdef object UNTRACED = object()


cdef struct Step:
    Loop single, double
    int a, b, out


cdef struct Slot:
    char* start
    npy_intp stride  # from one element to the next: 0 for a number
    npy_intp move  # how far a later chunk is away, for each element: 0 for what is computed for a chunk


cdef class Tape:
    """The steps of a formula, ready to be taken."""

    cdef int operands, count, buffers, result
    cdef Step steps[MOST_STEPS]
    cdef double doubles[MOST_STEPS]
    cdef float singles[MOST_STEPS]
    cdef int constants
    cdef tuple ufuncs

    def __init__(self, written):
        self.operands, constants, steps, self.result = written
        self.constants = len(constants)
        self.ufuncs = tuple([ufunc for ufunc, _ in steps])
        for i, value in enumerate(constants):
            self.doubles[i] = value
            self.singles[i] = <float>self.doubles[i]
        first = self.operands + self.constants
        self.count = max(0, self.result - first + 1)
        self.place_steps(steps[: self.count], first)

    cdef place_steps(self, list steps, int first):
        """Notes the steps. Each result gets a buffer that no later step reads, the last goes to the result."""
        cdef Step* step
        last_use = {}
        for i, (_, places) in enumerate(steps):
            for place in places:
                last_use[place] = i
        buffers, unused = {}, []
        for i, (ufunc, places) in enumerate(steps):
            step = &self.steps[i]
            step.single = loop_of(ufunc, "f" * ufunc.nin + "->f")
            step.double = loop_of(ufunc, "d" * ufunc.nin + "->d")
            slots = [buffers.get(place, place) for place in places]
            step.a, step.b = slots[0], slots[1] if len(slots) > 1 else -1
            step.out = RESULT
            if i < self.count - 1:
                if not unused:
                    unused.append(first + self.buffers)
                    self.buffers += 1
                step.out = buffers[first + i] = unused.pop()
            unused.extend([buffers[place] for place in set(places) if place in buffers and last_use[place] == i])


cdef void take_steps(Tape tape, Slot* slots, bint single, npy_intp start, npy_intp n) noexcept nogil:
    """Computes `n` elements from `start` on."""
    cdef char* args[3]
    cdef npy_intp strides[3]
    cdef Step* step
    cdef int i, last
    for i in range(tape.count):
        step = &tape.steps[i]
        args[0] = slots[step.a].start + start * slots[step.a].move
        strides[0] = slots[step.a].stride
        last = 1
        if step.b >= 0:
            args[1] = slots[step.b].start + start * slots[step.b].move
            strides[1] = slots[step.b].stride
            last = 2
        args[last] = slots[step.out].start + start * slots[step.out].move
        strides[last] = slots[step.out].stride
        if single:
            step.single.function(args, &n, strides, step.single.data)
        else:
            step.double.function(args, &n, strides, step.double.data)


cdef void place_buffers(Tape tape, Slot* slots, char* scratch, npy_intp n, npy_intp size) noexcept nogil:
    """Gives the results of steps their memory: `n` elements each."""
    cdef int i
    cdef int first = tape.operands + tape.constants
    for i in range(tape.buffers):
        slots[first + i] = Slot(scratch + i * n * size, size, 0)


cdef struct Job:
    void* tape
    Slot* slots
    bint single


cdef void compute_chunks(const void* job, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """The work on a part of a large array."""
    cdef const Job* given = <const Job*>job
    cdef Slot slots[SLOTS]
    cdef char scratch[MOST_BUFFERS * CHUNK * 8]
    cdef npy_intp size = 4 if given.single else 8
    memcpy(slots, given.slots, sizeof(slots))
    place_buffers(<Tape>given.tape, slots, scratch, CHUNK, size)
    while start < stop:
        take_steps(<Tape>given.tape, slots, given.single, start, min(<npy_intp>CHUNK, stop - start))
        start += CHUNK


cdef int compute(Tape tape, Slot* slots, bint single, npy_intp n) except -1:
    """Computes all `n` elements of a result."""
    cdef npy_intp size = 4 if single else 8
    cdef char scratch[SCRATCH]
    cdef Job job
    if n <= SMALL and tape.buffers * n * size <= SCRATCH:
        place_buffers(tape, slots, scratch, n, size)
        take_steps(tape, slots, single, 0, n)
        return 0
    job.tape, job.slots, job.single = <void*>tape, slots, single
    if n * tape.count < SHARED:
        with nogil:
            compute_chunks(&job, 0, n)
        return 0
    return shared(compute_chunks, &job, n, GRAIN)


cdef inline Slot number_slot(float* as_single, double* as_double, bint single) noexcept:
    """Where a number lies, in the precision that is computed with."""
    if single:
        return Slot(<char*>as_single, 0, 0)
    return Slot(<char*>as_double, 0, 0)


cdef inline bint repeats(cnp.ndarray x) noexcept:
    """Whether an array has one element, or is an expanded one."""
    cdef int i
    for i in range(x.ndim):
        if x.shape[i] != 1 and x.strides[i] != 0:
            return False
    return cnp.PyArray_SIZE(x) > 0


cdef inline bint fits(cnp.ndarray x, cnp.ndarray model) noexcept:
    """Whether an array that repeats one number broadcasts to the shape of another."""
    return x.ndim <= model.ndim and (cnp.PyArray_SIZE(x) == 1 or cnp.PyArray_SAMESHAPE(x, model))


cdef cnp.ndarray model_of(PyObject** operands, int n):
    """The array of a formula's operands that the result is laid out as: the first that does not repeat one number."""
    cdef cnp.ndarray x, model = <cnp.ndarray>operands[0]
    cdef int i
    if not repeats(model):
        return model
    for i in range(1, n):
        if cnp.PyArray_CheckExact(<object>operands[i]):
            x = <cnp.ndarray>operands[i]
            if not repeats(x):
                return x
            if x.ndim > model.ndim or cnp.PyArray_SIZE(x) > cnp.PyArray_SIZE(model):
                model = x
    return model


cdef cnp.ndarray like(cnp.ndarray model):
    """An array for the result, of the model's layout; None where that has gaps."""
    cdef cnp.ndarray result
    if repeats(model):
        return cnp.PyArray_SimpleNew(model.ndim, model.shape, cnp.PyArray_TYPE(model))
    result = empty_like(model)
    return result if same_strides(result, model) else None


cdef object take(Tape tape, PyObject** operands):
    """The value of a formula by its steps; NotImplemented for operands that they do not fit."""
    cdef Slot slots[SLOTS]
    cdef double doubles[MOST_OPERANDS]
    cdef float singles[MOST_OPERANDS]
    cdef cnp.ndarray x, model = model_of(operands, tape.operands), result
    cdef int i, kind = cnp.PyArray_TYPE(model)
    cdef bint single = kind == cnp.NPY_FLOAT
    cdef npy_intp size = 4 if single else 8
    if not single and kind != cnp.NPY_DOUBLE:
        return NotImplemented
    for i in range(tape.operands):
        if not cnp.PyArray_CheckExact(<object>operands[i]):
            doubles[i] = <object>operands[i]
            singles[i] = <float>doubles[i]
            slots[i] = number_slot(&singles[i], &doubles[i], single)
            continue
        x = <cnp.ndarray>operands[i]
        if cnp.PyArray_TYPE(x) != kind or not cnp.PyArray_ISBEHAVED_RO(x):
            return NotImplemented
        if repeats(x):
            if not fits(x, model):
                return NotImplemented
            slots[i] = Slot(cnp.PyArray_BYTES(x), 0, 0)
        elif cnp.PyArray_SAMESHAPE(x, model) and same_strides(x, model):
            slots[i] = Slot(cnp.PyArray_BYTES(x), size, size)
        else:
            return NotImplemented
    result = like(model)
    if result is None:
        return NotImplemented
    for i in range(tape.constants):
        slots[tape.operands + i] = number_slot(&tape.singles[i], &tape.doubles[i], single)
    slots[RESULT] = Slot(cnp.PyArray_BYTES(result), size, size)
    compute(tape, slots, single, cnp.PyArray_SIZE(result))
    return result


cdef class Formula:
    """An elementwise function of up to four operands: arrays and numbers."""

    def __init__(self, function, arity):
        self.function = function
        self.arity = arity
        self.tape = UNTRACED if self.arity <= MOST_OPERANDS else None
        self.with_numbers = {}

    cdef tape_for(self, tuple operands):
        """The tape for operands some of which are numbers: one for any number, or one for the very numbers given."""
        key = tuple([type(x) is float or type(x) is int for x in operands])
        tape = self.with_numbers.get(key)
        if tape is None:
            tape = self.with_numbers[key] = traced(
                self.function, tuple([TracedNumber if is_number else Traced for is_number in key])) or {}
        if type(tape) is not dict:
            return tape
        numbers = tuple([x if is_number else None for x, is_number in zip(operands, key)])
        found = tape.get(numbers, UNTRACED)
        if found is UNTRACED:
            if len(tape) == MOST_NUMBERS:
                return None
            found = tape[numbers] = traced(self.function, tuple([Traced if x is None else x for x in numbers]))
        return found


cdef traced(object function, tuple operands):
    """The tape of a function; None where it has to stay one."""
    written = trace(function, operands)
    tape = None if written is None else Tape(written)
    return None if tape is None or (<Tape>tape).buffers > MOST_BUFFERS else tape


cpdef object evaluate(Formula formula, object a, object b, object c, object d):
    """The value of a formula for operands of which the first is an array. Those beyond its arity are ignored."""
    cdef PyObject* operands[MOST_OPERANDS]
    cdef Tape tape
    cdef bint numbers = False
    cdef int i
    operands[0], operands[1], operands[2], operands[3] = <PyObject*>a, <PyObject*>b, <PyObject*>c, <PyObject*>d
    if formula.tape is UNTRACED:
        formula.tape = traced(formula.function, PLAIN_OPERANDS[formula.arity])
    found = formula.tape
    for i in range(formula.arity):
        if not cnp.PyArray_CheckExact(<object>operands[i]):
            if type(<object>operands[i]) is not float and type(<object>operands[i]) is not int:
                return call(formula, a, b, c, d)
            numbers = True
    if numbers:
        found = formula.tape_for((a, b, c, d)[: formula.arity])
    if found is None:
        return call(formula, a, b, c, d)
    tape = found
    if tape.count == 0:
        return <object>operands[tape.result]
    result = take(tape, operands)
    return call(formula, a, b, c, d) if result is NotImplemented else result


cdef object call(Formula formula, object a, object b, object c, object d):
    """The value of a formula by the function that it is."""
    return formula.function(*(a, b, c, d)[: formula.arity])


cdef Tape ADDITION = Tape(trace(np.add, (Traced, Traced)))


cpdef object add_to(object array, object other):
    """`array += other`."""
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
            compute(ADDITION, slots, single, cnp.PyArray_SIZE(x))
            return array
    array += other
    return array
