"""Collects the arrays of a parameter group for an optimizer's step.

The Python version is in `rushlight.optim.elementwise`. It also handles what is not supported here: first steps, which
create state, and sparse gradients.
"""

cimport numpy as cnp
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject

from rushlight.core.graph cimport TensorBase

cnp.import_array()


def rows_of(params, state, tuple names, bint counts):
    """The arrays of each parameter with a gradient: parameter, gradient, and state by name.

    With `counts` each step count is incremented, and rows are grouped by it; else all rows are under None. Returns
    None, having changed nothing, if a state is incomplete or something is not supported.
    """
    cdef list rows = [], changed = [], steps = [], row
    cdef TensorBase param, tensor
    cdef dict found
    cdef PyObject* held
    if type(params) is not list or not isinstance(state, dict):
        return None
    for item in <list>params:
        if not isinstance(item, TensorBase):
            return None
        param = item
        grad = param._grad
        if grad is None:
            continue
        if not isinstance(grad, TensorBase) or (<TensorBase>grad)._array is None:
            return None
        row = [param._array, (<TensorBase>grad)._array]
        if names:
            held = PyDict_GetItemWithError(state, param)
            if held == NULL or type(<object>held) is not dict:
                return None
            found = <dict>held
            if counts:
                step = array_in(found, "step")
                if step is None or not is_count(step):
                    return None
                steps.append(step)
            for name in names:
                array = array_in(found, name)
                if array is None:
                    return None
                row.append(array)
        rows.append(row)
        changed.append(param)
    for param in changed:
        param._bump()
    return counted(rows, steps) if steps else {None: rows} if rows else {}


cdef object array_in(dict state, str name):
    """The array of a tensor in a state; None if there is none."""
    cdef PyObject* found = PyDict_GetItemWithError(state, name)
    if found == NULL or not isinstance(<object>found, TensorBase):
        return None
    return (<TensorBase>found)._array


cdef bint is_count(array):
    """Whether an array is a single writable number."""
    return cnp.PyArray_CheckExact(array) and (<cnp.ndarray>array).ndim == 0 and cnp.PyArray_ISBEHAVED(array) \
        and cnp.PyArray_TYPE(array) in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE)


cdef dict counted(list rows, list steps):
    """The rows grouped by their step counts, which are incremented."""
    cdef dict found = {}
    cdef list together = []
    cdef double count, last = -1
    cdef Py_ssize_t i
    for i in range(len(rows)):
        count = one_more(steps[i])
        if count != last:
            together = found.setdefault(count, [])
            last = count
        together.append(rows[i])
    return found


cdef double one_more(cnp.ndarray count):
    """Increments a step count."""
    if cnp.PyArray_TYPE(count) == cnp.NPY_FLOAT:
        (<float*>cnp.PyArray_DATA(count))[0] += 1
        return (<float*>cnp.PyArray_DATA(count))[0]
    (<double*>cnp.PyArray_DATA(count))[0] += 1
    return (<double*>cnp.PyArray_DATA(count))[0]
