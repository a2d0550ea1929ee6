# The types of modes.py.


cdef class Modes:
    cdef readonly bint grad
    cdef readonly bint inference
    cdef readonly bint anomaly
    cdef readonly bint check_nan
    cdef readonly object packing
    cdef readonly object refusal
    cdef readonly bint records
    cdef readonly bint special
    cdef Modes twin

    cpdef Modes with_grad(self, bint enabled)


cdef class Setting:
    cdef object variable
    cdef object value
    cdef object outside


cdef class Switch:
    pass


cdef class Undone:
    pass


cdef class Layered:
    pass
