# cython: boundscheck=False, wraparound=False, cdivision=True
"""Trigonometric functions and their inverses, which NumPy computes without SIMD where there is no AVX-512.

With AVX-512 NumPy's loops for float32 are the faster ones, but for sines and cosines. Ours compute in double precision,
but for sines and cosines of float32. They are written so that the compiler vectorizes them: every case is computed, and
the right one is chosen. Large angles are left to the C library.
"""

cimport libc.math
from libc.math cimport INFINITY, copysign, fabs, fabsf, fmaf, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

import numpy as np

from rushlight.core.blocks cimport Kernel, Own, noted
from rushlight.core.elementary_polynomials cimport arcsine_rest, arctangent_rest
from rushlight.core.exponential_loops cimport has_vectors
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.tiles cimport register_bytes
from rushlight.kernels.compiled.ufuncs cimport Loop


cdef enum:
    FAR = 1000000  # the largest angle that is turned back here
    FAR_FLOAT = 100000  # in float32


# sine, cosine and tangent: of x less the nearest multiple of π/2


cdef inline double turned_back(double x, int64_t* quarters) noexcept nogil:
    """x less the nearest multiple of π/2, which is subtracted in three parts; how many quarters of a turn that is."""
    cdef double shifted = x * 0.6366197723675814 + 6755399441055744.0  # rounds to an integer, in the lowest bits
    cdef double count = shifted - 6755399441055744.0
    memcpy(quarters, &shifted, 8)
    x = x - count * 1.57079632673412561417e+00
    x = x - count * 6.07710050630396597660e-11
    return x - count * 2.02226624879595063154e-21


cdef inline double sine_nearby(double r) noexcept nogil:
    """sin(r) for |r| up to π/4."""
    cdef double square = r * r
    cdef double s = 1.58969099521155010221e-10 * square - 2.50507602534068634195e-08
    s = s * square + 2.75573137070700676789e-06
    s = s * square - 1.98412698298579493134e-04
    s = s * square + 8.33333333332248946124e-03
    s = s * square - 1.66666666666666324348e-01
    return r + r * (square * s)


cdef inline double cosine_nearby(double r) noexcept nogil:
    """cos(r) for |r| up to π/4."""
    cdef double square = r * r, half = 1 - 0.5 * square
    cdef double c = -1.13596475577881948265e-11 * square + 2.08757232129817482790e-09
    c = c * square - 2.75573143513906633035e-07
    c = c * square + 2.48015872894767294178e-05
    c = c * square - 1.38888888888741095749e-03
    c = c * square + 4.16666666666666019037e-02
    return half + ((1 - half - 0.5 * square) + square * square * c)


cdef inline double turned(double x, int64_t quarter) noexcept nogil:
    """sin(x + quarter π/2)."""
    cdef int64_t quarters
    cdef double r = turned_back(x, &quarters)
    quarters += quarter
    r = cosine_nearby(r) if quarters & 1 else sine_nearby(r)
    return -r if quarters & 2 else r


cdef inline float turned_float(float x, int32_t quarter) noexcept nogil:
    """sin(x) for quarter 0 and cos(x) for quarter 1, by the polynomials of Cephes: of |x|, so that -0 keeps its sign."""
    cdef float a = fabsf(x), shifted = fmaf(a, <float>0.6366197723675814, <float>12582912), r, square, s, c
    cdef float count = <float>12582912 - shifted
    cdef int32_t quarters, sign, bits
    r = fmaf(count, <float>1.5707962512969971, a)  # exact
    r = fmaf(count, <float>5.3903025299577648e-15, fmaf(count, <float>7.5497894158615964e-08, r))
    square = r * r
    s = <float>-1.9515295891e-4 * square + <float>8.3321608736e-3
    c = <float>2.443315711809948e-5 * square - <float>1.388731625493765e-3
    s = s * square - <float>1.6666654611e-1
    c = c * square + <float>4.166664568298827e-2
    s = r + r * (square * s)
    c = <float>1 - (<float>0.5 * square - square * square * c)
    memcpy(&quarters, &shifted, 4)
    quarters += quarter
    r = c if quarters & 1 else s
    memcpy(&bits, &r, 4)
    memcpy(&sign, &x, 4)
    bits ^= (quarters & 2) << 30 ^ sign & (quarter - 1) & <int32_t>0x80000000
    memcpy(&r, &bits, 4)
    return r


cdef wide sines_nearby(const real* x, real* out, Py_ssize_t n, int quarter, int* far) noexcept nogil:
    """sin(x + quarter π/2), where x is not far; -0 stays in sin(x)."""
    cdef Py_ssize_t i
    cdef int32_t found = 0
    cdef int64_t found_wide = 0
    for i in range(n):
        if real is float:
            found |= 0 if fabsf(x[i]) < <float>FAR_FLOAT else 1
            out[i] = turned_float(x[i], quarter)
        else:
            found_wide |= 0 if fabs(x[i]) < FAR else 1
            out[i] = x[i] if (x[i] == 0) & (quarter == 0) else turned(x[i], quarter)
    far[0] = found | <int>found_wide


