# cython: boundscheck=False, wraparound=False, cdivision=True
"""The loops of the steps of formulas: NumPy's inner loops, and our own where NumPy has none or a slow one."""

from libc.math cimport NAN, copysign, fabs, floor, fma, fmod, trunc
from numpy cimport npy_intp

import numpy as np

from rushlight.core.angle_loops cimport angle_loop
from rushlight.core.blocks cimport Kernel, by_blocks
from rushlight.core.elementary_loops cimport complex_loop, elementary_loop
from rushlight.core.exponential_loops cimport exponential_loop
from rushlight.core.expression_loops cimport expression_loop
from rushlight.core.special_loops cimport special_loop
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.ufuncs cimport Loop, loop_of


cdef wide choose_among(const char* condition, const real* x, const real* y, real* out, npy_intp n) noexcept nogil:
    """x where the condition holds, else y."""
    cdef npy_intp i
    cdef real a, b
    for i in range(n):
        a, b = x[i], y[i]
        out[i] = a if condition[i] else b


cdef wide choose_or(const char* condition, const real* x, real b, real* out, npy_intp n) noexcept nogil:
    """x where the condition holds, else a number."""
    cdef npy_intp i
    cdef real a
    for i in range(n):
        a = x[i]
        out[i] = a if condition[i] else b


cdef wide choose_first(const char* condition, real a, const real* y, real* out, npy_intp n) noexcept nogil:
    """A number where the condition holds, else y."""
    cdef npy_intp i
    cdef real b
    for i in range(n):
        b = y[i]
        out[i] = a if condition[i] else b


cdef wide choose_number(const char* condition, real a, real b, real* out, npy_intp n) noexcept nogil:
    """One number where the condition holds, else another."""
    cdef npy_intp i
    for i in range(n):
        out[i] = a if condition[i] else b


cdef void choose_strided(char** args, npy_intp n, const npy_intp* strides, real* like) noexcept nogil:
    """The choice for operands of any strides."""
    cdef npy_intp i
    for i in range(n):
        (<real*>(args[3] + i * strides[3]))[0] = (
            (<real*>(args[1] + i * strides[1]))[0] if (args[0] + i * strides[0])[0]
            else (<real*>(args[2] + i * strides[2]))[0])


cdef inline void choose(char** args, npy_intp n, const npy_intp* strides, real* like) noexcept nogil:
    """`np.where` on n elements, by the loop that fits the operands' strides."""
    cdef npy_intp size = sizeof(real)
    cdef real* x = <real*>args[1]
    cdef real* y = <real*>args[2]
    cdef real* out = <real*>args[3]
    cdef bint in_order = strides[0] == 1 and strides[3] == size
    if in_order and strides[1] == size and strides[2] == size:
        choose_among(args[0], x, y, out, n)
    elif in_order and strides[1] == size and strides[2] == 0:
        choose_or(args[0], x, y[0], out, n)
    elif in_order and strides[1] == 0 and strides[2] == size:
        choose_first(args[0], x[0], y, out, n)
    elif in_order and strides[1] == 0 and strides[2] == 0:
        choose_number(args[0], x[0], y[0], out, n)
    else:
        choose_strided(args, n, strides, like)


cdef wide largest(const real* x, const real* y, real* out, npy_intp n) noexcept nogil:
    """The larger of two elements, NaN where one is."""
    cdef npy_intp i
    cdef real a, b
    for i in range(n):
        a, b = x[i], y[i]
        out[i] = a if (a >= b) | (a != a) else b


cdef wide at_least(const real* x, real b, real* out, npy_intp n) noexcept nogil:
    """The larger of an element and a number, NaN where one is."""
    cdef npy_intp i
    cdef real a
    for i in range(n):
        a = x[i]
        out[i] = a if (a >= b) | (a != a) else b


cdef wide smallest(const real* x, const real* y, real* out, npy_intp n) noexcept nogil:
    """The smaller of two elements, NaN where one is."""
    cdef npy_intp i
    cdef real a, b
    for i in range(n):
        a, b = x[i], y[i]
        out[i] = a if (a <= b) | (a != a) else b


cdef wide at_most(const real* x, real b, real* out, npy_intp n) noexcept nogil:
    """The smaller of an element and a number, NaN where one is."""
    cdef npy_intp i
    cdef real a
    for i in range(n):
        a = x[i]
        out[i] = a if (a <= b) | (a != a) else b


