# cython: boundscheck=False, wraparound=False, cdivision=True
"""Implicit reparameterization gradients of gamma and beta samples: -(dF/da) / f.

F divided by its first term is a series or continued fraction, whose terms are differentiated one by one. Of F and 1 - F
the one is used whose terms (nearly) all have one sign. Results that are not exact after `MOST` terms are NaN. For beta
samples near 0 or 1, where the series are long, there is a continued fraction (DiDonato and Morris, 1992).
"""

cimport numpy as cnp
from libc.math cimport NAN, fabs, log

from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    MOST = 3000  # terms
    GRAIN = 256  # numbers of a thread's part

cdef double PRECISE = 1e-14
cdef double NEAR = 0.25  # to an end of the interval
cdef double TINY = 1e-300

cdef struct Job:
    const double* a
    const double* x
    const double* total  # of the concentrations; NULL for gamma
    double* out


cdef double digamma(double x) noexcept nogil:
    """The derivative of log Γ at a positive number."""
    cdef double found = 0, f
    while x < 10:
        found -= 1 / x
        x += 1
    f = 1 / (x * x)
    found += log(x) - 0.5 / x
    f *= 1.0 / 12 - f * (1.0 / 120 - f * (1.0 / 252 - f * (1.0 / 240 - f * (1.0 / 132 - f * 691 / 32760))))
    return found - f


cdef double below(double a, double x) noexcept nogil:
    """For gamma samples, by the power series of F."""
    cdef double term = 1, slope = log(x) - digamma(a + 1), total = slope
    cdef Py_ssize_t n
    for n in range(1, MOST):
        term *= x / (a + n)
        slope -= 1 / (a + n)
        total += term * slope
        if a + n > x and fabs(term * slope) * (a + n) < PRECISE * fabs(total) * (a + n - x):
            return -x / a * total
    return NAN


cdef double above(double a, double x) noexcept nogil:
    """For gamma samples, by Legendre's continued fraction of 1 - F, evaluated forward (W. J. Lentz, 1976)."""
    cdef double b = x + 1 - a, c = 1 / TINY, d = 1 / b, found = d, step, part, change
    cdef double c_slope = 0, d_slope = 1 / b, slope = d_slope  # of their logarithms
    cdef Py_ssize_t n
    for n in range(1, MOST):
        part = -n * (n - a)
        b += 2
        c_slope = (n - part * c_slope) / c - 1
        c = b + part / c
        if c == 0:
            c = TINY
        c_slope /= c
        step = part * d + b
        if step == 0:
            step = TINY
        d_slope = -(-1 + n * d + part * d * d_slope) / step
        d = 1 / step
        found *= c * d
        change = c_slope + d_slope
        slope += change
        if fabs(c * d - 1) < PRECISE and fabs(change) < PRECISE * fabs(slope):
            return x * found * (log(x) - digamma(a) + slope)
    return NAN


cdef double left(double a, double b, double x) noexcept nogil:
    """For beta samples, by the hypergeometric series of F or its continued fraction, divided by 1 - x."""
    cdef double term = 1, slope = log(x) - digamma(a + 1) + digamma(a + b), total = slope, ratio
    cdef Py_ssize_t n
    if x > 1 - NEAR:
        return -x / a * fraction(a, b, x, slope, True)
    for n in range(MOST):
        ratio = x * (a + b + n) / (a + 1 + n)
        term *= ratio
        slope += 1 / (a + b + n) - 1 / (a + 1 + n)
        total += term * slope
        ratio = max(x, ratio)
        if ratio < 1 and fabs(term * slope) < PRECISE * fabs(total) * (1 - ratio):
            return -x / a * total
    return NAN


cdef double right(double a, double b, double x) noexcept nogil:
    """For beta samples, by the series of 1 - F or its continued fraction, divided by 1 - x."""
    cdef double y = 1 - x, term = 1, slope = log(x) - digamma(a) + digamma(a + b), total = slope, ratio
    cdef Py_ssize_t n
    if x < NEAR:
        return x / b * fraction(b, a, y, slope, False)
    for n in range(MOST):
        ratio = y * (a + b + n) / (b + 1 + n)
        term *= ratio
        slope += 1 / (a + b + n)
        total += term * slope
        ratio = max(y, ratio)
        if ratio < 1 and fabs(term * slope) < PRECISE * fabs(total) * (1 - ratio):
            return x / b * total
    return NAN


