# What generated loops compute of an element: see `loops/bodies.py`.
from libc.math cimport copysign, copysignf, fabs, fabsf, rint, rintf, sqrt, sqrtf, trunc, truncf

from rushlight.kernels.compiled.lanes cimport real


cdef inline real root(real x) noexcept nogil:
    if real is float:
        return sqrtf(x)
    else:
        return sqrt(x)


cdef inline real magnitude(real x) noexcept nogil:
    if real is float:
        return fabsf(x)
    else:
        return fabs(x)


cdef inline real truncated(real x) noexcept nogil:
    if real is float:
        return truncf(x)
    else:
        return trunc(x)


cdef inline real rounded(real x) noexcept nogil:
    if real is float:
        return rintf(x)
    else:
        return rint(x)


cdef inline real with_sign(real x, real y) noexcept nogil:
    if real is float:
        return copysignf(x, y)
    else:
        return copysign(x, y)


cdef inline real sign_of(real x) noexcept nogil:
    """-1, 0 or 1; NaN for NaN."""
    cdef real found = <real>(x > 0) - <real>(x < 0)
    return found if x == x else x


cdef inline real negated(real x) noexcept nogil:
    return -x


# Compilers make one instruction of the first choice; the second is not made again for each element if y is a number.
cdef inline real larger(real x, real y) noexcept nogil:
    """The larger of two; NaN if either is."""
    cdef real found = y if y > x else x
    return found if y == y else y


cdef inline real smaller(real x, real y) noexcept nogil:
    """The smaller of two; NaN if either is."""
    cdef real found = y if y < x else x
    return found if y == y else y
