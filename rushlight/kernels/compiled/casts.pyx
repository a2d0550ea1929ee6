# cython: boundscheck=False, wraparound=False, cdivision=True
"""Converts arrays to other types: floats, complex numbers of their parts, integers, truths; float16 by the CPU's instructions, if it has them; bfloat16.

A bfloat16 is the upper half of a float32. Doubles go by way of float32, so that they are rounded as NumPy does: once to
float16, twice to bfloat16.
"""

cimport numpy as cnp
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from rushlight.kernels.compiled.arrays cimport fits, float_type, is_dense, same_strides
from rushlight.kernels.compiled.lanes cimport real as number, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef extern from *:
    """
    #if defined(__x86_64__) && defined(__GNUC__)
    #include <cpuid.h>
    #include <immintrin.h>
    #include <string.h>
    static int rushlight_halves = 0;
    __attribute__((constructor)) static void rushlight_settle_halves(void) {  /* older Clangs do not know "f16c" by name */
        unsigned int a, b, c, d;
        __builtin_cpu_init();
        rushlight_halves = __builtin_cpu_supports("avx2") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
    }
    #define rushlight_has_halves() rushlight_halves
    __attribute__((target("avx,f16c")))
    static void rushlight_to_halves(const float* x, unsigned short* out, Py_ssize_t n) {
        float rest[8] = {0};
        unsigned short made[8];
        Py_ssize_t i = 0;
        for (; i + 8 <= n; i += 8)
            _mm_storeu_si128((__m128i*)(out + i), _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
        memcpy(rest, x + i, (n - i) * sizeof(float));
        _mm_storeu_si128((__m128i*)made, _mm256_cvtps_ph(_mm256_loadu_ps(rest), _MM_FROUND_TO_NEAREST_INT));
        memcpy(out + i, made, (n - i) * sizeof(short));
    }
    __attribute__((target("avx,f16c")))
    static void rushlight_to_singles(const unsigned short* x, float* out, Py_ssize_t n) {
        unsigned short rest[8] = {0};
        float made[8];
        Py_ssize_t i = 0;
        for (; i + 8 <= n; i += 8)
            _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)(x + i))));
        memcpy(rest, x + i, (n - i) * sizeof(short));
        _mm256_storeu_ps(made, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)rest)));
        memcpy(out + i, made, (n - i) * sizeof(float));
    }
    #else
    #define rushlight_has_halves() 0
    static void rushlight_to_halves(const float* x, unsigned short* out, Py_ssize_t n) {}
    static void rushlight_to_singles(const unsigned short* x, float* out, Py_ssize_t n) {}
    #endif
    """
    bint has_halves "rushlight_has_halves"() noexcept nogil
    void to_halves "rushlight_to_halves"(const float* x, unsigned short* out, Py_ssize_t n) noexcept nogil
    void to_singles "rushlight_to_singles"(const unsigned short* x, float* out, Py_ssize_t n) noexcept nogil

cdef enum:
    GRAIN = 1 << 15  # elements of one thread's part
    BLOCK = 512  # doubles at a time

cdef extern from "numpy/arrayobject.h":
    int NPY_HALF
    cnp.ndarray PyArray_NewFromDescr(void*, cnp.dtype, int, const cnp.npy_intp*, const cnp.npy_intp*, void*, int, void*)

ctypedef fused source:
    float
    double
    int32_t
    int64_t
    unsigned char  # truths and small integers

ctypedef fused target:
    float
    double
    int32_t
    int64_t

cdef int UPPER = -1  # the type number of bfloat16, once it is known
cdef uint64_t DIGITS = (<uint64_t>1 << 29) - 1  # of a double that a float has not


cdef struct Job:
    const char* x
    char* out
    int given  # the type of x, and of the result
    int taken
    bint narrows
    bint upper  # whether the narrow type is bfloat16
    bint doubles  # whether the other is float64


cdef wide to_upper_halves(const uint32_t* x, uint16_t* out, Py_ssize_t n) noexcept nogil:
    """The bits of float32 numbers rounded to bfloat16, ties to even; NaN stays one."""
    cdef Py_ssize_t i
    cdef uint32_t bits, rounded
    for i in range(n):
        bits = x[i]
        rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
        out[i] = <uint16_t>((bits >> 16 & 0x8000) | 0x7FC0 if (bits & 0x7FFFFFFF) > 0x7F800000 else rounded)


