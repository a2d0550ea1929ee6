# Written by `python -m loops` from the rules in rushlight.optim.

cdef wide sgd_0(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real n0 = <real>numbers[3]
    cdef real x0, x1
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        a0[i] = (x0 - (x1 * n0))


cdef wide sgd_1(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real x0, x1, x2, v1
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        v1 = ((x2 * n1) + x1)
        a0[i] = (x0 - (v1 * n0))
        a2[i] = v1


cdef wide sgd_2(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real n2 = <real>numbers[5]
    cdef real x0, x1, x2, v2
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        v2 = ((x2 * n1) + (x1 * n2))
        a0[i] = (x0 - (v2 * n0))
        a2[i] = v2


cdef wide sgd_3(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real x0, x1, x2, v1
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        v1 = ((x2 * n1) + x1)
        a0[i] = (x0 - ((x1 + (v1 * n1)) * n0))
        a2[i] = v1


cdef wide adam_4(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real* a3 = columns[3]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real n2 = <real>numbers[5]
    cdef real n3 = <real>numbers[6]
    cdef real n4 = <real>numbers[7]
    cdef real n5 = <real>numbers[8]
    cdef real x0, x1, x2, x3, v2, v6
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        x3 = a3[i]
        v2 = (x2 + ((x1 - x2) * n2))
        v6 = ((x3 * n3) + ((x1 * n4) * x1))
        a0[i] = (x0 - ((v2 * n0) / ((root(v6) / n1) + n5)))
        a2[i] = v2
        a3[i] = v6


cdef wide adam_5(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real* a3 = columns[3]
    cdef real* a4 = columns[4]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real n2 = <real>numbers[5]
    cdef real n3 = <real>numbers[6]
    cdef real n4 = <real>numbers[7]
    cdef real n5 = <real>numbers[8]
    cdef real x0, x1, x2, x3, x4, v2, v6, v8
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        x3 = a3[i]
        x4 = a4[i]
        v2 = (x2 + ((x1 - x2) * n2))
        v6 = ((x3 * n3) + ((x1 * n4) * x1))
        v8 = larger((x4 + <real>0.0), v6)
        a0[i] = (x0 - ((v2 * n0) / ((root(v8) / n1) + n5)))
        a2[i] = v2
        a3[i] = v6
        a4[i] = v8


cdef wide rmsprop_6(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real n2 = <real>numbers[5]
    cdef real n3 = <real>numbers[6]
    cdef real x0, x1, x2, v3
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        v3 = ((x2 * n1) + ((x1 * n2) * x1))
        a0[i] = (x0 - ((x1 / (root(v3) + n3)) * n0))
        a2[i] = v3


cdef wide rmsprop_7(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real* a3 = columns[3]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real n2 = <real>numbers[5]
    cdef real n3 = <real>numbers[6]
    cdef real n4 = <real>numbers[7]
    cdef real x0, x1, x2, x3, v3, v8
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        x3 = a3[i]
        v3 = ((x2 * n1) + ((x1 * n2) * x1))
        v8 = ((x3 * n4) + (x1 / (root(v3) + n3)))
        a0[i] = (x0 - (v8 * n0))
        a2[i] = v3
        a3[i] = v8


cdef wide rmsprop_8(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real* a3 = columns[3]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real n2 = <real>numbers[5]
    cdef real n3 = <real>numbers[6]
    cdef real x0, x1, x2, x3, v3, v6
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        x3 = a3[i]
        v3 = ((x2 * n1) + ((x1 * n2) * x1))
        v6 = (x3 + ((x1 - x3) * n2))
        a0[i] = (x0 - ((x1 / (root((v3 - (v6 * v6))) + n3)) * n0))
        a2[i] = v3
        a3[i] = v6


cdef wide rmsprop_9(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real* a3 = columns[3]
    cdef real* a4 = columns[4]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real n2 = <real>numbers[5]
    cdef real n3 = <real>numbers[6]
    cdef real n4 = <real>numbers[7]
    cdef real x0, x1, x2, x3, x4, v3, v6, v13
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        x3 = a3[i]
        x4 = a4[i]
        v3 = ((x2 * n1) + ((x1 * n2) * x1))
        v6 = (x4 + ((x1 - x4) * n2))
        v13 = ((x3 * n4) + (x1 / (root((v3 - (v6 * v6))) + n3)))
        a0[i] = (x0 - (v13 * n0))
        a2[i] = v3
        a3[i] = v13
        a4[i] = v6


cdef wide adagrad_10(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real x0, x1, x2, v1
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        v1 = (x2 + (x1 * x1))
        a0[i] = (x0 - ((x1 * n0) / (root(v1) + n1)))
        a2[i] = v1


cdef wide adadelta_11(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real* a3 = columns[3]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real n2 = <real>numbers[5]
    cdef real n3 = <real>numbers[6]
    cdef real x0, x1, x2, x3, v3, v9
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        x3 = a3[i]
        v3 = ((x2 * n1) + ((x1 * n2) * x1))
        v9 = ((root((x3 + n3)) / root((v3 + n3))) * x1)
        a0[i] = (x0 - (v9 * n0))
        a2[i] = v3
        a3[i] = ((x3 * n1) + ((v9 * n2) * v9))


cdef wide adamax_12(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real* a3 = columns[3]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real n2 = <real>numbers[5]
    cdef real n3 = <real>numbers[6]
    cdef real x0, x1, x2, x3, v2, v6
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        x3 = a3[i]
        v2 = (x2 + ((x1 - x2) * n1))
        v6 = larger((x3 * n2), (magnitude(x1) + n3))
        a0[i] = (x0 - ((v2 * n0) / v6))
        a2[i] = v2
        a3[i] = v6


cdef wide nadam_13(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real* a3 = columns[3]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real n2 = <real>numbers[5]
    cdef real n3 = <real>numbers[6]
    cdef real n4 = <real>numbers[7]
    cdef real n5 = <real>numbers[8]
    cdef real n6 = <real>numbers[9]
    cdef real x0, x1, x2, x3, v2, v6, v9
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        x3 = a3[i]
        v2 = (x2 + ((x1 - x2) * n3))
        v6 = ((x3 * n4) + ((x1 * n5) * x1))
        v9 = (root((v6 / n2)) + n6)
        a0[i] = ((x0 - ((x1 * n0) / v9)) - ((v2 * n1) / v9))
        a2[i] = v2
        a3[i] = v6


cdef wide radam_14(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real* a3 = columns[3]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real n3 = <real>numbers[6]
    cdef real n4 = <real>numbers[7]
    cdef real n5 = <real>numbers[8]
    cdef real x0, x1, x2, x3, v2
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        x3 = a3[i]
        v2 = (x2 + ((x1 - x2) * n3))
        a0[i] = (x0 - ((v2 / n1) * n0))
        a2[i] = v2
        a3[i] = ((x3 * n4) + ((x1 * n5) * x1))


cdef wide radam_15(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real* a3 = columns[3]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real n2 = <real>numbers[5]
    cdef real n3 = <real>numbers[6]
    cdef real n4 = <real>numbers[7]
    cdef real n5 = <real>numbers[8]
    cdef real n6 = <real>numbers[9]
    cdef real n7 = <real>numbers[10]
    cdef real x0, x1, x2, x3, v2, v6
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        x3 = a3[i]
        v2 = (x2 + ((x1 - x2) * n4))
        v6 = ((x3 * n5) + ((x1 * n6) * x1))
        a0[i] = (x0 - ((((v2 / n1) * n0) * (n2 / (root(v6) + n7))) * n3))
        a2[i] = v2
        a3[i] = v6


cdef wide rprop_16(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real* a3 = columns[3]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real n2 = <real>numbers[5]
    cdef real n3 = <real>numbers[6]
    cdef real x0, x1, x2, x3, v1, v8, v10
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        x3 = a3[i]
        v1 = sign_of((x1 * x2))
        v8 = smaller(larger((x3 * (n1 if (v1 > <real>0.0) else (n0 if (v1 < <real>0.0) else <real>1.0))), n2), n3)
        v10 = (<real>0.0 if (v1 < <real>0.0) else x1)
        a0[i] = (x0 - ((<real>0.0 if (v10 != v10) else sign_of(v10)) * v8))
        a2[i] = v10
        a3[i] = v8


cdef wide asgd_17(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real x0, x1, x2, v2
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        v2 = ((x0 * n0) - (x1 * n1))
        a0[i] = v2
        a2[i] = v2


cdef wide asgd_18(real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    cdef real sign = <real>numbers[0], decay = <real>numbers[1], factor = <real>numbers[2]
    cdef real* a0 = columns[0]
    cdef real* a1 = columns[1]
    cdef real* a2 = columns[2]
    cdef real n0 = <real>numbers[3]
    cdef real n1 = <real>numbers[4]
    cdef real n2 = <real>numbers[5]
    cdef real x0, x1, x2, v2
    cdef Py_ssize_t i
    for i in range(start, stop):
        x1 = descent(a1[i], a0[i], sign, decay)
        x0 = a0[i] * factor
        x2 = a2[i]
        v2 = ((x0 * n0) - (x1 * n1))
        a0[i] = v2
        a2[i] = (x2 + ((v2 - x2) * n2))

cdef void run(int which, real** columns, Py_ssize_t start, Py_ssize_t stop, const double* numbers) noexcept nogil:
    if which == 0:
        sgd_0(columns, start, stop, numbers)
    elif which == 1:
        sgd_1(columns, start, stop, numbers)
    elif which == 2:
        sgd_2(columns, start, stop, numbers)
    elif which == 3:
        sgd_3(columns, start, stop, numbers)
    elif which == 4:
        adam_4(columns, start, stop, numbers)
    elif which == 5:
        adam_5(columns, start, stop, numbers)
    elif which == 6:
        rmsprop_6(columns, start, stop, numbers)
    elif which == 7:
        rmsprop_7(columns, start, stop, numbers)
    elif which == 8:
        rmsprop_8(columns, start, stop, numbers)
    elif which == 9:
        rmsprop_9(columns, start, stop, numbers)
    elif which == 10:
        adagrad_10(columns, start, stop, numbers)
    elif which == 11:
        adadelta_11(columns, start, stop, numbers)
    elif which == 12:
        adamax_12(columns, start, stop, numbers)
    elif which == 13:
        nadam_13(columns, start, stop, numbers)
    elif which == 14:
        radam_14(columns, start, stop, numbers)
    elif which == 15:
        radam_15(columns, start, stop, numbers)
    elif which == 16:
        rprop_16(columns, start, stop, numbers)
    elif which == 17:
        asgd_17(columns, start, stop, numbers)
    elif which == 18:
        asgd_18(columns, start, stop, numbers)


LOOPS = {
    ('rushlight.optim.sgd.SGD._rule', (0.0, 0.0, None, False), 2): 0,
    ('rushlight.optim.sgd.SGD._rule', (0.0, 0.0, None, False), 3): 1,
    ('rushlight.optim.sgd.SGD._rule', (0.0, 0.0, 0.0, False), 3): 2,
    ('rushlight.optim.sgd.SGD._rule', (0.0, 0.0, None, True), 3): 3,
    ('rushlight.optim.adam.Adam._rule', (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 4): 4,
    ('rushlight.optim.adam.Adam._rule', (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 5): 5,
    ('rushlight.optim.rmsprop.RMSprop._rule', (0.0, 0.0, 0.0, 0.0, None), 3): 6,
    ('rushlight.optim.rmsprop.RMSprop._rule', (0.0, 0.0, 0.0, 0.0, 0.0), 4): 7,
    ('rushlight.optim.rmsprop.RMSprop._rule', (0.0, 0.0, 0.0, 0.0, None), 4): 8,
    ('rushlight.optim.rmsprop.RMSprop._rule', (0.0, 0.0, 0.0, 0.0, 0.0), 5): 9,
    ('rushlight.optim.adagrad.Adagrad._rule', (0.0, 0.0), 3): 10,
    ('rushlight.optim.adadelta.Adadelta._rule', (0.0, 0.0, 0.0, 0.0), 4): 11,
    ('rushlight.optim.adamax.Adamax._rule', (0.0, 0.0, 0.0, 0.0), 4): 12,
    ('rushlight.optim.nadam.NAdam._rule', (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 4): 13,
    ('rushlight.optim.radam.RAdam._rule', (0.0, 0.0, 0.0, None, 0.0, 0.0, 0.0, 0.0), 4): 14,
    ('rushlight.optim.radam.RAdam._rule', (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 4): 15,
    ('rushlight.optim.rprop.Rprop._rule', (0.0, 0.0, 0.0, 0.0), 4): 16,
    ('rushlight.optim.asgd.ASGD._rule', (0.0, 0.0, None), 3): 17,
    ('rushlight.optim.asgd.ASGD._rule', (0.0, 0.0, 0.0), 3): 18,
}