cdef inline void extreme(char** args, npy_intp n, const npy_intp* strides, bint least, real* like) noexcept nogil:
    """`np.minimum` or `np.maximum` on n elements: NumPy's loops are slow with a number as operand."""
    cdef npy_intp size = sizeof(real)
    cdef real* x = <real*>args[0]
    cdef real* y = <real*>args[1]
    cdef real* out = <real*>args[2]
    cdef bint in_order = strides[0] == size and strides[2] == size
    if in_order and strides[1] == size:
        if least:
            smallest(x, y, out, n)
        else:
            largest(x, y, out, n)
    elif in_order and strides[1] == 0:
        if least:
            at_most(x, y[0], out, n)
        else:
            at_least(x, y[0], out, n)
    elif least:
        by_blocks(<Kernel>smallest[real], 2, args, n, strides, like)
    else:
        by_blocks(<Kernel>largest[real], 2, args, n, strides, like)


cdef wide copies(const real* x, const real* unused, real* out, npy_intp n) noexcept nogil:
    """Copies the numbers."""
    cdef npy_intp i
    for i in range(n):
        out[i] = x[i]


cdef wide repeated(real x, real* out, npy_intp n) noexcept nogil:
    """Fills with one number."""
    cdef npy_intp i
    for i in range(n):
        out[i] = x


cdef inline void copy(char** args, npy_intp n, const npy_intp* strides, real* like) noexcept nogil:
    """`np.positive` on n elements."""
    if strides[0] == 0 and strides[1] == sizeof(real):
        repeated((<real*>args[0])[0], <real*>args[1], n)
    else:
        by_blocks(<Kernel>copies[real], 1, args, n, strides, like)


# quotients and remainders: by a division where the quotient is small enough to be exact, else as in NumPy


cdef enum:
    TRUNCATED = 0  # np.fmod
    FLOORED = 1  # np.remainder
    QUOTIENT = 2  # np.floor_divide


cdef inline real finished(real x, real y, real rest, int kind) noexcept nogil:
    """The result of the given kind, from the remainder with the sign of x; branch-free, so that loops vectorize."""
    cdef int turned = (rest != 0) & ((y < 0) != (rest < 0))
    cdef real quotient, whole, floored = rest + (y if turned else 0)
    if kind == TRUNCATED:
        return rest
    if kind == FLOORED:
        return floored if rest != 0 else copysign(<real>0, y)
    quotient = (x - rest) / y - <real>turned
    whole = floor(quotient)
    whole = whole + (<real>1 if quotient - whole > <real>0.5 else <real>0)
    return whole if quotient != 0 else copysign(<real>0, x / y)


cdef inline real carefully(real x, real y, int kind) noexcept nogil:
    """`finished` for any two numbers, as NumPy computes it."""
    if kind == QUOTIENT and y == 0:
        return x / y
    if y == 0 and kind == FLOORED:
        return <real>NAN
    return finished(x, y, <real>fmod(x, y), kind)


cdef inline real rest_of(real x, real y, int* far) noexcept nogil:
    """The remainder with the sign of x; sets `far` where the quotient is too large or not a number."""
    cdef double quotient = trunc(<double>x / <double>y), rest
    if real is float:
        rest = <double>x - quotient * <double>y  # exact, with 24 bits of y and 29 of the quotient
    else:
        rest = fma(-quotient, y, x)
    rest += copysign(fabs(<double>y), x) if (rest != 0) & ((rest < 0) != (x < 0)) else 0
    far[0] |= (quotient != quotient) | (fabs(quotient) >= 1 << 28) | (rest != rest)
    return <real>copysign(rest, x) if rest == 0 else <real>rest


cdef wide divide_by_each(const real* x, const real* y, real* out, npy_intp n, int kind, int* far) noexcept nogil:
    cdef npy_intp i
    cdef int found = 0
    if kind == TRUNCATED:
        for i in range(n):
            out[i] = rest_of(x[i], y[i], &found)
    elif kind == FLOORED:
        for i in range(n):
            out[i] = finished(x[i], y[i], rest_of(x[i], y[i], &found), FLOORED)
    else:
        for i in range(n):
            out[i] = finished(x[i], y[i], rest_of(x[i], y[i], &found), QUOTIENT)
    far[0] = found


cdef wide divide_by(const real* x, real y, real* out, npy_intp n, int kind, int* far) noexcept nogil:
    cdef npy_intp i
    cdef int found = 0
    if kind == TRUNCATED:
        for i in range(n):
            out[i] = rest_of(x[i], y, &found)
    elif kind == FLOORED:
        for i in range(n):
            out[i] = finished(x[i], y, rest_of(x[i], y, &found), FLOORED)
    else:
        for i in range(n):
            out[i] = finished(x[i], y, rest_of(x[i], y, &found), QUOTIENT)
    far[0] = found