cdef wide from_upper_halves(const uint16_t* x, uint32_t* out, Py_ssize_t n) noexcept nogil:
    """The bits of bfloat16 numbers as float32."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <uint32_t>x[i] << 16


cdef void convert_singles(const Job* job, const void* x, void* out, Py_ssize_t n) noexcept nogil:
    """Converts from or to float32."""
    if job.upper and job.narrows:
        to_upper_halves(<const uint32_t*>x, <uint16_t*>out, n)
    elif job.upper:
        from_upper_halves(<const uint16_t*>x, <uint32_t*>out, n)
    elif job.narrows:
        to_halves(<const float*>x, <unsigned short*>out, n)
    else:
        to_singles(<const unsigned short*>x, <float*>out, n)


cdef wide round_doubles(const double* x, float* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <float>x[i]


cdef wide round_to_odd(const double* x, float* out, Py_ssize_t n) noexcept nogil:
    """Cuts digits off; the last bit is 1 if any of them was not 0, so that rounding again gives the nearest number."""
    cdef Py_ssize_t i
    cdef uint64_t bits
    cdef double cut
    for i in range(n):
        memcpy(&bits, &x[i], 8)
        bits = (bits & ~DIGITS) | (((bits & DIGITS) + DIGITS) & ~DIGITS)
        memcpy(&cut, &bits, 8)
        out[i] = <float>cut


cdef wide extend_singles(const float* x, double* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = x[i]


cdef void convert_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Converts some elements; doubles by way of a block of float32."""
    cdef const Job* job = <const Job*>given
    cdef float[BLOCK] singles
    cdef Py_ssize_t at, n
    if not job.doubles:
        convert_singles(job, job.x + start * (4 if job.narrows else 2), job.out + start * (2 if job.narrows else 4),
                        stop - start)
        return
    for at from start <= at < stop by BLOCK:
        n = min(<Py_ssize_t>BLOCK, stop - at)
        if job.narrows:
            if job.upper:
                round_doubles(<const double*>job.x + at, singles, n)
            else:
                round_to_odd(<const double*>job.x + at, singles, n)
            convert_singles(job, singles, job.out + 2 * at, n)
        else:
            convert_singles(job, job.x + 2 * at, singles, n)
            extend_singles(singles, <double*>job.out + at, n)


