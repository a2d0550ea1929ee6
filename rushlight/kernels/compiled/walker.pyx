# cython: boundscheck=False, cdivision=True
"""The compiled walker: executes a plan (`compiler.planning`) without Python between groups and products.

Slots are pointers. Those of the arena and of constants are fixed; those of inputs and outputs are set for each run.
Instructions that the walker does not support are executed by the methods of the Python executor (`compiler.walking`),
on arrays in the same memory.
"""

cimport numpy as cnp
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from math import prod
from sys import getrefcount
from time import perf_counter

import numpy as np

from rushlight.kernels.compiled.batches cimport Batch
from rushlight.kernels.compiled.blas cimport multiply_by_blas
from rushlight.kernels.compiled.calls cimport Call
from rushlight.kernels.compiled.codes cimport MOST_DIMS
from rushlight.kernels.compiled.gemm cimport multiply_batch
from rushlight.kernels.compiled.groups cimport Group, Native
from rushlight.kernels.compiled.lanes cimport real
from rushlight.kernels.compiled.products cimport times_vector

from rushlight.kernels.compiled import blas, gemm

cnp.import_array()

ctypedef Py_ssize_t index

cdef enum Kind:
    GROUP, NATIVE, PRODUCT, CALL, OTHER

cdef enum:
    MOST_LEADING = 6  # dimensions of batches of matrices
    SMALL = 1 << 12  # elements of a matrix up to which its product with a vector does not use BLAS

cdef bint HAS_KERNEL = gemm.AVAILABLE, CAN_MULTIPLY = blas.AVAILABLE or blas.takes_scipys()


cdef struct Operand:
    int slot
    index offset, down, right  # the strides in elements
    cnp.npy_intp[MOST_LEADING + 2] strides  # of all dimensions, in bytes


cdef struct Product:
    Operand a, b, out, addend
    index m, n, depth, count
    int dims  # before the last two
    cnp.npy_intp[MOST_LEADING] shape  # of those
    bint single, adds


cdef struct Instruction:
    Kind kind
    bint begins  # blocks of memory are allocated before it
    bint lets_go  # results that nothing reads afterwards are dropped
    void* group  # or call
    Product product


cdef struct Fresh:
    int first  # the instruction before which it is allocated
    int slot, type_number, ndim
    cnp.npy_intp shape[MOST_DIMS]


cdef struct Final:  # what an input is overwritten with at the end
    int input, slot, type_number
    index offset, length  # bytes


