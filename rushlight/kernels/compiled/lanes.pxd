# Vectors of 16 floats or 8 doubles (`few` are half as long), and functions compiled for several generations of CPUs.
#
# `lanes` are GCC's and Clang's vector types, on any CPU: `+ - * /` work on them, with a number on one side too; they are
# read and written through pointers, aligned or not. A function declared `cdef wide NAME(...) noexcept nogil` is compiled
# three times, for any x86-64, for AVX2 and for AVX-512 (`clones.py` writes that out in the C file), and each call takes the
# best that the CPU has and RUSHLIGHT_CPU_CAPABILITY (default, avx2 or avx512) allows when the module is loaded; on other
# compilers and CPUs once. A `cdef widest NAME(...)` is compiled for AVX-512 alone, to be called where there are
# `wide_registers`. What they call has to be inline: a `cdef always NAME(...)` is, everywhere, and its loops over constant
# arguments unroll.
#
# `number(place, i)` is the i-th float or double at a pointer to lanes, `add_to(place, i, value)` adds to it, `put(place,
# value)` writes the first; `filled(place, i)` is a vector full of the i-th. `real` is the type of kernels that serve both
# precisions.
cdef extern from *:
    """
    #include <stdlib.h>
    #include <string.h>
    #if defined(__GNUC__)
    #define RUSHLIGHT_APART __attribute__((noinline))
    #define RUSHLIGHT_ALWAYS __attribute__((always_inline)) inline void
    #else
    #define RUSHLIGHT_APART
    #define RUSHLIGHT_ALWAYS inline void
    #endif
    #if defined(__x86_64__) && (__clang_major__ >= 12 || (__GNUC__ >= 11 && !defined(__clang__)))
    #define RUSHLIGHT_GENERATIONS
    #define RUSHLIGHT_AVX2 __attribute__((noinline, target("arch=x86-64-v3")))
    #ifdef __clang__
    #define RUSHLIGHT_AVX512 __attribute__((noinline, target("arch=x86-64-v4"), min_vector_width(512)))
    #else
    #define RUSHLIGHT_AVX512 __attribute__((noinline, target("arch=x86-64-v4")))
    #endif
    #define RUSHLIGHT_WIDEST RUSHLIGHT_AVX512
    __attribute__((visibility("default"))) int rushlight_capability = 0;  /* 1 is AVX2, 2 AVX-512; config.py reads it */
    __attribute__((constructor)) static void rushlight_settle_capability(void) {
        const char* most = getenv("RUSHLIGHT_CPU_CAPABILITY");
        if (most && !strcmp(most, "default")) return;
        __builtin_cpu_init();
        if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2")) return;
        rushlight_capability = 1;
        if (most && !strcmp(most, "avx2")) return;
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd")
                && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
            rushlight_capability = 2;
    }
    #define rushlight_wide_registers() (rushlight_capability == 2)
    #else
    #define RUSHLIGHT_WIDEST
    #define rushlight_wide_registers() 0
    #endif
    #define rushlight_number(place, i) (((const __typeof__((*(place))[0])*)(place))[i])
    #define rushlight_add_to(place, i, value) (((__typeof__((*(place))[0])*)(place))[i] += (value))
    #define rushlight_put(place, value) (((__typeof__((*(place))[0])*)(place))[0] = (value))
    #define rushlight_filled(place, i) ((__typeof__(*(place))){0} + rushlight_number(place, i))
    typedef float rushlight_floats __attribute__((vector_size(64), aligned(4), may_alias));
    typedef double rushlight_doubles __attribute__((vector_size(64), aligned(8), may_alias));
    typedef float rushlight_few_floats __attribute__((vector_size(32), aligned(4), may_alias));
    typedef double rushlight_few_doubles __attribute__((vector_size(32), aligned(8), may_alias));
    """
    ctypedef void wide "RUSHLIGHT_CLONES void"
    ctypedef void widest "RUSHLIGHT_WIDEST void"
    ctypedef void always "RUSHLIGHT_ALWAYS"
    int wide_registers "rushlight_wide_registers"() noexcept nogil  # whether 32 registers hold one of `lanes` each
    ctypedef float floats "rushlight_floats"
    ctypedef double doubles "rushlight_doubles"
    ctypedef float few_floats "rushlight_few_floats"
    ctypedef double few_doubles "rushlight_few_doubles"
    double number "rushlight_number"(const void* place, Py_ssize_t i) noexcept nogil
    double filled "rushlight_filled"(const void* place, Py_ssize_t i) noexcept nogil
    void add_to "rushlight_add_to"(void* place, Py_ssize_t i, double value) noexcept nogil
    void put "rushlight_put"(void* place, double value) noexcept nogil

ctypedef fused real:
    float
    double
