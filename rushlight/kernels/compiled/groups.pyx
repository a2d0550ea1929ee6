# cython: boundscheck=False, cdivision=True
"""Groups of elementwise steps of a compiled program: NumPy's inner loops on parts that fit in the L1 cache.

A part of the elements goes through all steps before the next part does. The result of a step is stored in scratch
memory, or in its final place; non-contiguous operands are copied to scratch memory first. Sums are taken of each part
while it is in the cache. Large groups are shared among threads.

A group of few elements has all its operands and results in scratch memory, in whole vectors, and takes arithmetic
without NumPy's loops: a call takes longer than such a step. Behind the elements is the last one again, so that nothing
is computed there that takes longer or fails.
"""

from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset
from numpy cimport npy_intp

from math import lcm

import numpy as np

from rushlight.core.loops cimport loop_for
from rushlight.kernels.compiled.codes cimport ALIGNMENT
from rushlight.kernels.compiled.copies cimport copy_run
from rushlight.kernels.compiled.lanes cimport always, few_doubles, few_floats, real, wide
from rushlight.kernels.compiled.sharing cimport number_of_threads, shared

cdef enum:
    NEAR = 1 << 14  # bytes of scratch memory: with the operands they fit in the L1 cache
    SHORTEST = 256  # the least elements of a part
    GRAIN = 1 << 15  # elements of one thread's part
    SHARED = 1 << 17  # elements times steps from which on threads pay off
    MOST_REGISTERS = 256  # of a group that is shared
    FEW = 16  # elements up to which a group has short steps
    VECTOR = 8  # floats, of which registers of short steps have whole ones
    REGISTER = 32  # bytes

SIMPLE = {np.multiply: TIMES, np.divide: OVER, np.add: PLUS, np.subtract: MINUS, np.negative: NEGATED}
WAYS = {"all": OVER_ALL, "down": DOWN, "along": ALONG}


