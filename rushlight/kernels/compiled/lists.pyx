# cython: boundscheck=False, wraparound=False
"""Arrays of the numbers in nested lists, read in one pass."""

cimport numpy as cnp
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_CheckExact
from libc.stdint cimport int64_t

cnp.import_array()

cdef extern from "Python.h":
    Py_ssize_t PySequence_Fast_GET_SIZE(object)
    PyObject** PySequence_Fast_ITEMS(object)

cdef enum:
    MOST_LEVELS = 32

cdef struct Reading:
    char* out  # where the next number goes
    int kind  # NPY_FLOAT, NPY_DOUBLE or NPY_INT64
    int levels
    cnp.npy_intp[MOST_LEVELS] shape


cdef bint is_sequence(object data) noexcept:
    return PyList_CheckExact(data) or PyTuple_CheckExact(data)


cdef bint put(Reading* job, object number) noexcept:
    """Writes a number; whether it is a Python number of the array's kind, in range."""
    cdef int overflow = 0
    if job.kind == cnp.NPY_INT64:
        if not PyLong_CheckExact(number):
            return False
        (<int64_t*>job.out)[0] = PyLong_AsLongLongAndOverflow(number, &overflow)
        job.out += sizeof(int64_t)
        return not overflow
    if not PyFloat_CheckExact(number):
        return False
    if job.kind == cnp.NPY_FLOAT:
        (<float*>job.out)[0] = <float>PyFloat_AS_DOUBLE(number)
        job.out += sizeof(float)
    else:
        (<double*>job.out)[0] = PyFloat_AS_DOUBLE(number)
        job.out += sizeof(double)
    return True


cdef bint take(Reading* job, object data, int level) noexcept:
    """Writes all numbers of a sequence at some level; whether it has the right shape and nothing else."""
    cdef Py_ssize_t i
    cdef PyObject** items
    if not is_sequence(data) or PySequence_Fast_GET_SIZE(data) != job.shape[level]:
        return False
    items = PySequence_Fast_ITEMS(data)
    for i in range(job.shape[level]):
        if level + 1 < job.levels:
            if not take(job, <object>items[i], level + 1):
                return False
        elif not put(job, <object>items[i]):
            return False
    return True


def numbers(data, cnp.dtype floats not None, cnp.dtype given):
    """An array of nested lists of Python's floats alone, or of integers alone; None for all else.

    Its dtype is `given`, or if that is None int64, or `floats` for floats.
    """
    cdef Reading job
    cdef object first = data
    job.levels = 0
    while is_sequence(first):
        if job.levels == MOST_LEVELS or PySequence_Fast_GET_SIZE(first) == 0:
            return None
        job.shape[job.levels] = PySequence_Fast_GET_SIZE(first)
        job.levels += 1
        first = <object>PySequence_Fast_ITEMS(first)[0]
    if job.levels == 0:
        return None
    if PyFloat_CheckExact(first):
        job.kind = (floats if given is None else given).num
        if job.kind != cnp.NPY_FLOAT and job.kind != cnp.NPY_DOUBLE:
            return None
    else:
        job.kind = cnp.NPY_INT64
        if given is not None and given.num != cnp.NPY_INT64:
            return None
    cdef cnp.ndarray out = cnp.PyArray_SimpleNew(job.levels, job.shape, job.kind)
    job.out = cnp.PyArray_BYTES(out)
    return out if take(&job, data, 0) else None
