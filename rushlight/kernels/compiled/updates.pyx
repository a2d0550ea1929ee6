# distutils: extra_compile_args = -ffp-contract=off
# cython: cdivision=True, wraparound=False
"""Optimizer updates on bare arrays: each changes a parameter and its state in one pass over memory.

The NumPy versions are with the optimizers, in `rushlight.optim`, and explain more. The columns of an update rule are
the parameter, its gradient and its state tensors; its numbers begin with the sign of the gradient, the weight decay
that is added to it, and the factor by which a decoupled one shrinks the parameter. GCC vectorizes the loops.
"""

cimport numpy as cnp
from libc.math cimport fabs, fabsf, sqrt, sqrtf
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    COLUMNS = 5
    NUMBERS = 12
    GRAIN = 32768  # elements of one thread's part

cdef enum Rule:
    SGD, ADAM, RMSPROP, ADAGRAD, ADADELTA, ADAMAX, NADAM, RADAM, RPROP, ASGD

RULES = {
    "sgd": SGD, "adam": ADAM, "rmsprop": RMSPROP, "adagrad": ADAGRAD, "adadelta": ADADELTA, "adamax": ADAMAX,
    "nadam": NADAM, "radam": RADAM, "rprop": RPROP, "asgd": ASGD,
}


def change(str rule, list rows, tuple where, tuple numbers):
    """Updates rows of arrays, one for each parameter, by a rule; returns the rows that no kernel takes.

    Kernels take float32 or float64 rows in which all arrays have the same dtype, shape and gapless layout, and do not
    overlap.
    """
    cdef Update update = Update()
    cdef list row, left = []
    cdef int i
    maximize, decay, taken_off = where
    update.numbers[0] = -1.0 if maximize else 1.0
    update.numbers[1] = decay
    update.numbers[2] = 1.0 if taken_off is None else 1.0 - taken_off
    for i, number in enumerate(numbers, 3):
        update.numbers[i] = number
    for row in rows:
        if not update.takes(rule, row):
            left.append(row)
        else:
            shared(run_part, <const void*>update, update.size, GRAIN)
    return left


cdef class Update:
    """A rule with its numbers, applied to one row of arrays at a time."""

    cdef double numbers[NUMBERS]
    cdef void* columns[COLUMNS]
    cdef Py_ssize_t size
    cdef bint single
    cdef Rule rule

    cdef bint takes(self, str rule, list row):
        """Whether there is a kernel for a row; if so, makes it the row to update."""
        cdef cnp.ndarray array, param
        cdef int flags = cnp.NPY_ARRAY_C_CONTIGUOUS | cnp.NPY_ARRAY_F_CONTIGUOUS, i
        if rule not in RULES or not are_arrays(row):
            return False
        param = row[0]
        for i in range(COLUMNS):
            self.columns[i] = NULL
        for i, array in enumerate(row):
            if not cnp.PyArray_ISALIGNED(array) or not cnp.PyArray_ISNOTSWAPPED(array):
                return False
            if cnp.PyArray_TYPE(array) != cnp.PyArray_TYPE(param) or not cnp.PyArray_SAMESHAPE(array, param):
                return False
            if i != 1 and not cnp.PyArray_ISWRITEABLE(array):
                return False
            flags &= cnp.PyArray_FLAGS(array)
            self.columns[i] = cnp.PyArray_DATA(array)
        self.rule = RULES[rule]
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
            run(self.rule, <float**>self.columns, start, stop, self.numbers)
        else:
            run(self.rule, <double**>self.columns, start, stop, self.numbers)


