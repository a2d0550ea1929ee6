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


cdef cnp.ndarray over(cnp.ndarray array, int ndim, const cnp.npy_intp* sizes, const cnp.npy_intp* steps, Py_ssize_t offset):
    """An array in the memory of another."""
    cdef cnp.dtype kind = array.dtype
    Py_INCREF(kind)  # the new array steals a reference
    cdef cnp.ndarray found = PyArray_NewFromDescr(
        <void*>cnp.ndarray, kind, ndim, sizes, steps, cnp.PyArray_BYTES(array) + offset,
        NPY_ARRAY_WRITEABLE if cnp.PyArray_ISWRITEABLE(array) else 0, NULL)
    Py_INCREF(array)
    PyArray_SetBaseObject(found, array)
    return found


def laid_over(cnp.ndarray array not None, shape, strides, Py_ssize_t offset=0):
    """An array of any shape and strides in the memory of another, starting `offset` bytes after its first element."""
    cdef cnp.npy_intp sizes[MOST_DIMS]
    cdef cnp.npy_intp steps[MOST_DIMS]
    cdef int ndim = len(shape), d
    if ndim > MOST_DIMS or len(strides) != ndim:
        raise ValueError(f"no array has the shape {shape} and the strides {strides}")
    for d in range(ndim):
        sizes[d], steps[d] = shape[d], strides[d]
    return over(array, ndim, sizes, steps, offset)


cdef bint reaches(cnp.ndarray array, tuple size, tuple stride, Py_ssize_t offset):
    """Whether a view lies between the first and the last element of an array; False too where that takes a closer look."""
    cdef Py_ssize_t n, step, last = 0
    cdef int d, ndim = len(size)
    for d in range(cnp.PyArray_NDIM(array)):
        if cnp.PyArray_DIM(array, d) == 0 or cnp.PyArray_STRIDE(array, d) < 0:
            return False
        last += (cnp.PyArray_DIM(array, d) - 1) * cnp.PyArray_STRIDE(array, d)
    last = last // cnp.PyArray_ITEMSIZE(array) - offset
    if offset < 0 or last < 0 or ndim > MOST_DIMS or len(stride) != ndim:
        return False
    for d in range(ndim):
        if type(size[d]) is not int or type(stride[d]) is not int:
            return False
        if not 0 < size[d] <= last + 1 or not 0 <= stride[d] <= last:
            return False
        n, step = size[d], stride[d]
        if step and n - 1 > last // step:
            return False
        last -= (n - 1) * step
    return True


def place(cnp.ndarray array not None, tuple size not None, tuple stride not None, Py_ssize_t offset):
    """Where a view is that lies between the first and the last element of an array; None for others.

    A place is the view's sizes, strides and offset from the first element, in elements; and the array's shape, and the
    bytes of its strides and of an element.
    """
    cdef object own = array
    return (size, stride, offset, own.shape, own.strides, own.itemsize) if reaches(array, size, stride, offset) else None


def strided(cnp.ndarray array not None, tuple place not None):
    """The view of an array at a place."""
    cdef cnp.npy_intp sizes[MOST_DIMS]
    cdef cnp.npy_intp steps[MOST_DIMS]
    cdef tuple size = place[0], stride = place[1]
    cdef int ndim = len(size), d
    cdef Py_ssize_t itemsize = cnp.PyArray_ITEMSIZE(array), offset = place[2]
    for d in range(ndim):
        sizes[d], steps[d] = size[d], <cnp.npy_intp>stride[d] * itemsize
    return over(array, ndim, sizes, steps, offset * itemsize)


def inferred(shape, cnp.npy_intp count):
    """A shape of so many elements in which -1 is replaced by the right size; None if that takes a closer look."""
    cdef cnp.npy_intp known = 1, n
    cdef int d, ndim = len(shape), open = -1
    for d in range(ndim):
        n = shape[d]
        if n == -1 and open < 0:
            open = d
        elif n <= 0 or n > count:
            return None
        else:
            known *= n
            if known > count:
                return None
    if open < 0:
        return shape if known == count else None
    if count == 0 or count % known:
        return None
    cdef list sizes = list(shape)
    sizes[open] = count // known
    return tuple(sizes)


