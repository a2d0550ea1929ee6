# cython: boundscheck=False, wraparound=False, cdivision=True
"""Exponentials, logarithms and hyperbolic functions, which NumPy computes without SIMD where there is no AVX-512.

All compute in double precision, for float32 with shorter polynomials, but exp, log and tanh of float32. They are
written so that the compiler vectorizes them: every case is computed, and the right one is chosen.
"""

from libc.math cimport INFINITY, NAN, copysign, copysignf, fabs, fabsf, sqrt
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy

import sys

import numpy as np

from rushlight.core.blocks cimport Kernel, Own, noted
from rushlight.core.elementary_polynomials cimport exponential_rest, logarithm_rest
from rushlight.core.exponentials cimport (
    exponential, exponential_of, nearest, power_of_two, power_of_two_at, remainder_of, rest_of_ln2, scaled, whole_ln2,
    within)
from rushlight.kernels.compiled.lanes cimport real, wide, wide_registers
from rushlight.kernels.compiled.ufuncs cimport Loop


cdef enum:
    LARGE = 1 << 28  # numbers whose square is as good as that square plus one


cdef inline double exponential_less_one(double x, double scale, bint precise) noexcept nogil:
    """exp(x) - 1 times a scale."""
    cdef double k, r, quarter
    x = within(x, -40, 710.7)  # so that k is at most 1025
    k = nearest(x * 1.4426950408889634)
    r = remainder_of(x, k)
    quarter = power_of_two(k - 2)
    return (quarter * (r + r * r * exponential_rest(r, precise)) + (quarter - 0.25)) * (4 * scale)


