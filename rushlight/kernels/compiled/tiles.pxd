# What the kernels of convolution share: vectors as long as a register of this CPU, and where operands are in memory.
#
# A kernel that keeps a tile of sums in registers needs vectors of the CPU's own length: 64 bytes with AVX-512, 32 with
# AVX2, 16 elsewhere. A function declared `cdef fit NAME(...) noexcept nogil` is compiled for AVX-512 and for AVX2 (on
# other CPUs once), and in each copy `floats` and `doubles` are as long as a register is there; `clones.py` writes this
# out in the C file. Each call takes the copy for vectors of `register_bytes()`. What they call has to be inline: a
# `cdef inlined NAME(...)` is, and is copied along. Other functions only pass pointers to vectors on.
cimport numpy as cnp

from rushlight.kernels.compiled.lanes cimport doubles, floats

cdef extern from *:
    """
    #if defined(RUSHLIGHT_GENERATIONS)
    #define RUSHLIGHT_OWN RUSHLIGHT_AVX2
    #define RUSHLIGHT_OWN_BYTES 32
    #define rushlight_register_bytes() (rushlight_capability == 2 ? 64 : rushlight_capability == 1 ? 32 : 0)
    #else
    #define RUSHLIGHT_OWN RUSHLIGHT_APART
    #define RUSHLIGHT_OWN_BYTES 16
    #if defined(__aarch64__) && defined(__GNUC__)
    #define rushlight_register_bytes() 16
    #else
    #define rushlight_register_bytes() 0
    #endif
    #endif
    #define rushlight_across(bytes) ((bytes) == 32 ? 2 : 4)
    typedef float rushlight_own_floats __attribute__((vector_size(RUSHLIGHT_OWN_BYTES), aligned(4), may_alias));
    typedef double rushlight_own_doubles __attribute__((vector_size(RUSHLIGHT_OWN_BYTES), aligned(8), may_alias));
    """
    ctypedef void fit "RUSHLIGHT_FIT void"
    ctypedef void inlined "RUSHLIGHT_INLINED void"
    int register_bytes "rushlight_register_bytes"() noexcept nogil  # 0 on CPUs where BLAS is faster than these kernels
    int across "rushlight_across"(int vector) noexcept nogil  # vectors side by side in a tile: there are 16 registers of
    #                                                           32 bytes, of the others 32

ctypedef fused lanes:
    floats
    doubles


cdef inline const char* beside(const void* place, Py_ssize_t step) noexcept nogil:
    """The position a number of bytes further on."""
    return <const char*>place + step


cdef struct Operand:
    char* start
    Py_ssize_t[3] steps  # from run to run, group to group, channel to channel


cdef inline Operand operand(cnp.ndarray array) noexcept:
    """The operand for an array of three or four dimensions, or of two for the bias."""
    cdef Operand result
    cdef int i
    result.start = cnp.PyArray_BYTES(array)
    for i in range(min(3, array.ndim)):
        result.steps[i] = array.strides[i]
    return result
