cimport cython


cdef class Modes:
    cdef readonly bint grad
    cdef readonly bint inference
