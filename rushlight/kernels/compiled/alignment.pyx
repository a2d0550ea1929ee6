"""Memory of NumPy's arrays that begins where a cache line does, so that no vector register is filled from two lines.

NumPy takes what `malloc` gives, which is a multiple of 16 bytes. Here each block has some bytes more, and arrays of at
least `LARGE` bytes start at the first multiple of `LINE`; the address of the block is before them. As NumPy does, large
blocks ask Linux for huge pages. NumPy's handlers of memory (NEP 49) belong to a context: threads that are started later
have NumPy's own.
"""

cimport numpy as cnp
from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memmove, strcpy

cnp.import_array()

cdef extern from *:
    """
    #ifdef __linux__
    #include <sys/mman.h>
    #define rushlight_ask_for_huge_pages(place, size) madvise(place, size, MADV_HUGEPAGE)
    #else
    #define rushlight_ask_for_huge_pages(place, size)
    #endif
    """
    void ask_for_huge_pages "rushlight_ask_for_huge_pages"(void*, size_t) noexcept nogil

cdef enum:
    LINE = 64
    WORD = 16  # to which `malloc` aligns
    LARGE = 512
    PAGE = 4096
    HUGE = 1 << 22  # bytes from which on NumPy asks for huge pages

cdef cnp.PyDataMem_Handler HANDLER


cdef inline size_t step(size_t size) noexcept nogil:
    """What an array of some bytes is aligned to."""
    return LINE if size >= LARGE else WORD


cdef inline void* within(void* block, size_t size) noexcept nogil:
    """The place of an array in a block that has `step(size)` bytes more; NULL if there is no block."""
    return <void*>((<uintptr_t>block + step(size)) // step(size) * step(size)) if block else NULL


cdef inline void* noted(void* place, void* block, size_t size) noexcept nogil:
    """The place of an array, before which the block's address is noted."""
    if place:
        (<void**>place)[-1] = block
        if size >= HUGE:
            ask_for_huge_pages(<void*>(<uintptr_t>place // PAGE * PAGE + PAGE), size - PAGE)
    return place


cdef void* taken(void* ctx, size_t size) noexcept nogil:
    cdef void* block = malloc(size + step(size))
    return noted(within(block, size), block, size)


cdef void* zeroed(void* ctx, size_t number, size_t each) noexcept nogil:
    cdef size_t size = number * each
    cdef void* block = calloc(size + step(size), 1)
    return noted(within(block, size), block, size)


cdef void* resized(void* ctx, void* place, size_t size) noexcept nogil:
    cdef void* block = (<void**>place)[-1] if place else NULL
    cdef Py_ssize_t before = <char*>place - <char*>block
    block = realloc(block, size + LINE)
    if block and place:
        memmove(within(block, size), <char*>block + before, size)
    return noted(within(block, size), block, size)


cdef void released(void* ctx, void* place, size_t size) noexcept nogil:
    if place != NULL:
        free((<void**>place)[-1])


def align():
    """Aligns arrays that are made from now on."""
    strcpy(HANDLER.name, "rushlight")
    HANDLER.version = 1
    HANDLER.allocator.malloc, HANDLER.allocator.calloc = taken, zeroed
    HANDLER.allocator.realloc, HANDLER.allocator.free = resized, released
    cnp.PyDataMem_SetHandler(PyCapsule_New(&HANDLER, "mem_handler", NULL))
