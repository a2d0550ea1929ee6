# Vectors of 16 floats or 8 doubles, and functions compiled for several generations of CPUs.
#
# `lanes` are GCC's and Clang's vector types: `+ - * /` work on them, with a number on one side too; they are read and
# written through pointers, aligned or not. A function declared `cdef wide NAME(...) noexcept nogil` is compiled three
# times, for any x86-64, for AVX2 and for AVX-512, and the loader takes the best for the CPU it finds; on other
# compilers and CPUs once. A `cdef widest NAME(...)` is compiled for AVX-512 alone, to be called where there are
# `wide_registers`. What they call has to be inline: a `cdef always NAME(...)` is, everywhere, and its loops over constant
# arguments unroll.
#
# `number(place, i)` is the i-th float or double at a pointer to lanes, `add_to(place, i, value)` adds to it, `put(place,
# value)` writes the first; `filled(place, i)` is a vector full of the i-th, and `kept(x, mask)` has zeros in place of the
# numbers of x where the mask has no bits. `real` is the type of kernels that serve both precisions.
cdef extern from *:
    """
    #if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12
    #define RUSHLIGHT_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
    #define RUSHLIGHT_WIDEST __attribute__((target("arch=x86-64-v4")))
    #else
    #define RUSHLIGHT_CLONES
    #define RUSHLIGHT_WIDEST
    #endif
    static inline int rushlight_wide_registers(void) {
    #if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
    #else
        return 0;
    #endif
    }
    #if defined(__GNUC__)
    #define RUSHLIGHT_ALWAYS __attribute__((always_inline)) inline void
    #else
    #define RUSHLIGHT_ALWAYS inline void
    #endif
    #define rushlight_number(place, i) (((const __typeof__((*(place))[0])*)(place))[i])
    #define rushlight_add_to(place, i, value) (((__typeof__((*(place))[0])*)(place))[i] += (value))
    #define rushlight_put(place, value) (((__typeof__((*(place))[0])*)(place))[0] = (value))
    #define rushlight_filled(place, i) ((__typeof__(*(place))){0} + rushlight_number(place, i))
    #define rushlight_kept(x, mask) ((__typeof__(x))((rushlight_bits)(x) & *(const rushlight_bits*)(mask)))
    typedef long long rushlight_bits __attribute__((vector_size(64), aligned(4), may_alias));
    typedef float rushlight_floats __attribute__((vector_size(64), aligned(4), may_alias));
    typedef double rushlight_doubles __attribute__((vector_size(64), aligned(8), may_alias));
    """
    ctypedef void wide "RUSHLIGHT_CLONES void"
    ctypedef void widest "RUSHLIGHT_WIDEST void"
    ctypedef void always "RUSHLIGHT_ALWAYS"
    int wide_registers "rushlight_wide_registers"() noexcept nogil  # whether 32 registers hold one of `lanes` each
    ctypedef float floats "rushlight_floats"
    ctypedef double doubles "rushlight_doubles"
    double number "rushlight_number"(const void* place, Py_ssize_t i) noexcept nogil
    double kept "rushlight_kept"(double x, const void* mask) noexcept nogil
    double filled "rushlight_filled"(const void* place, Py_ssize_t i) noexcept nogil
    void add_to "rushlight_add_to"(void* place, Py_ssize_t i, double value) noexcept nogil
    void put "rushlight_put"(void* place, double value) noexcept nogil

ctypedef fused real:
    float
    double
