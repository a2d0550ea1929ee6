# The exponential of a number: exp(x) = 2**k exp(r), where |r| <= ln(2) / 2. Loops of it become vectors.
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy

from rushlight.core.elementary_polynomials cimport exponential_rest
from rushlight.kernels.compiled.exponential cimport exp_near_zero
from rushlight.kernels.compiled.lanes cimport real


cdef inline double whole_ln2(double k) noexcept nogil:
    # The larger part of k ln(2), exactly.
    return k * 6.93147180369123816490e-01


cdef inline double rest_of_ln2(double k) noexcept nogil:
    # The rest of k ln(2).
    return k * 1.90821492927058770002e-10


cdef inline double nearest(double x) noexcept nogil:
    # The nearest whole number, up to 2**51: what is added leaves no room for digits behind the point.
    return (x + 6755399441055744.0) - 6755399441055744.0


cdef inline double power_of_two(double k) noexcept nogil:
    # 2**k for a whole number k from -1022 to 1023.
    cdef double shifted = k + 4503599627371519.0  # 2**52 + 1023: the lowest bits are those of the exponent
    cdef uint64_t bits
    memcpy(&bits, &shifted, 8)
    bits = bits << 52
    memcpy(&shifted, &bits, 8)
    return shifted


cdef inline double within(double x, double low, double high) noexcept nogil:
    # x within bounds; NaN stays.
    x = low if x < low else x
    return high if x > high else x


cdef inline double remainder_of(double x, double k) noexcept nogil:
    # x - k ln(2).
    return (x - whole_ln2(k)) - rest_of_ln2(k)


cdef inline double scaled(double r, double k, double scale, bint precise) noexcept nogil:
    # exp(r) 2**k times a scale; 2**k in two factors, so that neither overflows.
    cdef double half = nearest(0.5 * k)
    return (1 + (r + r * r * exponential_rest(r, precise))) * power_of_two(half) * (power_of_two(k - half) * scale)


cdef inline double exponential(double x, double scale, bint precise) noexcept nogil:
    # exp(x) times a scale.
    cdef double k
    x = within(x, -746, 711)
    k = nearest(x * 1.4426950408889634)
    return scaled(remainder_of(x, k), k, scale, precise)


cdef inline float power_of_two_of_float(int32_t k) noexcept nogil:
    # 2**k for k from -126 to 127.
    cdef float power
    k = (k + 127) << 23
    memcpy(&power, &k, 4)
    return power


cdef inline float scaled_float(float r, float k) noexcept nogil:
    # exp(r) 2**k for a whole number k, as `scaled`.
    cdef int32_t whole = <int32_t>k
    return exp_near_zero(r) * power_of_two_of_float(whole >> 1) * power_of_two_of_float(whole - (whole >> 1))


cdef inline float exponential_of_float(float x) noexcept nogil:
    # exp(x), to 1.01 units in the last place.
    cdef float k
    x = <float>-104 if x < -104 else x
    x = <float>89 if x > 89 else x
    k = (x * <float>1.4426950408889634 + <float>12582912) - <float>12582912
    return scaled_float((x - k * <float>0.693359375) - k * <float>-2.12194440e-4, k)


cdef inline float power_of_two_at(float x) noexcept nogil:
    # 2**x, to 1.01 units in the last place.
    cdef float k
    x = <float>-151 if x < -151 else x
    x = <float>129 if x > 129 else x
    k = (x + <float>12582912) - <float>12582912
    return scaled_float((x - k) * <float>0.6931471805599453, k)


cdef inline real exponential_of(real x) noexcept nogil:
    # exp(x).
    if real is float:
        return exponential_of_float(x)
    else:
        return exponential(x, 1, True)
