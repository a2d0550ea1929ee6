# The types of entries.py.
from rushlight.core.formulas cimport Formula
from rushlight.core.graph cimport Plan

cdef int ARGUMENT, ARGUMENTS, RESULT, SHAPE, SHAPES, COLUMNS, STRIDES, NEVER, DISORDER, OPERANDS, ALWAYS


cdef class Entry:
    cdef public str name
    cdef public object forward
    cdef public tuple params
    cdef public dict formulas
    cdef public object joint
    cdef public tuple inputs
    cdef public tuple operands
    cdef public object promote
    cdef public str kept
    cdef public bint broadcasts
    cdef public frozenset lists
    cdef public str node
    cdef public type node_class
    cdef public bint view
    cdef public bint linear
    cdef public bint additive
    cdef public bint holomorphic
    cdef public frozenset nondifferentiable
    cdef public bint takes_none
    cdef public bint takes_turned
    cdef public Formula compute
    cdef public object batch
    cdef public object tangent
    cdef public object series
    cdef public bint one_byte
    cdef public bint converts
    cdef public tuple slopes
    cdef public bint kernel
    cdef public bint in_steps
    cdef public bint reads_layout
    cdef public object shape_of_values
    cdef public object aten
    cdef public object flops
    cdef public dict saved_as
    cdef public int laying
    cdef public str layout
    cdef public dict plans
    cdef public bint differentiable

    cpdef Plan plan(self, int mask)