cdef wide cast(const source* x, target* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <target>x[i]


cdef wide test(const source* x, unsigned char* out, Py_ssize_t n) noexcept nogil:
    """Which numbers are not 0."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = x[i] != 0


cdef void cast_from(const Job* job, const source* x, Py_ssize_t start, Py_ssize_t n) noexcept nogil:
    """Converts some elements to the type of the result."""
    if job.taken == cnp.NPY_FLOAT:
        cast(x + start, <float*>job.out + start, n)
    elif job.taken == cnp.NPY_DOUBLE:
        cast(x + start, <double*>job.out + start, n)
    elif job.taken == cnp.NPY_INT32:
        cast(x + start, <int32_t*>job.out + start, n)
    elif job.taken == cnp.NPY_INT64:
        cast(x + start, <int64_t*>job.out + start, n)
    else:
        test(x + start, <unsigned char*>job.out + start, n)


cdef void cast_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Converts some elements between types that C has."""
    cdef const Job* job = <const Job*>given
    if job.given == cnp.NPY_FLOAT:
        cast_from(job, <const float*>job.x, start, stop - start)
    elif job.given == cnp.NPY_DOUBLE:
        cast_from(job, <const double*>job.x, start, stop - start)
    elif job.given == cnp.NPY_INT32:
        cast_from(job, <const int32_t*>job.x, start, stop - start)
    elif job.given == cnp.NPY_INT64:
        cast_from(job, <const int64_t*>job.x, start, stop - start)
    else:
        cast_from(job, <const unsigned char*>job.x, start, stop - start)


cdef inline int kind_of(cnp.ndarray x) noexcept:
    """The type number of an array."""
    cdef int kind = cnp.PyArray_TYPE(x)
    if kind == cnp.NPY_LONG or kind == cnp.NPY_LONGLONG:  # of which one is not NumPy's name for the type of that size
        return cnp.NPY_INT64 if cnp.PyArray_ITEMSIZE(x) == 8 else cnp.NPY_INT32
    return kind


cdef inline bint is_float(int kind) noexcept:
    return kind == cnp.NPY_FLOAT or kind == cnp.NPY_DOUBLE


cdef inline bint is_narrow(int kind) noexcept:
    """Whether there are loops for a type of 16 bits."""
    return kind == UPPER or (kind == NPY_HALF and has_halves())


cdef inline bint is_plain(int kind) noexcept:
    return is_float(kind) or kind == cnp.NPY_INT64 or kind == cnp.NPY_INT32 or kind == cnp.NPY_BOOL


cdef bint in_step(cnp.ndarray x, cnp.ndarray out) noexcept:
    """Whether two dense arrays of one shape have their elements in the same order in memory."""
    cdef cnp.npy_intp size = cnp.PyArray_ITEMSIZE(x), size_out = cnp.PyArray_ITEMSIZE(out)
    cdef int d
    if not cnp.PyArray_SAMESHAPE(x, out) or not is_dense(x) or not is_dense(out):
        return False
    for d in range(x.ndim):
        if x.strides[d] * size_out != out.strides[d] * size and x.shape[d] != 1:
            return False
    return True


def know_upper(int kind):
    """Sets the type number of bfloat16."""
    global UPPER
    UPPER = kind


cdef bint can_convert(cnp.ndarray x, int given, int taken) noexcept:
    """Whether there is a loop for the elements of an array."""
    if not cnp.PyArray_ISBEHAVED_RO(x):
        return False
    if is_narrow(given) or is_narrow(taken):
        return is_float(taken if is_narrow(given) else given)
    return given != taken and is_plain(taken) and (is_plain(given) or given == cnp.NPY_UBYTE)


cdef int write(cnp.ndarray x, cnp.ndarray out) except -1:
    """Writes the elements of one array to another whose elements are in the same order in memory."""
    cdef Job job
    job.x, job.out, job.given, job.taken = cnp.PyArray_BYTES(x), cnp.PyArray_BYTES(out), kind_of(x), kind_of(out)
    job.narrows = is_narrow(job.taken)
    if not job.narrows and not is_narrow(job.given):
        return shared(cast_part, &job, cnp.PyArray_SIZE(x), GRAIN)
    job.upper = (job.taken if job.narrows else job.given) == UPPER
    job.doubles = cnp.PyArray_ITEMSIZE(x if job.narrows else out) == 8
    return shared(convert_part, &job, cnp.PyArray_SIZE(x), GRAIN)


def convert(cnp.ndarray x, cnp.ndarray out):
    """Writes the elements of one array to another of another type; whether it takes the arrays.

    Both have to be dense, with their elements in the same order in memory.
    """
    if not can_convert(x, kind_of(x), kind_of(out)) or not cnp.PyArray_ISBEHAVED(out) or not in_step(x, out):
        return False
    write(x, out)
    return True


cdef cnp.ndarray alike(cnp.ndarray x, cnp.dtype dtype):
    """A new array with the order in memory of a dense one, of another type."""
    cdef cnp.npy_intp[64] steps
    cdef cnp.npy_intp size = cnp.PyArray_ITEMSIZE(x), size_out = dtype.itemsize
    cdef int d
    for d in range(x.ndim):
        steps[d] = x.strides[d] // size * size_out
    Py_INCREF(dtype)  # the new array steals a reference
    return PyArray_NewFromDescr(<void*>cnp.ndarray, dtype, x.ndim, x.shape, steps, NULL, 0, NULL)


cdef bint lies_densely(object x) noexcept:
    """Whether an array has elements, which are contiguous in memory in any order."""
    return cnp.PyArray_CheckExact(x) and cnp.PyArray_SIZE(x) != 0 and is_dense(x)


def converted(given, cnp.dtype dtype):
    """A dense array in another type, in the same order in memory; None for others, and where there is no loop."""
    cdef cnp.ndarray x, out
    if not lies_densely(given):
        return None
    x, out = given, alike(given, dtype)
    if not can_convert(x, kind_of(x), kind_of(out)):
        return None
    write(x, out)
    return out


cdef struct Parts:
    const void* real
    const void* imag
    void* out
    bint single


cdef wide interleave(const number* real, const number* imag, number* out, Py_ssize_t n) noexcept nogil:
    """Writes numbers of two arrays in turns."""
    cdef Py_ssize_t i
    for i in range(n):
        out[2 * i] = real[i]
        out[2 * i + 1] = imag[i]


cdef void interleave_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Writes some of the complex numbers."""
    cdef const Parts* job = <const Parts*>given
    if job.single:
        interleave(<const float*>job.real + start, <const float*>job.imag + start, <float*>job.out + 2 * start, stop - start)
    else:
        interleave(
            <const double*>job.real + start, <const double*>job.imag + start, <double*>job.out + 2 * start, stop - start)


def complex_of(real, imag):
    """Complex numbers of their real and imaginary parts: dense float arrays of one type and layout; None for others."""
    cdef Parts job
    cdef int kind = float_type(real)
    cdef cnp.ndarray x, out
    if kind == 0 or not fits(imag, real) or not lies_densely(real) or not same_strides(real, imag):
        return None
    x, job.single = real, kind == cnp.NPY_FLOAT
    out = alike(x, cnp.PyArray_DescrFromType(cnp.NPY_CFLOAT if job.single else cnp.NPY_CDOUBLE))
    job.real, job.imag, job.out = cnp.PyArray_DATA(real), cnp.PyArray_DATA(imag), cnp.PyArray_DATA(out)
    shared(interleave_part, &job, cnp.PyArray_SIZE(x), GRAIN)
    return out