cdef double fraction(double p, double q, double x, double slope, bint of_first) noexcept nogil:
    """h * (slope + d log h), by the first or the second parameter, with h the continued fraction of F(x; p, q)."""
    cdef double c = 1, c_slope = 0, step = 1 - (p + q) * x / (p + 1), found = 1 / step, part, part_slope, change
    cdef double d = found, d_slope = (x / (p + 1) if not of_first else -x * (q - 1) / ((p + 1) * (p + 1))) * d * d
    cdef Py_ssize_t n
    cdef int odd
    slope += d_slope / d
    for n in range(1, MOST):
        for odd in range(2):
            if odd:
                part = -(p + n) * (p + q + n) * x / ((p + 2 * n) * (p + 2 * n + 1))
                part_slope = part / (p + q + n)
                if of_first:
                    part_slope += part * (1 / (p + n) - 1 / (p + 2 * n) - 1 / (p + 2 * n + 1))
            else:
                part = n * (q - n) * x / ((p + 2 * n - 1) * (p + 2 * n))
                part_slope = n * x / ((p + 2 * n - 1) * (p + 2 * n))
                if of_first:
                    part_slope = -part * (1 / (p + 2 * n - 1) + 1 / (p + 2 * n))
            step = 1 + part * d
            if step == 0:
                step = TINY
            d_slope = -(part_slope * d + part * d_slope) / (step * step)
            d = 1 / step
            c_slope = part_slope / c - part * c_slope / (c * c)
            c = 1 + part / c
            if c == 0:
                c = TINY
            change = d_slope / d + c_slope / c
            slope += change
            found *= c * d
        if fabs(c * d - 1) < PRECISE and fabs(change) < PRECISE * fabs(slope):
            return found * slope
    return NAN


cdef bint is_left(double a, double b, double x) noexcept nogil:
    """Whether to use the left series: where only one is exact that one, near the mean the shorter."""
    return x * (a + b) < a + 1 if x <= 0.5 else (1 - x) * (a + b) >= b + 1


cdef void gamma_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    cdef const Job* job = <const Job*>given
    cdef double a, x
    cdef Py_ssize_t i
    for i in range(start, stop):
        a, x = job.a[i], job.x[i]
        if not (a > 0 and x > 0):
            job.out[i] = NAN
        else:
            job.out[i] = below(a, x) if x < a + 1 else above(a, x)


cdef void beta_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    cdef const Job* job = <const Job*>given
    cdef double a, b, x
    cdef Py_ssize_t i
    for i in range(start, stop):
        a, x = job.a[i], job.x[i]
        b = job.total[i] - a
        if not (a > 0 and b > 0 and 0 < x < 1):
            job.out[i] = NAN
        else:
            job.out[i] = left(a, b, x) if is_left(a, b, x) else right(a, b, x)


def gamma_slopes(cnp.ndarray a not None, cnp.ndarray x not None):
    """dx/da of gamma samples of rate 1; contiguous float64 arrays of one shape."""
    cdef cnp.ndarray out = cnp.PyArray_EMPTY(x.ndim, x.shape, cnp.NPY_DOUBLE, False)
    cdef Job job = Job(<double*>cnp.PyArray_DATA(a), <double*>cnp.PyArray_DATA(x), NULL, <double*>cnp.PyArray_DATA(out))
    shared(gamma_part, &job, cnp.PyArray_SIZE(x), GRAIN)
    return out


def beta_slopes(cnp.ndarray a not None, cnp.ndarray x not None, cnp.ndarray total not None):
    """dx/da / (1 - x) of beta samples with concentrations `a` and `total - a`, as contiguous float64 arrays."""
    cdef cnp.ndarray out = cnp.PyArray_EMPTY(x.ndim, x.shape, cnp.NPY_DOUBLE, False)
    cdef Job job = Job(<double*>cnp.PyArray_DATA(a), <double*>cnp.PyArray_DATA(x), <double*>cnp.PyArray_DATA(total),
                       <double*>cnp.PyArray_DATA(out))
    shared(beta_part, &job, cnp.PyArray_SIZE(x), GRAIN)
    return out
