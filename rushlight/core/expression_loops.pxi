# Written by `python -m loops` from the formulas of operators.

cdef wide loop_0(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = ((x0 * x0) * x0)

cdef wide loop_1(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = (<real>1 / root(x0))

cdef wide loop_2(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real v0
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        v0 = (x0 * x0)
        out[i] = (v0 * v0)

cdef wide loop_3(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = (x0 - truncated(x0))

cdef wide loop_4(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = with_sign(magnitude(x0), x1)

cdef wide loop_5(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = truncated((x0 / x1))

cdef wide loop_6(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef char* out = <char*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = ((x0 == x1) | ((x0 != x0) & (x1 != x1)))

cdef wide loop_7(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = (negated(x0) * x1)

cdef wide loop_8(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = ((negated(x0) * x1) * x1)

cdef wide loop_9(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = ((x0 - x1) * (x0 - x1))

cdef wide loop_10(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 * (x0 / x1))

cdef wide loop_11(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = smaller(larger(x0, x1), x2)

cdef wide loop_12(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = ((x0 * x1) + x2)

cdef wide loop_13(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = ((x0 * x1) / x2)

cdef wide loop_14(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (negated(x0) * ((x1 / x2) / x2))

cdef wide loop_15(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (negated(x0) * truncated((x1 / x2)))

cdef wide loop_16(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 * (negated(x0) * x1))

cdef wide loop_17(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 * (x0 - x1))

cdef wide loop_18(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x2 = a2[i]
        x3 = a3[i]
        out[i] = ((x0 * x1) + (x2 * x3))

cdef wide loop_19(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x2 = a2[i]
        x3 = a3[i]
        out[i] = ((x0 * x1) - (x2 * x3))

cdef wide loop_20(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x2 = a2[i]
        x3 = a3[i]
        out[i] = (x3 * (x2 - (sign_of(x0) * x1)))

cdef wide loop_21(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x2 = a2[i]
        out[i] = (x2 if ((x0 >= x1) | (x1 != x1)) else x3)

cdef wide loop_22(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x2 = a2[i]
        out[i] = (x2 if ((x0 <= x1) | (x1 != x1)) else x3)

cdef wide loop_23(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x2 = a2[i]
        out[i] = ((x0 * x1) / (x2 + x3))

cdef wide loop_24(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x2 = a2[i]
        out[i] = (x2 if (x0 != x1) else x3)

cdef wide loop_25(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x2 = a2[i]
        out[i] = ((x2 / x3) if (x0 == x1) else (x4 if (x0 > x1) else x2))

cdef wide loop_26(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x2 = a2[i]
        out[i] = ((x2 / x3) if (x0 == x1) else (x4 if (x0 < x1) else x2))

cdef wide loop_27(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = ((x0 * x1) + x2)

cdef wide loop_28(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = ((x0 * x1) * x2)

cdef wide loop_29(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = (negated(x0) / root((x2 - (x1 * x1))))

cdef wide loop_30(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = (x1 + (x2 * (x0 - x1)))

cdef wide loop_31(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 if ((x0 >= x1) | (x1 != x1)) else x3)

cdef wide loop_32(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 if ((x0 <= x1) | (x1 != x1)) else x3)

cdef wide loop_33(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x3 + larger((negated(x0) * x1), x2))

cdef wide loop_34(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef real v0
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x3 = a3[i]
        v0 = (x0 - x1)
        out[i] = (x3 * ((x2 * sign_of(v0)) if (x2 < magnitude(v0)) else v0))

cdef wide loop_35(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef real v0
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x3 = a3[i]
        v0 = (x0 - x1)
        out[i] = (x3 * (sign_of(v0) if (x2 <= magnitude(v0)) else (v0 / x2)))

cdef wide loop_36(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x3 * ((x0 - x1) * x2))

cdef wide loop_37(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = (x2 if (x0 == x1) else x3)

cdef wide loop_38(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = (x2 if (x0 > x1) else x3)

cdef wide loop_39(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = (x2 if (x0 >= x1) else x3)

cdef wide loop_40(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = (x2 if (x0 < x1) else x3)

cdef wide loop_41(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = (x2 if (x0 <= x1) else x3)

cdef wide loop_42(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        out[i] = (x2 if (x0 != x1) else x3)

cdef wide loop_43(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = ((x2 if (x0 == x1) else x3) * x4)

cdef wide loop_44(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x4 * ((x0 - x1) / larger(((x2 - x0) * x0), x3)))

cdef wide loop_45(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef const real* a7 = <const real*>args[7]
    cdef real x7
    cdef real v2
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x4 = a4[i]
        x7 = a7[i]
        v2 = (x4 + (x2 if (x0 == x1) else x3))
        out[i] = (x7 / (x6 if (v2 == x5) else v2))

cdef wide loop_46(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real v1
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        v1 = magnitude((x0 - x1))
        out[i] = (((v1 * v1) * x3) if (v1 < x2) else (v1 - x4))

cdef wide loop_47(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef const real* a5 = <const real*>args[5]
    cdef real x5
    cdef real v2
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x5 = a5[i]
        v2 = ((x0 * x0) + (x1 * x1))
        out[i] = (x5 * (x4 if (v2 == x2) else (x0 / (x3 if (v2 == x2) else v2))))

cdef wide loop_48(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef const real* a5 = <const real*>args[5]
    cdef real x5
    cdef real v3
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        x5 = a5[i]
        v3 = ((x1 * x1) + (x0 * x0))
        out[i] = (x5 * (x4 if (v3 == x2) else (negated(x0) / (x3 if (v3 == x2) else v3))))

cdef wide loop_49(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real v1
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x1 = a1[i]
        v1 = magnitude((x0 - x1))
        out[i] = (((x3 * v1) * v1) if (v1 <= x2) else (x5 * (v1 - x4)))

cdef wide loop_50(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = with_sign(magnitude(x0), x1)

cdef wide loop_51(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef char* out = <char*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = (magnitude(x0) < x1)

cdef wide loop_52(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = (x1 if (x0 != x0) else sign_of(x0))

cdef wide loop_53(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 / (x0 + x1))

cdef wide loop_54(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 * (x0 + x1))

cdef wide loop_55(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x0 if (x0 > x1) else (x2 * x0))

cdef wide loop_56(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 * (x1 if (x0 != x0) else sign_of(x0)))

cdef wide loop_57(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = ((x1 if (x0 != x0) else sign_of(x0)) * x2)

cdef wide loop_58(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 + larger(x0, x1))

cdef wide loop_59(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 * (x1 + (x0 * x0)))

cdef wide loop_60(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 / ((x0 * x0) + x1))

cdef wide loop_61(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 / root(((x0 * x0) + x1)))

cdef wide loop_62(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 * (x1 * ((x0 * x0) * x0)))

cdef wide loop_63(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 / (x1 - (x0 * x0)))

cdef wide loop_64(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 * (x1 - (x0 * x0)))

cdef wide loop_65(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 / root((x1 - (x0 * x0))))

cdef wide loop_66(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 / root(((x0 * x0) - x1)))

cdef wide loop_67(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 / (x0 * x1))

cdef wide loop_68(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = ((x0 * x1) / x2)

cdef wide loop_69(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 * (x0 * x1))

cdef wide loop_70(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (negated(x0) * (x1 + x2))

cdef wide loop_71(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = negated((x2 + larger(negated(x0), x1)))

cdef wide loop_72(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 * (x1 * x0))

cdef wide loop_73(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 * (x1 * (<real>1 / root(x0))))

cdef wide loop_74(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 * (x1 * (x0 * x0)))

cdef wide loop_75(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 if (x0 > x1) else (x2 * x3))

cdef wide loop_76(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = ((x2 + larger(x0, x1)) - (x0 * x3))

cdef wide loop_77(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (negated(x0) * ((x1 * x2) / (x3 * x3)))

cdef wide loop_78(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef real x4 = (<const real*>args[4])[0]
    cdef real v2
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        x3 = a3[i]
        v2 = (x2 - x3)
        out[i] = ((x3 + (x0 * v2)) if (magnitude(x0) < x1) else (x2 - (v2 * (x4 - x0))))

cdef wide loop_79(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        out[i] = ((x2 * x3) if (x0 == x1) else x0)

cdef wide loop_80(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        out[i] = (x3 if (x0 > x1) else (x2 * x0))

cdef wide loop_81(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        out[i] = (x2 if (x0 > x1) else (x2 * x3))

cdef wide loop_82(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef char* out = <char*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        out[i] = ((x0 != x1) & (x2 != x3))

cdef wide loop_83(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef char* out = <char*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        out[i] = ((x0 != x1) | (x2 != x3))

cdef wide loop_84(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef char* out = <char*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        out[i] = ((x0 != x1) != (x2 != x3))

cdef wide loop_85(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef const char* a4 = <const char*>args[4]
    cdef char x4
    cdef real x5 = (<const real*>args[5])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        x4 = a4[i]
        out[i] = (x5 if x4 else (x3 if (x0 == x1) else (x2 / x0)))

cdef wide loop_86(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef const real* a5 = <const real*>args[5]
    cdef real x5
    cdef real x6 = (<const real*>args[6])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        x4 = a4[i]
        x5 = a5[i]
        out[i] = (x6 if ((x0 == x1) & ((magnitude(x2) > x3) == 0)) else (x5 * (x0 * x4)))

cdef wide loop_87(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef const real* a5 = <const real*>args[5]
    cdef real x5
    cdef real x6 = (<const real*>args[6])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        x4 = a4[i]
        x5 = a5[i]
        out[i] = (x6 if ((x0 == x1) & (x2 <= x3)) else (x4 * x5))

cdef wide loop_88(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef const real* a5 = <const real*>args[5]
    cdef real x5
    cdef real x6 = (<const real*>args[6])[0]
    cdef const real* a7 = <const real*>args[7]
    cdef real x7
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        x4 = a4[i]
        x5 = a5[i]
        x7 = a7[i]
        out[i] = (x7 * (x6 if ((x0 == x1) & (x2 >= x3)) else (x4 * x5)))

cdef wide loop_89(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef real x5 = (<const real*>args[5])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        x4 = a4[i]
        out[i] = (((x0 - x1) * larger(x2, x3)) - (x0 * larger(x4, x5)))

cdef wide loop_90(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        out[i] = (x4 if ((x0 == x1) & ((magnitude(x2) > x3) == 0)) else x2)

cdef wide loop_91(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        out[i] = (x4 if ((x0 == x1) & (x2 >= x3)) else x0)

cdef wide loop_92(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        out[i] = ((x2 * x4) if (x2 > x3) else (x0 * x1))

cdef wide loop_93(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef const real* a5 = <const real*>args[5]
    cdef real x5
    cdef const real* a6 = <const real*>args[6]
    cdef real x6
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x2 = a2[i]
        x5 = a5[i]
        x6 = a6[i]
        out[i] = (x6 * (x2 * (x4 if ((x0 == x1) & (x2 <= x3)) else x5)))

cdef wide loop_94(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = (x2 if (x0 == x1) else x0)

cdef wide loop_95(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = smaller(larger(x0, x1), x2)

cdef wide loop_96(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = (x0 - smaller(larger(x0, x1), x2))

cdef wide loop_97(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = (smaller(x0, x1) * x2)

cdef wide loop_98(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = (rounded((x0 * x1)) / x2)

cdef wide loop_99(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 if (x0 == x1) else x3)

cdef wide loop_100(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x2 if (x0 <= x1) else x3)

cdef wide loop_101(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef real x4 = (<const real*>args[4])[0]
    cdef const real* a5 = <const real*>args[5]
    cdef real x5
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x3 = a3[i]
        x5 = a5[i]
        out[i] = (x5 * (x4 if (x0 == x1) else (x3 / (x2 if (x0 == x1) else x0))))

cdef wide loop_102(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x3 = a3[i]
        out[i] = (x5 if (x0 == x1) else (x4 if (x0 < x2) else (negated(x0) * x3)))

cdef wide loop_103(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x3 = a3[i]
        out[i] = ((x3 / x4) if ((x0 > x1) & (x0 < x2)) else x5)

cdef wide loop_104(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = (x3 if (magnitude(x0) < x1) else (x2 * x0))

cdef wide loop_105(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = ((x2 * x0) if (magnitude(x0) < x1) else x3)

cdef wide loop_106(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real v3
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        v3 = ((x2 * x0) if (magnitude(x0) < x1) else x3)
        out[i] = (v3 * v3)

cdef wide loop_107(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = (x2 if (x0 > x1) else x3)

cdef wide loop_108(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = (x3 if ((x0 >= x1) & (x0 <= x2)) else x0)

cdef wide loop_109(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = (x0 if (x0 != x0) else (x2 if (x0 < x1) else x3))

cdef wide loop_110(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        v0 = magnitude(x0)
        out[i] = ((x0 * (x3 if (v0 == x1) else (x2 if (v0 == x1) else v0))) * x4)

cdef wide loop_111(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x4 = a4[i]
        out[i] = (x3 if ((x0 >= x1) & (x0 <= x2)) else x4)

cdef wide loop_112(char** args, char* result, npy_intp n, real* like) noexcept nogil:
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
        out[i] = (x0 if (x2 < v0) else ((x4 + larger(v0, x3)) / x1))

cdef wide loop_113(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x4 = a4[i]
        out[i] = (x3 if ((x0 - x1) == x2) else x4)

cdef wide loop_114(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef const real* a5 = <const real*>args[5]
    cdef real x5
    cdef real v3
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x4 = a4[i]
        x5 = a5[i]
        v3 = (x3 if (magnitude(x0) < x1) else (x2 * x0))
        out[i] = ((x5 - (x4 / v3)) / v3)

cdef wide loop_115(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef real x5 = (<const real*>args[5])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x4 = a4[i]
        out[i] = (x5 + (x3 if ((x0 - x1) == x2) else x4))

cdef wide loop_116(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x4 = a4[i]
        out[i] = ((x4 / (x0 * (x3 - x0))) if ((x0 >= x1) & (x0 <= x2)) else (x5 * x6))

cdef wide loop_117(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = (smaller(larger((x0 + x1), x2), x3) / x4)

cdef wide loop_118(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = ((x0 * smaller(larger((x0 + x1), x2), x3)) / x4)

cdef wide loop_119(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef const real* a5 = <const real*>args[5]
    cdef real x5
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x5 = a5[i]
        out[i] = (x5 if (x0 == x1) else (x3 if (x0 > x2) else x4))

cdef wide loop_120(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef const real* a5 = <const real*>args[5]
    cdef real x5
    cdef const real* a6 = <const real*>args[6]
    cdef real x6
    cdef const real* a7 = <const real*>args[7]
    cdef real x7
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x5 = a5[i]
        x6 = a6[i]
        x7 = a7[i]
        out[i] = (x7 * ((x2 + x3) if (x0 == x1) else (x6 - (x5 / (x4 if (x0 == x1) else x0)))))

cdef wide loop_121(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef const real* a5 = <const real*>args[5]
    cdef real x5
    cdef const real* a6 = <const real*>args[6]
    cdef real x6
    cdef const real* a7 = <const real*>args[7]
    cdef real x7
    cdef real v2
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x5 = a5[i]
        x6 = a6[i]
        x7 = a7[i]
        v2 = (x4 if (x0 == x1) else x0)
        out[i] = (x7 * ((x2 + x3) if (x0 == x1) else (x6 - (x5 * (sign_of(v2) + (<real>1 / v2))))))

cdef wide loop_122(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef const real* a5 = <const real*>args[5]
    cdef real x5
    cdef real x6 = (<const real*>args[6])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        x5 = a5[i]
        out[i] = (x6 if (x0 <= x1) else ((x5 * ((x0 / x3) + x4)) if (x0 < x2) else x5))

cdef wide loop_123(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        out[i] = (x5 if (x0 != x0) else (x4 if (x0 == x1) else (x3 if (x0 == x2) else x0)))

cdef wide loop_124(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef const real* a0 = <const real*>args[0]
    cdef real x0
    cdef real x1 = (<const real*>args[1])[0]
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef real x7 = (<const real*>args[7])[0]
    cdef real v3, v4
    cdef npy_intp i
    for i in range(n):
        x0 = a0[i]
        v3 = ((x2 * x0) if (magnitude(x0) < x1) else x3)
        v4 = (v3 * v3)
        out[i] = (((((((x4 * v4) + x5) * v4) + x6) * v4) + x7) * v4)

cdef wide loop_125(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        out[i] = larger(x1, (x0 * x1))

cdef wide loop_126(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        out[i] = (x1 / (x0 - x1))

cdef wide loop_127(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        x2 = a2[i]
        out[i] = (x2 * (x0 / x1))

cdef wide loop_128(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        x2 = a2[i]
        out[i] = (x2 + (x0 * x1))

cdef wide loop_129(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        x2 = a2[i]
        out[i] = (x2 / (x0 * x1))

cdef wide loop_130(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        x2 = a2[i]
        out[i] = ((x0 * x1) * ((x2 * x2) * x2))

cdef wide loop_131(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        x2 = a2[i]
        out[i] = (x2 * (x0 * x1))

cdef wide loop_132(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        x2 = a2[i]
        out[i] = (x2 - (x0 * x1))

cdef wide loop_133(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        x2 = a2[i]
        out[i] = (x2 * (x0 - x1))

cdef wide loop_134(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        x2 = a2[i]
        out[i] = (x2 * ((x0 - x1) * x1))

cdef wide loop_135(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        x2 = a2[i]
        x3 = a3[i]
        out[i] = (x3 * ((x0 + x1) + x2))

cdef wide loop_136(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        x2 = a2[i]
        x3 = a3[i]
        out[i] = (x3 + ((x0 * x1) / x2))

cdef wide loop_137(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        x2 = a2[i]
        x3 = a3[i]
        out[i] = (x3 + ((x0 * x1) * x2))

cdef wide loop_138(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef const real* a2 = <const real*>args[2]
    cdef real x2
    cdef real x3 = (<const real*>args[3])[0]
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        x2 = a2[i]
        x4 = a4[i]
        out[i] = (x4 * (((x0 * x1) * x2) - x3))

cdef wide loop_139(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        out[i] = (x2 if (x0 >= x1) else x1)

cdef wide loop_140(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        out[i] = (x2 - (x0 * x1))

cdef wide loop_141(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        x3 = a3[i]
        out[i] = (x2 if (x0 >= x1) else x3)

cdef wide loop_142(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef const real* a3 = <const real*>args[3]
    cdef real x3
    cdef real x4 = (<const real*>args[4])[0]
    cdef real v0
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        x3 = a3[i]
        v0 = (x0 * x1)
        out[i] = (x4 if (v0 == x2) else (x3 / v0))

cdef wide loop_143(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        out[i] = ((x0 / (x1 + x2)) if (x0 < x1) else x3)

cdef wide loop_144(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        out[i] = (x3 * ((x0 * x1) - x2))

cdef wide loop_145(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef const real* a4 = <const real*>args[4]
    cdef real x4
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        x4 = a4[i]
        out[i] = (x3 if ((x0 >= x1) | (x2 <= x1)) else x4)

cdef wide loop_146(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real v0, v2, v5
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        v0 = (x0 * x1)
        v2 = ((x1 * v0) - x2)
        v5 = ((x1 * v2) - (x3 * v0))
        out[i] = ((x1 * ((x1 * v5) - (x4 * v2))) - (x5 * v5))

cdef wide loop_147(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        out[i] = (x5 * ((((x2 * x1) * (x0 * x1)) - x3) * x4))

cdef wide loop_148(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        out[i] = (x5 * ((((x2 - x1) * (x0 - x1)) - x3) * x4))

cdef wide loop_149(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef real v0
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        v0 = (x0 * x1)
        out[i] = (x6 * (((x4 * x1) * (((x2 * x1) * v0) - x3)) - (x5 * v0)))

cdef wide loop_150(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef real v0, v3, v6
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        v0 = (x0 * x1)
        v3 = (((x2 * x1) * v0) - x3)
        v6 = (((x4 * x1) * v3) - v0)
        out[i] = (((x6 * x1) * (((x5 * x1) * v6) - v3)) - v6)

cdef wide loop_151(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef real v1
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        v1 = ((x0 * x1) - x2)
        out[i] = (((x5 * v1) * ((x3 * v1) + x4)) - x6)

cdef wide loop_152(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef real v1, v2
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        v1 = ((x0 * x1) - x2)
        v2 = (x3 * v1)
        out[i] = (((x6 * v1) * (((x4 * v1) * v2) - x5)) - v2)

cdef wide loop_153(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef real v1
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        v1 = ((x0 * x1) - x2)
        out[i] = (((x5 * v1) * ((x3 * v1) - x4)) - x6)

cdef wide loop_154(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef real x7 = (<const real*>args[7])[0]
    cdef real v1, v4, v7
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        v1 = ((x0 * x1) + x2)
        v4 = (((x3 * x1) * v1) - x4)
        v7 = (((x5 * x1) * v4) - v1)
        out[i] = (((x7 * x1) * (((x6 * x1) * v7) - v4)) - v7)

cdef wide loop_155(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef real x7 = (<const real*>args[7])[0]
    cdef real v0
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        v0 = (x0 * x1)
        out[i] = ((((x5 * x1) * ((((x2 * x1) * v0) - x3) * x4)) - (x6 * v0)) * x7)

cdef wide loop_156(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef real x7 = (<const real*>args[7])[0]
    cdef real v0, v3
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        v0 = (x0 * x1)
        v3 = (((x2 * x1) * v0) - x3)
        out[i] = (((x6 * x1) * (((x4 * x1) * v3) - (x5 * v0))) - (x7 * v3))

cdef wide loop_157(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef real x7 = (<const real*>args[7])[0]
    cdef real v1, v4, v7
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        v1 = ((x0 * x1) - x2)
        v4 = (((x3 * x1) * v1) - x4)
        v7 = (((x5 * x1) * v4) - v1)
        out[i] = (((x7 * x1) * (((x6 * x1) * v7) - v4)) - v7)

cdef wide loop_158(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef real x7 = (<const real*>args[7])[0]
    cdef real v1, v3
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        v1 = ((x0 * x1) - x2)
        v3 = ((x3 * v1) + x4)
        out[i] = (((x7 * v1) * (((x5 * v1) * v3) - x6)) - v3)

cdef wide loop_159(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef real x7 = (<const real*>args[7])[0]
    cdef real v1, v2, v5
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        v1 = ((x0 * x1) - x2)
        v2 = (x3 * v1)
        v5 = (((x4 * v1) * v2) - x5)
        out[i] = (((x7 * v1) * (((x6 * v1) * v5) - v2)) - v5)

cdef wide loop_160(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef real x7 = (<const real*>args[7])[0]
    cdef real v1, v3
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        v1 = ((x0 * x1) - x2)
        v3 = ((x3 * v1) - x4)
        out[i] = (((x7 * v1) * (((x5 * v1) * v3) - x6)) - v3)

cdef wide loop_161(char** args, char* result, npy_intp n, real* like) noexcept nogil:
    cdef real* out = <real*>result
    cdef real x0 = (<const real*>args[0])[0]
    cdef const real* a1 = <const real*>args[1]
    cdef real x1
    cdef real x2 = (<const real*>args[2])[0]
    cdef real x3 = (<const real*>args[3])[0]
    cdef real x4 = (<const real*>args[4])[0]
    cdef real x5 = (<const real*>args[5])[0]
    cdef real x6 = (<const real*>args[6])[0]
    cdef real x7 = (<const real*>args[7])[0]
    cdef real v0
    cdef npy_intp i
    for i in range(n):
        x1 = a1[i]
        v0 = (x0 - x1)
        out[i] = ((((x5 - x1) * ((((x2 - x1) * v0) - x3) * x4)) - (x6 * v0)) * x7)

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
    elif which == 23:
        loop_23(args, result, n, like)
    elif which == 24:
        loop_24(args, result, n, like)
    elif which == 25:
        loop_25(args, result, n, like)
    elif which == 26:
        loop_26(args, result, n, like)
    elif which == 27:
        loop_27(args, result, n, like)
    elif which == 28:
        loop_28(args, result, n, like)
    elif which == 29:
        loop_29(args, result, n, like)
    elif which == 30:
        loop_30(args, result, n, like)
    elif which == 31:
        loop_31(args, result, n, like)
    elif which == 32:
        loop_32(args, result, n, like)
    elif which == 33:
        loop_33(args, result, n, like)
    elif which == 34:
        loop_34(args, result, n, like)
    elif which == 35:
        loop_35(args, result, n, like)
    elif which == 36:
        loop_36(args, result, n, like)
    elif which == 37:
        loop_37(args, result, n, like)
    elif which == 38:
        loop_38(args, result, n, like)
    elif which == 39:
        loop_39(args, result, n, like)
    elif which == 40:
        loop_40(args, result, n, like)
    elif which == 41:
        loop_41(args, result, n, like)
    elif which == 42:
        loop_42(args, result, n, like)
    elif which == 43:
        loop_43(args, result, n, like)
    elif which == 44:
        loop_44(args, result, n, like)
    elif which == 45:
        loop_45(args, result, n, like)
    elif which == 46:
        loop_46(args, result, n, like)
    elif which == 47:
        loop_47(args, result, n, like)
    elif which == 48:
        loop_48(args, result, n, like)
    elif which == 49:
        loop_49(args, result, n, like)
    elif which == 50:
        loop_50(args, result, n, like)
    elif which == 51:
        loop_51(args, result, n, like)
    elif which == 52:
        loop_52(args, result, n, like)
    elif which == 53:
        loop_53(args, result, n, like)
    elif which == 54:
        loop_54(args, result, n, like)
    elif which == 55:
        loop_55(args, result, n, like)
    elif which == 56:
        loop_56(args, result, n, like)
    elif which == 57:
        loop_57(args, result, n, like)
    elif which == 58:
        loop_58(args, result, n, like)
    elif which == 59:
        loop_59(args, result, n, like)
    elif which == 60:
        loop_60(args, result, n, like)
    elif which == 61:
        loop_61(args, result, n, like)
    elif which == 62:
        loop_62(args, result, n, like)
    elif which == 63:
        loop_63(args, result, n, like)
    elif which == 64:
        loop_64(args, result, n, like)
    elif which == 65:
        loop_65(args, result, n, like)
    elif which == 66:
        loop_66(args, result, n, like)
    elif which == 67:
        loop_67(args, result, n, like)
    elif which == 68:
        loop_68(args, result, n, like)
    elif which == 69:
        loop_69(args, result, n, like)
    elif which == 70:
        loop_70(args, result, n, like)
    elif which == 71:
        loop_71(args, result, n, like)
    elif which == 72:
        loop_72(args, result, n, like)
    elif which == 73:
        loop_73(args, result, n, like)
    elif which == 74:
        loop_74(args, result, n, like)
    elif which == 75:
        loop_75(args, result, n, like)
    elif which == 76:
        loop_76(args, result, n, like)
    elif which == 77:
        loop_77(args, result, n, like)
    elif which == 78:
        loop_78(args, result, n, like)
    elif which == 79:
        loop_79(args, result, n, like)
    elif which == 80:
        loop_80(args, result, n, like)
    elif which == 81:
        loop_81(args, result, n, like)
    elif which == 82:
        loop_82(args, result, n, like)
    elif which == 83:
        loop_83(args, result, n, like)
    elif which == 84:
        loop_84(args, result, n, like)
    elif which == 85:
        loop_85(args, result, n, like)
    elif which == 86:
        loop_86(args, result, n, like)
    elif which == 87:
        loop_87(args, result, n, like)
    elif which == 88:
        loop_88(args, result, n, like)
    elif which == 89:
        loop_89(args, result, n, like)
    elif which == 90:
        loop_90(args, result, n, like)
    elif which == 91:
        loop_91(args, result, n, like)
    elif which == 92:
        loop_92(args, result, n, like)
    elif which == 93:
        loop_93(args, result, n, like)
    elif which == 94:
        loop_94(args, result, n, like)
    elif which == 95:
        loop_95(args, result, n, like)
    elif which == 96:
        loop_96(args, result, n, like)
    elif which == 97:
        loop_97(args, result, n, like)
    elif which == 98:
        loop_98(args, result, n, like)
    elif which == 99:
        loop_99(args, result, n, like)
    elif which == 100:
        loop_100(args, result, n, like)
    elif which == 101:
        loop_101(args, result, n, like)
    elif which == 102:
        loop_102(args, result, n, like)
    elif which == 103:
        loop_103(args, result, n, like)
    elif which == 104:
        loop_104(args, result, n, like)
    elif which == 105:
        loop_105(args, result, n, like)
    elif which == 106:
        loop_106(args, result, n, like)
    elif which == 107:
        loop_107(args, result, n, like)
    elif which == 108:
        loop_108(args, result, n, like)
    elif which == 109:
        loop_109(args, result, n, like)
    elif which == 110:
        loop_110(args, result, n, like)
    elif which == 111:
        loop_111(args, result, n, like)
    elif which == 112:
        loop_112(args, result, n, like)
    elif which == 113:
        loop_113(args, result, n, like)
    elif which == 114:
        loop_114(args, result, n, like)
    elif which == 115:
        loop_115(args, result, n, like)
    elif which == 116:
        loop_116(args, result, n, like)
    elif which == 117:
        loop_117(args, result, n, like)
    elif which == 118:
        loop_118(args, result, n, like)
    elif which == 119:
        loop_119(args, result, n, like)
    elif which == 120:
        loop_120(args, result, n, like)
    elif which == 121:
        loop_121(args, result, n, like)
    elif which == 122:
        loop_122(args, result, n, like)
    elif which == 123:
        loop_123(args, result, n, like)
    elif which == 124:
        loop_124(args, result, n, like)
    elif which == 125:
        loop_125(args, result, n, like)
    elif which == 126:
        loop_126(args, result, n, like)
    elif which == 127:
        loop_127(args, result, n, like)
    elif which == 128:
        loop_128(args, result, n, like)
    elif which == 129:
        loop_129(args, result, n, like)
    elif which == 130:
        loop_130(args, result, n, like)
    elif which == 131:
        loop_131(args, result, n, like)
    elif which == 132:
        loop_132(args, result, n, like)
    elif which == 133:
        loop_133(args, result, n, like)
    elif which == 134:
        loop_134(args, result, n, like)
    elif which == 135:
        loop_135(args, result, n, like)
    elif which == 136:
        loop_136(args, result, n, like)
    elif which == 137:
        loop_137(args, result, n, like)
    elif which == 138:
        loop_138(args, result, n, like)
    elif which == 139:
        loop_139(args, result, n, like)
    elif which == 140:
        loop_140(args, result, n, like)
    elif which == 141:
        loop_141(args, result, n, like)
    elif which == 142:
        loop_142(args, result, n, like)
    elif which == 143:
        loop_143(args, result, n, like)
    elif which == 144:
        loop_144(args, result, n, like)
    elif which == 145:
        loop_145(args, result, n, like)
    elif which == 146:
        loop_146(args, result, n, like)
    elif which == 147:
        loop_147(args, result, n, like)
    elif which == 148:
        loop_148(args, result, n, like)
    elif which == 149:
        loop_149(args, result, n, like)
    elif which == 150:
        loop_150(args, result, n, like)
    elif which == 151:
        loop_151(args, result, n, like)
    elif which == 152:
        loop_152(args, result, n, like)
    elif which == 153:
        loop_153(args, result, n, like)
    elif which == 154:
        loop_154(args, result, n, like)
    elif which == 155:
        loop_155(args, result, n, like)
    elif which == 156:
        loop_156(args, result, n, like)
    elif which == 157:
        loop_157(args, result, n, like)
    elif which == 158:
        loop_158(args, result, n, like)
    elif which == 159:
        loop_159(args, result, n, like)
    elif which == 160:
        loop_160(args, result, n, like)
    elif which == 161:
        loop_161(args, result, n, like)

cdef enum:
    COUNT = 162

LOOPS = {
    'a: multiply 0 0, multiply 1 0': 0,
    'a: sqrt 0, reciprocal 1': 1,
    'a: square 0, multiply 1 1': 2,
    'a: trunc 0, subtract 0 1': 3,
    'aa: absolute 0, copysign 2 1': 4,
    'aa: divide 0 1, trunc 2': 5,
    'aa: equal 0 1, isnan 0, isnan 1, bitwise_and 3 4, bitwise_or 2 5': 6,
    'aa: negative 0, multiply 2 1': 7,
    'aa: negative 0, multiply 2 1, multiply 3 1': 8,
    'aa: subtract 0 1, square 2': 9,
    'aaa: divide 0 1, multiply 2 3': 10,
    'aaa: maximum 0 1, minimum 3 2': 11,
    'aaa: multiply 0 1, add 3 2': 12,
    'aaa: multiply 0 1, divide 3 2': 13,
    'aaa: negative 0, divide 1 2, divide 4 2, multiply 3 5': 14,
    'aaa: negative 0, divide 1 2, trunc 4, multiply 3 5': 15,
    'aaa: negative 0, multiply 3 1, multiply 2 4': 16,
    'aaa: subtract 0 1, multiply 2 3': 17,
    'aaaa: multiply 0 1, multiply 2 3, add 4 5': 18,
    'aaaa: multiply 0 1, multiply 2 3, subtract 4 5': 19,
    'aaaa: sign 0, multiply 4 1, subtract 2 5, multiply 3 6': 20,
    'aaan: greater_equal 0 1, isnan 1, bitwise_or 4 5, where 6 2 3': 21,
    'aaan: less_equal 0 1, isnan 1, bitwise_or 4 5, where 6 2 3': 22,
    'aaan: multiply 0 1, add 2 3, divide 4 5': 23,
    'aaan: not_equal 0 1, where 4 2 3': 24,
    'aaann: greater 0 1, equal 0 1, divide 2 3, where 5 4 2, where 6 7 8': 25,
    'aaann: less 0 1, equal 0 1, divide 2 3, where 5 4 2, where 6 7 8': 26,
    'aan: multiply 0 1, add 3 2': 27,
    'aan: multiply 0 1, multiply 3 2': 28,
    'aan: negative 0, multiply 1 1, subtract 2 4, sqrt 5, divide 3 6': 29,
    'aan: subtract 0 1, multiply 2 3, add 1 4': 30,
    'aana: greater_equal 0 1, isnan 1, bitwise_or 4 5, where 6 2 3': 31,
    'aana: less_equal 0 1, isnan 1, bitwise_or 4 5, where 6 2 3': 32,
    'aana: negative 0, multiply 4 1, maximum 5 2, add 3 6': 33,
    'aana: subtract 0 1, absolute 4, less 2 5, sign 4, multiply 2 7, where 6 8 4, multiply 3 9': 34,
    'aana: subtract 0 1, absolute 4, less_equal 2 5, sign 4, divide 4 2, where 6 7 8, multiply 3 9': 35,
    'aana: subtract 0 1, multiply 4 2, multiply 3 5': 36,
    'aann: equal 0 1, where 4 2 3': 37,
    'aann: greater 0 1, where 4 2 3': 38,
    'aann: greater_equal 0 1, where 4 2 3': 39,
    'aann: less 0 1, where 4 2 3': 40,
    'aann: less_equal 0 1, where 4 2 3': 41,
    'aann: not_equal 0 1, where 4 2 3': 42,
    'aanna: equal 0 1, where 5 2 3, multiply 6 4': 43,
    'aanna: subtract 0 1, subtract 2 0, multiply 6 0, maximum 7 3, divide 5 8, multiply 4 9': 44,
    'aannanna: equal 0 1, where 8 2 3, add 4 9, equal 10 5, where 11 6 10, divide 7 12': 45,
    'aannn: subtract 0 1, absolute 5, less 6 2, multiply 6 6, multiply 8 3, subtract 6 4, where 7 9 10': 46,
    'aannna: multiply 0 0, multiply 1 1, add 6 7, equal 8 2, where 9 3 8, divide 0 10, where 9 4 11, multiply 5 12': 47,
    'aannna: negative 0, multiply 1 1, multiply 0 0, add 7 8, equal 9 2, where 10 3 9, divide 6 11, where 10 4 12, multiply 5 13': 48,
    'aannnn: subtract 0 1, absolute 6, less_equal 7 2, multiply 3 7, multiply 9 7, subtract 7 4, multiply 5 11, where 8 10 12': 49,
    'an: absolute 0, copysign 2 1': 50,
    'an: absolute 0, less 2 1': 51,
    'an: isnan 0, sign 0, where 2 1 3': 52,
    'ana: add 0 1, divide 2 3': 53,
    'ana: add 0 1, multiply 2 3': 54,
    'ana: greater 0 1, multiply 2 0, where 3 0 4': 55,
    'ana: isnan 0, sign 0, where 3 1 4, multiply 2 5': 56,
    'ana: isnan 0, sign 0, where 3 1 4, multiply 5 2': 57,
    'ana: maximum 0 1, add 2 3': 58,
    'ana: multiply 0 0, add 1 3, multiply 2 4': 59,
    'ana: multiply 0 0, add 3 1, divide 2 4': 60,
    'ana: multiply 0 0, add 3 1, sqrt 4, divide 2 5': 61,
    'ana: multiply 0 0, multiply 3 0, multiply 1 4, multiply 2 5': 62,
    'ana: multiply 0 0, subtract 1 3, divide 2 4': 63,
    'ana: multiply 0 0, subtract 1 3, multiply 2 4': 64,
    'ana: multiply 0 0, subtract 1 3, sqrt 4, divide 2 5': 65,
    'ana: multiply 0 0, subtract 3 1, sqrt 4, divide 2 5': 66,
    'ana: multiply 0 1, divide 2 3': 67,
    'ana: multiply 0 1, divide 3 2': 68,
    'ana: multiply 0 1, multiply 2 3': 69,
    'ana: negative 0, add 1 2, multiply 3 4': 70,
    'ana: negative 0, maximum 3 1, add 2 4, negative 5': 71,
    'ana: positive 0, multiply 1 3, multiply 2 4': 72,
    'ana: sqrt 0, reciprocal 3, multiply 1 4, multiply 2 5': 73,
    'ana: square 0, multiply 1 3, multiply 2 4': 74,
    'anaa: greater 0 1, multiply 2 3, where 4 2 5': 75,
    'anaa: maximum 0 1, add 2 4, multiply 0 3, subtract 5 6': 76,
    'anaa: negative 0, multiply 1 2, multiply 3 3, divide 5 6, multiply 4 7': 77,
    'anaan: absolute 0, less 5 1, subtract 2 3, multiply 0 7, add 3 8, subtract 4 0, multiply 7 10, subtract 2 11, where 6 9 12': 78,
    'anan: equal 0 1, multiply 2 3, where 4 5 0': 79,
    'anan: greater 0 1, multiply 2 0, where 4 3 5': 80,
    'anan: greater 0 1, multiply 2 3, where 4 2 5': 81,
    'anan: not_equal 0 1, not_equal 2 3, bitwise_and 4 5': 82,
    'anan: not_equal 0 1, not_equal 2 3, bitwise_or 4 5': 83,
    'anan: not_equal 0 1, not_equal 2 3, bitwise_xor 4 5': 84,
    'anan?n: equal 0 1, divide 2 0, where 6 3 7, where 4 5 8': 85,
    'ananaan: equal 0 1, absolute 2, greater 8 3, invert 9, bitwise_and 7 10, multiply 0 4, multiply 5 12, where 11 6 13': 86,
    'ananaan: equal 0 1, less_equal 2 3, bitwise_and 7 8, multiply 4 5, where 9 6 10': 87,
    'ananaana: equal 0 1, greater_equal 2 3, bitwise_and 8 9, multiply 4 5, where 10 6 11, multiply 7 12': 88,
    'ananan: subtract 0 1, maximum 2 3, multiply 6 7, maximum 4 5, multiply 0 9, subtract 8 10': 89,
    'anann: equal 0 1, absolute 2, greater 6 3, invert 7, bitwise_and 5 8, where 9 4 2': 90,
    'anann: equal 0 1, greater_equal 2 3, bitwise_and 5 6, where 7 4 0': 91,
    'anann: multiply 0 1, greater 2 3, multiply 2 4, where 6 7 5': 92,
    'anannaa: equal 0 1, less_equal 2 3, bitwise_and 7 8, where 9 4 5, multiply 2 10, multiply 6 11': 93,
    'ann: equal 0 1, where 3 2 0': 94,
    'ann: maximum 0 1, minimum 3 2': 95,
    'ann: maximum 0 1, minimum 3 2, subtract 0 4': 96,
    'ann: minimum 0 1, multiply 3 2': 97,
    'ann: multiply 0 1, rint 3, divide 4 2': 98,
    'anna: equal 0 1, where 4 2 3': 99,
    'anna: less_equal 0 1, where 4 2 3': 100,
    'annana: equal 0 1, where 6 2 0, divide 3 7, where 6 4 8, multiply 5 9': 101,
    'annann: equal 0 1, less 0 2, negative 0, multiply 8 3, where 7 4 9, where 6 5 10': 102,
    'annann: greater 0 1, less 0 2, bitwise_and 6 7, divide 3 4, where 8 9 5': 103,
    'annn: absolute 0, less 4 1, multiply 2 0, where 5 3 6': 104,
    'annn: absolute 0, less 4 1, multiply 2 0, where 5 6 3': 105,
    'annn: absolute 0, less 4 1, multiply 2 0, where 5 6 3, multiply 7 7': 106,
    'annn: greater 0 1, where 4 2 3': 107,
    'annn: greater_equal 0 1, less_equal 0 2, bitwise_and 4 5, where 6 3 0': 108,
    'annn: isnan 0, less 0 1, where 5 2 3, where 4 0 6': 109,
    'annna: absolute 0, equal 5 1, where 6 2 5, positive 7, where 6 3 8, multiply 0 9, multiply 10 4': 110,
    'annna: greater_equal 0 1, less_equal 0 2, bitwise_and 5 6, where 7 3 4': 111,
    'annna: multiply 0 1, less 2 5, maximum 5 3, add 4 7, divide 8 1, where 6 0 9': 112,
    'annna: subtract 0 1, equal 5 2, where 6 3 4': 113,
    'annnaa: absolute 0, less 6 1, multiply 2 0, where 7 3 8, divide 4 9, subtract 5 10, divide 11 9': 114,
    'annnan: subtract 0 1, equal 6 2, where 7 3 4, add 5 8': 115,
    'annnann: greater_equal 0 1, less_equal 0 2, bitwise_and 7 8, subtract 3 0, multiply 0 10, divide 4 11, multiply 5 6, where 9 12 13': 116,
    'annnn: add 0 1, maximum 5 2, minimum 6 3, divide 7 4': 117,
    'annnn: add 0 1, maximum 5 2, minimum 6 3, multiply 0 7, divide 8 4': 118,
    'annnna: equal 0 1, greater 0 2, where 7 3 4, where 6 5 8': 119,
    'annnnaaa: equal 0 1, add 2 3, where 8 4 0, divide 5 10, subtract 6 11, where 8 9 12, multiply 7 13': 120,
    'annnnaaa: equal 0 1, add 2 3, where 8 4 0, sign 10, reciprocal 10, add 11 12, multiply 5 13, subtract 6 14, where 8 9 15, multiply 7 16': 121,
    'annnnan: less_equal 0 1, less 0 2, divide 0 3, add 9 4, multiply 5 10, where 8 11 5, where 7 6 12': 122,
    'annnnn: equal 0 1, equal 0 2, where 7 3 0, where 6 4 8, isnan 0, where 10 5 9': 123,
    'annnnnnn: absolute 0, less 8 1, multiply 2 0, where 9 10 3, multiply 11 11, multiply 4 12, add 13 5, multiply 14 12, add 15 6, multiply 16 12, add 17 7, multiply 18 12': 124,
    'na: multiply 0 1, maximum 1 2': 125,
    'na: subtract 0 1, divide 1 2': 126,
    'naa: divide 0 1, multiply 2 3': 127,
    'naa: multiply 0 1, add 2 3': 128,
    'naa: multiply 0 1, divide 2 3': 129,
    'naa: multiply 0 1, multiply 2 2, multiply 4 2, multiply 3 5': 130,
    'naa: multiply 0 1, multiply 2 3': 131,
    'naa: multiply 0 1, subtract 2 3': 132,
    'naa: subtract 0 1, multiply 2 3': 133,
    'naa: subtract 0 1, multiply 3 1, multiply 2 4': 134,
    'naaa: add 0 1, add 4 2, multiply 3 5': 135,
    'naaa: multiply 0 1, divide 4 2, add 3 5': 136,
    'naaa: multiply 0 1, multiply 4 2, add 3 5': 137,
    'naana: multiply 0 1, multiply 5 2, subtract 6 3, multiply 4 7': 138,
    'nan: greater_equal 0 1, where 3 2 1': 139,
    'nan: multiply 0 1, subtract 2 3': 140,
    'nana: greater_equal 0 1, where 4 2 3': 141,
    'nanan: multiply 0 1, equal 5 2, divide 3 5, where 6 4 7': 142,
    'nann: less 0 1, add 1 2, divide 0 5, where 4 6 3': 143,
    'nann: multiply 0 1, subtract 4 2, multiply 3 5': 144,
    'nanna: greater_equal 0 1, less_equal 2 1, bitwise_or 5 6, where 7 3 4': 145,
    'nannnn: multiply 0 1, multiply 1 6, subtract 7 2, multiply 1 8, multiply 3 6, subtract 9 10, multiply 1 11, multiply 4 8, subtract 12 13, multiply 1 14, multiply 5 11, subtract 15 16': 146,
    'nannnn: multiply 0 1, multiply 2 1, multiply 7 6, subtract 8 3, multiply 9 4, multiply 5 10': 147,
    'nannnn: subtract 0 1, subtract 2 1, multiply 7 6, subtract 8 3, multiply 9 4, multiply 5 10': 148,
    'nannnnn: multiply 0 1, multiply 2 1, multiply 8 7, subtract 9 3, multiply 4 1, multiply 11 10, multiply 5 7, subtract 12 13, multiply 6 14': 149,
    'nannnnn: multiply 0 1, multiply 2 1, multiply 8 7, subtract 9 3, multiply 4 1, multiply 11 10, subtract 12 7, multiply 5 1, multiply 14 13, subtract 15 10, multiply 6 1, multiply 17 16, subtract 18 13': 150,
    'nannnnn: multiply 0 1, subtract 7 2, multiply 3 8, add 9 4, multiply 5 8, multiply 11 10, subtract 12 6': 151,
    'nannnnn: multiply 0 1, subtract 7 2, multiply 3 8, multiply 4 8, multiply 10 9, subtract 11 5, multiply 6 8, multiply 13 12, subtract 14 9': 152,
    'nannnnn: multiply 0 1, subtract 7 2, multiply 3 8, subtract 9 4, multiply 5 8, multiply 11 10, subtract 12 6': 153,
    'nannnnnn: multiply 0 1, add 8 2, multiply 3 1, multiply 10 9, subtract 11 4, multiply 5 1, multiply 13 12, subtract 14 9, multiply 6 1, multiply 16 15, subtract 17 12, multiply 7 1, multiply 19 18, subtract 20 15': 154,
    'nannnnnn: multiply 0 1, multiply 2 1, multiply 9 8, subtract 10 3, multiply 11 4, multiply 5 1, multiply 13 12, multiply 6 8, subtract 14 15, multiply 16 7': 155,
    'nannnnnn: multiply 0 1, multiply 2 1, multiply 9 8, subtract 10 3, multiply 4 1, multiply 12 11, multiply 5 8, subtract 13 14, multiply 6 1, multiply 16 15, multiply 7 11, subtract 17 18': 156,
    'nannnnnn: multiply 0 1, subtract 8 2, multiply 3 1, multiply 10 9, subtract 11 4, multiply 5 1, multiply 13 12, subtract 14 9, multiply 6 1, multiply 16 15, subtract 17 12, multiply 7 1, multiply 19 18, subtract 20 15': 157,
    'nannnnnn: multiply 0 1, subtract 8 2, multiply 3 9, add 10 4, multiply 5 9, multiply 12 11, subtract 13 6, multiply 7 9, multiply 15 14, subtract 16 11': 158,
    'nannnnnn: multiply 0 1, subtract 8 2, multiply 3 9, multiply 4 9, multiply 11 10, subtract 12 5, multiply 6 9, multiply 14 13, subtract 15 10, multiply 7 9, multiply 17 16, subtract 18 13': 159,
    'nannnnnn: multiply 0 1, subtract 8 2, multiply 3 9, subtract 10 4, multiply 5 9, multiply 12 11, subtract 13 6, multiply 7 9, multiply 15 14, subtract 16 11': 160,
    'nannnnnn: subtract 0 1, subtract 2 1, multiply 9 8, subtract 10 3, multiply 11 4, subtract 5 1, multiply 13 12, multiply 6 8, subtract 14 15, multiply 16 7': 161,
}