cdef wide tangents_nearby(const real* x, real* out, Py_ssize_t n, int* far) noexcept nogil:
    cdef Py_ssize_t i
    cdef int64_t found = 0, quarters
    cdef double a, r, s, c
    for i in range(n):
        a = x[i]
        found |= 0 if fabs(a) < FAR else 1
        r = turned_back(a, &quarters)
        s, c = sine_nearby(r), cosine_nearby(r)
        r = -c if quarters & 1 else s
        r = r / (s if quarters & 1 else c)
        out[i] = <real>(a if a == 0 else r)
    far[0] = <int>found


cdef void far_ones(const real* x, real* out, Py_ssize_t n, double (*function)(double) noexcept nogil) noexcept nogil:
    """Leaves the angles that are far to the C library."""
    cdef Py_ssize_t i
    for i in range(n):
        if not fabs(x[i]) < FAR:
            out[i] = <real>function(x[i])


cdef void sin(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef int far = 0
    sines_nearby(x, out, n, 0, &far)
    if far:
        far_ones(x, out, n, libc.math.sin)


cdef void cos(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef int far = 0
    sines_nearby(x, out, n, 1, &far)
    if far:
        far_ones(x, out, n, libc.math.cos)


cdef void tan(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef int far = 0
    tangents_nearby(x, out, n, &far)
    if far:
        far_ones(x, out, n, libc.math.tan)


# their inverses


cdef inline double angle_of(double a, double b, bint precise) noexcept nogil:
    """atan(a / b) for 0 <= a <= b and b > 0: where that is above π/8 by way of (a - b) / (a + b)."""
    cdef bint steep = a > 0.41421356237309503 * b
    cdef double t = (a - b if steep else a) / (a + b if steep else b), square = t * t
    cdef double angle = t + t * (square * arctangent_rest(square, precise))
    return 0.7853981633974483 + (angle + 3.061616997868383e-17) if steep else angle


cdef inline double to_right_angle(double angle) noexcept nogil:
    """π/2 less an angle."""
    return 1.5707963267948966 - (angle - 6.123233995736766e-17)


cdef inline double to_straight_angle(double angle) noexcept nogil:
    """π less an angle."""
    return 3.141592653589793 - (angle - 1.2246467991473532e-16)


cdef inline double arcsine_nearby(double size, bint precise) noexcept nogil:
    """asin(size) for sizes up to a half; above, half of acos(size)."""
    cdef bint near = size <= 0.5
    cdef double square = size * size if near else 0.5 * (1 - size), root = size if near else sqrt(square)
    return root + root * (square * arcsine_rest(square, precise))


cdef wide arctan(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double a, size, angle
    for i in range(n):
        a = x[i]
        size = fabs(a)
        angle = angle_of(1 if size > 1 else size, size if size > 1 else 1, real is double)
        out[i] = <real>copysign(to_right_angle(angle) if size > 1 else angle, a)


cdef wide arctan2(const real* y, const real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double a, b, high, low, angle
    cdef bint endless
    for i in range(n):
        a, b = fabs(<double>y[i]), fabs(<double>x[i])
        high = a if a > b else b
        low = b if a > b else a
        endless = (low == INFINITY) & (high == INFINITY)
        low = 1 if endless else low
        high = 1 if endless | (high == 0) else high
        if real is double:  # so that the sum is finite
            low = low * (0.5 if high > 1e300 else 1)
            high = high * (0.5 if high > 1e300 else 1)
        angle = angle_of(low, high, real is double)
        angle = to_right_angle(angle) if a > b else angle
        angle = to_straight_angle(angle) if copysign(1, x[i]) < 0 else angle
        out[i] = <real>copysign(angle, y[i])


cdef wide arcsin(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double a, size, angle
    for i in range(n):
        a = x[i]
        size = fabs(a)
        angle = arcsine_nearby(size, real is double)
        out[i] = <real>copysign(angle if size <= 0.5 else to_right_angle(2 * angle), a)


cdef wide arccos(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double a, size, angle, far
    for i in range(n):
        a = x[i]
        size = fabs(a)
        angle = arcsine_nearby(size, real is double)
        far = to_straight_angle(2 * angle) if a < 0 else 2 * angle
        out[i] = <real>(to_right_angle(copysign(angle, a)) if size <= 0.5 else far)


cdef Own[7] OWN = [
    Own(1, <Kernel>sin[float], <Kernel>sin[double]),
    Own(1, <Kernel>cos[float], <Kernel>cos[double]),
    Own(1, <Kernel>tan[float], <Kernel>tan[double]),
    Own(1, <Kernel>arcsin[float], <Kernel>arcsin[double]),
    Own(1, <Kernel>arccos[float], <Kernel>arccos[double]),
    Own(1, <Kernel>arctan[float], <Kernel>arctan[double]),
    Own(2, <Kernel>arctan2[float], <Kernel>arctan2[double]),
]
cdef tuple FUNCTIONS = (np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.arctan2)


cdef bint angle_loop(object function, bint single, Loop* loop):
    """Whether we have a faster loop than NumPy for a function and a float dtype; if so, sets `loop`."""
    cdef bint turns_back = function is np.sin or function is np.cos
    if function not in FUNCTIONS or (has_vectors() and single and not turns_back):
        return False
    if turns_back and single and register_bytes() == 0:  # the CPU has no instruction for what `fmaf` computes
        return False
    return noted(&OWN[FUNCTIONS.index(function)], single, loop)