cdef void run_part(const void* update, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Updates a range of elements."""
    (<Update>update).run(start, stop)


cdef bint are_arrays(list row):
    """Whether a row has only NumPy's own arrays, and no more than a rule has columns."""
    for item in row:
        if type(item) is not cnp.ndarray:
            return False
    return len(row) <= COLUMNS


cdef void run(Rule rule, real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    """Updates the elements from `start` to `stop` by a rule."""
    if rule == SGD:
        sgd(columns, start, stop, numbers)
    elif rule == ADAM:
        adam(columns, start, stop, numbers)
    elif rule == RMSPROP:
        rmsprop(columns, start, stop, numbers)
    elif rule == ADAGRAD:
        adagrad(columns, start, stop, numbers)
    elif rule == ADADELTA:
        adadelta(columns, start, stop, numbers)
    elif rule == ADAMAX:
        adamax(columns, start, stop, numbers)
    elif rule == NADAM:
        nadam(columns, start, stop, numbers)
    elif rule == RADAM:
        radam(columns, start, stop, numbers)
    elif rule == RPROP:
        rprop(columns, start, stop, numbers)
    else:
        asgd(columns, start, stop, numbers)


# elements

cdef inline real descent(real grad, real param, real sign, real decay) noexcept nogil:
    """The gradient for the update, with sign and weight decay."""
    return grad * sign + param * decay if decay else grad * sign


cdef inline real root(real x) noexcept nogil:
    if real is float:
        return sqrtf(x)
    else:
        return sqrt(x)


cdef inline real magnitude(real x) noexcept nogil:
    if real is float:
        return fabsf(x)
    else:
        return fabs(x)


cdef inline real sign_of(real x) noexcept nogil:
    return 1 if x > 0 else -1 if x < 0 else x


cdef inline real larger(real x, real y) noexcept nogil:
    """The larger of two; NaN if either is."""
    return x if (x > y) | (x != x) else y


# rules

cdef wide sgd(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real* param = columns[0]
    cdef real* grad = columns[1]
    cdef real* buffer = columns[2]
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], lr = <real>numbers[3]
    cdef real momentum = <real>numbers[4], portion = <real>numbers[5], g, moved
    cdef bint nesterov = numbers[6] != 0
    cdef Py_ssize_t i
    if buffer is NULL:
        for i in range(start, stop):
            param[i] -= descent(grad[i], param[i], sign, decay) * lr
        return
    for i in range(start, stop):
        g = descent(grad[i], param[i], sign, decay)
        moved = buffer[i] * momentum + g * portion
        buffer[i] = moved
        param[i] -= (g + moved * momentum if nesterov else moved) * lr


cdef wide adam(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real* param = columns[0]
    cdef real* grad = columns[1]
    cdef real* mean = columns[2]
    cdef real* square = columns[3]
    cdef real* largest = columns[4]
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], shrink = <real>numbers[2], rate = <real>numbers[3]
    cdef real correction = <real>numbers[4], toward = <real>(1 - numbers[5]), beta2 = <real>numbers[6]
    cdef real rest = <real>(1 - numbers[6]), eps = <real>numbers[7], g, m, s
    cdef Py_ssize_t i
    for i in range(start, stop):
        g = descent(grad[i], param[i], sign, decay)
        m = mean[i] + (g - mean[i]) * toward
        s = square[i] * beta2 + g * rest * g
        mean[i] = m
        square[i] = s
        if largest is not NULL:
            s = larger(largest[i], s)
            largest[i] = s
        param[i] = param[i] * shrink - m * rate / (root(s) / correction + eps)


cdef wide rmsprop(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], lr = <real>numbers[3], alpha = <real>numbers[4]
    cdef real rest = <real>(1 - numbers[4]), eps = <real>numbers[5], momentum = <real>numbers[6], g, s, m, moved
    cdef bint heavy = momentum > 0
    cdef real* param = columns[0]
    cdef real* grad = columns[1]
    cdef real* square = columns[2]
    cdef real* buffer = columns[3]
    cdef real* mean = columns[3 + heavy]
    cdef bint centered = mean is not NULL
    cdef Py_ssize_t i
    for i in range(start, stop):
        g = descent(grad[i], param[i], sign, decay)
        s = square[i] * alpha + g * rest * g
        square[i] = s
        if centered:
            m = mean[i] + (g - mean[i]) * rest
            mean[i] = m
            s = s - m * m
        moved = g / (root(s) + eps)
        if heavy:
            moved = buffer[i] * momentum + moved
            buffer[i] = moved
        param[i] -= moved * lr


cdef wide adagrad(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real* param = columns[0]
    cdef real* grad = columns[1]
    cdef real* total = columns[2]
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], rate = <real>numbers[3], eps = <real>numbers[4], g, s
    cdef Py_ssize_t i
    for i in range(start, stop):
        g = descent(grad[i], param[i], sign, decay)
        s = total[i] + g * g
        total[i] = s
        param[i] -= g * rate / (root(s) + eps)


cdef wide adadelta(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real* param = columns[0]
    cdef real* grad = columns[1]
    cdef real* squares = columns[2]
    cdef real* steps = columns[3]
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], lr = <real>numbers[3], rho = <real>numbers[4]
    cdef real rest = <real>(1 - numbers[4]), eps = <real>numbers[5], g, s, step
    cdef Py_ssize_t i
    for i in range(start, stop):
        g = descent(grad[i], param[i], sign, decay)
        s = squares[i] * rho + g * rest * g
        step = root(steps[i] + eps) / root(s + eps) * g
        squares[i] = s
        steps[i] = steps[i] * rho + step * rest * step
        param[i] -= step * lr


cdef wide adamax(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real* param = columns[0]
    cdef real* grad = columns[1]
    cdef real* mean = columns[2]
    cdef real* largest = columns[3]
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], rate = <real>numbers[3]
    cdef real toward = <real>(1 - numbers[4]), beta2 = <real>numbers[5], eps = <real>numbers[6], g, m, most
    cdef Py_ssize_t i
    for i in range(start, stop):
        g = descent(grad[i], param[i], sign, decay)
        m = mean[i] + (g - mean[i]) * toward
        most = larger(largest[i] * beta2, magnitude(g) + eps)
        mean[i] = m
        largest[i] = most
        param[i] -= m * rate / most


cdef wide nadam(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real* param = columns[0]
    cdef real* grad = columns[1]
    cdef real* mean = columns[2]
    cdef real* square = columns[3]
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], shrink = <real>numbers[2], rate = <real>numbers[3]
    cdef real rate_ahead = <real>numbers[4], correction = <real>numbers[5], toward = <real>(1 - numbers[6])
    cdef real beta2 = <real>numbers[7], rest = <real>(1 - numbers[7]), eps = <real>numbers[8], g, m, s, scale
    cdef Py_ssize_t i
    for i in range(start, stop):
        g = descent(grad[i], param[i], sign, decay)
        m = mean[i] + (g - mean[i]) * toward
        s = square[i] * beta2 + g * rest * g
        mean[i] = m
        square[i] = s
        scale = root(s / correction) + eps
        param[i] = param[i] * shrink - g * rate / scale - m * rate_ahead / scale


cdef wide radam(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real* param = columns[0]
    cdef real* grad = columns[1]
    cdef real* mean = columns[2]
    cdef real* square = columns[3]
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], shrink = <real>numbers[2], lr = <real>numbers[3]
    cdef real shortfall = <real>numbers[4], correction = <real>numbers[5], rectification = <real>numbers[6]
    cdef real toward = <real>(1 - numbers[7]), beta2 = <real>numbers[8], rest = <real>(1 - numbers[8])
    cdef real eps = <real>numbers[9], g, m, s, moved
    cdef Py_ssize_t i
    for i in range(start, stop):
        g = descent(grad[i], param[i], sign, decay)
        m = mean[i] + (g - mean[i]) * toward
        s = square[i] * beta2 + g * rest * g
        mean[i] = m
        square[i] = s
        moved = m / shortfall * lr
        param[i] = param[i] * shrink - (
            moved * (correction / (root(s) + eps)) * rectification if rectification else moved
        )


cdef wide rprop(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real* param = columns[0]
    cdef real* grad = columns[1]
    cdef real* previous = columns[2]
    cdef real* size = columns[3]
    cdef real sign = <real>numbers[0], shrink = <real>numbers[3], grow = <real>numbers[4]
    cdef real low = <real>numbers[5], high = <real>numbers[6], g, s, agreement
    cdef Py_ssize_t i
    for i in range(start, stop):
        g = grad[i] * sign
        agreement = g * previous[i]
        s = size[i] * (grow if agreement > 0 else shrink if agreement < 0 else 1)
        s = low if s < low else s
        s = high if s > high else s
        g = 0 if agreement < 0 else g
        size[i] = s
        previous[i] = g
        param[i] -= sign_of(g) * s


cdef wide asgd(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real* param = columns[0]
    cdef real* grad = columns[1]
    cdef real* mean = columns[2]
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], keep = <real>(1 - numbers[3]), rate = <real>numbers[4]
    cdef real weight = <real>numbers[5], p
    cdef Py_ssize_t i
    for i in range(start, stop):
        p = param[i] * keep - descent(grad[i], param[i], sign, decay) * rate
        param[i] = p
        mean[i] = p if weight == 1 else mean[i] + (p - mean[i]) * weight