def reshaped(cnp.ndarray array not None, shape):
    """A view in another shape with as many elements; None for an array without elements, or if there is no such view.

    Dimensions that are adjacent in memory are one block, which is divided anew. Dimensions of size 1 step over what
    follows.
    """
    cdef cnp.npy_intp sizes[MOST_DIMS]
    cdef cnp.npy_intp steps[MOST_DIMS]
    cdef int ndim = cnp.PyArray_NDIM(array), left = len(shape), d
    cdef cnp.npy_intp step = cnp.PyArray_ITEMSIZE(array), block = 1, given = 1
    if left > MOST_DIMS or cnp.PyArray_SIZE(array) == 0:
        return None
    for d in range(left):
        sizes[d] = shape[d]
        steps[d] = step
    if ndim:
        step = cnp.PyArray_STRIDE(array, ndim - 1)
    for d in range(ndim - 1, -1, -1):
        block *= cnp.PyArray_DIM(array, d)
        if d and (cnp.PyArray_DIM(array, d - 1) == 1 or cnp.PyArray_STRIDE(array, d - 1) == block * step):
            continue
        while left and (given < block or sizes[left - 1] == 1):
            left -= 1
            steps[left] = given * step
            given *= sizes[left]
        if given != block:
            return None
        if d:
            step = cnp.PyArray_STRIDE(array, d - 1)
        block = given = 1
    return over(array, len(shape), sizes, steps, 0)


def expanded(cnp.ndarray array not None, shape):
    """An array expanded to a shape that it fits; None for an array without elements.

    The stride is 0 where it is repeated; a new dimension of size 1 steps over what follows.
    """
    cdef cnp.npy_intp sizes[MOST_DIMS]
    cdef cnp.npy_intp steps[MOST_DIMS]
    cdef int ndim = len(shape), extra = ndim - cnp.PyArray_NDIM(array), d
    if ndim > MOST_DIMS or extra < 0 or cnp.PyArray_SIZE(array) == 0:
        return None
    for d in range(ndim):
        sizes[d] = shape[d]
    for d in range(ndim - 1, -1, -1):
        if d >= extra:
            steps[d] = cnp.PyArray_STRIDE(array, d - extra) if cnp.PyArray_DIM(array, d - extra) == sizes[d] else 0
        else:
            steps[d] = sizes[d + 1] * steps[d + 1] if sizes[d] == 1 and extra < ndim else 0
    return over(array, ndim, sizes, steps, 0)


def unsqueezed(cnp.ndarray array not None, int dim):
    """A view with a new dimension of size 1, which steps over what follows."""
    cdef cnp.npy_intp sizes[MOST_DIMS]
    cdef cnp.npy_intp steps[MOST_DIMS]
    cdef int ndim = cnp.PyArray_NDIM(array), d
    if ndim == MOST_DIMS:
        raise RuntimeError(f"only tensors with up to {MOST_DIMS} dims are supported")
    for d in range(ndim):
        sizes[d + (d >= dim)], steps[d + (d >= dim)] = cnp.PyArray_DIM(array, d), cnp.PyArray_STRIDE(array, d)
    sizes[dim], steps[dim] = 1, cnp.PyArray_ITEMSIZE(array)
    if dim < ndim:
        steps[dim] = sizes[dim + 1] * steps[dim + 1]
    return over(array, ndim + 1, sizes, steps, 0)


def diagonal(cnp.ndarray array not None, Py_ssize_t offset, int first, int second):
    """A view of a diagonal of two dimensions, as the last dimension."""
    cdef cnp.npy_intp sizes[MOST_DIMS]
    cdef cnp.npy_intp steps[MOST_DIMS]
    cdef cnp.npy_intp rows = cnp.PyArray_DIM(array, first), columns = cnp.PyArray_DIM(array, second)
    cdef int d, kept = 0
    for d in range(cnp.PyArray_NDIM(array)):
        if d != first and d != second:
            sizes[kept], steps[kept] = cnp.PyArray_DIM(array, d), cnp.PyArray_STRIDE(array, d)
            kept += 1
    sizes[kept] = max(<cnp.npy_intp>0, min(rows + min(offset, <Py_ssize_t>0), columns - max(offset, <Py_ssize_t>0)))
    steps[kept] = cnp.PyArray_STRIDE(array, first) + cnp.PyArray_STRIDE(array, second)
    if sizes[kept] == 0:
        offset = 0
    elif offset < 0:
        offset = -offset * cnp.PyArray_STRIDE(array, first)
    else:
        offset = offset * cnp.PyArray_STRIDE(array, second)
    return over(array, kept + 1, sizes, steps, offset)
