"""Finds the inner loops of ufuncs in fields of NumPy's `PyUFuncObject`, which are not part of its stable API.

So on import the fields of some ufuncs are compared with their Python attributes, and their loops are tested. If
anything differs, every loop calls its ufunc through Python: slower, with the same results.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from numpy cimport npy_intp

import numpy as np

cnp.import_array()

cdef extern from "numpy/ufuncobject.h":
    ctypedef struct PyUFuncObject:
        int nin
        int nout
        int nargs
        int ntypes
        Function* functions
        void** data


cdef class Call:
    """A ufunc for some types, called through Python."""

    cdef object ufunc
    cdef int types[8]
    cdef int count

    def __cinit__(self, ufunc, str types):
        self.ufunc = ufunc
        chars = types.replace("->", "")
        self.count = len(chars)
        for i, char in enumerate(chars):
            self.types[i] = np.dtype(char).num


cdef extern from "numpy/arrayobject.h":
    object PyArray_New(void*, int, npy_intp*, int, npy_intp*, void*, int, int, void*)


cdef void by_calling(char** args, const npy_intp* n, const npy_intp* strides, void* data) noexcept with gil:
    """The loop of a `Call`."""
    cdef Call call = <Call>data
    cdef npy_intp size = n[0], step
    cdef list arrays = []
    cdef int i
    for i in range(call.count):
        step = strides[i]
        arrays.append(PyArray_New(
            <void*>np.ndarray, 1, &size, call.types[i], &step, args[i], 0, cnp.NPY_ARRAY_WRITEABLE, NULL))
    call.ufunc(*arrays[:call.ufunc.nin], out=tuple(arrays[call.ufunc.nin:]))


cdef Loop loop_in_fields(object ufunc, str types):
    cdef PyUFuncObject* fields = <PyUFuncObject*><PyObject*>ufunc
    cdef int number = ufunc.types.index(types)
    return Loop(fields.functions[number], fields.data[number])


cdef bint told_truly(object ufunc):
    """Whether the fields of a ufunc agree with its Python attributes."""
    cdef PyUFuncObject* fields = <PyUFuncObject*><PyObject*>ufunc
    return fields.nin == ufunc.nin and fields.nout == ufunc.nout and fields.nargs == ufunc.nargs \
        and fields.ntypes == ufunc.ntypes and fields.functions != NULL


cdef bint computes(object ufunc, str types):
    """Whether the loop found in the fields computes what the ufunc does."""
    cdef cnp.ndarray x = np.linspace(0.5, 2, 9).astype(types[0])
    cdef cnp.ndarray found = np.empty_like(x)
    cdef Loop loop = loop_in_fields(ufunc, types)
    run(&loop, cnp.PyArray_DATA(x), cnp.PyArray_DATA(found), x.shape[0], x.strides[0])
    return (found == ufunc(x)).all()


cdef bint FIELDS = all([told_truly(ufunc) for ufunc in (np.add, np.exp, np.tanh, np.less, np.divmod)]) \
    and computes(np.negative, "f->f") and computes(np.tanh, "d->d")
cdef list CALLS = []  # kept alive for the loops that point to them


cdef Loop loop_of(object ufunc, str types):
    """A ufunc's loop for some types, such as "f->f"; ValueError if there is none."""
    if FIELDS:
        return loop_in_fields(ufunc, types)
    if types not in ufunc.types:
        raise ValueError(f"{ufunc.__name__} has no loop for {types}")
    CALLS.append(Call(ufunc, types))
    return Loop(by_calling, <void*>CALLS[-1])


def by_fields() -> bool:
    """Whether loops are taken from the fields."""
    return FIELDS


def without_fields(bint without) -> None:
    """Makes loops call their ufuncs through Python, or not: for tests."""
    global FIELDS
    FIELDS = not without