cdef class Walker:
    """A plan, ready to run, by one thread at a time; `runs` makes the run objects of the Python executor.

    `renewable` are the numbers of outputs that may be in given arrays: nothing can fail once these are written to.
    `settles` tells that outputs are contiguous.
    """

    cdef object plan, runs, lasting
    cdef list groups, code, memory, kept, numbers, outputs
    cdef int count, slots, inputs, fresh, supplied, finals
    cdef char** slot
    cdef int* input
    cdef Fresh* made
    cdef Final* final
    cdef Instruction* instruction
    cdef bint at_work, alone, copies
    cdef readonly bint settles
    cdef readonly frozenset renewable

    def __cinit__(self, plan, runs):
        self.count, self.slots, self.inputs = len(plan.code), plan.slots, len(plan.inputs)
        self.fresh = sum(map(len, plan.fresh))
        self.slot = <char**>calloc(self.slots, sizeof(char*))
        self.input = <int*>calloc(self.inputs + 1, sizeof(int))
        self.made = <Fresh*>calloc(self.fresh + 1, sizeof(Fresh))
        self.final = <Final*>calloc(len(plan.copies) + 1, sizeof(Final))
        self.instruction = <Instruction*>calloc(self.count + 1, sizeof(Instruction))
        if not (self.slot and self.input and self.made and self.final and self.instruction):
            raise MemoryError

    def __dealloc__(self):
        free(self.slot)
        free(self.input)
        free(self.made)
        free(self.final)
        free(self.instruction)

    def __init__(self, plan, runs):
        self.plan, self.runs, self.groups, self.code = plan, runs, [], plan.code
        self.memory = [None] * plan.slots
        self.set_slot(0, room_of(plan.size))
        for slot, array in plan.constants:
            self.set_slot(slot, array)
        self.kept, self.numbers = list(self.memory), plan.numbers
        self.lasting = {slot for slot, array in enumerate(self.kept) if array is not None}
        for i, area in enumerate(plan.inputs):
            self.input[i] = area.slot
        whole = {}
        fresh = [(first, *one) for first, found in enumerate(plan.fresh) for one in found]
        for i, (first, slot, shape, dtype) in enumerate(fresh):
            whole[slot] = shape
            self.made[i].first = first
            self.made[i].slot, self.made[i].type_number, self.made[i].ndim = slot, dtype.num, len(shape)
            for d, n in enumerate(shape):
                self.made[i].shape[d] = n
        for i, instruction in enumerate(plan.code):
            self.note(&self.instruction[i], instruction)
            self.instruction[i].begins, self.instruction[i].lets_go = bool(plan.blocks[i]), bool(plan.done_with[i])
        self.outputs = [  # the slot of an output that is a whole new array, else its area
            area.slot if whole.get(area.slot) == area.shape and area.offset == 0 and is_in_order(area) else area
            for area in plan.outputs
        ]
        self.settles = all(type(place) is int for place in self.outputs)
        renewable = plan.renewable
        self.renewable = frozenset(i for i, place in enumerate(self.outputs) if type(place) is int and place in renewable)
        self.alone = self.settles  # the Python executor is not needed
        for i in range(self.count):
            self.alone = self.alone and self.instruction[i].kind in (GROUP, NATIVE, PRODUCT)
        self.copies = bool(plan.copies)
        self.note_finals(plan.copies)

    cdef note(self, Instruction* place, instruction):
        """Stores an instruction, as one of the walker's own if possible."""
        name = type(instruction).__name__
        place.kind = OTHER
        if name == "Group":
            try:
                group = Group(instruction)
            except ValueError:  # steps that groups do not support
                return
            self.groups.append(group)
            place.kind, place.group = GROUP, <void*>group
        elif name == "Native":
            native = Native(instruction)
            self.groups.append(native)
            place.kind, place.group = NATIVE, <void*>native
        elif name == "Invoke" and instruction.is_plain:
            call = Call(instruction, self.lasting)
            self.groups.append(call)
            place.kind, place.group = CALL, <void*>call
        elif name == "Product" and note_product(&place.product, instruction):
            place.kind = PRODUCT

    cdef note_finals(self, copies):
        """Stores what inputs are overwritten with, if that is whole memory other than that of inputs."""
        given = {self.input[i] for i in range(self.inputs)}
        for number, area in copies:
            if area.slot in given or not is_in_order(area):
                self.finals = 0
                return
            self.final[self.finals] = Final(
                number, area.slot, area.dtype.num, area.offset, area.dtype.itemsize * prod(area.shape))
            self.finals += 1

    cdef bint overwrite(self, inputs):
        """Overwrites inputs with their final values; returns False, having written nothing, if Python has to."""
        cdef int i
        cdef Final* final
        cdef cnp.ndarray array
        for i in range(self.finals):
            array = inputs[self.final[i].input]
            if not cnp.PyArray_ISCARRAY(array) or cnp.PyArray_TYPE(array) != self.final[i].type_number \
                    or cnp.PyArray_NBYTES(array) != self.final[i].length:
                return False
        for i in range(self.finals):
            final = &self.final[i]
            memcpy(cnp.PyArray_DATA(<cnp.ndarray>inputs[final.input]), self.slot[final.slot] + final.offset, final.length)
        return True

    cdef int set_slot(self, int i, found) except -1:
        """Sets a slot to an array or number."""
        self.memory[i] = found
        if cnp.PyArray_Check(found):
            self.slot[i] = cnp.PyArray_BYTES(<cnp.ndarray>found)
        return 0

    def __call__(self, inputs, spare=()):
        """Runs the plan; returns the outputs. Raises Mismatch for a check that fails, before any input is written to.

        `spare` has arrays that nobody else holds, with the number of the output that may reuse them.
        """
        if self.at_work:  # in another thread, or a reentrant call
            return self.runs(list(self.memory), inputs).alone()
        self.at_work = True
        try:
            self.take_inputs(inputs, spare)
            run = None if self.alone else self.runs(self.memory, inputs)
            self.walk(run, 0, self.count)
            outputs = [
                self.memory[place] if type(place) is int else run.handed_out(place) for place in self.outputs
            ]
            if self.copies and not (self.finals and self.overwrite(inputs)):
                self.runs(self.memory, inputs).write()
            return outputs
        finally:
            self.let_go()
            self.at_work = False

    def times(self, inputs):
        """The time of each instruction in seconds. Inputs must be copies, as they may be overwritten."""
        cdef int i
        self.take_inputs(inputs, ())
        run = self.runs(self.memory, inputs)
        clock = [perf_counter()]
        try:
            for i in range(self.count):
                self.walk(run, i, i + 1)
                clock.append(perf_counter())
        finally:
            self.let_go()
        return [end - start for start, end in zip(clock, clock[1:])]

    cdef int take_inputs(self, inputs, spare) except -1:
        """Sets the slots of inputs, and of arrays that are reused."""
        cdef int i
        self.supplied = 0
        for output, array in spare:
            place = self.outputs[output]
            if type(place) is int:
                self.memory[place] = array
        if len(inputs) != self.inputs:
            raise ValueError(f"the program has {self.inputs} inputs, {len(inputs)} were given")
        for i in range(self.inputs):
            found = inputs[i]
            if cnp.PyArray_Check(found) and not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray>found):
                found = np.ascontiguousarray(found)
            self.set_slot(self.input[i], found)
        for slot, number, dtype in self.numbers:
            self.set_slot(slot, np.array(inputs[number], dtype))
        return 0

    cdef int supply(self, int number) except -1:
        """Sets the slots of outputs that instructions up to one need: to new arrays, or to those that are reused."""
        cdef Fresh* made
        while self.supplied < self.fresh and self.made[self.supplied].first <= number:
            made = &self.made[self.supplied]
            found = self.memory[made.slot]
            if found is None or not fits(made, found):
                found = cnp.PyArray_SimpleNew(made.ndim, made.shape, made.type_number)
            self.set_slot(made.slot, found)
            self.supplied += 1
        return 0

    cdef int let_go(self) except -1:
        """Drops the arrays of a run."""
        cdef int i
        for i in range(1, self.slots):
            self.memory[i] = self.kept[i]
        return 0

    cdef int walk(self, run, int start, int end) except -1:
        """Executes a range of the instructions."""
        cdef int i
        cdef Instruction* place
        for i in range(start, end):
            place = &self.instruction[i]
            self.supply(i)
            if place.begins:
                for slot, size, heir_of in self.plan.blocks[i]:
                    inherits = heir_of is not None and is_free(self.memory, heir_of)
                    self.set_slot(slot, self.memory[heir_of] if inherits else block_of(size))
            if place.kind == GROUP:
                (<Group>place.group).compute(self.slot)
            elif place.kind == NATIVE:
                (<Native>place.group).compute(self.slot)
            elif place.kind == PRODUCT:
                multiply(&place.product, self.slot)
            elif place.kind == CALL:
                self.call(run, <Call>place.group, self.code[i])
            else:
                self.other(run, self.code[i])
            if place.lets_go:
                for slot in self.plan.done_with[i]:
                    self.memory[slot] = None
        self.supply(end)
        return 0

    cdef int call(self, run, Call call, instruction) except -1:
        """Executes a call. The Python executor stores results that are not simply new arrays."""
        made = call.make(self.memory)
        if made is not None:
            run.keep(instruction, made)
        self.note_results(instruction.results)
        return 0

    cdef int other(self, run, instruction) except -1:
        """Executes an instruction by the Python executor."""
        run.execute(instruction)
        self.note_results(getattr(instruction, "results", ()))
        return 0

    cdef int note_results(self, areas) except -1:
        """Sets the slots of a call's results."""
        for area in areas:
            if area is not None:
                self.set_slot(area.slot, self.memory[area.slot])
        return 0


