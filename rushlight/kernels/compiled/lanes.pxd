# Vectors of 16 floats or 8 doubles, and functions compiled for several generations of CPUs.
#
# `lanes` are GCC's and Clang's vector types: `+ - * /` work on them, with a number on one side too; they are read and
# written through pointers, aligned or not. A function declared `cdef wide NAME(...) noexcept nogil` is compiled three
# times, for any x86-64, for AVX2 and for AVX-512, and the loader takes the best for the CPU it finds; on other
# compilers and CPUs once. What it calls has to be inline.
cdef extern from *:
    """
    #if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12
    #define RUSHLIGHT_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
    #else
    #define RUSHLIGHT_CLONES
    #endif
    static inline int rushlight_wide_registers(void) {
    #if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
    #else
        return 0;
    #endif
    }
    typedef float rushlight_floats __attribute__((vector_size(64), aligned(4), may_alias));
    typedef double rushlight_doubles __attribute__((vector_size(64), aligned(8), may_alias));
    """
    ctypedef void wide "RUSHLIGHT_CLONES void"
    int wide_registers "rushlight_wide_registers"() noexcept nogil  # whether 32 registers hold one of `lanes` each
    ctypedef float floats "rushlight_floats"
    ctypedef double doubles "rushlight_doubles"
