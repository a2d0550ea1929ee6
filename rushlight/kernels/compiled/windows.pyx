# cython: boundscheck=False, wraparound=False
"""The address of an array's memory, and arrays of any shape and strides on it."""

cimport numpy as cnp
from cpython.ref cimport Py_INCREF

from rushlight.kernels.compiled.codes cimport MOST_DIMS

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    cnp.ndarray PyArray_NewFromDescr(void*, cnp.dtype, int, const cnp.npy_intp*, const cnp.npy_intp*, void*, int, void*)
    int PyArray_SetBaseObject(cnp.ndarray, object) except -1
    int NPY_ARRAY_WRITEABLE


def address(cnp.ndarray array not None):
    """The address of an array's first element."""
    return <size_t>cnp.PyArray_DATA(array)


def compact(shape, itemsize):
    """The strides of a contiguous array; of any size, as Python's numbers are."""
    cdef int d, ndim = len(shape)
    cdef list strides = [itemsize] * ndim
    for d in range(ndim - 1, 0, -1):
        itemsize = itemsize * shape[d]
        strides[d - 1] = itemsize
    return tuple(strides)


def laid_over(cnp.ndarray array not None, shape, strides, Py_ssize_t offset=0):
    """An array of any shape and strides in the memory of another, starting `offset` bytes after its first element."""
    cdef cnp.npy_intp sizes[MOST_DIMS]
    cdef cnp.npy_intp steps[MOST_DIMS]
    cdef int ndim = len(shape), d
    if ndim > MOST_DIMS or len(strides) != ndim:
        raise ValueError(f"no array has the shape {shape} and the strides {strides}")
    for d in range(ndim):
        sizes[d], steps[d] = shape[d], strides[d]
    cdef cnp.dtype kind = array.dtype
    Py_INCREF(kind)  # the new array steals a reference
    cdef cnp.ndarray found = PyArray_NewFromDescr(
        <void*>cnp.ndarray, kind, ndim, sizes, steps, cnp.PyArray_BYTES(array) + offset,
        NPY_ARRAY_WRITEABLE if cnp.PyArray_ISWRITEABLE(array) else 0, NULL)
    Py_INCREF(array)
    PyArray_SetBaseObject(found, array)
    return found
