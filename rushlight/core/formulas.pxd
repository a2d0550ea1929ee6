# What the compiled core calls of formulas.pyx.

cdef class Formula:
    cdef readonly object function
    cdef readonly int arity
    cdef object tape
    cdef dict with_numbers

    cdef tape_for(self, tuple operands)

cpdef object evaluate(Formula formula, object a, object b, object c, object d)
cpdef object add_to(object array, object other)
