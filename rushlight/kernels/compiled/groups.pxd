# Groups of elementwise steps, for the compiled walker of programs.
from numpy cimport npy_intp

from rushlight.kernels.compiled.ufuncs cimport Loop

cdef enum:
    MOST_DIMS = 8
    MOST_PARTS = 64


cdef struct Source:
    int slot
    npy_intp offset
    int item  # bytes of an element
    bint spread  # whether it is copied first, to be contiguous
    npy_intp stride  # from an element to the next where it is not: 0 for a number
    npy_intp period  # elements after which it repeats, as parts do; else 0
    int ndim
    npy_intp shape[MOST_DIMS]
    npy_intp strides[MOST_DIMS]
    npy_intp scratch


cdef struct Register:
    char* start
    npy_intp stride


cdef enum Simple:
    OTHER, TIMES, OVER, PLUS, MINUS, NEGATED


cdef struct Short:  # a step on few elements, with its operands and result as numbers of elements in scratch memory
    Simple simple
    int x, y, out


cdef struct Step:
    Loop loop
    int arity
    int given[3]
    int out


cdef struct Target:
    int register
    int slot
    npy_intp offset
    int item


cdef enum Way:
    OVER_ALL, DOWN, ALONG


cdef struct Sum:
    int register
    int slot
    npy_intp offset
    Way way
    bint single
    npy_intp size, columns


cdef struct Code:
    npy_intp size, tile, unit, scratch  # elements, those of a part, whose number a part's is a multiple of; bytes
    int sources, registers, steps, targets, sums
    Source* source
    Register* register
    Step* step
    Short* short  # the steps of a group of few elements, else NULL
    bint single  # whether simple steps of it compute in float32
    Target* target
    Sum* sum
    char* memory  # the memory of intermediate results
    char* allocated


cdef class Group:
    cdef Code code

    cdef note_step(self, int i, function, str types, tuple operands)
    cdef note_short(self, steps)
    cdef note_source(self, int i, area, tuple shape)
    cdef note_sum(self, int i, int number, str way, area)
    cdef lay_out(self, steps, dict written, list items)

    cdef int compute(self, char** slots) except -1
    cdef int compute_shared(self, char** slots) except -1


ctypedef void (*Loops)(char** places, npy_intp start, npy_intp stop) noexcept nogil


cdef class Native:
    cdef Loops loops
    cdef int places, sums
    cdef int* slot
    cdef npy_intp* offset
    cdef char** place
    cdef npy_intp extent, grain, room
    cdef npy_intp* total  # the size of each sum in bytes
    cdef bint* apart  # whether parts add to different elements of it
    cdef bint large, single

    cdef int compute(self, char** slots) except -1
    cdef int compute_shared(self) except -1
