# cython: boundscheck=False, wraparound=False, cdivision=True
"""Random numbers from a generator's 32-bit words, a whole array at a time: uniform, normal, integers, permutations.

The generator is NumPy's Mersenne Twister, whose state is used through its capsule; the caller holds its lock. Normal
float32 numbers are computed as in `rushlight.random.cephes`.
"""

cimport numpy as cnp
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport ceil, cos, exp, fma, fmaf, log, log1p, sin, sqrt, sqrtf, tan
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

from rushlight.kernels.compiled.lanes cimport wide

cnp.import_array()

cdef extern from "numpy/random/bitgen.h":
    ctypedef struct bitgen_t:
        void* state

cdef enum:
    WORDS = 624  # of a state
    APART = 397  # how far ahead a word is that goes into a new one

cdef struct Twister:  # what `bitgen_t.state` is for NumPy's MT19937
    uint32_t[WORDS] words
    int used


cdef enum:
    HALF = 8  # radii in a block, and as many angles
    BLOCK = 16
    MANY = 256  # blocks that are computed at a time

ctypedef fused real:
    float
    double

cdef float UNIT_24 = 1.0 / (1 << 24)
cdef double UNIT_53 = 1.0 / (<uint64_t>1 << 53)
cdef uint64_t MASK_53 = (<uint64_t>1 << 53) - 1
cdef double PI = 3.141592653589793
cdef double TWO_PI = 6.283185307179586


cdef inline uint32_t twisted(uint32_t word, uint32_t following, uint32_t ahead) noexcept nogil:
    """A new word of the state."""
    cdef uint32_t both = (word & <uint32_t>0x80000000) | (following & <uint32_t>0x7FFFFFFF)
    return ahead ^ (both >> 1) ^ (-(following & 1) & <uint32_t>0x9908B0DF)


cdef wide renew(uint32_t* words) noexcept nogil:
    """The next words of a state, in place of all of its words."""
    cdef int i
    for i in range(WORDS - APART):
        words[i] = twisted(words[i], words[i + 1], words[i + APART])
    for i in range(WORDS - APART, WORDS - 1):
        words[i] = twisted(words[i], words[i + 1], words[i + APART - WORDS])
    words[WORDS - 1] = twisted(words[WORDS - 1], words[0], words[APART - 1])


cdef inline uint32_t tempered(uint32_t word) noexcept nogil:
    """The word that is drawn for one of the state."""
    word ^= word >> 11
    word ^= (word << 7) & <uint32_t>0x9D2C5680
    word ^= (word << 15) & <uint32_t>0xEFC60000
    return word ^ (word >> 18)


