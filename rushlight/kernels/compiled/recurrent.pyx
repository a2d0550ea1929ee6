# distutils: extra_compile_args = -ffp-contract=off
# cython: boundscheck=False, wraparound=False, cdivision=True
"""LSTM and GRU layers over all time steps, forward and backward.

The samples of a batch do not depend on each other: each thread takes some of them through all steps. In a step, BLAS
multiplies their hidden states by the weight; the rest is computed in blocks of samples that stay in the cache, gate by
gate: what is saved of the gates has the shape (steps, 4, samples, hidden). The arithmetic is that of single steps.
"""

import numpy as np

cimport numpy as cnp

from rushlight.core.loops cimport loop_for
from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.batches cimport index
from rushlight.kernels.compiled.blas cimport begin, end, has_blas, rows_times
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport Kernel, number_of_threads, shared
from rushlight.kernels.compiled.ufuncs cimport Loop, run

cnp.import_array()

cdef enum:
    BLOCK = 512  # hidden numbers of a block of samples
    GATES = 4  # that are saved
    GRAIN = 1 << 17  # multiplications of one thread's part

cdef Loop EXP32 = loop_for(np.exp, "f->f"), EXP64 = loop_for(np.exp, "d->d")
cdef Loop TANH32 = loop_for(np.tanh, "f->f"), TANH64 = loop_for(np.tanh, "d->d")

cdef struct Job:
    index steps, samples, width  # width: hidden numbers of a sample
    index across  # numbers of a sample's products
    index step, down  # numbers from one step of `projected` or `grad_hiddens` to the next, and from one sample to the next
    bint single
    char* projected  # inputs times their weight, which may be strided; contiguous gradients in the backward pass
    char* weight
    char* bias
    char* hidden  # the first state; in the backward pass the gradient of the state so far, which becomes that of the first
    char* cell
    char* first  # in the backward pass: the first cell state of an LSTM, the first hidden state of a GRU
    char* hiddens  # after each step
    char* cells  # NULL for a GRU
    char* gates
    char* products  # room for those of one step; in the backward pass the gradients of those of all steps
    char* grad_hiddens  # NULL for zeros
    char* grad_cells

cdef struct Place:  # a block of samples, or of one sample's numbers
    index row, column, rows, columns
    index start, size  # in an array (samples, width)


