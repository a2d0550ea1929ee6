# NumPy's array as the compiled core sees it: attributes that cost nothing to read.
from cpython.ref cimport PyObject

cdef struct Flags:
    bint c_contiguous
    bint f_contiguous
    bint writeable

cdef extern from "numpy/arrayobject.h":
    ctypedef Py_ssize_t npy_intp

    ctypedef class numpy.ndarray [object PyArrayObject, check_size ignore]:
        @property
        cdef inline object dtype(self):
            return <object>PyArray_DESCR(self)

        @property
        cdef inline int ndim(self) noexcept nogil:
            return PyArray_NDIM(self)

        @property
        cdef inline npy_intp itemsize(self) noexcept nogil:
            return PyArray_ITEMSIZE(self)

        @property
        cdef inline npy_intp* shape(self) noexcept nogil:
            return PyArray_DIMS(self)

        @property
        cdef inline npy_intp* strides(self) noexcept nogil:
            return PyArray_STRIDES(self)

        @property
        cdef inline Flags flags(self) noexcept nogil:
            return Flags(PyArray_IS_C_CONTIGUOUS(self), PyArray_IS_F_CONTIGUOUS(self), PyArray_ISWRITEABLE(self))

    bint PyArray_IS_C_CONTIGUOUS(ndarray) nogil
    bint PyArray_IS_F_CONTIGUOUS(ndarray) nogil
    bint PyArray_ISWRITEABLE(ndarray) nogil
    void* PyArray_DESCR(ndarray)
    int PyArray_NDIM(ndarray) nogil
    npy_intp PyArray_ITEMSIZE(ndarray) nogil
    npy_intp* PyArray_DIMS(ndarray) nogil
    npy_intp* PyArray_STRIDES(ndarray) nogil