cdef wide temper(const uint32_t* words, uint32_t* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = tempered(words[i])


cdef inline uint32_t word(bitgen_t* stream) noexcept nogil:
    """The next word."""
    cdef Twister* state = <Twister*>stream.state
    if state.used == WORDS:
        renew(state.words)
        state.used = 0
    state.used += 1
    return tempered(state.words[state.used - 1])


cdef void next_words(bitgen_t* stream, uint32_t* out, Py_ssize_t n) noexcept nogil:
    """Writes the next n words."""
    cdef Twister* state = <Twister*>stream.state
    cdef Py_ssize_t part
    while n > 0:
        if state.used == WORDS:
            renew(state.words)
            state.used = 0
        part = min(n, <Py_ssize_t>(WORDS - state.used))
        temper(state.words + state.used, out, part)
        state.used += part
        out += part
        n -= part


cdef inline float single(bitgen_t* stream) noexcept nogil:
    """The next float32 number in [0, 1)."""
    return <float>(word(stream) & 0xFFFFFF) * UNIT_24


cdef inline uint64_t bits_53(bitgen_t* stream) noexcept nogil:
    """The next number of 53 bits, from two words."""
    cdef uint64_t high = word(stream)
    return (high << 32 | word(stream)) & MASK_53


cdef inline double precise(bitgen_t* stream) noexcept nogil:
    """The next float64 number in [0, 1)."""
    return <double>bits_53(stream) * UNIT_53


cdef wide make_singles(const uint32_t* words, float* out, Py_ssize_t n) noexcept nogil:
    """The float32 number of each word."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <float><int32_t>(words[i] & 0xFFFFFF) * UNIT_24


cdef wide make_doubles(const uint32_t* words, double* out, Py_ssize_t n) noexcept nogil:
    """The float64 number of each pair of words."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <double><int64_t>((<uint64_t>words[2 * i] << 32 | words[2 * i + 1]) & MASK_53) * UNIT_53


cdef void draw(bitgen_t* stream, void* out, Py_ssize_t n, bint is_single) noexcept nogil:
    """Writes n uniform numbers."""
    cdef uint32_t[2 * WORDS] words
    cdef Py_ssize_t start = 0, part
    while start < n:
        part = min(n - start, <Py_ssize_t>WORDS)
        next_words(stream, words, part if is_single else 2 * part)
        if is_single:
            make_singles(words, <float*>out + start, part)
        else:
            make_doubles(words, <double*>out + start, part)
        start += part


def twister(capsule):
    """The state of a Mersenne Twister, as bytes."""
    cdef bitgen_t* stream = <bitgen_t*>PyCapsule_GetPointer(capsule, "BitGenerator")
    return PyBytes_FromStringAndSize(<char*>stream.state, sizeof(Twister))


def set_twister(capsule, bytes state not None):
    """Sets the state of a Mersenne Twister to what `twister` returned. ValueError for another number of bytes."""
    cdef bitgen_t* stream = <bitgen_t*>PyCapsule_GetPointer(capsule, "BitGenerator")
    if len(state) != sizeof(Twister):
        raise ValueError(f"a state has {sizeof(Twister)} bytes, {len(state)} were given")
    memcpy(stream.state, PyBytes_AS_STRING(state), sizeof(Twister))


cdef void put(const int64_t* numbers, void* x, Py_ssize_t start, Py_ssize_t n, int type) noexcept nogil:
    """Writes integers to an array of float32, float64, int64 or bool, from a place on."""
    cdef Py_ssize_t i
    if type == cnp.NPY_FLOAT:
        for i in range(n):
            (<float*>x)[start + i] = <float>numbers[i]
    elif type == cnp.NPY_DOUBLE:
        for i in range(n):
            (<double*>x)[start + i] = <double>numbers[i]
    elif type == cnp.NPY_INT64:
        memcpy(<int64_t*>x + start, numbers, n * sizeof(int64_t))
    else:
        for i in range(n):
            (<char*>x)[start + i] = <char>numbers[i]


cdef wide compare(const uint32_t* words, int64_t* out, uint64_t bound, Py_ssize_t n) noexcept nogil:
    """Which numbers of 53 bits, each from two words, are below a bound."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = ((<uint64_t>words[2 * i] << 32 | words[2 * i + 1]) & MASK_53) < bound


def below(capsule, cnp.ndarray out not None, uint64_t bound):
    """Fills a contiguous array with ones where the next number of 53 bits is below a bound, else zeros."""
    cdef bitgen_t* stream = <bitgen_t*>PyCapsule_GetPointer(capsule, "BitGenerator")
    cdef int type = cnp.PyArray_TYPE(out)
    cdef Py_ssize_t start = 0, part, n = cnp.PyArray_SIZE(out)
    cdef void* x = cnp.PyArray_DATA(out)
    cdef uint32_t[2 * WORDS] words
    cdef int64_t[WORDS] found
    with nogil:
        while start < n:
            part = min(n - start, <Py_ssize_t>WORDS)
            next_words(stream, words, 2 * part)
            compare(words, found, bound, part)
            put(found, x, start, part, type)
            start += part


cdef bint are_between(const real* p, Py_ssize_t n) noexcept nogil:
    """Whether numbers are from 0 to 1."""
    cdef Py_ssize_t i
    cdef bint all_are = True
    for i in range(n):
        all_are &= 0 <= p[i] <= 1
    return all_are


cdef wide hit(const real* drawn, const real* p, real* out, Py_ssize_t n) noexcept nogil:
    """1 where a number that was drawn is below its probability, else 0."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = drawn[i] < p[i]


def below_each(capsule, cnp.ndarray out not None, cnp.ndarray p not None):
    """Fills a contiguous float32 or float64 array with ones, each with a probability of the same type, else zeros.

    Returns whether all are from 0 to 1: if not, no number is drawn.
    """
    cdef bitgen_t* stream = <bitgen_t*>PyCapsule_GetPointer(capsule, "BitGenerator")
    cdef bint is_single = cnp.PyArray_TYPE(out) == cnp.NPY_FLOAT
    cdef Py_ssize_t start = 0, part, n = cnp.PyArray_SIZE(out)
    cdef float* x = <float*>cnp.PyArray_DATA(out)
    cdef double* y = <double*>cnp.PyArray_DATA(out)
    cdef const float* few = <const float*>cnp.PyArray_DATA(p)
    cdef const double* many = <const double*>cnp.PyArray_DATA(p)
    cdef double[WORDS] drawn
    if not (are_between(few, n) if is_single else are_between(many, n)):
        return False
    with nogil:
        while start < n:
            part = min(n - start, <Py_ssize_t>WORDS)
            draw(stream, drawn, part, is_single)
            if is_single:
                hit(<float*>drawn, few + start, x + start, part)
            else:
                hit(drawn, many + start, y + start, part)
            start += part
    return True


# float32 functions: bits of a number, and polynomials that are rounded after each step


cdef inline int32_t bits_of(float x) noexcept nogil:
    cdef int32_t bits
    memcpy(&bits, &x, 4)
    return bits


cdef inline float with_bits(int32_t bits) noexcept nogil:
    cdef float x
    memcpy(&x, &bits, 4)
    return x


cdef inline float log_of(float given) noexcept nogil:
    """The natural logarithm of a positive number that is not subnormal."""
    cdef int32_t bits = bits_of(given)
    cdef float x = with_bits((bits & 0x007FFFFF) | 0x3F000000)
    cdef int32_t low = x < <float>0.7071067811865476
    cdef float exponent = <float>((bits >> 23) - 126 - low), square, y, r
    x += x * <float>low
    x -= 1
    r = fmaf(x, 7.0376836292e-2, -1.1514610310e-1)
    r = fmaf(r, x, 1.1676998740e-1)
    r = fmaf(r, x, -1.2420140846e-1)
    r = fmaf(r, x, 1.4249322787e-1)
    r = fmaf(r, x, -1.6668057665e-1)
    r = fmaf(r, x, 2.0000714765e-1)
    r = fmaf(r, x, -2.4999993993e-1)
    r = fmaf(r, x, 3.3333331174e-1)
    square = x * x
    y = fmaf(r * x, square, exponent * <float>-2.12194440e-4)
    y -= square * <float>0.5
    return x + y + exponent * <float>0.693359375


cdef inline void turn(float turns, float* cosine, float* sine) noexcept nogil:
    """Cosine and sine of 2π times a number in [0, 1)."""
    cdef float x = turns * <float>6.283185307179586
    cdef int32_t octant = (<int32_t>(x * <float>1.2732395447351628) + 1) & ~1
    cdef int32_t swap, c, s
    cdef float quarters = <float>octant, square, p, q
    x -= quarters * <float>0.78515625
    x -= quarters * <float>2.4187564849853515625e-4
    x = fmaf(-quarters, 3.77489497744594108e-8, x)
    square = x * x
    p = fmaf(fmaf(square, 2.443315711809948e-5, -1.388731625493765e-3), square, 4.166664568298827e-2)
    q = fmaf(fmaf(square, -1.9515295891e-4, 8.3321608736e-3), square, -1.6666654611e-1)
    p *= square
    q *= square
    p = fmaf(p, square, square * <float>-0.5)
    p += 1
    q = fmaf(q, x, x)
    c, s = bits_of(p), bits_of(q)
    swap = -((octant >> 1) & 1) & (s ^ c)
    c ^= swap
    s ^= swap
    cosine[0] = with_bits(c ^ ((octant + 2) & 4) << 29)
    sine[0] = with_bits(s ^ (octant & 4) << 29)


cdef wide turn_singles(float* x, Py_ssize_t blocks, float mean, float std) noexcept nogil:
    """Turns uniform numbers into normal ones, block by block."""
    cdef Py_ssize_t b, i
    cdef float radius, cosine, sine
    for b in range(blocks):
        for i in range(HALF):
            radius = sqrtf(log_of(1 - x[i]) * -2)
            turn(x[HALF + i], &cosine, &sine)
            cosine *= radius
            sine *= radius
            if std == 1:
                x[i], x[HALF + i] = cosine + mean, sine + mean
            else:
                x[i], x[HALF + i] = fmaf(cosine, std, mean), fmaf(sine, std, mean)
        x += BLOCK


cdef void turn_doubles(double* x, Py_ssize_t blocks, double mean, double std) noexcept nogil:
    """`turn_singles` in double precision, by the C library."""
    cdef Py_ssize_t b, i
    cdef double radius, angle
    for b in range(blocks):
        for i in range(HALF):
            radius = sqrt(log(1 - x[i]) * -2)
            angle = x[HALF + i] * TWO_PI
            x[i], x[HALF + i] = fma(cos(angle) * radius, std, mean), fma(sin(angle) * radius, std, mean)
        x += BLOCK


cdef void turn_blocks(void* x, Py_ssize_t blocks, double mean, double std, bint is_single) noexcept nogil:
    if is_single:
        turn_singles(<float*>x, blocks, <float>mean, <float>std)
    else:
        turn_doubles(<double*>x, blocks, mean, std)


cdef void fill_normal(bitgen_t* stream, char* x, Py_ssize_t n, double mean, double std, bint is_single) noexcept nogil:
    """Writes n normal numbers, at least 16; if the last block is incomplete, the last 16 are drawn again."""
    cdef Py_ssize_t size = 4 if is_single else 8, blocks = n // BLOCK, part
    cdef char* place = x
    while blocks > 0:
        part = min(blocks, <Py_ssize_t>MANY)
        draw(stream, place, part * BLOCK, is_single)
        turn_blocks(place, part, mean, std, is_single)
        place += part * BLOCK * size
        blocks -= part
    if n % BLOCK:
        draw(stream, place, n % BLOCK, is_single)
        place = x + (n - BLOCK) * size
        draw(stream, place, BLOCK, is_single)
        turn_blocks(place, 1, mean, std, is_single)


def normal(capsule, cnp.ndarray out, double mean, double std):
    """Fills a contiguous float32 or float64 array of at least 16 elements with normal numbers."""
    cdef bitgen_t* stream = <bitgen_t*>PyCapsule_GetPointer(capsule, "BitGenerator")
    cdef bint is_single = cnp.PyArray_TYPE(out) == cnp.NPY_FLOAT
    cdef Py_ssize_t n = cnp.PyArray_SIZE(out)
    cdef char* x = cnp.PyArray_BYTES(out)
    with nogil:
        fill_normal(stream, x, n, mean, std, is_single)


def uniform(capsule, cnp.ndarray out):
    """Fills a contiguous float32 or float64 array with uniform numbers in [0, 1)."""
    cdef bitgen_t* stream = <bitgen_t*>PyCapsule_GetPointer(capsule, "BitGenerator")
    cdef bint is_single = cnp.PyArray_TYPE(out) == cnp.NPY_FLOAT
    cdef Py_ssize_t n = cnp.PyArray_SIZE(out)
    cdef void* x = cnp.PyArray_DATA(out)
    with nogil:
        draw(stream, x, n, is_single)


cdef wide reduce(const uint32_t* words, int64_t* out, uint32_t span, int64_t low, Py_ssize_t n) noexcept nogil:
    """Words modulo the span, added to `low`; the quotients are at most one too large or too small."""
    cdef Py_ssize_t i
    cdef double inverse = 1 / <double>span
    cdef int64_t rest
    for i in range(n):
        rest = <int64_t>words[i] - <int64_t>(<double>words[i] * inverse) * span
        rest += span if rest < 0 else 0
        rest -= span if rest >= span else 0
        out[i] = rest + low


def integers(capsule, cnp.ndarray out, uint64_t span, int64_t low):
    """Fills a contiguous int64, float32 or float64 array with random integers from `low` on: words modulo the span."""
    cdef bitgen_t* stream = <bitgen_t*>PyCapsule_GetPointer(capsule, "BitGenerator")
    cdef int type = cnp.PyArray_TYPE(out)
    cdef Py_ssize_t start = 0, part, n = cnp.PyArray_SIZE(out)
    cdef void* x = cnp.PyArray_DATA(out)
    cdef uint32_t[WORDS] words
    cdef int64_t[WORDS] found
    with nogil:
        while start < n:
            part = min(n - start, <Py_ssize_t>WORDS)
            next_words(stream, words, part)
            reduce(words, found, <uint32_t>span, low, part)
            put(found, x, start, part, type)
            start += part


def permutation(capsule, cnp.ndarray out):
    """Fills a contiguous int64 array with a random permutation: each number is swapped with a later one or itself."""
    cdef bitgen_t* stream = <bitgen_t*>PyCapsule_GetPointer(capsule, "BitGenerator")
    cdef Py_ssize_t i, other, n = cnp.PyArray_SIZE(out)
    cdef int64_t* x = <int64_t*>cnp.PyArray_DATA(out)
    with nogil:
        for i in range(n):
            x[i] = i
        for i in range(n - 1):
            other = i + word(stream) % (n - i)
            x[i], x[other] = x[other], x[i]


cdef inline void draw_pair(bitgen_t* stream, double* first, double* second) noexcept nogil:
    """Two standard normal numbers."""
    cdef double angle = TWO_PI * precise(stream), radius = sqrt(-2 * log1p(-precise(stream)))
    first[0], second[0] = radius * cos(angle), radius * sin(angle)


def pairs(capsule, cnp.ndarray out):
    """Fills a contiguous float64 array of even size with standard normal numbers, in pairs."""
    cdef bitgen_t* stream = <bitgen_t*>PyCapsule_GetPointer(capsule, "BitGenerator")
    cdef Py_ssize_t i, n = cnp.PyArray_SIZE(out)
    cdef double* x = <double*>cnp.PyArray_DATA(out)
    with nogil:
        for i in range(0, n, 2):
            draw_pair(stream, x + i, x + i + 1)


def paired_normals(capsule, cnp.ndarray out not None, kept, double mean, double std, bint raised):
    """Fills a contiguous float32 or float64 array with normal numbers in pairs, the first by a standard one that was kept.

    `raised` says that their exponentials are wanted. Returns the standard number of the last pair that is left over, or
    None.
    """
    cdef bitgen_t* stream = <bitgen_t*>PyCapsule_GetPointer(capsule, "BitGenerator")
    cdef bint is_single = cnp.PyArray_TYPE(out) == cnp.NPY_FLOAT, holds = kept is not None
    cdef Py_ssize_t i, n = cnp.PyArray_SIZE(out)
    cdef void* x = cnp.PyArray_DATA(out)
    cdef double held = kept if holds else 0, given
    with nogil:
        for i in range(n):
            given = held
            if not holds:
                draw_pair(stream, &given, &held)
            holds = not holds
            given = fma(given, std, mean)
            if raised:
                given = exp(given)
            if is_single:
                (<float*>x)[i] = <float>given
            else:
                (<double*>x)[i] = given
    return held if holds else None


# numbers made of uniform ones: in double precision, rounded at the end


ctypedef double (*OfUniform)(double u, double a, double b) noexcept nogil


cdef double exponential_of(double u, double scale, double unused) noexcept nogil:
    return scale * log1p(-u)


cdef double cauchy_of(double u, double median, double sigma) noexcept nogil:
    return fma(tan(PI * (u - 0.5)), sigma, median)


cdef double geometric_of(double u, double slope, double unused) noexcept nogil:
    return ceil(log(u) / slope)


cdef void put_numbers(OfUniform function, capsule, cnp.ndarray out, double a, double b):
    """Fills a contiguous float32 or float64 array with functions of uniform numbers."""
    cdef bitgen_t* stream = <bitgen_t*>PyCapsule_GetPointer(capsule, "BitGenerator")
    cdef bint is_single = cnp.PyArray_TYPE(out) == cnp.NPY_FLOAT
    cdef Py_ssize_t i, n = cnp.PyArray_SIZE(out)
    cdef void* x = cnp.PyArray_DATA(out)
    with nogil:
        for i in range(n):
            if is_single:
                (<float*>x)[i] = <float>function(precise(stream), a, b)
            else:
                (<double*>x)[i] = function(precise(stream), a, b)


def exponential_numbers(capsule, cnp.ndarray out not None, double rate):
    """Fills an array with exponentially distributed numbers."""
    put_numbers(exponential_of, capsule, out, -1.0 / rate, 0)


def cauchy_numbers(capsule, cnp.ndarray out not None, double median, double sigma):
    """Fills an array with Cauchy distributed numbers."""
    put_numbers(cauchy_of, capsule, out, median, sigma)


def geometric_numbers(capsule, cnp.ndarray out not None, double p):
    """Fills an array with geometrically distributed numbers."""
    put_numbers(geometric_of, capsule, out, log1p(-p), 0)


cdef wide spread_singles(float* x, Py_ssize_t n, float low, float high) noexcept nogil:
    """Uniform numbers from [0, 1) moved to other bounds, the upper of which is left out."""
    cdef Py_ssize_t i
    cdef float width = high - low, y
    for i in range(n):
        y = fmaf(x[i], width, low)
        x[i] = low if y == high else y


cdef wide spread_doubles(double* x, Py_ssize_t n, double low, double high) noexcept nogil:
    """`spread_singles` in double precision."""
    cdef Py_ssize_t i
    cdef double width = high - low, y
    for i in range(n):
        y = fma(x[i], width, low)
        x[i] = low if y == high else y


def uniform_between(capsule, cnp.ndarray out not None, double low, double high):
    """Fills a contiguous float32 or float64 array with uniform numbers from `low` up to, but not including, `high`."""
    cdef bitgen_t* stream = <bitgen_t*>PyCapsule_GetPointer(capsule, "BitGenerator")
    cdef bint is_single = cnp.PyArray_TYPE(out) == cnp.NPY_FLOAT
    cdef Py_ssize_t n = cnp.PyArray_SIZE(out)
    cdef void* x = cnp.PyArray_DATA(out)
    with nogil:
        draw(stream, x, n, is_single)
        if is_single:
            spread_singles(<float*>x, n, <float>low, <float>high)
        else:
            spread_doubles(<double*>x, n, low, high)


# the C library's functions


ctypedef double (*OfDouble)(double) noexcept nogil


cdef object mapped(OfDouble function, cnp.ndarray x):
    """Applies a function to each element of a float64 array."""
    cdef cnp.ndarray out = cnp.PyArray_GETCONTIGUOUS(x).copy()
    cdef Py_ssize_t i, n = cnp.PyArray_SIZE(out)
    cdef double* place = <double*>cnp.PyArray_DATA(out)
    with nogil:
        for i in range(n):
            place[i] = function(place[i])
    return out


def multiplied_and_added(cnp.ndarray x not None, double factor, double addend):
    """x * factor + addend for a float64 array, with one rounding."""
    cdef cnp.ndarray out = cnp.PyArray_GETCONTIGUOUS(x).copy()
    cdef Py_ssize_t i, n = cnp.PyArray_SIZE(out)
    cdef double* place = <double*>cnp.PyArray_DATA(out)
    with nogil:
        for i in range(n):
            place[i] = fma(place[i], factor, addend)
    return out


def logarithm(x):
    """log(x)"""
    return mapped(log, x)


def logarithm_beyond_one(x):
    """log(1 + x)"""
    return mapped(log1p, x)


def exponential(x):
    """exp(x)"""
    return mapped(exp, x)


def tangent(x):
    """tan(x)"""
    return mapped(tan, x)
