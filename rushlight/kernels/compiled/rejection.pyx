# cython: boundscheck=False, wraparound=False, cdivision=True
"""Poisson, binomial and gamma samples by rejection, one after the other from a generator's 32-bit words.

The generator is NumPy's, used through its capsule; the caller holds its lock. The methods and their sources are
described in the Python versions: `rushlight/random/poisson.py`, `binomial.py` and `gamma.py`.
"""

cimport numpy as cnp
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport NAN, INFINITY, ceil, cos, exp, fabs, floor, isnan, lgamma, log, log1p, pow, sin, sqrt
from libc.stdint cimport uint32_t, uint64_t

cnp.import_array()

cdef extern from "numpy/random/bitgen.h":
    ctypedef struct bitgen_t:
        void* state
        uint32_t (*next_uint32)(void*) noexcept nogil

cdef double UNIT = 1.0 / (<uint64_t>1 << 53)
cdef double TWO_PI = 6.283185307179586
cdef double HALF_LOG_TWO_PI = 0.9189385332046727
cdef float THIRD = 1.0 / 3
cdef float SQUEEZE = 0.0331

cdef struct Stream:
    bitgen_t* words
    double kept  # the second normal number of a pair, for the next gamma sample; or NAN


cdef inline double uniform(Stream* stream) noexcept nogil:
    """The next number in [0, 1), from two words."""
    cdef uint64_t high = stream.words.next_uint32(stream.words.state)
    return <double>((high << 32 | stream.words.next_uint32(stream.words.state)) & ((<uint64_t>1 << 53) - 1)) * UNIT


cdef inline double normal(Stream* stream) noexcept nogil:
    """The next standard normal number; they come in pairs."""
    cdef double angle, radius, found = stream.kept
    if not isnan(found):
        stream.kept = NAN
        return found
    angle = TWO_PI * uniform(stream)
    radius = sqrt(-2 * log1p(-uniform(stream)))
    stream.kept = radius * sin(angle)
    return radius * cos(angle)


# Poisson samples


cdef double multiplied(Stream* stream, double rate) noexcept nogil:
    """Counts the uniform numbers that can be multiplied before the product falls below exp(-rate)."""
    cdef double limit, product = 1, count = -1
    if rate == 0:
        return 0
    limit = exp(-rate)
    while True:
        count += 1
        product *= uniform(stream)
        if product <= limit:
            return count


cdef double poisson_number(Stream* stream, double rate) noexcept nogil:
    """A sample by transformed rejection, for large rates."""
    cdef double log_rate, a, b, inverse_alpha, v_r, u, v, us, k
    if rate < 10:
        return multiplied(stream, rate)
    log_rate, b = log(rate), 0.931 + 2.53 * sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = uniform(stream) - 0.5
        v = uniform(stream)
        us = 0.5 - fabs(u)
        k = floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        if log(v) + log(inverse_alpha) - log(a / (us * us) + b) <= -rate + k * log_rate - lgamma(k + 1):
            return k


def poisson(capsule, cnp.ndarray x not None):
    """Replaces the rates in a contiguous float64 array by Poisson samples; not if one is negative, or NaN."""
    cdef Stream stream = Stream(<bitgen_t*>PyCapsule_GetPointer(capsule, "BitGenerator"), NAN)
    cdef Py_ssize_t i, n = cnp.PyArray_SIZE(x)
    cdef double* place = <double*>cnp.PyArray_DATA(x)
    for i in range(n):
        if not place[i] >= 0:
            return False
    with nogil:
        for i in range(n):
            place[i] = poisson_number(&stream, place[i])
    return True


# binomial samples


cdef double waited(Stream* stream, double count, double p) noexcept nogil:
    """Counts the geometric waiting times that fit into `count` trials."""
    cdef double log_q = log1p(-p), trials = 0, successes = 0, u
    while True:
        u = uniform(stream)
        trials += ceil(log(u) / log_q) if u > 0 else INFINITY
        if trials > count:
            return successes
        successes += 1


cdef double stirling_rest(double k) noexcept nogil:
    """The remainder of Stirling's formula for log k!, at k + 1."""
    cdef double x = k + 1
    if k <= 9:
        return lgamma(x) - ((k + 0.5) * log(x) - x + HALF_LOG_TWO_PI)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / (x * x)) / (x * x)) / x