cdef object room_of(Py_ssize_t size):
    """Memory of so many bytes that begins where a vector does."""
    cdef cnp.npy_intp whole = size + 64
    room = cnp.PyArray_SimpleNew(1, &whole, cnp.NPY_UINT8)
    start = (64 - <Py_ssize_t>cnp.PyArray_BYTES(room) % 64) % 64
    return room[start : start + size]


cdef object block_of(cnp.npy_intp size):
    """Memory of so many bytes, and no more: it fits where a result of a call was."""
    return cnp.PyArray_SimpleNew(1, &size, cnp.NPY_UINT8)


cdef tuple holders(list memory, Py_ssize_t slot):
    """The numbers of references to a slot's array, and to the array that owns its memory if that is another one."""
    array = memory[slot]
    base = array.base
    return getrefcount(array), 0 if base is None else getrefcount(base)


cdef set ALONE = {holders([np.empty(1)], 0), holders([np.empty((1, 1)).T], 0)}


cdef bint is_free(list memory, Py_ssize_t slot) except -1:
    """Whether nothing but a slot refers to the memory of its array."""
    array = memory[slot]
    owner = array if array.base is None else array.base
    owns = type(owner) is np.ndarray and owner.flags.owndata and array.flags.writeable and array.flags.c_contiguous
    array = owner = None
    return owns and holders(memory, slot) in ALONE


