# Which of NumPy's arrays kernels take, and how to make new ones like them.
cimport numpy as cnp

cdef extern from "numpy/arrayobject.h":
    cnp.ndarray PyArray_NewLikeArray(cnp.ndarray, cnp.NPY_ORDER, void*, int)


cdef inline int float_type(object x) noexcept:
    # NPY_FLOAT or NPY_DOUBLE for a non-empty array of that type, aligned and in native byte order; 0 for anything else.
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISBEHAVED_RO(x) or cnp.PyArray_SIZE(x) == 0:
        return 0
    cdef int kind = cnp.PyArray_TYPE(x)
    return kind if kind == cnp.NPY_FLOAT or kind == cnp.NPY_DOUBLE else 0


cdef inline int number_type(object x) noexcept:
    # `float_type`, with NPY_INT64 for an array of such integers.
    if cnp.PyArray_CheckExact(x) and cnp.PyArray_TYPE(x) == cnp.NPY_INT64 and cnp.PyArray_ISBEHAVED_RO(x) \
            and cnp.PyArray_SIZE(x) != 0:
        return cnp.NPY_INT64
    return float_type(x)


cdef inline bint fits(object x, cnp.ndarray model) noexcept:
    # Whether x is an array of the shape and type of another, aligned and in native byte order.
    return cnp.PyArray_CheckExact(x) and cnp.PyArray_ISBEHAVED_RO(x) \
        and cnp.PyArray_TYPE(x) == cnp.PyArray_TYPE(model) and cnp.PyArray_SAMESHAPE(x, model)


cdef inline bint is_dense(cnp.ndarray x) noexcept:
    # Whether the elements are contiguous in memory, in any order of dimensions.
    cdef cnp.npy_intp step = cnp.PyArray_ITEMSIZE(x)
    cdef int found = 0, d, taken = 0
    if cnp.PyArray_IS_C_CONTIGUOUS(x):
        return True
    while True:
        found = -1
        for d in range(x.ndim):
            if not taken >> d & 1 and (x.strides[d] == step or x.shape[d] == 1):
                found = d
                break
        if found < 0:
            return taken == (1 << x.ndim) - 1
        taken |= 1 << found
        step *= x.shape[found]


cdef struct Division:
    Py_ssize_t outer  # matrices
    Py_ssize_t size  # rows of each, which are reduced
    Py_ssize_t columns
    cnp.npy_intp[64] shape  # of the result


cdef inline Division divided(cnp.ndarray x, int first, int last) noexcept:
    # An array of up to 64 dimensions as matrices whose rows are the dimensions from `first` to `last`.
    cdef Division found
    cdef int d
    found.outer = found.size = found.columns = 1
    for d in range(x.ndim):
        if d < first:
            found.outer *= x.shape[d]
            found.shape[d] = x.shape[d]
        elif d <= last:
            found.size *= x.shape[d]
        else:
            found.columns *= x.shape[d]
            found.shape[d - last - 1 + first] = x.shape[d]
    return found


cdef inline bint same_strides(cnp.ndarray x, cnp.ndarray y) noexcept:
    # Whether arrays of one shape have their elements in the same order in memory.
    cdef int d
    for d in range(x.ndim):
        if x.strides[d] != y.strides[d] and x.shape[d] != 1:
            return False
    return True


cdef inline cnp.ndarray empty_like(cnp.ndarray x):
    # A new array of the shape, type and order in memory of another.
    if cnp.PyArray_IS_C_CONTIGUOUS(x):
        return cnp.PyArray_SimpleNew(x.ndim, x.shape, cnp.PyArray_TYPE(x))
    return PyArray_NewLikeArray(x, cnp.NPY_KEEPORDER, NULL, 0)