cdef class Group:
    """The steps of a group (`compiler.planning.Group`), ready to run."""

    def __cinit__(self, group):
        self.code.sources, self.code.steps = len(group.reads), len(group.steps)
        self.code.targets, self.code.sums = len(group.writes), len(group.sums)
        self.code.registers = self.code.sources + self.code.steps
        self.code.source = <Source*>calloc(self.code.sources + 1, sizeof(Source))
        self.code.register = <Register*>calloc(self.code.registers + 1, sizeof(Register))
        self.code.step = <Step*>calloc(self.code.steps + 1, sizeof(Step))
        self.code.target = <Target*>calloc(self.code.targets + 1, sizeof(Target))
        self.code.sum = <Sum*>calloc(self.code.sums + 1, sizeof(Sum))
        if not (self.code.source and self.code.register and self.code.step and self.code.target and self.code.sum):
            raise MemoryError

    def __dealloc__(self):
        free(self.code.source)
        free(self.code.register)
        free(self.code.step)
        free(self.code.short)
        free(self.code.target)
        free(self.code.sum)
        free(self.code.allocated)

    def __init__(self, group):
        self.code.size = 1
        for n in group.shape:
            self.code.size *= n
        written = {number: area for number, area in group.writes}
        items = [area.dtype.itemsize for area in group.reads]
        for i, (function, types, operands) in enumerate(group.steps):
            self.note_step(i, function, types, operands)
            items.append(np.dtype(types[-1]).itemsize)
        if self.code.size <= FEW:
            self.code.short = <Short*>calloc(self.code.steps + 1, sizeof(Short))
            if self.code.short == NULL:
                raise MemoryError
        for i, area in enumerate(group.reads):
            self.note_source(i, area, group.shape)
        for i, (number, area) in enumerate(group.writes):
            self.code.target[i] = Target(number, area.slot, area.offset, items[number])
        self.code.unit = 1
        for i, (number, way, area) in enumerate(group.sums):
            self.note_sum(i, number, way, area)
            if number < self.code.sources and self.code.source[number].stride == 0:
                self.code.source[number].spread = True
        self.lay_out(group.steps, written, items)
        if self.code.short != NULL:
            self.note_short(group.steps)

    cdef note_step(self, int i, function, str types, tuple operands):
        """Stores a step."""
        cdef Step* step = &self.code.step[i]
        step.loop = loop_for(function, types)
        step.arity = len(operands)
        for k, number in enumerate(operands):
            step.given[k] = number
        step.out = self.code.sources + i

    cdef note_short(self, steps):
        """Stores the steps of a group of few elements, whose registers all have their place by now."""
        cdef Short* short
        cdef int i, item
        self.code.single = any(types[-1] == "f" for _, types, _ in steps)
        item = 4 if self.code.single else 8
        for i, (function, types, operands) in enumerate(steps):
            short = &self.code.short[i]
            if set(types) == {"f" if self.code.single else "d", "-", ">"}:
                short.simple = SIMPLE.get(function, OTHER)
            short.x = (self.code.register[operands[0]].start - self.code.memory) // item
            short.y = (self.code.register[operands[len(operands) - 1]].start - self.code.memory) // item
            short.out = (self.code.register[self.code.sources + i].start - self.code.memory) // item

    cdef note_source(self, int i, area, tuple shape):
        """Stores an operand, with as few dimensions as describe its layout."""
        cdef Source* source = &self.code.source[i]
        source.slot, source.offset, source.item = area.slot, area.offset, area.dtype.itemsize
        dims = joined(shape, area)
        source.stride = dims[len(dims) - 1][1]
        source.spread = self.code.short != NULL or len(dims) > 1 or source.stride not in (0, source.item)
        if len(dims) > MOST_DIMS:
            raise ValueError("an operand of too many dimensions")
        source.ndim = len(dims)
        for d, (n, stride) in enumerate(dims):
            source.shape[d], source.strides[d] = n, stride
        if len(dims) > 1 and dims[0][1] == 0:
            source.period = self.code.size // dims[0][0]

    cdef note_sum(self, int i, int number, str way, area):
        """Stores a sum."""
        cdef Sum* found = &self.code.sum[i]
        found.register, found.slot, found.offset, found.way = number, area.slot, area.offset, WAYS[way]
        found.single, found.size = area.dtype.itemsize == 4, 1
        for n in area.shape:
            found.size *= n
        if found.size == 1:
            found.way = OVER_ALL
        found.columns = found.size if found.way == DOWN else self.code.size // found.size
        if found.way != OVER_ALL:
            self.code.unit = lcm(self.code.unit, found.columns)

    cdef lay_out(self, steps, dict written, list items):
        """Assigns memory to each step's result that no later step needs, and chooses the size of parts."""
        cdef npy_intp length
        last = {number: i for i, (_, _, operands) in enumerate(steps) for number in operands}
        for i in range(self.code.sums):
            last[self.code.sum[i].register] = len(steps)
        if self.code.short != NULL:
            last.update(dict.fromkeys(written, len(steps)))
        places, unused, count = {}, [], 0
        for i, (_, _, operands) in enumerate(steps):
            number = self.code.sources + i
            if self.code.short != NULL or number not in written:
                if not unused:
                    unused.append(count)
                    count += 1
                places[number] = unused.pop()
            unused += [places[x] for x in set(operands) if x in places and last[x] == i]
        spreads = [i for i in range(self.code.sources) if self.code.source[i].spread]
        room = (count + len(spreads)) * max(items)
        self.code.tile = self.code.size if self.code.size * room <= NEAR else max(SHORTEST, NEAR // room)
        if self.code.tile < self.code.size:
            self.code.tile = max(1, self.code.tile // self.code.unit) * self.code.unit
        self.code.tile = min(self.code.tile, self.code.size)
        length = (whole_vectors(self.code.tile) * max(items) + REGISTER - 1) // REGISTER * REGISTER
        self.code.scratch = (count + len(spreads)) * length
        self.code.allocated = <char*>malloc(self.code.scratch + ALIGNMENT)
        if self.code.allocated == NULL:
            raise MemoryError
        self.code.memory = self.code.allocated + (-<size_t>self.code.allocated) % ALIGNMENT
        for k, i in enumerate(spreads):
            self.code.source[i].scratch = (count + k) * length
            self.code.register[i].start = self.code.memory + self.code.source[i].scratch
        for number, place in places.items():
            self.code.register[number].start = self.code.memory + <npy_intp>place * length
        for number in range(self.code.registers):
            self.code.register[number].stride = items[number]
        for i in range(self.code.sources):
            if not self.code.source[i].spread:
                self.code.register[i].stride = self.code.source[i].stride
            if self.code.source[i].period and self.code.tile % self.code.source[i].period:
                self.code.source[i].period = 0

    cdef int compute(self, char** slots) except -1:
        """Runs all steps."""
        cdef int i
        cdef Sum* total
        if self.code.size == 0:
            return 0
        for i in range(self.code.sums):
            total = &self.code.sum[i]
            if total.way != ALONG:
                memset(slots[total.slot] + total.offset, 0, total.size * (4 if total.single else 8))
        if self.code.short != NULL:
            take_few(&self.code, slots)
            return 0
        if self.code.size * (self.code.steps + 1) >= SHARED and self.code.registers <= MOST_REGISTERS and number_of_threads() > 1:
            return self.compute_shared(slots)
        take_parts(&self.code, self.code.register, slots, self.code.memory, 0, self.code.size, NULL)
        return 0

    cdef int compute_shared(self, char** slots) except -1:
        """Runs all steps in several threads; each part has its own sums, which are added in order."""
        cdef Job job
        cdef int i
        job.group, job.slots, job.sums, job.room, job.failed = &self.code, slots, NULL, 0, False
        job.grain = (max(<npy_intp>GRAIN, self.code.size // MOST_PARTS + 1) + self.code.unit - 1) // self.code.unit * self.code.unit
        for i in range(self.code.sums):
            job.room += self.code.sum[i].size * 8 if self.code.sum[i].way != ALONG else 0
        if job.room:
            job.sums = <char*>calloc((self.code.size + job.grain - 1) // job.grain, job.room)
            if job.sums == NULL:
                raise MemoryError
        try:
            shared(compute_part, &job, self.code.size, job.grain)
            if job.failed:
                raise MemoryError
            add_up(&self.code, &job)
        finally:
            free(job.sums)
        return 0


cdef struct Job:
    const Code* group
    char** slots
    npy_intp grain
    npy_intp room  # bytes of the sums of a part
    char* sums
    bint failed  # if memory ran out


cdef void compute_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Runs one thread's part."""
    cdef Job* job = <Job*>given
    cdef const Code* group = job.group
    cdef Register[MOST_REGISTERS] registers
    cdef int i
    cdef char* memory = <char*>malloc(group.scratch + 1)
    if memory == NULL:
        job.failed = True
        return
    for i in range(group.registers):
        registers[i] = group.register[i]
        if registers[i].start >= group.memory and registers[i].start < group.memory + group.scratch:
            registers[i].start = memory + (registers[i].start - group.memory)
    take_parts(group, registers, job.slots, memory, start, stop,
               NULL if job.sums == NULL else job.sums + start // job.grain * job.room)
    free(memory)


cdef void add_up(const Code* group, const Job* job) noexcept nogil:
    """Adds the sums of all parts."""
    cdef npy_intp part
    cdef char* place = job.sums
    cdef Sum* total
    cdef int i
    if place == NULL:
        return
    for part in range((group.size + job.grain - 1) // job.grain):
        for i in range(group.sums):
            total = &group.sum[i]
            if total.way != ALONG:
                if total.single:
                    add_rows(<float*>place, <float*>(job.slots[total.slot] + total.offset), 1, total.size)
                else:
                    add_rows(<double*>place, <double*>(job.slots[total.slot] + total.offset), 1, total.size)
                place += total.size * 8


cdef void take_parts(const Code* group, Register* registers, char** slots, char* memory, npy_intp start, npy_intp stop,
                     char* sums) noexcept nogil:
    """Runs all steps for elements `start` to `stop`; `sums` is where sums go, or NULL for the results."""
    cdef npy_intp n, first = start
    cdef int i
    while start < stop:
        n = min(group.tile, stop - start)
        for i in range(group.sources):
            place_source(&group.source[i], &registers[i], slots, memory, start, n, start == first)
        for i in range(group.targets):
            registers[group.target[i].register].start = (
                slots[group.target[i].slot] + group.target[i].offset + start * group.target[i].item)
        take_steps(group, registers, n)
        take_sums(group, registers, slots, start, n, sums)
        start += n


cdef inline void take_steps(const Code* group, const Register* registers, npy_intp n) noexcept nogil:
    """Runs all steps for a part."""
    cdef int i
    for i in range(group.steps):
        take_step(&group.step[i], registers, n)


cdef inline void take_step(const Step* step, const Register* registers, npy_intp n) noexcept nogil:
    """Runs a step by NumPy's loop."""
    cdef char* args[4]
    cdef npy_intp strides[4]
    cdef const Register* register
    cdef int k
    for k in range(step.arity):
        register = &registers[step.given[k]]
        args[k] = register.start
        strides[k] = register.stride
    register = &registers[step.out]
    args[step.arity] = register.start
    strides[step.arity] = register.stride
    step.loop.function(args, &n, strides, step.loop.data)


# groups of few elements


cdef inline npy_intp whole_vectors(npy_intp n) noexcept nogil:
    """The number of elements with those that fill up the last vector."""
    return (n + VECTOR - 1) // VECTOR * VECTOR


cdef void take_few(const Code* group, char** slots) noexcept nogil:
    """Runs a group of few elements."""
    cdef npy_intp lanes = whole_vectors(group.size)
    cdef const Source* source
    cdef const Target* target
    cdef char* start
    cdef int i
    for i in range(group.sources):
        source = &group.source[i]
        start = group.memory + source.scratch
        spread(source, slots[source.slot] + source.offset, start, 0, group.size)
        copy_run(start + (group.size - 1) * source.item, 0, start + group.size * source.item, lanes - group.size, source.item)
    if group.single:
        take_short(group, <float*>group.memory, lanes)
    else:
        take_short(group, <double*>group.memory, lanes)
    for i in range(group.targets):
        target = &group.target[i]
        memcpy(slots[target.slot] + target.offset, group.register[target.register].start, group.size * target.item)
    take_sums(group, group.register, slots, 0, group.size, NULL)


cdef wide take_short(const Code* group, real* memory, npy_intp lanes) noexcept nogil:
    """Runs all steps on a few elements."""
    cdef const Short* step
    cdef int i
    for i in range(group.steps):
        step = &group.short[i]
        if step.simple == OTHER:
            take_step(&group.step[i], group.register, lanes)
        else:
            take_simple(step.simple, memory + step.x, memory + step.y, memory + step.out, lanes)


cdef always take_simple(Simple simple, const real* x, const real* y, real* out, npy_intp lanes) noexcept nogil:
    """Arithmetic on whole vectors."""
    cdef npy_intp i
    if real is float:
        for i from 0 <= i < lanes by VECTOR:
            put_simple(simple, <const few_floats*>(x + i), <const few_floats*>(y + i), <few_floats*>(out + i))
    else:
        for i from 0 <= i < lanes by VECTOR // 2:
            put_simple(simple, <const few_doubles*>(x + i), <const few_doubles*>(y + i), <few_doubles*>(out + i))


ctypedef fused few:
    few_floats
    few_doubles


cdef always put_simple(Simple simple, const few* x, const few* y, few* out) noexcept nogil:
    """Arithmetic on a vector."""
    if simple == TIMES:
        out[0] = x[0] * y[0]
    elif simple == OVER:
        out[0] = x[0] / y[0]
    elif simple == PLUS:
        out[0] = x[0] + y[0]
    elif simple == MINUS:
        out[0] = x[0] - y[0]
    else:
        out[0] = -x[0]


# operands that are not contiguous


cdef inline void place_source(const Source* source, Register* register, char** slots, char* memory, npy_intp start,
                              npy_intp n, bint is_first) noexcept nogil:
    """Sets where the elements of an operand are read."""
    cdef char* place = slots[source.slot] + source.offset
    if not source.spread:
        register.start = place + start * source.stride
        return
    register.start = memory + source.scratch
    if is_first or source.period == 0:
        spread(source, place, register.start, start, n)


cdef void spread(const Source* source, const char* place, char* out, npy_intp start, npy_intp n) noexcept nogil:
    """Copies n elements from `start` on, in index order."""
    cdef npy_intp index[MOST_DIMS]
    cdef npy_intp rest = start, length, inner = source.ndim - 1
    cdef int d
    for d in range(source.ndim - 1, -1, -1):
        index[d] = rest % source.shape[d]
        rest = rest // source.shape[d]
        place += index[d] * source.strides[d]
    while n > 0:
        length = min(n, source.shape[inner] - index[inner])
        copy_run(place, source.strides[inner], out, length, source.item)
        out += length * source.item
        n -= length
        place += length * source.strides[inner]
        index[inner] += length
        d = <int>inner
        while d > 0 and index[d] == source.shape[d]:
            place += source.strides[d - 1] - index[d] * source.strides[d]
            index[d] = 0
            index[d - 1] += 1
            d -= 1


# sums


cdef inline void take_sums(const Code* group, const Register* registers, char** slots, npy_intp start, npy_intp n,
                           char* sums) noexcept nogil:
    """Adds a part to the sums."""
    cdef Sum* total
    cdef char* out
    cdef int i
    for i in range(group.sums):
        total = &group.sum[i]
        if total.way == ALONG or sums == NULL:
            out = slots[total.slot] + total.offset
        else:
            out = sums
            sums += total.size * 8
        if total.single:
            take_sum(<float*>registers[total.register].start, <float*>out, total, start, n)
        else:
            take_sum(<double*>registers[total.register].start, <double*>out, total, start, n)


cdef inline void take_sum(const real* x, real* out, const Sum* total, npy_intp start, npy_intp n) noexcept nogil:
    """Adds a part to one sum."""
    cdef real whole
    if total.way == DOWN:
        add_rows(x, out, n // total.columns, total.columns)
    elif total.way == ALONG:
        sum_rows(x, out + start // total.columns, n // total.columns, total.columns)
    else:
        sum_rows(x, &whole, 1, n)
        out[0] += whole


cdef wide add_rows(const real* x, real* out, npy_intp rows, npy_intp columns) noexcept nogil:
    """out[j] += the sum of x[i, j] over i."""
    cdef npy_intp i, j
    for i in range(rows):
        for j in range(columns):
            out[j] += x[i * columns + j]


cdef wide sum_rows(const real* x, real* out, npy_intp rows, npy_intp columns) noexcept nogil:
    """out[i] = the sum of x[i, j] over j: sums of 512 elements, added up in double precision."""
    cdef real sums[16]
    cdef real part
    cdef double total
    cdef npy_intp i, j, k, first, stop
    for i in range(rows):
        total = 0
        for first in range(0, columns, 512):
            stop = min(first + 512, columns)
            part = 0
            if stop - first >= 16:
                for k in range(16):
                    sums[k] = x[first + k]
                for j in range(first + 16, stop - 15, 16):
                    for k in range(16):
                        sums[k] += x[j + k]
                for k in range(16):
                    part += sums[k]
                first = stop - (stop - first) % 16
            for j in range(first, stop):
                part += x[j]
            total += part
        out[i] = <real>total
        x += columns


def joined(tuple shape, area):
    """The dimensions of an operand as (elements, stride in bytes), with contiguous ones merged."""
    lead = len(shape) - len(area.shape)
    dims = []
    for axis, n in enumerate(shape):
        own = area.shape[axis - lead] if axis >= lead else 1
        stride = area.strides[axis - lead] if own != 1 else 0
        if n == 1:
            continue
        if dims and dims[-1][1] == stride * n:
            dims[-1] = (dims[-1][0] * n, stride)
        else:
            dims.append((n, stride))
    return dims or [(1, 0)]


# native code


cdef struct NativeJob:
    Loops loops
    int places, sums
    char** place
    bint* apart
    npy_intp* total
    npy_intp grain, room
    char* parts


cdef class Native:
    """A group compiled to machine code (`compiler.native.Native`)."""

    def __cinit__(self, native):
        group = native.group
        self.sums = len(group.sums)
        self.places = len(group.reads) + len(group.writes) + self.sums
        self.slot = <int*>calloc(self.places, sizeof(int))
        self.offset = <npy_intp*>calloc(self.places, sizeof(npy_intp))
        self.place = <char**>calloc(self.places, sizeof(char*))
        self.total = <npy_intp*>calloc(self.sums + 1, sizeof(npy_intp))
        self.apart = <bint*>calloc(self.sums + 1, sizeof(bint))
        if not (self.slot and self.offset and self.place and self.total and self.apart):
            raise MemoryError

    def __dealloc__(self):
        free(self.slot)
        free(self.offset)
        free(self.place)
        free(self.total)
        free(self.apart)

    def __init__(self, native):
        group, form = native.group, native.form
        self.loops = <Loops><size_t>native.address
        areas = [*group.reads, *[area for _, area in group.writes], *[area for _, _, area in group.sums]]
        for i, area in enumerate(areas):
            self.slot[i], self.offset[i] = area.slot, area.offset
        for i, ((_, _, area), (_, array)) in enumerate(zip(group.sums, form.sums)):
            self.total[i] = area.dtype.itemsize
            for n in area.shape:
                self.total[i] *= n
            self.apart[i] = array.strides[0] != 0
            self.room += 0 if self.apart[i] else (self.total[i] + 7) // 8 * 8
        size = 1
        for n in form.shape[1:]:
            size *= n
        self.extent, self.single = form.shape[0], form.dtype.itemsize == 4
        self.grain = max(1, GRAIN // size) if size > 1 else GRAIN
        self.grain = max(self.grain, self.extent // MOST_PARTS + 1)
        self.large = self.extent * size * (len(group.steps) + 1) >= SHARED and self.extent > self.grain \
            and self.places <= MOST_REGISTERS

    cdef int compute(self, char** slots) except -1:
        """Computes the group."""
        cdef int i, first = self.places - self.sums
        for i in range(self.places):
            self.place[i] = slots[self.slot[i]] + self.offset[i]
        for i in range(self.sums):
            memset(self.place[first + i], 0, self.total[i])
        if self.large and number_of_threads() > 1:
            return self.compute_shared()
        self.loops(self.place, 0, self.extent)
        return 0

    cdef int compute_shared(self) except -1:
        """Computes the group in several threads; each part has its own sums, which are added in order."""
        cdef NativeJob job = NativeJob(self.loops, self.places, self.sums, self.place, self.apart, self.total, self.grain,
                                       self.room, NULL)
        cdef npy_intp part, parts = (self.extent + self.grain - 1) // self.grain
        cdef int i
        cdef char* sums
        if self.room:
            job.parts = <char*>calloc(parts, self.room)
            if job.parts == NULL:
                raise MemoryError
        try:
            shared(compute_native_part, &job, self.extent, self.grain)
            sums = job.parts
            for part in range(parts if self.room else 0):
                for i in range(self.sums):
                    if not self.apart[i]:
                        if self.single:
                            add_rows(<float*>sums, <float*>self.place[self.places - self.sums + i], 1, self.total[i] // 4)
                        else:
                            add_rows(<double*>sums, <double*>self.place[self.places - self.sums + i], 1, self.total[i] // 8)
                        sums += (self.total[i] + 7) // 8 * 8
        finally:
            free(job.parts)
        return 0


cdef void compute_native_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Runs one thread's part."""
    cdef const NativeJob* job = <const NativeJob*>given
    cdef char* places[MOST_REGISTERS]
    cdef char* sums
    cdef int i, first = job.places - job.sums
    for i in range(job.places):
        places[i] = job.place[i]
    if job.parts != NULL:
        sums = job.parts + start // job.grain * job.room
        for i in range(job.sums):
            if not job.apart[i]:
                places[first + i] = sums
                sums += (job.total[i] + 7) // 8 * 8
    job.loops(places, start, stop)
