# cython: boundscheck=False, wraparound=False, cdivision=True
"""Elementary functions that NumPy computes without SIMD: sign, reciprocal, hypot, logaddexp, nextafter and others.

All is written so that the compiler vectorizes it.
"""

from libc.math cimport INFINITY, NAN, fabs, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy
from numpy cimport npy_intp

import numpy as np

from rushlight.core.blocks cimport Kernel, Own, noted
from rushlight.kernels.compiled.exponential cimport exponentials
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.ufuncs cimport Loop


cdef wide signs(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    """-1, 0 or 1, and NaN for NaN."""
    cdef Py_ssize_t i
    cdef real a, b
    for i in range(n):
        a = x[i]
        b = <real>(a > 0) - <real>(a < 0)
        out[i] = b if a == a else a


cdef wide inverses(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    """1 / x."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = 1 / x[i]


cdef inline real length_of(real x, real y) noexcept nogil:
    """sqrt(x² + y²): float32 in double precision; float64 scaled near 1 first, so that the squares are finite."""
    cdef double a = fabs(<double>x), b = fabs(<double>y), most, scale, back, length
    if real is float:
        length = sqrt(a * a + b * b)
    else:
        most = a if a > b else b
        scale = 2.4099198651028841e-181 if most > 1e150 else 1.0  # 2**-600
        back = 4.149515568880993e180 if most > 1e150 else 1.0
        scale = 4.149515568880993e180 if most < 1e-150 else scale
        back = 2.4099198651028841e-181 if most < 1e-150 else back
        a, b = a * scale, b * scale
        length = sqrt(a * a + b * b) * back
    return <real>INFINITY if (a == INFINITY) | (b == INFINITY) else <real>length


cdef wide lengths(const real* x, const real* y, real* out, Py_ssize_t n) noexcept nogil:
    """`length_of` each pair."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = length_of(x[i], y[i])


cdef inline real log_above_one(real t) noexcept nogil:
    """log(1 + t) for t from 0 to 1: the series of 2 atanh(s), or log(2) + 2 atanh(s) where that s is nearer to 0."""
    cdef bint high = t > <real>0.41421356237309503
    cdef real s = (t - 1) / (t + 3) if high else t / (t + 2), q = s * s, rest
    if real is float:
        rest = <real>(1 / 9.0) * q + <real>(1 / 7.0)
    else:
        rest = <real>(1 / 23.0) * q + <real>(1 / 21.0)
        rest = rest * q + <real>(1 / 19.0)
        rest = rest * q + <real>(1 / 17.0)
        rest = rest * q + <real>(1 / 15.0)
        rest = rest * q + <real>(1 / 13.0)
        rest = rest * q + <real>(1 / 11.0)
        rest = rest * q + <real>(1 / 9.0)
        rest = rest * q + <real>(1 / 7.0)
    rest = rest * q + <real>(1 / 5.0)
    rest = rest * q + <real>(1 / 3.0)
    return (<real>0.6931471805599453 if high else <real>0) + (2 * s + 2 * s * (rest * q))


cdef wide below_higher(const real* x, const real* y, real* out, real factor, Py_ssize_t n) noexcept nogil:
    """-|x - y| times a factor; 0 where both are the same infinity."""
    cdef Py_ssize_t i
    cdef real apart
    for i in range(n):
        apart = x[i] - y[i]
        apart = -apart if apart > 0 else apart
        out[i] = <real>0 if x[i] == y[i] else apart * factor


cdef wide above_higher(const real* x, const real* y, real* out, real factor, Py_ssize_t n) noexcept nogil:
    """max(x, y) + log1p(out) times a factor, written to `out`."""
    cdef Py_ssize_t i
    cdef real higher
    for i in range(n):
        higher = x[i] if (x[i] >= y[i]) | (x[i] != x[i]) else y[i]
        out[i] = higher + log_above_one(out[i]) * factor


cdef void sums_of_exponentials(const real* x, const real* y, real* out, Py_ssize_t n) noexcept nogil:
    """log(exp(x) + exp(y))."""
    below_higher(x, y, out, <real>1, n)
    exponentials(out, out, n)
    above_higher(x, y, out, <real>1, n)


cdef void sums_of_powers(const real* x, const real* y, real* out, Py_ssize_t n) noexcept nogil:
    """log2(2**x + 2**y)."""
    below_higher(x, y, out, <real>0.6931471805599453, n)
    exponentials(out, out, n)
    above_higher(x, y, out, <real>1.4426950408889634, n)


cdef wide next_singles(const float* x, const float* y, float* out, Py_ssize_t n) noexcept nogil:
    """The next float after x in the direction of y."""
    cdef Py_ssize_t i
    cdef int32_t bits, towards, least
    cdef float a, b, moved
    for i in range(n):
        a, b = x[i], y[i]
        memcpy(&bits, &x[i], 4)
        memcpy(&towards, &y[i], 4)
        least = (towards & <int32_t>0x80000000) | 1
        bits += 1 if (b > a) == (a > 0) else -1
        bits = least if a == 0 else bits
        memcpy(&moved, &bits, 4)
        moved = b if a == b else moved
        out[i] = a + b if (a != a) | (b != b) else moved


cdef wide next_doubles(const double* x, const double* y, double* out, Py_ssize_t n) noexcept nogil:
    """`next_singles` in double precision."""
    cdef Py_ssize_t i
    cdef int64_t bits, towards, least, step
    cdef double a, b, moved
    for i in range(n):
        a, b = x[i], y[i]
        memcpy(&bits, &x[i], 8)
        memcpy(&towards, &y[i], 8)
        least = (towards & (<int64_t>1 << 63)) | 1
        step = 1 if (b > a) == (a > 0) else -1
        bits = least if a == 0 else bits + step
        memcpy(&moved, &bits, 8)
        moved = b if a == b else moved
        out[i] = a + b if (a != a) | (b != b) else moved


cdef wide negatives(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    """-x of complex numbers."""
    cdef Py_ssize_t i
    for i in range(2 * n):
        out[i] = -x[i]


cdef wide directions(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    """x / |x| of complex numbers: 0 for 0, a part alone where it alone is infinite, NaN where both are or one is NaN."""
    cdef Py_ssize_t i
    cdef real a, b, length
    for i in range(n):
        a, b = x[2 * i], x[2 * i + 1]
        length = length_of(a, b)
        a, b = side_of(a, b, length), side_of(b, a, length)
        out[2 * i], out[2 * i + 1] = a, b


cdef inline real side_of(real x, real other, real length) noexcept nogil:
    """A part of a complex number divided by its absolute value."""
    cdef real unit = <real>(x > 0) - <real>(x < 0)
    cdef bint is_infinite = fabs(x) == INFINITY
    if length == INFINITY:
        return <real>NAN if (is_infinite & (fabs(other) == INFINITY)) | (x != x) | (other != other) else unit if is_infinite else 0
    return <real>0 if length == 0 else x / length


cdef Own[6] OWN = [
    Own(1, <Kernel>signs[float], <Kernel>signs[double]),
    Own(1, <Kernel>inverses[float], <Kernel>inverses[double]),
    Own(2, <Kernel>lengths[float], <Kernel>lengths[double]),
    Own(2, <Kernel>sums_of_exponentials[float], <Kernel>sums_of_exponentials[double]),
    Own(2, <Kernel>sums_of_powers[float], <Kernel>sums_of_powers[double]),
    Own(2, <Kernel>next_singles, <Kernel>next_doubles),
]
cdef tuple FUNCTIONS = (np.sign, np.reciprocal, np.hypot, np.logaddexp, np.logaddexp2, np.nextafter)


cdef bint elementary_loop(object function, bint single, Loop* loop):
    """Whether we have a loop of our own for a function and a float dtype; if so, sets `loop`."""
    return function in FUNCTIONS and noted(&OWN[FUNCTIONS.index(function)], single, loop)


cdef Own[2] OWN_OF_COMPLEX = [
    Own(1, <Kernel>negatives[float], <Kernel>negatives[double]),
    Own(1, <Kernel>directions[float], <Kernel>directions[double]),
]
cdef tuple FUNCTIONS_OF_COMPLEX = (np.negative, np.sign)


cdef inline void take_complex(Kernel kernel, char** args, npy_intp n, const npy_intp* strides, npy_intp size) noexcept nogil:
    """A step on n complex numbers of some size."""
    cdef npy_intp i
    if strides[0] == size and strides[1] == size:
        kernel(args[0], NULL, args[1], n)
        return
    for i in range(n):
        kernel(args[0] + i * strides[0], NULL, args[1] + i * strides[1], 1)


cdef void take_complex_singles(char** args, const npy_intp* n, const npy_intp* strides, void* data) noexcept nogil:
    take_complex((<const Own*>data).singles, args, n[0], strides, 2 * sizeof(float))


cdef void take_complex_doubles(char** args, const npy_intp* n, const npy_intp* strides, void* data) noexcept nogil:
    take_complex((<const Own*>data).doubles, args, n[0], strides, 2 * sizeof(double))


cdef bint complex_loop(object function, bint single, Loop* loop):
    """`elementary_loop` for complex numbers."""
    if function not in FUNCTIONS_OF_COMPLEX:
        return False
    loop.function = take_complex_singles if single else take_complex_doubles
    loop.data = &OWN_OF_COMPLEX[FUNCTIONS_OF_COMPLEX.index(function)]
    return True
