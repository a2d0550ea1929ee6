# Written by `python -m loops` from the formulas of operators.

cdef wide loop_0(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = exponential_of(negated(magnitude(x0)))

cdef wide loop_1(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = exponential_of(negated(magnitude(negated(x0))))

cdef wide loop_2(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = exponential_of(negated(magnitude((negated(x0) * x1))))

cdef wide loop_3(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x2 = a2[i]
        out[i] = (x2 * exponential_of((x0 - x1)))

cdef wide loop_4(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x3 = a3[i]
        out[i] = (x3 * (negated(x0) * (<real>1 / (x2 + exponential_of(negated((negated(x1) * x0)))))))

cdef wide loop_5(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x3 = a3[i]
        out[i] = (x3 * (<real>1 / (x2 + exponential_of(negated((x0 - x1))))))

cdef wide loop_6(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x4 = a4[i]
        out[i] = (x4 * (<real>1 / (x3 + exponential_of(negated(((x0 - x1) * x2))))))

cdef wide loop_7(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = exponential_of(negated(magnitude((x0 * x1))))

cdef wide loop_8(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = (<real>1 / (x1 + exponential_of(negated(x0))))

cdef wide loop_9(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = (x0 * (<real>1 / (x1 + exponential_of(negated(x0)))))

cdef wide loop_10(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        out[i] = ((x1 * exponential_of((x0 * x0))) * x2)

cdef wide loop_11(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        out[i] = (x2 * (x1 * exponential_of(negated((x0 * x0)))))

cdef wide loop_12(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        out[i] = ((x1 * exponential_of(negated((x0 * x0)))) * x2)

cdef wide loop_13(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        out[i] = (x2 * (<real>1 / (x1 + exponential_of(negated(x0)))))

cdef wide loop_14(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        out[i] = (x2 * (<real>1 / (x1 + exponential_of(negated(negated(x0))))))

cdef wide loop_15(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        x3 = a3[i]
        out[i] = (x3 * ((<real>1 / (x1 + exponential_of(negated(x0)))) - x2))

cdef wide loop_16(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        x4 = a4[i]
        out[i] = (x4 * (x2 + (x0 * ((<real>1 / (x1 + exponential_of(negated(x0)))) * (x3 - (x2 * x2))))))

cdef wide loop_17(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x3 = a3[i]
        out[i] = (x3 * (exponential_of((x1 * (x0 * x0))) / x2))

cdef wide loop_18(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x3 = a3[i]
        out[i] = (x3 * (x2 * exponential_of((x1 * (x0 * x0)))))

cdef wide loop_19(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef real v3
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x3 = a3[i]
        x4 = a4[i]
        v3 = (<real>1 / (x1 + exponential_of(negated(x0))))
        out[i] = (x4 * (x3 * (v3 * (x2 - v3))))

cdef wide loop_20(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef real v0
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x4 = a4[i]
        v0 = (x0 * x1)
        out[i] = (x4 if (x2 < v0) else (x4 * (<real>1 / (x3 + exponential_of(negated(v0))))))

cdef wide loop_21(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef real v3
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x4 = a4[i]
        v3 = (<real>1 / (x1 + exponential_of(negated(x0))))
        out[i] = (x4 * (v3 * (x3 + (x0 * (x2 - v3)))))

cdef wide loop_22(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef const real* a7 = <const real*>args[7]
    cdef real x7
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x7 = a7[i]
        out[i] = (x7 * ((x4 * exponential_of(((x0 if (x0 < x1) else x2) * x3))) if (x0 <= x5) else x6))

cdef void run_loop(int which, char** args, char* result, npy_intp n, real* like) noexcept nogil:
    if which == 0:
        loop_0(args, result, n, like)
    elif which == 1:
        loop_1(args, result, n, like)
    elif which == 2:
        loop_2(args, result, n, like)
    elif which == 3:
        loop_3(args, result, n, like)
    elif which == 4:
        loop_4(args, result, n, like)
    elif which == 5:
        loop_5(args, result, n, like)
    elif which == 6:
        loop_6(args, result, n, like)
    elif which == 7:
        loop_7(args, result, n, like)
    elif which == 8:
        loop_8(args, result, n, like)
    elif which == 9:
        loop_9(args, result, n, like)
    elif which == 10:
        loop_10(args, result, n, like)
    elif which == 11:
        loop_11(args, result, n, like)
    elif which == 12:
        loop_12(args, result, n, like)
    elif which == 13:
        loop_13(args, result, n, like)
    elif which == 14:
        loop_14(args, result, n, like)
    elif which == 15:
        loop_15(args, result, n, like)
    elif which == 16:
        loop_16(args, result, n, like)
    elif which == 17:
        loop_17(args, result, n, like)
    elif which == 18:
        loop_18(args, result, n, like)
    elif which == 19:
        loop_19(args, result, n, like)
    elif which == 20:
        loop_20(args, result, n, like)
    elif which == 21:
        loop_21(args, result, n, like)
    elif which == 22:
        loop_22(args, result, n, like)

cdef enum:
    COUNT = 23

LOOPS = {
    'a: absolute 0, negative 1, exp 2': 0,
    'a: negative 0, absolute 1, negative 2, exp 3': 1,
    'aa: negative 0, multiply 2 1, absolute 3, negative 4, exp 5': 2,
    'aaa: subtract 0 1, exp 3, multiply 2 4': 3,
    'aana: negative 0, negative 1, multiply 5 0, negative 6, exp 7, add 2 8, reciprocal 9, multiply 4 10, multiply 3 11': 4,
    'aana: subtract 0 1, negative 4, exp 5, add 2 6, reciprocal 7, multiply 3 8': 5,
    'aanna: subtract 0 1, multiply 5 2, negative 6, exp 7, add 3 8, reciprocal 9, multiply 4 10': 6,
    'an: multiply 0 1, absolute 2, negative 3, exp 4': 7,
    'an: negative 0, exp 2, add 1 3, reciprocal 4': 8,
    'an: negative 0, exp 2, add 1 3, reciprocal 4, multiply 0 5': 9,
    'ana: multiply 0 0, exp 3, multiply 1 4, multiply 5 2': 10,
    'ana: multiply 0 0, negative 3, exp 4, multiply 1 5, multiply 2 6': 11,
    'ana: multiply 0 0, negative 3, exp 4, multiply 1 5, multiply 6 2': 12,
    'ana: negative 0, exp 3, add 1 4, reciprocal 5, multiply 2 6': 13,
    'ana: negative 0, negative 3, exp 4, add 1 5, reciprocal 6, multiply 2 7': 14,
    'anaa: negative 0, exp 4, add 1 5, reciprocal 6, subtract 7 2, multiply 3 8': 15,
    'anana: negative 0, exp 5, add 1 6, reciprocal 7, multiply 2 2, subtract 3 9, multiply 8 10, multiply 0 11, add 2 12, multiply 4 13': 16,
    'anna: multiply 0 0, multiply 1 4, exp 5, divide 6 2, multiply 3 7': 17,
    'anna: multiply 0 0, multiply 1 4, exp 5, multiply 2 6, multiply 3 7': 18,
    'annaa: negative 0, exp 5, add 1 6, reciprocal 7, subtract 2 8, multiply 8 9, multiply 3 10, multiply 4 11': 19,
    'annna: multiply 0 1, less 2 5, negative 5, exp 7, add 3 8, reciprocal 9, multiply 4 10, where 6 4 11': 20,
    'annna: negative 0, exp 5, add 1 6, reciprocal 7, subtract 2 8, multiply 0 9, add 3 10, multiply 8 11, multiply 4 12': 21,
    'annnnnna: less 0 1, where 8 0 2, multiply 9 3, exp 10, multiply 4 11, less_equal 0 5, where 13 12 6, multiply 7 14': 22,
}
