# How a generated loop of an expression runs: included below `run_loop`, `COUNT` and `LOOPS`, by each module of loops.
from libc.string cimport memcpy
from numpy cimport npy_intp

from rushlight.kernels.compiled.codes cimport MOST_INPUTS
from rushlight.kernels.compiled.copies cimport copy_run
from rushlight.kernels.compiled.ufuncs cimport Loop


cdef enum:
    PART = 512  # elements of which inputs are copied, and results are kept, at a time


cdef struct Form:
    int which
    int inputs
    char kinds[MOST_INPUTS]


cdef Form forms[COUNT]
for expression, which in LOOPS.items():
    forms[which].which = which
    forms[which].inputs = expression.index(":")
    for i in range(forms[which].inputs):
        forms[which].kinds[i] = ord(expression[i])


cdef inline npy_intp size_of(const Form* form, int i, real* like) noexcept nogil:
    """The bytes of an element of an input; 0 for a number."""
    if form.kinds[i] == c"n":
        return 0
    return 1 if form.kinds[i] == c"?" else sizeof(real)


cdef wide repeat(real value, real* out, npy_intp n) noexcept nogil:
    """Writes one number n times."""
    cdef npy_intp i
    for i in range(n):
        out[i] = value


cdef void run_in_parts(char** args, npy_intp n, const npy_intp* strides, const Form* form, real* like) noexcept nogil:
    """The loop for inputs with gaps, and for a result that replaces an input."""
    cdef real memory[MOST_INPUTS * PART]
    cdef real results[PART]
    cdef char* inputs[MOST_INPUTS]
    cdef char* result
    cdef bint replaces = False
    cdef npy_intp start = 0, count, size
    cdef int i
    for i in range(form.inputs):
        replaces = replaces or args[i] == args[form.inputs]
    while start < n:
        count = min(<npy_intp>PART, n - start)
        for i in range(form.inputs):
            size = size_of(form, i, like)
            inputs[i] = args[i] + start * strides[i]
            if size == strides[i] or size == 0:
                continue
            if strides[i] == 0 and size == sizeof(real):
                if start == 0:
                    repeat((<const real*>inputs[i])[0], memory + i * PART, count)
            elif strides[i] != 0 or start == 0:
                copy_run(inputs[i], strides[i], <char*>(memory + i * PART), count, size)
            inputs[i] = <char*>(memory + i * PART)
        size = strides[form.inputs]
        result = args[form.inputs] + start * size
        run_loop(form.which, inputs, <char*>results if replaces else result, count, like)
        if replaces:
            memcpy(result, results, count * size)
        start += PART


cdef inline void compute(char** args, npy_intp n, const npy_intp* strides, const Form* form, real* like) noexcept nogil:
    """The values of an expression for n elements; its result is without gaps."""
    cdef bint fits = True
    cdef npy_intp size
    cdef int i
    for i in range(form.inputs):
        size = size_of(form, i, like)
        fits = fits and args[i] != args[form.inputs] and (size == 0 or strides[i] == size)
    if fits:
        run_loop(form.which, args, args[form.inputs], n, like)
    else:
        run_in_parts(args, n, strides, form, like)


cdef void compute_singles(char** args, const npy_intp* n, const npy_intp* strides, void* data) noexcept nogil:
    compute(args, n[0], strides, <const Form*>data, <float*>NULL)


cdef void compute_doubles(char** args, const npy_intp* n, const npy_intp* strides, void* data) noexcept nogil:
    compute(args, n[0], strides, <const Form*>data, <double*>NULL)


cdef Loop loop_of_expression(str expression, bint single):
    """The loop of an expression."""
    cdef Loop loop
    cdef int which = LOOPS[expression]
    loop.function = compute_singles if single else compute_doubles
    loop.data = &forms[which]
    return loop
