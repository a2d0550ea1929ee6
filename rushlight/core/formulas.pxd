# What the compiled core calls in formulas.pyx.

cdef class Formula:
    cdef readonly object function
    cdef readonly int arity
    cdef object singles
    cdef object doubles
    cdef dict others
    cdef Formula numbers  # of a formula that gives truths: the one that gives them as numbers

    cdef tape_for(self, int kinds, tuple operands)
    cdef tape_of_type(self, int type_number)
    cdef traced(self, int kinds, tuple operands, bint any_number)

cpdef object evaluate(Formula formula, object a, object b, object c, object d)
cpdef object add_to(object array, object other)
