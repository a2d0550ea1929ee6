"""The compiled version of context.py."""

from cpython.ref cimport PyObject

cdef extern from "Python.h":
    int PyContextVar_Get(object variable, PyObject* default, PyObject** value) except -1
    void Py_DECREF(PyObject*)
    ctypedef object (*Maker "newfunc")(type, tuple, PyObject*)
    ctypedef struct TypeObject "PyTypeObject":
        Maker tp_new

cdef long NUMBER = 0  # changed only while the GIL is held


cpdef object value_of(object variable):
    """The value of a context variable that has a default."""
    cdef PyObject* value
    PyContextVar_Get(variable, NULL, &value)
    result = <object>value
    Py_DECREF(value)
    return result


cpdef long next_number() noexcept:
    """The sequence number for the next node: the backward pass runs the node with the highest number first."""
    global NUMBER
    NUMBER += 1
    return NUMBER


cpdef long last_number() noexcept:
    """The sequence number of the node that was recorded last."""
    return NUMBER


cpdef object made_by(type base, type cls):
    """A new object of class `cls`, made by `base.__new__` even where `base` was replaced in its module since."""
    return (<TypeObject*>base).tp_new(cls, (), NULL)
