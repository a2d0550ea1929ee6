# What compiled modules call in finite.pyx.

cpdef double sum_of_squares(object array) except? -1
cpdef bint is_bad(object array) except -1