cdef inline void divide_all(const real* x, const real* y, npy_intp step, real* out, npy_intp n, int kind) noexcept nogil:
    """A kind of quotient or remainder for n elements, by as many others or by one, if `step` is 0."""
    cdef npy_intp i
    cdef int far = 0
    if step:
        divide_by_each(x, y, out, n, kind, &far)
    else:
        divide_by(x, y[0], out, n, kind, &far)
    if far:
        for i in range(n):
            out[i] = carefully(x[i], y[i * step], kind)


cdef void truncated(const real* x, const real* y, real* out, npy_intp n) noexcept nogil:
    divide_all(x, y, 1, out, n, TRUNCATED)


cdef void floored(const real* x, const real* y, real* out, npy_intp n) noexcept nogil:
    divide_all(x, y, 1, out, n, FLOORED)


cdef void quotients(const real* x, const real* y, real* out, npy_intp n) noexcept nogil:
    divide_all(x, y, 1, out, n, QUOTIENT)


cdef inline void divide(char** args, npy_intp n, const npy_intp* strides, int kind, real* like) noexcept nogil:
    """`divide_all` for operands of any strides."""
    cdef npy_intp size = sizeof(real)
    cdef bint in_order = strides[0] == size and strides[2] == size and args[2] != args[0] and args[2] != args[1]
    if in_order and (strides[1] == size or strides[1] == 0):
        divide_all(<real*>args[0], <real*>args[1], strides[1] // size, <real*>args[2], n, kind)
    elif kind == TRUNCATED:
        by_blocks(<Kernel>truncated[real], 2, args, n, strides, like)
    elif kind == FLOORED:
        by_blocks(<Kernel>floored[real], 2, args, n, strides, like)
    else:
        by_blocks(<Kernel>quotients[real], 2, args, n, strides, like)


cdef void divide_singles(char** args, const npy_intp* n, const npy_intp* strides, void* data) noexcept nogil:
    divide(args, n[0], strides, (<int*>data)[0], <float*>NULL)


cdef void divide_doubles(char** args, const npy_intp* n, const npy_intp* strides, void* data) noexcept nogil:
    divide(args, n[0], strides, (<int*>data)[0], <double*>NULL)


cdef void choose_singles(char** args, const npy_intp* n, const npy_intp* strides, void* data) noexcept nogil:
    choose(args, n[0], strides, <float*>NULL)


cdef void choose_doubles(char** args, const npy_intp* n, const npy_intp* strides, void* data) noexcept nogil:
    choose(args, n[0], strides, <double*>NULL)


cdef void extreme_singles(char** args, const npy_intp* n, const npy_intp* strides, void* data) noexcept nogil:
    extreme(args, n[0], strides, data != NULL, <float*>NULL)


cdef void extreme_doubles(char** args, const npy_intp* n, const npy_intp* strides, void* data) noexcept nogil:
    extreme(args, n[0], strides, data != NULL, <double*>NULL)


cdef void copy_singles(char** args, const npy_intp* n, const npy_intp* strides, void* data) noexcept nogil:
    copy(args, n[0], strides, <float*>NULL)


cdef void copy_doubles(char** args, const npy_intp* n, const npy_intp* strides, void* data) noexcept nogil:
    copy(args, n[0], strides, <double*>NULL)


cdef int LEAST = 1
cdef int[3] KINDS = [TRUNCATED, FLOORED, QUOTIENT]
cdef tuple DIVISIONS = (np.fmod, np.remainder, np.floor_divide)


cdef Loop loop_for(object function, str types):
    """The loop of a step: our own if there is one for floats, else the ufunc's. ValueError if there is none."""
    cdef Loop loop
    cdef bint single = types.endswith("f")
    loop.data = NULL
    if type(function) is str:
        return expression_loop(function, types[0] == "f")
    if not types.endswith(("f", "d")):
        if function is np.where:
            raise ValueError(f"where has no loop for {types}")
        if types[0] not in "FD" or not complex_loop(function, types[0] == "F", &loop):
            loop = loop_of(function, types)
    elif function is np.where:
        loop.function = choose_singles if single else choose_doubles
    elif function is np.positive:
        loop.function = copy_singles if single else copy_doubles
    elif function is np.maximum or function is np.minimum:
        loop.function = extreme_singles if single else extreme_doubles
        loop.data = &LEAST if function is np.minimum else NULL
    elif function in DIVISIONS:
        loop.function = divide_singles if single else divide_doubles
        loop.data = &KINDS[DIVISIONS.index(function)]
    elif types[0] == "?" or not (
            elementary_loop(function, single, &loop) or exponential_loop(function, single, &loop)
            or angle_loop(function, single, &loop) or special_loop(function, single, &loop)):
        loop = loop_of(function, types)
    return loop
