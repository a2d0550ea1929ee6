# cython: boundscheck=False
"""Calls of functions in programs: the arguments are looked up in slots, and the results are stored in slots."""

cimport numpy as cnp
from libc.string cimport memcmp

from rushlight.kernels.compiled.codes cimport MOST_DIMS

import numpy as np

cnp.import_array()


cdef class Place:
    """An argument in a slot, with the layout of an area. If the slot's array `lasts`, its view is made once."""

    cdef int slot, ndim
    cdef bint lasts, is_start
    cdef object area, of, view
    cdef cnp.npy_intp[MOST_DIMS] shape, strides

    def __init__(self, area, bint lasts):
        self.area, self.lasts, self.slot, self.ndim = area, lasts, area.slot, len(area.shape)
        self.is_start = area.offset == 0
        for d in range(self.ndim):
            self.shape[d], self.strides[d] = area.shape[d], area.strides[d]

    cdef object look(self, list memory):
        """The array, or the number that the slot holds."""
        found = memory[self.slot]
        if not cnp.PyArray_Check(found) or self.is_whole(found):
            return found
        if self.lasts and found is self.of:
            return self.view
        view = np.ndarray(self.area.shape, self.area.dtype, found, self.area.offset, self.area.strides)
        if self.lasts:
            self.of, self.view = found, view
        return view

    cdef bint is_whole(self, cnp.ndarray array):
        """Whether an array is the area."""
        cdef Py_ssize_t size = self.ndim * sizeof(cnp.npy_intp)
        return (self.is_start and array.ndim == self.ndim and array.dtype == self.area.dtype
                and not memcmp(array.shape, self.shape, size) and not memcmp(array.strides, self.strides, size))


cdef class Listed:
    """A list or tuple of arguments."""

    cdef object kind
    cdef list items

    def __init__(self, kind, list items):
        self.kind, self.items = kind, items


cdef object laid_out(arg, instruction, lasting):
    """An argument with a Place for each operand."""
    if type(arg).__name__ == "Operand":
        area = instruction.reads[arg.number]
        return Place(area, area.slot in lasting)
    if type(arg) in (tuple, list):
        items = [laid_out(one, instruction, lasting) for one in arg]
        if type(arg) is list or any(type(one) in (Place, Listed) for one in items):
            return Listed(type(arg), items)
    return arg


cdef object given(arg, list memory):
    """An argument of a call."""
    if type(arg) is Place:
        return (<Place>arg).look(memory)
    if type(arg) is Listed:
        return (<Listed>arg).kind([given(one, memory) for one in (<Listed>arg).items])
    return arg


cdef class Call:
    """An instruction that calls a function which changes nothing; `lasting` are slots whose arrays stay the same."""

    def __init__(self, instruction, lasting):
        self.function, self.areas = instruction.function, instruction.results
        self.args = tuple([laid_out(arg, instruction, lasting) for arg in instruction.args])

    cdef object make(self, list memory):
        """Calls the function. Returns its results if they have to be checked and copied, None if they are stored."""
        made = self.function(*[given(arg, memory) for arg in self.args])
        results = made if type(made) in (tuple, list) else (made,)
        if len(results) != len(self.areas):
            return results
        for area, array in zip(self.areas, results):
            if area is not None and not is_apart(array, area, memory[0]):
                return results
        for area, array in zip(self.areas, results):
            if area is not None:
                memory[area.slot] = array
        return None


cdef bint is_apart(array, area, cnp.ndarray arena):
    """Whether an array is contiguous, outside of the arena, and has an area's shape and dtype."""
    cdef cnp.ndarray found
    if not cnp.PyArray_CheckExact(array):
        return False
    found = array
    start, first = cnp.PyArray_BYTES(found), cnp.PyArray_BYTES(arena)
    return (cnp.PyArray_IS_C_CONTIGUOUS(found) and not first <= start < first + cnp.PyArray_NBYTES(arena)
            and (<object>found).shape == area.shape and found.dtype == area.dtype)
