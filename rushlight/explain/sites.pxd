# The types of sites.py.
cimport cython

cdef object frame_here


@cython.final
cdef class Site:
    cdef readonly object code
    cdef readonly int lasti
    cdef public long clock
    cdef public list results
    cdef public tuple first
    cdef public tuple second
    cdef public tuple both
    cdef public object part
    cdef public dict parts


@cython.final
cdef class Code:
    cdef readonly object code
    cdef readonly bint foreign
    cdef readonly dict sites


@cython.final
cdef class Sites:
    cdef readonly dict codes
    cdef public object part

    @cython.locals(code=Code, site=Site)
    cpdef Site here(self)
    @cython.locals(found=Site)
    cdef Site of_part(self, Site site)
    @cython.locals(known=Code)
    cdef Code code(self, object code)
    @cython.locals(site=Site)
    cdef Site place(self, Code code, object lasti)
    cpdef Site of(self, object frame)
    cpdef Site at(self, object code, object lasti)