cdef double rejected(Stream* stream, double count, double p) noexcept nogil:
    """A sample by transformed rejection."""
    cdef double deviation = sqrt(count * p * (1 - p))
    cdef double b = 1.15 + 2.53 * deviation
    cdef double a = -0.0873 + 0.0248 * b + 0.01 * p
    cdef double c = count * p + 0.5, v_r = 0.92 - 4.2 / b, odds = p / (1 - p)
    cdef double alpha = (2.83 + 5.1 / b) * deviation
    cdef double m = floor((count + 1) * p), u, v, us, k, bound
    while True:
        u = uniform(stream) - 0.5
        v = uniform(stream)
        us = 0.5 - fabs(u)
        k = floor((2 * a / us + b) * u + c)
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or k > count:
            continue
        bound = (m + 0.5) * log((m + 1) / (odds * (count - m + 1)))
        bound += (count + 1) * log((count - m + 1) / (count - k + 1))
        bound += (k + 0.5) * log(odds * (count - k + 1) / (k + 1))
        bound = bound + stirling_rest(m) + stirling_rest(count - m) - stirling_rest(k) - stirling_rest(count - k)
        if log(v * alpha / (a / (us * us) + b)) <= bound:
            return k


cdef inline double rare(Stream* stream, double count, double p) noexcept nogil:
    """The number of successes for a probability of at most a half."""
    return rejected(stream, count, p) if count * p >= 10 else waited(stream, count, p)


cdef double successes_of(Stream* stream, double count, double p) noexcept nogil:
    """Draws the rarer outcome, by the method that suits its mean."""
    if not (count > 0 and p > 0):
        return NAN if isnan(p) or isnan(count) else 0
    if p >= 1:
        return count
    return count - rare(stream, count, 1 - p) if p > 0.5 else rare(stream, count, p)


def binomial(capsule, cnp.ndarray x not None, cnp.ndarray probabilities not None):
    """Replaces the numbers of trials in a contiguous float64 array by numbers of successes."""
    cdef Stream stream = Stream(<bitgen_t*>PyCapsule_GetPointer(capsule, "BitGenerator"), NAN)
    cdef Py_ssize_t i, n = cnp.PyArray_SIZE(x)
    cdef double* place = <double*>cnp.PyArray_DATA(x)
    cdef const double* p = <const double*>cnp.PyArray_DATA(probabilities)
    with nogil:
        for i in range(n):
            place[i] = successes_of(&stream, place[i], p[i])


# gamma samples


cdef double gamma_number(Stream* stream, double alpha, bint is_single) noexcept nogil:
    """A sample of rate 1; computed in the precision of the concentration."""
    cdef double scale = 1, power, d, c, x, v, u, square
    if alpha < 1:
        if alpha == 0:
            return 0
        power = <float>(1 / <float>alpha) if is_single else 1 / alpha
        scale = pow(1 - uniform(stream), power)
        alpha = <float>(<float>alpha + 1) if is_single else alpha + 1
    d = <float>(<float>alpha - THIRD) if is_single else alpha - THIRD
    if not d > 0:
        return NAN
    c = 1 / sqrt(9 * d)
    while True:
        x = normal(stream)
        v = 1 + c * x
        if v <= 0:
            continue
        v, u, square = v * v * v, 1 - uniform(stream), x * x
        if u < 1 - SQUEEZE * square * square or log(u) < 0.5 * square + d * (1 - v + log(v)):
            return scale * d * v


def gamma(capsule, cnp.ndarray x not None, bint is_single, kept):
    """Replaces concentrations in a contiguous float64 array by gamma samples.

    `kept` is a normal number left over from the last pair, or None; the same is returned.
    """
    cdef Stream stream = Stream(<bitgen_t*>PyCapsule_GetPointer(capsule, "BitGenerator"), NAN)
    cdef Py_ssize_t i, n = cnp.PyArray_SIZE(x)
    cdef double* place = <double*>cnp.PyArray_DATA(x)
    if kept is not None:
        stream.kept = kept
    with nogil:
        for i in range(n):
            place[i] = gamma_number(&stream, place[i], is_single)
    return None if isnan(stream.kept) else stream.kept
