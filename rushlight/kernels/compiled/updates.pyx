# distutils: extra_compile_args = -ffp-contract=off
# cython: cdivision=True, wraparound=False
"""Updates of parameters by optimizers' rules, on bare arrays: each passes over the memory once.

The loops are made from the rules (`update_loops.pxi`); `kernels/updates.py` explains more. Their arrays are the
parameter, its gradient and its state; their numbers begin with the sign of the gradient, the weight decay that is added
to it, and the factor by which the parameter is multiplied. The compiler vectorizes them.
"""

cimport numpy as cnp

from rushlight.kernels.compiled.elements cimport larger, magnitude, root, sign_of, smaller
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    COLUMNS = 5
    NUMBERS = 12
    GRAIN = 32768  # elements of one thread's part


def change(str rule, list rows, tuple direction, tuple numbers):
    """Updates rows of arrays, one for each parameter, by a rule; returns the rows that no loop takes.

    Loops take float32 or float64 rows in which all arrays have the same dtype, shape and gapless layout, and do not
    overlap.
    """
    cdef tuple kinds = tuple([number if is_option(number) else 0.0 for number in numbers])
    cdef Update update = Update()
    cdef list row, left = []
    cdef int i = 3
    which = LOOPS.get((rule, kinds, len(rows[0])))  # all rows have the same arrays
    if which is None:
        return rows
    update.which = which
    maximize, decay, factor = direction
    update.numbers[0] = -1.0 if maximize else 1.0
    update.numbers[1] = 0.0 if decay is None else decay
    update.numbers[2] = 1.0 if factor is None else factor
    for number in numbers:
        if not is_option(number):
            update.numbers[i] = number
            i += 1
    for row in rows:
        if update.takes(row):
            shared(run_part, <const void*>update, update.size, GRAIN)
        else:
            left.append(row)
    return left


cdef inline bint is_option(number):
    """Whether a rule has a loop of its own for a value."""
    return number is None or number is True or number is False


cdef class Update:
    """A rule with its numbers, applied to one row of arrays at a time."""

    cdef double numbers[NUMBERS]
    cdef void* columns[COLUMNS]
    cdef Py_ssize_t size
    cdef bint single
    cdef int which

    cdef bint takes(self, list row):
        """Whether a row can be updated; if so, makes it the row to update."""
        cdef cnp.ndarray array, param
        cdef int flags = cnp.NPY_ARRAY_C_CONTIGUOUS | cnp.NPY_ARRAY_F_CONTIGUOUS, i
        if not are_arrays(row):
            return False
        param = row[0]
        for i, array in enumerate(row):
            if not cnp.PyArray_ISALIGNED(array) or not cnp.PyArray_ISNOTSWAPPED(array):
                return False
            if cnp.PyArray_TYPE(array) != cnp.PyArray_TYPE(param) or not cnp.PyArray_SAMESHAPE(array, param):
                return False
            if i != 1 and not cnp.PyArray_ISWRITEABLE(array):
                return False
            flags &= cnp.PyArray_FLAGS(array)
            self.columns[i] = cnp.PyArray_DATA(array)
        self.single = cnp.PyArray_TYPE(param) == cnp.NPY_FLOAT
        self.size = cnp.PyArray_SIZE(param)
        if not self.single and cnp.PyArray_TYPE(param) != cnp.NPY_DOUBLE:
            return False
        return flags != 0 and self.apart(len(row), cnp.PyArray_NBYTES(param))

    cdef bint apart(self, Py_ssize_t count, Py_ssize_t length):
        """Whether no column overlaps another."""
        cdef Py_ssize_t i, j, distance
        for i in range(count):
            for j in range(i):
                distance = <char*>self.columns[i] - <char*>self.columns[j]
                if -length < distance < length:
                    return False
        return True

    cdef void run(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
        if self.single:
            run(self.which, <float**>self.columns, start, stop, self.numbers)
        else:
            run(self.which, <double**>self.columns, start, stop, self.numbers)


cdef void run_part(const void* update, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Updates a range of elements."""
    (<Update>update).run(start, stop)


cdef bint are_arrays(list row):
    """Whether a row has only NumPy's own arrays, and no more than a rule has columns."""
    for item in row:
        if type(item) is not cnp.ndarray:
            return False
    return len(row) <= COLUMNS


# elements

cdef inline real descent(real grad, real param, real sign, real decay) noexcept nogil:
    """The gradient for the update, with sign and weight decay."""
    return grad * sign + param * decay if decay else grad * sign


include "update_loops.pxi"
