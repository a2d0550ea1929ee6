# The types of origins.py.
cimport cython

from rushlight.core.graph cimport Node, TensorBase
from rushlight.explain.sites cimport Site



@cython.final
@cython.freelist(256)
@cython.no_gc
cdef class Info:
    cdef public Site site
    cdef public str name
    cdef public long step
    cdef public int depth
    cdef public tuple cuts
    cdef public tuple plain
    cdef public tuple parents
    cdef public object birth
    cdef public object source
    cdef public object shape
    cdef public object dim


@cython.locals(info=Info)
cpdef Info info_at(Site site, str name, long step)

@cython.locals(held=TensorBase)
cpdef Info info_of(object tensor)

cpdef tell(TensorBase tensor, Info info)

@cython.locals(more=list, both=tuple)
cpdef tuple merged(tuple first, tuple second, Py_ssize_t limit=*)

cdef bint holds(tuple causes, object cause)