cdef wide exp(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = exponential_of(x[i])


cdef wide exp2(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double a, k
    if real is float:
        for i in range(n):
            out[i] = power_of_two_at(x[i])
    else:
        for i in range(n):
            a = within(x[i], -1076, 1025)
            k = nearest(a)
            out[i] = scaled((a - k) * 0.6931471805599453, k, 1, True)


cdef wide expm1(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double a
    for i in range(n):
        a = x[i]
        out[i] = <real>(a if fabs(a) < 1e-17 else exponential_less_one(a, 1, real is double))


cdef wide sinh(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double a, half
    for i in range(n):
        a = x[i]
        half = exponential_less_one(fabs(a), 0.5, real is double)
        half = half * (1 + 1 / (2 * half + 1))
        out[i] = <real>(a if fabs(a) < 1e-9 else copysign(half, a))


cdef wide cosh(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double half
    for i in range(n):
        half = exponential(fabs(<double>x[i]), 0.5, real is double)
        out[i] = <real>(half + 0.25 / half)


cdef inline float exponential_above_zero(float x) noexcept nogil:
    """exp(x) of a float from 0 to 80."""
    cdef float shifted = x * <float>1.4426950408889634 + <float>12582912, k = shifted - <float>12582912, r, p
    cdef int32_t bits, power
    r = (x - k * <float>0.693359375) - k * <float>-2.12194440e-4
    p = <float>(1 / 5040.0) * r + <float>(1 / 720.0)
    p = p * r + <float>(1 / 120.0)
    p = p * r + <float>(1 / 24.0)
    p = p * r + <float>(1 / 6.0)
    p = p * r + <float>0.5
    p = p * r + <float>1
    p = p * r + <float>1
    memcpy(&power, &shifted, 4)
    memcpy(&bits, &p, 4)
    bits += power << 23
    memcpy(&p, &bits, 4)
    return p


cdef inline float tanh_of_float(float x) noexcept nogil:
    """tanh(x): x + x**3 p(x**2) near 0, elsewhere 1 - 2 / (e**2|x| + 1)."""
    cdef float size = fabsf(x), square = x * x, near, far, p
    p = <float>-5.70498872745e-3 * square + <float>2.06390887954e-2
    p = p * square - <float>5.37397155531e-2
    p = p * square + <float>1.33314422036e-1
    p = p * square - <float>3.33332819422e-1
    near = size + size * (square * p)
    far = 10 if size > 10 else size
    far = 1 - <float>2 / (exponential_above_zero(far + far) + <float>1)
    far = near if size < <float>0.625 else far
    return copysignf(far, x) if x == x else x


cdef wide tanh(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double a, grown
    for i in range(n):
        if real is float:
            out[i] = tanh_of_float(x[i])
        else:
            a = x[i]
            grown = exponential_less_one(within(2 * fabs(a), 0, 50), 1, True)
            out[i] = a if fabs(a) < 1e-9 else copysign(grown / (grown + 2), a)


# logarithms: x = 2**k m, where m is around 1


cdef inline double taken_apart(double x, double* exponent) noexcept nogil:
    """The number m from √½ to √2 for which x = 2**exponent m."""
    cdef bint tiny = x < 2.2250738585072014e-308  # has fewer digits
    cdef double m = x * 18014398509481984.0 if tiny else x, k
    cdef uint64_t bits, high
    memcpy(&bits, &m, 8)
    bits += <uint64_t>0x00095f62 << 32
    high = (bits >> 52) | (<uint64_t>0x433 << 52)  # 2**52 and the exponent
    bits = (bits & ((<uint64_t>1 << 52) - 1)) + (<uint64_t>0x3fe6a09e << 32)
    memcpy(&m, &bits, 8)
    memcpy(&k, &high, 8)
    exponent[0] = k - (4503599627371573.0 if tiny else 4503599627371519.0)  # 2**52 + 1023, and 54
    return m


cdef inline double bend(double f, double half, bint precise) noexcept nogil:
    """log(1 + f) - f + half, where half = f² / 2."""
    cdef double s = f / (2 + f), square = s * s
    return s * (half + square * logarithm_rest(square, precise))


cdef inline double where_defined(double x, double result) noexcept nogil:
    """A logarithm of x: the result for positive numbers."""
    result = result if x < INFINITY else x
    return result if x > 0 else (-INFINITY if x == 0 else NAN)


cdef inline double logarithm(double x, bint precise) noexcept nogil:
    cdef double k, f = taken_apart(x, &k) - 1, half = 0.5 * f * f
    cdef double low = bend(f, half, precise) + rest_of_ln2(k)
    return where_defined(x, whole_ln2(k) - ((half - low) - f))


cdef inline double logarithm_of_one_and(double x, bint precise) noexcept nogil:
    """log(1 + x)."""
    cdef double k, sum = 1 + x, f = taken_apart(sum, &k) - 1, half, low, lost = 0
    if precise:  # what the sum has lost
        lost = ((1 - (sum - x)) if x > 1 else (x - (sum - 1))) / sum
    lost = 0 if k == 0 else lost
    f = x if k == 0 else f
    half = 0.5 * f * f
    low = bend(f, half, precise) + (rest_of_ln2(k) + lost)
    low = whole_ln2(k) - ((half - low) - f)
    return x if fabs(x) < 1e-17 else where_defined(sum, low)


cdef inline double in_base(
    double x, double high_factor, double low_factor, double high_step, double low_step, bint precise
) noexcept nogil:
    """A logarithm in another base: of the natural one's factor, and of what one more bit adds, both parts."""
    cdef double k, f = taken_apart(x, &k) - 1, half = 0.5 * f * f, rest = bend(f, half, precise)
    cdef double high = f - half, low, result
    cdef uint64_t bits
    if precise:
        memcpy(&bits, &high, 8)
        bits = bits & (<uint64_t>0xffffffff << 32)  # half of the digits, so that the product is exact
        memcpy(&high, &bits, 8)
        low = (f - high) - half + rest
        low = k * low_step + (low + high) * low_factor + low * high_factor
        high = high * high_factor
        result = k * high_step + high
        low += (k * high_step - result) + high
        result += low
    else:
        result = k * (high_step + low_step) + (high + rest) * (high_factor + low_factor)
    return where_defined(x, result)


cdef inline float logarithm_of_float(float x) noexcept nogil:
    """log(x), to one unit in the last place; the polynomial is that of Moshier's Cephes library."""
    cdef bint tiny = x < <float>1.17549435e-38  # has fewer digits
    cdef float m = x * <float>33554432 if tiny else x, k, f, p, square, result
    cdef int32_t bits, bias = 152 if tiny else 127
    memcpy(&bits, &m, 4)
    bits += 0x004afb0d
    k = <float>((bits >> 23) - bias)
    bits = (bits & 0x007fffff) + 0x3f3504f3
    memcpy(&m, &bits, 4)
    f = m - <float>1
    square = f * f
    p = <float>7.0376836292e-2 * f - <float>1.1514610310e-1
    p = p * f + <float>1.1676998740e-1
    p = p * f - <float>1.2420140846e-1
    p = p * f + <float>1.4249322787e-1
    p = p * f - <float>1.6668057665e-1
    p = p * f + <float>2.0000714765e-1
    p = p * f - <float>2.4999993993e-1
    p = p * f + <float>3.3333331174e-1
    p = p * f * square + k * <float>-2.12194440e-4
    result = (f + (p - <float>0.5 * square)) + k * <float>0.693359375
    result = result if x < <float>INFINITY else x
    return result if x > 0 else (<float>-INFINITY if x == 0 else <float>NAN)


cdef wide log(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = logarithm_of_float(x[i]) if real is float else logarithm(x[i], True)


cdef wide log1p(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <real>logarithm_of_one_and(x[i], real is double)


cdef wide log2(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <real>in_base(x[i], 1.44269504072144627571, 1.67517131648865118353e-10, 1, 0, real is double)


cdef wide log10(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <real>in_base(
            x[i], 4.34294481878168880939e-01, 2.50829467116452752298e-11,
            3.01029995663611771306e-01, 3.69423907715893078616e-13, real is double)


# inverses of the hyperbolic functions


cdef wide arcsinh(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double a, size, square, grown
    for i in range(n):
        a = x[i]
        size = fabs(a)
        square = size * size
        grown = size if size > LARGE else size + square / (1 + sqrt(square + 1))
        grown = logarithm_of_one_and(grown, real is double) + (0.6931471805599453 if size > LARGE else 0)
        out[i] = <real>copysign(grown, a)


cdef wide arccosh(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double a, above
    for i in range(n):
        a = x[i]
        above = a - 1 if a >= 1 else NAN
        above = above if a > LARGE else above + sqrt(above * (a + 1))
        out[i] = <real>(
            logarithm_of_one_and(above, real is double) + (0.6931471805599453 if a > LARGE else 0))


cdef wide arctanh(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double a, size
    for i in range(n):
        a = x[i]
        size = fabs(a)
        out[i] = <real>copysign(0.5 * logarithm_of_one_and(2 * size / (1 - size), real is double), a)


cdef Own[13] OWN = [
    Own(1, <Kernel>exp[float], <Kernel>exp[double]),
    Own(1, <Kernel>exp2[float], <Kernel>exp2[double]),
    Own(1, <Kernel>expm1[float], <Kernel>expm1[double]),
    Own(1, <Kernel>sinh[float], <Kernel>sinh[double]),
    Own(1, <Kernel>cosh[float], <Kernel>cosh[double]),
    Own(1, <Kernel>tanh[float], <Kernel>tanh[double]),
    Own(1, <Kernel>log[float], <Kernel>log[double]),
    Own(1, <Kernel>log1p[float], <Kernel>log1p[double]),
    Own(1, <Kernel>log2[float], <Kernel>log2[double]),
    Own(1, <Kernel>log10[float], <Kernel>log10[double]),
    Own(1, <Kernel>arcsinh[float], <Kernel>arcsinh[double]),
    Own(1, <Kernel>arccosh[float], <Kernel>arccosh[double]),
    Own(1, <Kernel>arctanh[float], <Kernel>arctanh[double]),
]
cdef tuple FUNCTIONS = (
    np.exp, np.exp2, np.expm1, np.sinh, np.cosh, np.tanh, np.log, np.log1p, np.log2, np.log10, np.arcsinh, np.arccosh,
    np.arctanh)

cdef tuple FASTER = (np.exp, np.exp2, np.log)  # for float32 also where NumPy computes in vectors


cdef bint exponential_loop(object function, bint single, Loop* loop):
    """Whether we have a faster loop than NumPy for a function and a float dtype; if so, sets `loop`."""
    if function not in FUNCTIONS or (has_vectors() and not (single and function in FASTER)):
        return False
    return noted(&OWN[FUNCTIONS.index(function)], single, loop)


cdef bint has_vectors():
    """Whether NumPy computes these functions in vectors: its builds for Linux do with AVX-512."""
    if sys.platform != "linux" or not wide_registers():
        return False
    found = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", ())
    return "AVX512_SKX" in found or "X86_V4" in found
