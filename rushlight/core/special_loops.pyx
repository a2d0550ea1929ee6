# cython: boundscheck=False, wraparound=False, cdivision=True
"""Special functions that SciPy computes without SIMD: error, Bessel, Airy and gamma functions, ndtr, zeta.

They are computed in double precision for both dtypes, with as many terms as each needs, in loops that vectorize. Where
a function is easy for only some arguments, SciPy's own loop computes the others.
"""

from libc.math cimport copysign, fabs, sqrt

import sys

from numpy cimport npy_intp

from rushlight.core.blocks cimport BLOCK, Kernel, Own, noted
from rushlight.core.special_polynomials cimport (
    airy_far, airy_nearby, error_nearby, gamma_far, gamma_nearby, i0_far, i0_nearby, i1_far, i1_nearby, j0_nearby, j1_nearby,
    k0_far, k0_log, k0_nearby, k1_far, k1_log, k1_nearby, quantile_far, quantile_nearby, tail_of_bell, y0_nearby, y1_nearby)
from rushlight.kernels.compiled.exponential cimport exponentials
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.ufuncs cimport Loop, loop_of, run

import numpy as np


cdef void widened(const real* x, double* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = x[i]


cdef Loop EXPONENTIAL = loop_of(np.exp, "d->d"), LOGARITHM = loop_of(np.log, "d->d")


# the error functions and the normal distribution function


cdef wide below_bell(const real* x, double* out, double share, Py_ssize_t n) noexcept nogil:
    """The argument of exp: a share of -x²."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = -share * (<double>x[i] * x[i])


cdef wide complements(
    const real* x, const double* bell, real* out, double scale, double share, Py_ssize_t n
) noexcept nogil:
    """A share of erfc(x scale), from exp(-x² scale²), corrected for the rounding error of the square."""
    cdef Py_ssize_t i
    cdef double size, t, high, lost, result
    for i in range(n):
        size = fabs(<double>x[i])
        t = 2 / (2 + size * fabs(scale))
        result = t * tail_of_bell(2 * t - 1, real is double) * bell[i]
        if real is double:
            high = size * 134217729.0  # 2**27 + 1: the upper half of the digits
            high = high - (high - size)
            lost = size * size - high * high - 2 * high * (size - high) - (size - high) * (size - high)
            result = result + result * (lost * share if size < 64 else 0)
        out[i] = <real>(share * (2 - result if x[i] * scale < 0 else result))


cdef void error_complements(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    """erfc(x)."""
    cdef double bell[BLOCK]
    below_bell(x, bell, 1, n)
    exponentials(bell, bell, n)
    complements(x, bell, out, 1, 1, n)


cdef wide single_errors(const float* x, float* out, Py_ssize_t n) noexcept nogil:
    """erf(x), by a polynomial up to 4; from there on it rounds to 1."""
    cdef Py_ssize_t i
    cdef double a
    for i in range(n):
        a = x[i]
        a = 4 if a > 4 else a
        a = -4 if a < -4 else a
        out[i] = <float>(a * error_nearby(a * a * 0.125 - 1, False))


cdef wide double_errors(const double* x, const double* rest, double* out, Py_ssize_t n) noexcept nogil:
    """erf(x), by a polynomial up to 1, then from what erfc leaves of 1."""
    cdef Py_ssize_t i
    cdef double near
    for i in range(n):
        near = x[i] * error_nearby(2 * x[i] * x[i] - 1, True)
        out[i] = 1 - rest[i] if fabs(x[i]) > 1 else near


cdef void errors(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    """erf(x)."""
    cdef double rest[BLOCK]
    if real is float:
        single_errors(x, out, n)
    else:
        error_complements[double](x, NULL, rest, n)
        double_errors(x, rest, out, n)


cdef void normal_shares(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    """The distribution function of the normal distribution: erfc(-x / sqrt(2)) / 2."""
    cdef double bell[BLOCK]
    below_bell(x, bell, 0.5, n)
    exponentials(bell, bell, n)
    complements(x, bell, out, -0.7071067811865476, 0.5, n)


cdef wide squares_below_zero(const real* x, double* out, Py_ssize_t n) noexcept nogil:
    """x² where x is negative, else 0."""
    cdef Py_ssize_t i
    cdef double a
    for i in range(n):
        a = x[i]
        a = a if a < 0 else 0
        out[i] = a * a


cdef wide scaled(const real* x, const double* growth, real* out, Py_ssize_t n) noexcept nogil:
    """exp(x²) erfc(x), from exp(x²) where x is negative, corrected for the rounding error of the square."""
    cdef Py_ssize_t i
    cdef double a, size, t, high, lost, tail
    for i in range(n):
        a = x[i]
        size = fabs(a)
        t = 2 / (2 + size)
        tail = t * tail_of_bell(2 * t - 1, real is double)
        high = size * 134217729.0  # as in `complements`
        high = high - (high - size)
        lost = size * size - high * high - 2 * high * (size - high) - (size - high) * (size - high)
        lost = 2 * growth[i] * (1 - (lost if size < 64 else 0))
        out[i] = <real>(lost - tail if a < 0 else tail)


cdef void scaled_complements(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    """erfcx(x) = exp(x²) erfc(x)."""
    cdef double[BLOCK] growth
    squares_below_zero(x, growth, n)
    run(&EXPONENTIAL, growth, growth, n, sizeof(double))
    scaled(x, growth, out, n)


# the inverse error function, from the quantiles of the normal distribution

cdef Loop INVERSE  # SciPy's erfinv, in double precision

cdef double NEAR = 5  # the largest argument of Bessel functions that is near 0
cdef double LEAST = 1e-300, MOST = 1e300  # between which numbers have reciprocals and logarithms

cdef enum:
    FARTHEST = 23  # the largest -log((1 - |x|) / 2) that is computed here


cdef wide upper_shares(const real* x, double* out, Py_ssize_t n) noexcept nogil:
    """The share of the normal distribution above a quantile."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = (1 - fabs(<double>x[i])) * 0.5


cdef wide far_quantiles(const double* logarithms, double* out, int* others, Py_ssize_t n) noexcept nogil:
    """Quantiles far from the middle, by the logarithms of the shares above; sets `others` if some are too far."""
    cdef Py_ssize_t i
    cdef int left = 0
    for i in range(n):
        out[i] = quantile_far(sqrt(-logarithms[i]) - 1.6)
        left |= (logarithms[i] < -FARTHEST) | (logarithms[i] != logarithms[i])
    others[0] = left


cdef wide quantiles(const real* x, const double* far, real* out, Py_ssize_t n) noexcept nogil:
    """erfinv(x), from the quantiles far from the middle."""
    cdef Py_ssize_t i
    cdef double near, half
    for i in range(n):
        half = <double>x[i] * 0.5
        near = half * quantile_nearby(0.180625 - half * half)
        half = copysign(far[i], half) if fabs(half) > 0.425 else near
        out[i] = <real>(half * 0.7071067811865476)


cdef void inverse_errors(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    """erfinv(x)."""
    cdef double[BLOCK] logarithms
    cdef double[BLOCK] far
    cdef double given, found
    cdef Py_ssize_t i
    cdef int others
    upper_shares(x, logarithms, n)
    run(&LOGARITHM, logarithms, logarithms, n, sizeof(double))
    far_quantiles(logarithms, far, &others, n)
    quantiles(x, far, out, n)
    if others:
        for i in range(n):
            if not logarithms[i] >= -FARTHEST:
                given = x[i]
                run(&INVERSE, &given, &found, 1, sizeof(double))
                out[i] = <real>found


# modified Bessel functions


cdef wide scaled_i0(const real* x, real* out, Py_ssize_t n) noexcept nogil:
    """exp(-|x|) I0(x)."""
    cdef Py_ssize_t i
    cdef double size, near, far
    for i in range(n):
        size = fabs(<double>x[i])
        near = i0_nearby(size * 0.25 - 1, real is double)
        far = i0_far(16 / size - 1, real is double) / sqrt(size)
        out[i] = <real>(far if size > 8 else near)


cdef wide scaled_i1(const real* x, real* out, Py_ssize_t n) noexcept nogil:
    """exp(-|x|) I1(x)."""
    cdef Py_ssize_t i
    cdef double size, near, far
    for i in range(n):
        size = fabs(<double>x[i])
        near = i1_nearby(size * 0.25 - 1, real is double) * size
        far = i1_far(16 / size - 1, real is double) / sqrt(size)
        near = far if size > 8 else near
        out[i] = <real>(-near if x[i] < 0 else near)


cdef wide below_zero(const real* x, double* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = -fabs(<double>x[i])


cdef wide unscaled(const double* scaled, const double* scales, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <real>(scaled[i] / scales[i])


cdef void first_kind(const real* x, real* out, int order, Py_ssize_t n) noexcept nogil:
    """I0 or I1."""
    cdef double scales[BLOCK]
    cdef double scaled[BLOCK]
    cdef double numbers[BLOCK]
    widened(x, numbers, n)
    if order == 0:
        scaled_i0(numbers, scaled, n)
    else:
        scaled_i1(numbers, scaled, n)
    below_zero(x, scales, n)
    exponentials(scales, scales, n)
    unscaled(scaled, scales, out, n)


cdef void each_i0(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    first_kind(x, out, 0, n)


cdef void each_i1(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    first_kind(x, out, 1, n)


cdef void each_i0e(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    scaled_i0(x, out, n)


cdef void each_i1e(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    scaled_i1(x, out, n)


# functions that are computed within bounds; SciPy's own loops compute the others

cdef Loop BESSEL_J0, BESSEL_J1, BESSEL_Y0, BESSEL_Y1, BESSEL_K0, BESSEL_K1, SCALED_K0, SCALED_K1, AIRY, LOG_GAMMA


cdef wide look_beyond(const real* x, double least, double most, int* others, Py_ssize_t n) noexcept nogil:
    """Sets `others` if some numbers are not from `least` to `most`."""
    cdef Py_ssize_t i
    cdef int found = 0
    for i in range(n):
        found |= not ((x[i] >= least) & (x[i] <= most))
    others[0] = found


cdef void compute_beyond(
    const Loop* loop, const real* x, real* out, double least, double most, Py_ssize_t n
) noexcept nogil:
    """Has SciPy's loop compute what is not from `least` to `most`; of several results the first one counts."""
    cdef double given
    cdef double[4] found
    cdef char* args[5]
    cdef npy_intp steps[5]
    cdef npy_intp one = 1
    cdef Py_ssize_t i
    cdef int others, k
    look_beyond(x, least, most, &others, n)
    if not others:
        return
    for k in range(5):
        steps[k] = sizeof(double)
    for i in range(n):
        if not least <= x[i] <= most:
            given, args[0] = x[i], <char*>&given
            for k in range(4):  # each time: SciPy's loops move the pointers
                args[k + 1] = <char*>(found + k)
            loop.function(args, &one, steps, loop.data)
            out[i] = <real>found[0]


cdef wide first_j0(const real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double square
    for i in range(n):
        square = <double>x[i] * x[i]
        out[i] = <real>((square - 5.783185962946784) * j0_nearby(square * 0.08 - 1, real is double))


cdef wide first_j1(const real* x, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double square
    for i in range(n):
        square = <double>x[i] * x[i]
        out[i] = <real>(x[i] * (square - 14.681970642123893) * j1_nearby(square * 0.08 - 1, real is double))


cdef wide second_y0(const real* x, const double* logs, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double square, u, first
    for i in range(n):
        square = <double>x[i] * x[i]
        u = square * 0.08 - 1
        first = (square - 5.783185962946784) * j0_nearby(u, real is double)
        out[i] = <real>(y0_nearby(u, real is double) + 0.6366197723675814 * logs[i] * first)


cdef wide second_y1(const real* x, const double* logs, real* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double square, u, first
    for i in range(n):
        square = <double>x[i] * x[i]
        u = square * 0.08 - 1
        first = x[i] * (square - 14.681970642123893) * j1_nearby(u, real is double)
        out[i] = <real>(x[i] * y1_nearby(u, real is double) + 0.6366197723675814 * (logs[i] * first - 1 / <double>x[i]))


cdef void logarithms(const real* x, double* out, Py_ssize_t n) noexcept nogil:
    widened(x, out, n)
    run(&LOGARITHM, out, out, n, sizeof(double))


cdef void each_j0(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    first_j0(x, out, n)
    compute_beyond(&BESSEL_J0, x, out, -NEAR, NEAR, n)


cdef void each_j1(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    first_j1(x, out, n)
    compute_beyond(&BESSEL_J1, x, out, -NEAR, NEAR, n)


cdef void each_y0(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef double logs[BLOCK]
    logarithms(x, logs, n)
    second_y0(x, logs, out, n)
    compute_beyond(&BESSEL_Y0, x, out, LEAST, NEAR, n)


cdef void each_y1(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef double logs[BLOCK]
    logarithms(x, logs, n)
    second_y1(x, logs, out, n)
    compute_beyond(&BESSEL_Y1, x, out, LEAST, NEAR, n)


cdef wide modified_k0(
    const real* x, const double* logs, const double* growth, real* out, bint scaled, Py_ssize_t n
) noexcept nogil:
    """K0, or exp(x) K0 if `scaled`, from log(x) and exp(-|x|)."""
    cdef Py_ssize_t i
    cdef double a, u, near, far
    for i in range(n):
        a = x[i]
        u = a * a * 0.5 - 1
        near = k0_nearby(u, real is double) - (logs[i] - 0.6931471805599453) * k0_log(u, real is double)
        far = k0_far(4 / a - 1, real is double) / sqrt(a)
        near = near / growth[i] if scaled else near
        far = far if scaled else far * growth[i]
        out[i] = <real>(far if a > 2 else near)


cdef wide modified_k1(
    const real* x, const double* logs, const double* growth, real* out, bint scaled, Py_ssize_t n
) noexcept nogil:
    """K1, or exp(x) K1 if `scaled`."""
    cdef Py_ssize_t i
    cdef double a, u, near, far
    for i in range(n):
        a = x[i]
        u = a * a * 0.5 - 1
        near = k1_nearby(u, real is double) / a + (logs[i] - 0.6931471805599453) * a * k1_log(u, real is double)
        far = k1_far(4 / a - 1, real is double) / sqrt(a)
        near = near / growth[i] if scaled else near
        far = far if scaled else far * growth[i]
        out[i] = <real>(far if a > 2 else near)


cdef void second_kind(
    const Loop* loop, const real* x, real* out, int order, bint scaled, Py_ssize_t n
) noexcept nogil:
    """K0 or K1."""
    cdef double logs[BLOCK]
    cdef double growth[BLOCK]
    logarithms(x, logs, n)
    below_zero(x, growth, n)
    exponentials(growth, growth, n)
    if order == 0:
        modified_k0(x, logs, growth, out, scaled, n)
    else:
        modified_k1(x, logs, growth, out, scaled, n)
    compute_beyond(loop, x, out, LEAST, MOST, n)


cdef void each_k0(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    second_kind(&BESSEL_K0, x, out, 0, False, n)


cdef void each_k1(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    second_kind(&BESSEL_K1, x, out, 1, False, n)


cdef void each_k0e(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    second_kind(&SCALED_K0, x, out, 0, True, n)


cdef void each_k1e(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    second_kind(&SCALED_K1, x, out, 1, True, n)


cdef wide depths(const real* x, double* out, Py_ssize_t n) noexcept nogil:
    """-2/3 |x|**1.5: the exponent of Airy's function."""
    cdef Py_ssize_t i
    cdef double size
    for i in range(n):
        size = fabs(<double>x[i])
        out[i] = -size * sqrt(size) * 0.6666666666666666


cdef wide airy_of(const real* x, const double* falls, const double* growth, real* out, Py_ssize_t n) noexcept nogil:
    """Ai(x) from -2.5 on, from `depths` and their exponentials."""
    cdef Py_ssize_t i
    cdef double near, far
    for i in range(n):
        near = airy_nearby(x[i] * 0.4, real is double)
        far = growth[i] * airy_far(-5.2704627669472992 / falls[i] - 1, real is double) * 0.28209479177387814
        far = far / sqrt(sqrt(fabs(<double>x[i])))
        out[i] = <real>(far if x[i] > 2.5 else near)


cdef void each_airy(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef double falls[BLOCK]
    cdef double growth[BLOCK]
    depths(x, falls, n)
    exponentials(falls, growth, n)
    airy_of(x, falls, growth, out, n)
    compute_beyond(&AIRY, x, out, -2.5, MOST, n)


cdef wide gamma_factors(const real* x, double* factors, double* nearby, Py_ssize_t n) noexcept nogil:
    """What the logarithm is taken of, and x moved to between 1 and 3: up by 1, or down by steps of 1 from below 8."""
    cdef Py_ssize_t i
    cdef double a, factor, moved
    cdef bint above
    cdef int k
    for i in range(n):
        a = x[i]
        factor = 1
        moved = a + 1 if a < 1 else a
        for k in range(5):
            above = (moved > 3) & (a < 8)
            moved = moved - 1 if above else moved
            factor = factor * moved if above else factor
        factors[i] = a if (a < 1) | (a >= 8) else factor
        nearby[i] = moved


cdef wide log_gammas(
    const real* x, const double* logs, const double* nearby, real* out, Py_ssize_t n
) noexcept nogil:
    """log Γ(x), from the logarithms of the factors."""
    cdef Py_ssize_t i
    cdef double a, moved, near, far
    for i in range(n):
        a, moved = x[i], nearby[i]
        near = (moved - 1) * (moved - 2) * gamma_nearby(moved - 2, real is double)
        near = near - logs[i] if a < 1 else near + logs[i]
        far = (a - 0.5) * logs[i] - a + (0.9189385332046727 + gamma_far(128 / (a * a) - 1, real is double) / a)
        out[i] = <real>(far if a >= 8 else near)


cdef void each_log_gamma(const real* x, const real* unused, real* out, Py_ssize_t n) noexcept nogil:
    cdef double logs[BLOCK]
    cdef double nearby[BLOCK]
    gamma_factors(x, logs, nearby, n)
    run(&LOGARITHM, logs, logs, n, sizeof(double))
    log_gammas(x, logs, nearby, out, n)
    compute_beyond(&LOG_GAMMA, x, out, LEAST, MOST, n)


# functions of two arguments: SciPy's own loops compute the hard cases

cdef Loop ZETA, LOWER, UPPER  # zeta, and the incomplete gamma functions, in double precision

cdef enum:
    HIGHEST = 16  # the highest exponent of zeta that is computed here
    CORRECTIONS = 8  # terms of the Euler-Maclaurin correction of zeta's remainder


# B(2j) / (2j)! for j from 1 on: Bernoulli's numbers over factorials
cdef double[CORRECTIONS] EULER_MACLAURIN = [
    1 / 12.0, -1 / 720.0, 1 / 30240.0, -1 / 1209600.0, 1 / 47900160.0, -691 / 1307674368000.0, 1 / 74724249600.0,
    -3617 / 10670622842880000.0]


cdef void original(const Loop* loop, const double* x, const double* y, double* out) noexcept nogil:
    """SciPy's value for a pair of numbers."""
    cdef char* args[3]
    cdef npy_intp strides[3]
    cdef npy_intp one = 1
    args[0], args[1], args[2] = <char*>x, <char*>y, <char*>out
    strides[0] = strides[1] = strides[2] = sizeof(double)
    loop.function(args, &one, strides, loop.data)


cdef wide inverses(const double* y, double ahead, double* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = 1 / (y[i] + ahead)


cdef wide multiply_by(double* x, const double* y, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        x[i] *= y[i]


cdef wide add_scaled(double* sum, const double* x, double factor, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        sum[i] += x[i] * factor


cdef void powers(const double* x, double* out, int exponent, Py_ssize_t n) noexcept nogil:
    """x to a whole power, from 1 on."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = x[i]
    for i in range(exponent - 1):
        multiply_by(out, x, n)


cdef void zeta_of(int s, const double* y, double* out, bint precise, Py_ssize_t n) noexcept nogil:
    """The sum of (y + k)**-s for positive y: the first terms directly, the remainder by the Euler-Maclaurin formula."""
    cdef int terms = s + 8 if precise else s + 2
    cdef double inverse[BLOCK]
    cdef double power[BLOCK]
    cdef double rising = s
    cdef Py_ssize_t i
    cdef int k
    for i in range(n):
        out[i] = 0
    for k in range(terms - 1, -1, -1):  # small terms first
        inverses(y, k, inverse, n)
        powers(inverse, power, s, n)
        add_scaled(out, power, 1, n)
    inverses(y, terms, inverse, n)
    powers(inverse, power, s - 1, n)
    add_scaled(out, power, 1 / <double>(s - 1), n)
    multiply_by(power, inverse, n)
    add_scaled(out, power, 0.5, n)
    for k in range(CORRECTIONS if precise else CORRECTIONS // 2):
        multiply_by(power, inverse, n)
        add_scaled(out, power, rising * EULER_MACLAURIN[k], n)
        multiply_by(power, inverse, n)
        rising *= (s + 2 * k + 1) * (s + 2 * k + 2)


cdef void zetas(const real* x, const real* y, real* out, Py_ssize_t n) noexcept nogil:
    """Hurwitz's zeta function: fast for a single integer exponent and positive numbers, as polygamma functions need."""
    cdef double exponents[BLOCK]
    cdef double ours[BLOCK]
    cdef double results[BLOCK]
    cdef Py_ssize_t i
    cdef bint easy = 2 <= x[0] <= HIGHEST and x[0] == <int>x[0]
    widened(x, exponents, n)
    widened(y, ours, n)
    for i in range(n):
        easy = easy & (x[i] == x[0])
    if easy:
        zeta_of(<int>x[0], ours, results, real is double, n)
    for i in range(n):
        if not easy or not ours[i] > 0:
            original(&ZETA, exponents + i, ours + i, results + i)
        out[i] = <real>results[i]


cdef void upper_gammas(const real* x, const real* y, real* out, Py_ssize_t n) noexcept nogil:
    """The upper incomplete gamma function: 1 minus the lower one, which is faster, where that loses no digits."""
    cdef double exponents[BLOCK]
    cdef double limits[BLOCK]
    cdef double lower
    cdef double result = 0
    cdef double least = 1e-8 if real is float else 0.01
    cdef Py_ssize_t i
    widened(x, exponents, n)
    widened(y, limits, n)
    for i in range(n):
        original(&LOWER, exponents + i, limits + i, &lower)
        result = 1 - lower
        if not result >= least:
            original(&UPPER, exponents + i, limits + i, &result)
        out[i] = <real>result


cdef Own[21] OWN = [
    Own(1, <Kernel>errors[float], <Kernel>errors[double]),
    Own(1, <Kernel>error_complements[float], <Kernel>error_complements[double]),
    Own(1, <Kernel>normal_shares[float], <Kernel>normal_shares[double]),
    Own(1, <Kernel>each_i0[float], <Kernel>each_i0[double]),
    Own(1, <Kernel>each_i1[float], <Kernel>each_i1[double]),
    Own(1, <Kernel>each_i0e[float], <Kernel>each_i0e[double]),
    Own(1, <Kernel>each_i1e[float], <Kernel>each_i1e[double]),
    Own(2, <Kernel>zetas[float], <Kernel>zetas[double]),
    Own(2, <Kernel>upper_gammas[float], <Kernel>upper_gammas[double]),
    Own(1, <Kernel>inverse_errors[float], <Kernel>inverse_errors[double]),
    Own(1, <Kernel>scaled_complements[float], <Kernel>scaled_complements[double]),
    Own(1, <Kernel>each_j0[float], <Kernel>each_j0[double]),
    Own(1, <Kernel>each_j1[float], <Kernel>each_j1[double]),
    Own(1, <Kernel>each_y0[float], <Kernel>each_y0[double]),
    Own(1, <Kernel>each_y1[float], <Kernel>each_y1[double]),
    Own(1, <Kernel>each_k0[float], <Kernel>each_k0[double]),
    Own(1, <Kernel>each_k1[float], <Kernel>each_k1[double]),
    Own(1, <Kernel>each_k0e[float], <Kernel>each_k0e[double]),
    Own(1, <Kernel>each_k1e[float], <Kernel>each_k1e[double]),
    Own(1, <Kernel>each_airy[float], <Kernel>each_airy[double]),
    Own(1, <Kernel>each_log_gamma[float], <Kernel>each_log_gamma[double]),
]
cdef tuple NAMES = (
    "erf", "erfc", "ndtr", "i0", "i1", "i0e", "i1e", "_zeta", "gammaincc", "erfinv", "erfcx",
    "j0", "j1", "y0", "y1", "k0", "k1", "k0e", "k1e", "airy", "gammaln")
cdef tuple BOUNDED = ("j0", "j1", "y0", "y1", "k0", "k1", "k0e", "k1e", "airy", "gammaln")
cdef Loop* BEYOND[10]
BEYOND[0], BEYOND[1], BEYOND[2], BEYOND[3] = &BESSEL_J0, &BESSEL_J1, &BESSEL_Y0, &BESSEL_Y1
BEYOND[4], BEYOND[5], BEYOND[6], BEYOND[7] = &BESSEL_K0, &BESSEL_K1, &SCALED_K0, &SCALED_K1
BEYOND[8], BEYOND[9] = &AIRY, &LOG_GAMMA


cdef bint special_loop(object function, bint single, Loop* loop):
    """Whether we have a loop of our own for a SciPy function and a float dtype; if so, sets `loop`."""
    global ZETA, LOWER, UPPER, INVERSE
    scipy = sys.modules.get("scipy.special._ufuncs")
    name = function.__name__
    if name not in NAMES or getattr(scipy, name, None) is not function:
        return False
    if name in BOUNDED:
        BEYOND[BOUNDED.index(name)][0] = loop_of(function, "d->" + "d" * function.nout)
    elif name == "_zeta":
        ZETA = loop_of(function, "dd->d")
    elif name == "erfinv":
        INVERSE = loop_of(function, "d->d")
    elif name == "gammaincc":
        LOWER, UPPER = loop_of(scipy.gammainc, "dd->d"), loop_of(function, "dd->d")
    return noted(&OWN[NAMES.index(name)], single, loop)
