# Squares of 16 times 16 floats in the registers of a CPU with AVX-512.
#
# `turned` makes the rows of a square, which are 16 vectors, its columns: what lies across from each other changes places,
# first in squares of 8, then in those of 4, 2 and 1.
from rushlight.kernels.compiled.lanes cimport floats

cdef extern from *:
    """
    #ifdef __clang__
    #define rushlight_mixed(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
    #else
    typedef int rushlight_order __attribute__((vector_size(64)));
    #define rushlight_mixed(x, y, ...) __builtin_shuffle(x, y, (rushlight_order){__VA_ARGS__})
    #endif
    #define RUSHLIGHT_UPPER(i, n) ((i) & n ? 16 + (i) - n : (i))
    #define RUSHLIGHT_LOWER(i, n) ((i) & n ? 16 + (i) : (i) + n)
    #define RUSHLIGHT_EACH(of, n) of(0, n), of(1, n), of(2, n), of(3, n), of(4, n), of(5, n), of(6, n), of(7, n), \\
        of(8, n), of(9, n), of(10, n), of(11, n), of(12, n), of(13, n), of(14, n), of(15, n)
    #define RUSHLIGHT_EXCHANGE(x, n) for (int i = 0; i < 16; i++) if (!(i & n)) { \\
        rushlight_floats upper = rushlight_mixed(x[i], x[i + n], RUSHLIGHT_EACH(RUSHLIGHT_UPPER, n)); \\
        x[i + n] = rushlight_mixed(x[i], x[i + n], RUSHLIGHT_EACH(RUSHLIGHT_LOWER, n)); \\
        x[i] = upper; }
    #define rushlight_turned(x) do { RUSHLIGHT_EXCHANGE(x, 8) RUSHLIGHT_EXCHANGE(x, 4) \\
        RUSHLIGHT_EXCHANGE(x, 2) RUSHLIGHT_EXCHANGE(x, 1) } while (0)
    """
    void turned "rushlight_turned"(floats* x) noexcept nogil