cdef bint fits(const Fresh* made, cnp.ndarray array) noexcept:
    """Whether an array can be reused in place of a new one."""
    cdef int d
    if cnp.PyArray_BASE(array) != NULL or not cnp.PyArray_CHKFLAGS(array, cnp.NPY_ARRAY_CARRAY | cnp.NPY_ARRAY_OWNDATA):
        return False
    if cnp.PyArray_TYPE(array) != made.type_number or array.ndim != made.ndim:
        return False
    for d in range(made.ndim):
        if array.shape[d] != made.shape[d]:
            return False
    return cnp.PyArray_ISNOTSWAPPED(array)


def is_in_order(area):
    """Whether an area has no gaps, and is in index order."""
    step = area.dtype.itemsize
    for n, stride in zip(reversed(area.shape), reversed(area.strides)):
        if n != 1 and stride != step:
            return False
        step *= max(n, 1)
    return True


cdef bint note_product(Product* place, product):
    """Stores a product; returns whether it can be computed here."""
    cdef Py_ssize_t item = product.out.dtype.itemsize
    place.single = item == 4
    place.m, place.n, place.depth = product.out.shape[-2], product.out.shape[-1], product.a.shape[-1]
    place.count, place.dims = 1, len(product.out.shape) - 2
    if place.dims > MOST_LEADING:
        return False
    for i, n in enumerate(product.out.shape[:-2]):
        place.shape[i] = n
        place.count *= n
    place.adds = product.addend is not None
    if not CAN_MULTIPLY or not note_operand(&place.out, product.out, item):
        return False
    if not note_operand(&place.a, product.a, item) or not note_operand(&place.b, product.b, item):
        return False
    if place.adds:
        if place.count != 1:
            return False
        shape = (1,) * (2 - len(product.addend.shape)) + product.addend.shape
        strides = (0,) * (2 - len(product.addend.strides)) + product.addend.strides
        place.addend.slot, place.addend.offset = product.addend.slot, product.addend.offset
        place.addend.down = 0 if shape[0] == 1 else strides[0] // item
        place.addend.right = 0 if shape[1] == 1 else strides[1] // item
    return True


