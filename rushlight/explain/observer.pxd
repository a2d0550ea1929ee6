# The types of observer.py.
cimport cython

from rushlight.core.context cimport last_number
from rushlight.core.entries cimport Entry
from rushlight.core.graph cimport Node, TensorBase
from rushlight.core.interpreters cimport Onlooker
from rushlight.explain.finite cimport is_bad
from rushlight.explain.origins cimport Info, info_at, info_of, merged, tell
from rushlight.explain.sites cimport Site, Sites

cdef frozenset TAME, THROUGH
cdef object QUIET


cdef class Quiet:
    pass


cdef class Watch(Onlooker):
    cdef readonly Sites sites
    cdef readonly object here
    cdef readonly dict cuts
    cdef readonly dict spans
    cdef readonly dict alive
    cdef readonly set lasting
    cdef readonly dict holders
    cdef readonly dict outputs
    cdef public object inference
    cdef public tuple left
    cdef readonly list troubles
    cdef public long clock
    cdef readonly long began
    cdef readonly object ledger
    cdef readonly object readings
    cdef frozenset wanted
    cdef frozenset of_many

    cpdef saw(self, Entry op, tuple args, object result)
    @cython.locals(info=Info, out=TensorBase, one=TensorBase, found=int)
    cdef note(self, Entry op, tuple args, object result)
    @cython.locals(node=Node, known=Info)
    cdef int consider(self, Info info, TensorBase tensor) except -1
    @cython.locals(known=Info)
    cdef Info data(self, TensorBase tensor, Info info, Site site, Info told)
    cdef unrecorded(self, Entry op, Info info, tuple args, TensorBase out, int found)
    cpdef made(self, object tensor, str name)
    @cython.locals(known=Info, site=Site)
    cdef descend(self, Info info, TensorBase tensor)
    @cython.locals(node=Node)
    cdef note_result(self, Entry op, Info info, tuple args, TensorBase out, bint beside)
    cdef keep(self, Site site, TensorBase out)
    @cython.locals(site=Site, line=Site)
    cpdef keep_output(self, object module, object out)


cdef tuple operands(tuple args)