cdef Place next_place(const Job* job, Place last, index stop) noexcept nogil:
    """The block behind another one; it has no rows at the end."""
    cdef Place place
    place.row, place.column = last.row, last.column + last.columns
    if place.column >= job.width:
        place.row, place.column = last.row + last.rows, 0
    place.columns = min(job.width - place.column, BLOCK)
    place.rows = min(stop - place.row, BLOCK // job.width if job.width <= BLOCK else 1)
    place.start, place.size = place.row * job.width + place.column, place.rows * place.columns
    return place


cdef Place first_place(const Job* job, index start, index stop) noexcept nogil:
    """The first block of some samples."""
    cdef Place before
    before.row, before.rows, before.column, before.columns = start, 0, job.width, 0
    return next_place(job, before, stop)


cdef wide sum_rows(const real* x, index down, const real* row, real* out, index rows, index columns) noexcept nogil:
    """Rows of x, which are so far apart, each plus one row, as one after the other."""
    cdef index i, j
    for i in range(rows):
        for j in range(columns):
            out[i * columns + j] = x[i * down + j] + row[j]


cdef wide add_rows(const real* x, index down, real* out, index rows, index columns) noexcept nogil:
    """Adds rows that are so far apart to others that follow each other."""
    cdef index i, j
    for i in range(rows):
        for j in range(columns):
            out[i * columns + j] += x[i * down + j]


cdef wide spread_rows(const real* x, real* out, index down, index rows, index columns) noexcept nogil:
    """Copies rows, which follow each other, to places that are so far apart."""
    cdef index i, j
    for i in range(rows):
        for j in range(columns):
            out[i * down + j] = x[i * columns + j]


cdef wide negative(const real* x, real* out, index n) noexcept nogil:
    """-x."""
    cdef index i
    for i in range(n):
        out[i] = -x[i]


cdef wide invert(real* x, index n) noexcept nogil:
    """1 / (1 + x) in place."""
    cdef index i
    cdef real one = 1
    for i in range(n):
        x[i] = one / (one + x[i])


cdef void logistic(real* x, index n) noexcept nogil:
    """1 / (1 + exp(-x)) in place, of a block of numbers."""
    cdef real[BLOCK] e
    negative(x, e, n)
    run(&EXP32 if real is float else &EXP64, e, x, n, sizeof(real))
    invert(x, n)


cdef void tanh_of(const real* x, real* out, index n) noexcept nogil:
    """tanh."""
    run(&TANH32 if real is float else &TANH64, x, out, n, sizeof(real))


cdef wide multiply(const real* x, const real* y, real* out, index n) noexcept nogil:
    """x y."""
    cdef index i
    for i in range(n):
        out[i] = x[i] * y[i]


cdef wide scale(const real* x, real* out, index n) noexcept nogil:
    """Multiplies by x."""
    cdef index i
    for i in range(n):
        out[i] *= x[i]


cdef wide next_cell(const real* entering, const real* forgetting, const real* new, const real* before, real* cell,
                    index n) noexcept nogil:
    """The next cell state of an LSTM."""
    cdef index i
    for i in range(n):
        cell[i] = forgetting[i] * before[i] + entering[i] * new[i]


cdef wide next_hidden(const real* before, const real* update, const real* new, real* out, index n) noexcept nogil:
    """The next hidden state of a GRU."""
    cdef index i
    for i in range(n):
        out[i] = (before[i] - new[i]) * update[i] + new[i]


cdef void lstm_block(const Job* job, Place at, const real* projected, const real* bias, const real* products,
                     const real* before, real* gates, real* cell, real* hidden) noexcept nogil:
    """The gates and next states of a block, given pointers to its first number in all arrays of a step."""
    cdef index room = job.samples * job.width, gate
    cdef real* one
    cdef real[BLOCK] shown
    for gate in range(GATES):
        one = gates + gate * room
        sum_rows(products + gate * job.width, job.across, bias + gate * job.width, one, at.rows, at.columns)
        add_rows(projected + gate * job.width, job.down, one, at.rows, at.columns)
        if gate == 2:
            tanh_of(one, one, at.size)
        else:
            logistic(one, at.size)
    next_cell(gates, gates + room, gates + 2 * room, before, cell, at.size)
    tanh_of(cell, shown, at.size)
    multiply(gates + 3 * room, shown, hidden, at.size)


cdef void gru_block(const Job* job, Place at, const real* projected, const real* bias, const real* products,
                    const real* before, real* gates, real* hidden) noexcept nogil:
    """The gates, the last third of the products, and the next state of a block."""
    cdef index room = job.samples * job.width, gate
    cdef real* new = gates + 2 * room
    cdef real* one
    for gate in range(3):
        one = gates + (3 if gate == 2 else gate) * room
        sum_rows(products + gate * job.width, job.across, bias + gate * job.width, one, at.rows, at.columns)
        if gate == 2:
            multiply(gates, one, new, at.size)
            one = new
        add_rows(projected + gate * job.width, job.down, one, at.rows, at.columns)
        if gate == 2:
            tanh_of(one, one, at.size)
        else:
            logistic(one, at.size)
    next_hidden(before, gates + room, new, hidden, at.size)


cdef void forwards(const Job* job, const real* bias, index start, index stop) noexcept nogil:
    """All steps of some samples."""
    cdef index t, room = job.samples * job.width
    cdef const real* hidden = <const real*>job.hidden
    cdef const real* cell = <const real*>job.cell
    cdef const real* projected
    cdef real* products = <real*>job.products
    cdef real* gates
    cdef Place at
    for t in range(job.steps):
        rows_times(<const char*>(hidden + start * job.width), job.width, job.weight, job.width, True,
                   <char*>(products + start * job.across), stop - start, job.across, job.width, job.single, False)
        at = first_place(job, start, stop)
        while at.rows > 0:
            projected = <const real*>job.projected + t * job.step + at.row * job.down + at.column
            gates = <real*>job.gates + t * GATES * room + at.start
            if job.cells == NULL:
                gru_block(job, at, projected, bias + at.column, products + at.row * job.across + at.column,
                          hidden + at.start, gates, <real*>job.hiddens + t * room + at.start)
            else:
                lstm_block(job, at, projected, bias + at.column, products + at.row * job.across + at.column,
                           cell + at.start, gates, <real*>job.cells + t * room + at.start,
                           <real*>job.hiddens + t * room + at.start)
            at = next_place(job, at, stop)
        hidden, cell = <const real*>job.hiddens + t * room, <const real*>job.cells + t * room


cdef wide add_through(const real* grad, const real* leaving, const real* shown, real* out, index n) noexcept nogil:
    """Adds the gradient of the cell state that comes through the hidden state."""
    cdef index i
    cdef real one = 1
    for i in range(n):
        out[i] += grad[i] * leaving[i] * (one - shown[i] * shown[i])


cdef wide through_logistic(const real* grad, const real* factor, const real* gate, real* out, index n) noexcept nogil:
    """The gradient of what a logistic gate was computed from."""
    cdef index i
    cdef real one = 1
    for i in range(n):
        out[i] = grad[i] * factor[i] * gate[i] * (one - gate[i])


cdef wide through_tanh(const real* grad, const real* factor, const real* gate, real* out, index n) noexcept nogil:
    """The gradient of what a gate with tanh was computed from."""
    cdef index i
    cdef real one = 1
    for i in range(n):
        out[i] = grad[i] * factor[i] * (one - gate[i] * gate[i])


cdef wide complement(const real* x, real* out, index n) noexcept nogil:
    """1 - x."""
    cdef index i
    cdef real one = 1
    for i in range(n):
        out[i] = one - x[i]


cdef wide subtract(const real* x, const real* y, real* out, index n) noexcept nogil:
    """x - y."""
    cdef index i
    for i in range(n):
        out[i] = x[i] - y[i]


cdef void lstm_back(const Job* job, Place at, const real* of_hidden, const real* gates, const real* cell,
                    const real* before, real* of_cell, real* of_gates) noexcept nogil:
    """The gradients of the gates of a block before their nonlinearities, and of the previous cell state in place."""
    cdef index room = job.samples * job.width, gate
    cdef real[BLOCK] shown
    cdef real[BLOCK] part
    tanh_of(cell, shown, at.size)
    add_through(of_hidden, gates + 3 * room, shown, of_cell, at.size)
    for gate in range(GATES):
        if gate == 0:
            through_logistic(of_cell, gates + 2 * room, gates, part, at.size)
        elif gate == 1:
            through_logistic(of_cell, before, gates + room, part, at.size)
        elif gate == 2:
            through_tanh(of_cell, gates, gates + 2 * room, part, at.size)
        else:
            through_logistic(of_hidden, shown, gates + 3 * room, part, at.size)
        spread_rows(part, of_gates + gate * job.width, job.across, at.rows, at.columns)
    scale(gates + room, of_cell, at.size)


cdef void gru_back(const Job* job, Place at, const real* of_hidden, const real* gates, const real* before,
                   real* of_products, real* of_projected) noexcept nogil:
    """The gradients of the products of a block, and of the projected inputs."""
    cdef index room = job.samples * job.width, width = job.width
    cdef real[BLOCK] part
    cdef real[BLOCK] factor
    subtract(before, gates + 2 * room, factor, at.size)
    through_logistic(of_hidden, factor, gates + room, part, at.size)
    spread_rows(part, of_products + width, job.across, at.rows, at.columns)
    spread_rows(part, of_projected + width, job.across, at.rows, at.columns)
    complement(gates + room, factor, at.size)
    through_tanh(of_hidden, factor, gates + 2 * room, part, at.size)
    spread_rows(part, of_projected + 2 * width, job.across, at.rows, at.columns)
    through_logistic(part, gates + 3 * room, gates, factor, at.size)
    spread_rows(factor, of_products, job.across, at.rows, at.columns)
    spread_rows(factor, of_projected, job.across, at.rows, at.columns)
    multiply(part, gates, factor, at.size)
    spread_rows(factor, of_products + 2 * width, job.across, at.rows, at.columns)


cdef void backwards(const Job* job, real* of_hidden, index start, index stop) noexcept nogil:
    """The gradients of some samples, from the last step to the first."""
    cdef index t, room = job.samples * job.width
    cdef const real* grads = <const real*>job.grad_hiddens
    cdef const real* grad_cells = <const real*>job.grad_cells
    cdef const real* earlier = <const real*>(job.hiddens if job.cells == NULL else job.cells)
    cdef const real* before
    cdef real* of_cell = <real*>job.cell
    cdef real* of_products
    cdef const real* gates
    cdef real[BLOCK] grad
    cdef Place at
    for t in range(job.steps - 1, -1, -1):
        before = earlier + (t - 1) * room if t > 0 else <const real*>job.first
        of_products = <real*>job.products + t * job.samples * job.across
        at = first_place(job, start, stop)
        while at.rows > 0:
            gates = <const real*>job.gates + t * GATES * room + at.start
            spread_rows(of_hidden + at.start, grad, at.columns, at.rows, at.columns)
            if grads != NULL:
                add_rows(grads + t * job.step + at.row * job.down + at.column, job.down, grad, at.rows, at.columns)
            if job.cells == NULL:
                gru_back(job, at, grad, gates, before + at.start, of_products + at.row * job.across + at.column,
                         <real*>job.projected + (t * job.samples + at.row) * job.across + at.column)
                multiply(grad, gates + room, of_hidden + at.start, at.size)
            else:
                if grad_cells != NULL:
                    add_rows(grad_cells + t * room + at.start, 0, of_cell + at.start, 1, at.size)
                lstm_back(job, at, grad, gates, <const real*>job.cells + t * room + at.start, before + at.start,
                          of_cell + at.start, of_products + at.row * job.across + at.column)
            at = next_place(job, at, stop)
        rows_times(<const char*>(of_products + start * job.across), job.across, job.weight, job.width, False,
                   <char*>(of_hidden + start * job.width), stop - start, job.width, job.across, job.single,
                   job.cells == NULL)


cdef void forward_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Takes some samples forward."""
    cdef const Job* job = <const Job*>given
    if job.single:
        forwards(job, <const float*>job.bias, start, stop)
    else:
        forwards(job, <const double*>job.bias, start, stop)


cdef void backward_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Takes some samples back."""
    cdef const Job* job = <const Job*>given
    if job.single:
        backwards(job, <float*>job.hidden, start, stop)
    else:
        backwards(job, <double*>job.hidden, start, stop)


cdef int compute(Kernel kernel, const Job* job) except -1:
    """Shares the samples among threads, each of which takes as many at once as it can."""
    cdef index least = GRAIN // (job.steps * job.across * job.width), threads = number_of_threads()
    begin()
    try:
        shared(kernel, job, job.samples, max(1, least, (job.samples + threads - 1) // threads))
    finally:
        end()
    return 0


cdef bint are_plain(int kind, tuple arrays) noexcept:
    """Whether all are contiguous arrays of a type."""
    for x in arrays:
        if float_type(x) != kind or not cnp.PyArray_IS_C_CONTIGUOUS(x):
            return False
    return True


cdef bint set_steps(Job* job, cnp.ndarray x) noexcept:
    """Notes the distances of an array (steps, samples, numbers); returns whether numbers of a sample are contiguous."""
    cdef index item = cnp.PyArray_ITEMSIZE(x)
    job.step, job.down = x.strides[0] // item, x.strides[1] // item
    return x.strides[0] % item == 0 and x.strides[1] % item == 0 and (x.shape[2] == 1 or x.strides[2] == item)


cdef bint set_sizes(Job* job, cnp.ndarray weight, cnp.ndarray state, index steps) noexcept:
    """Notes the sizes of a layer."""
    job.steps, job.samples, job.width, job.across = steps, state.shape[0], state.shape[1], weight.shape[0]
    job.single, job.weight = cnp.PyArray_TYPE(state) == cnp.NPY_FLOAT, cnp.PyArray_BYTES(weight)
    return weight.shape[1] == job.width


cdef char* room_for(list found, cnp.ndarray like, tuple shape) except NULL:
    """A new array of the type of another, which is added to a list."""
    cdef cnp.ndarray made = np.empty(shape, like.dtype)
    found.append(made)
    return cnp.PyArray_BYTES(made)


def forward(cnp.ndarray projected not None, cnp.ndarray hidden not None, cell, cnp.ndarray weight not None,
            cnp.ndarray bias not None):
    """The hidden states of all steps, of an LSTM the cell states, and the gates; None for what is not taken.

    `projected` is (steps, samples, gates * width); without a `cell` state the layer is a GRU.
    """
    cdef int kind = float_type(projected)
    cdef Job job
    cdef list found = []
    cdef tuple states
    if kind == 0 or projected.ndim != 3 or not has_blas() \
            or not are_plain(kind, (hidden, weight, bias, hidden if cell is None else cell)) \
            or not set_sizes(&job, weight, hidden, projected.shape[0]) or not set_steps(&job, projected):
        return None
    states = (job.steps, job.samples, job.width)
    job.projected, job.hidden, job.bias = cnp.PyArray_BYTES(projected), cnp.PyArray_BYTES(hidden), cnp.PyArray_BYTES(bias)
    job.hiddens = room_for(found, hidden, states)
    job.cell = job.cells = NULL
    if cell is not None:
        job.cell, job.cells = cnp.PyArray_BYTES(cell), room_for(found, hidden, states)
    job.gates = room_for(found, hidden, (job.steps, GATES, job.samples, job.width))
    room = np.empty((job.samples, job.across), hidden.dtype)
    job.products = cnp.PyArray_BYTES(room)
    compute(forward_part, &job)
    return found


def backward(grad_hiddens, grad_cells, cnp.ndarray first not None, cnp.ndarray weight not None,
             cnp.ndarray hiddens not None, cells, cnp.ndarray gates not None):
    """The gradients of the products and the first states; of a GRU also of the projected inputs. None as in `forward`.

    `first` is the cell state before the first step, of a GRU the hidden state.
    """
    cdef int kind = float_type(hiddens)
    cdef Job job
    cdef list found = []
    cdef tuple products
    if kind == 0 or not has_blas() or not are_plain(kind, (first, weight, hiddens, gates)) \
            or not are_plain(kind, tuple([x for x in (cells, grad_cells) if x is not None])) \
            or not set_sizes(&job, weight, first, hiddens.shape[0]) \
            or not (grad_hiddens is None or (float_type(grad_hiddens) == kind and set_steps(&job, grad_hiddens))):
        return None
    products = (job.steps, job.samples, job.across)
    job.first, job.hiddens, job.gates = cnp.PyArray_BYTES(first), cnp.PyArray_BYTES(hiddens), cnp.PyArray_BYTES(gates)
    job.grad_hiddens = NULL if grad_hiddens is None else cnp.PyArray_BYTES(grad_hiddens)
    job.grad_cells = NULL if grad_cells is None else cnp.PyArray_BYTES(grad_cells)
    job.products = room_for(found, first, products)
    of_hidden = np.zeros((job.samples, job.width), first.dtype)
    found.append(of_hidden)
    job.hidden = cnp.PyArray_BYTES(of_hidden)
    job.cell = job.cells = job.projected = NULL
    if cells is None:
        job.projected = room_for(found, first, products)
    else:
        of_cell = np.zeros_like(first)
        found.append(of_cell)
        job.cell, job.cells = cnp.PyArray_BYTES(of_cell), cnp.PyArray_BYTES(cells)
    compute(backward_part, &job)
    return found