cdef bint note_operand(Operand* place, area, Py_ssize_t item):
    """Stores a factor; returns whether its matrices have a stride of one element."""
    rows, columns = area.shape[-2:]
    down, right = [stride // item for stride in area.strides[-2:]]
    place.slot, place.offset = area.slot, area.offset
    if rows == 1:
        down = columns if right == 1 else 1
    if columns == 1:
        right = 1 if rows == 1 or down != 1 else rows
    place.down, place.right = down, right
    for i, stride in enumerate(area.strides[:-2]):
        place.strides[i] = 0 if area.shape[i] == 1 else stride
    place.strides[len(area.shape) - 2], place.strides[len(area.shape) - 1] = down * item, right * item
    return (right == 1 and down >= columns) or (down == 1 and right >= rows)


cdef int multiply(const Product* p, char** slots) except -1:
    """Computes a product."""
    if p.single:
        multiply_all(p, slots, <float*>(slots[p.out.slot] + p.out.offset))
    else:
        multiply_all(p, slots, <double*>(slots[p.out.slot] + p.out.offset))
    return 0


cdef int multiply_all(const Product* p, char** slots, real* out) except -1:
    """Computes the products of a batch."""
    cdef index i
    if p.count > 1 and p.m > 1 and p.n > 1:
        return multiply_matrices(p, batch_of(p, &p.a, slots), batch_of(p, &p.b, slots), batch_of(p, &p.out, slots))
    for i in range(p.count):
        multiply_one(p, slots, <const real*>matrix_of(p, &p.a, slots, i), <const real*>matrix_of(p, &p.b, slots, i),
                     out + i * p.m * p.n)
    return 0


cdef int multiply_matrices(const Product* p, Batch a, Batch b, Batch out) except -1:
    """Computes products by our own kernel for float32, if there is one for this CPU, or by BLAS."""
    if HAS_KERNEL and p.single and p.m > 1 and p.n > 1:
        return multiply_batch(a, b, <float*>out.start, p.m, p.n, p.depth, p.adds)
    return multiply_by_blas(a, b, out, p.m, p.n, p.depth, p.single, p.adds)


cdef inline Batch batch_of(const Product* p, const Operand* x, char** slots) noexcept nogil:
    """All matrices of a factor."""
    return Batch(slots[x.slot] + x.offset, p.dims, &p.shape[0], &x.strides[0])


cdef inline const char* matrix_of(const Product* p, const Operand* x, char** slots, index i) noexcept nogil:
    """Where the i-th matrix of a factor begins."""
    cdef const char* start = slots[x.slot] + x.offset
    cdef int dim
    for dim in range(p.dims - 1, -1, -1):
        start += i % p.shape[dim] * x.strides[dim]
        i //= p.shape[dim]
    return start


cdef void lay_addend(const Product* p, char** slots, real* out, bint adds) noexcept nogil:
    """Copies the addend of a product to the output, or adds it there."""
    cdef const real* x = <const real*>(slots[p.addend.slot] + p.addend.offset)
    cdef index i, j
    for i in range(p.m):
        if adds:
            for j in range(p.n):
                out[i * p.n + j] += x[i * p.addend.down + j * p.addend.right]
        elif p.addend.right == 1:
            memcpy(out + i * p.n, x + i * p.addend.down, p.n * sizeof(real))
        else:
            for j in range(p.n):
                out[i * p.n + j] = x[i * p.addend.down + j * p.addend.right]


cdef int multiply_one(const Product* p, char** slots, const real* a, const real* b, real* out) except -1:
    """Computes one product by the best method for its size."""
    if p.n == 1 and p.m * p.depth <= SMALL and follows(p.b.down, p.b.right, p.depth):
        times_vector(a, p.a.down, p.a.right, b, out, p.m, p.depth)
        if p.adds:
            lay_addend(p, slots, out, True)
        return 0
    if p.m == 1 and p.n * p.depth <= SMALL and follows(p.a.right, p.a.down, p.depth):
        times_vector(b, p.b.right, p.b.down, a, out, p.n, p.depth)
        if p.adds:
            lay_addend(p, slots, out, True)
        return 0
    if p.adds:
        lay_addend(p, slots, out, False)
    return multiply_matrices(
        p, alone(p, &p.a, <const char*>a), alone(p, &p.b, <const char*>b), alone(p, &p.out, <const char*>out))


cdef inline Batch alone(const Product* p, const Operand* x, const char* start) noexcept nogil:
    """One matrix of a factor."""
    return Batch(start, 0, NULL, &x.strides[p.dims])


cdef inline bint follows(index step, index other, index n) noexcept nogil:
    """Whether the elements of a vector are contiguous."""
    return step == 1 or n == 1
