"""LSTM and GRU layers over a whole sequence, as one operator each.

A kernel goes through the time steps. Without it, the backward pass computes for all steps at once what does not depend
on later ones: the slopes of the nonlinearities, and the gradients of the weights.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import one_by_one
from rushlight.core.interpreters import STACK
from rushlight.core.operators import call
from rushlight.kernels import recurrent
from rushlight.kernels.products import product, times
from rushlight.kernels.reductions import summed
from rushlight.nn.functional.recurrence import State, activated
from rushlight.nn.parameter import Parameter
from rushlight.ops.activation.logistic import logistic_of
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["SEQUENCES", "are_plain"]


def before(first: Array, states: Array) -> Array:
    """The states before each time step."""
    return np.concatenate([first[None], states[:-1]])


def of_weights(grads: Array, states: Array) -> list[Array]:
    """The gradients of the weight and the bias that made projections of the states (T, N, H)."""
    rows = grads.reshape(-1, grads.shape[-1])
    return [times(rows.T, states.reshape(-1, states.shape[-1])), summed(rows, (0,))]


def gates_of(kept: Array) -> list[Array]:
    """The four gates that a layer has kept of all steps."""
    return [kept[:, i] for i in range(4)]


def plus(x: Array, y: Array | None) -> Array:
    """The sum with a gradient; None stands for zeros."""
    return x if y is None else x + y


def at_step(x: Array | None, t: int) -> Array | None:
    """The gradient at a step; None stands for zeros."""
    return None if x is None else x[t]


def lstm_cotangents(
    grads: Sequence[Array | None],
    hidden: Array,
    cell: Array,
    weight: Array,
    result0: Array,
    result1: Array,
    result2: Array,
) -> list[Array]:
    """The gradients of the inputs of an LSTM, given those of its hidden states, cell states and gates."""
    of_hiddens, of_cells, of_kept = grads
    states = result0, result1, result2
    found = None if of_kept is not None else recurrent.backward(of_hiddens, of_cells, cell, weight, *states)
    of_gates, *of_states = found or lstm_backward(grads, cell, weight, result1, result2)
    return [of_gates, *of_states, *of_weights(of_gates, before(hidden, result0))]


def lstm_backward(
    grads: Sequence[Array | None], cell: Array, weight: Array, cells: Array, kept: Array
) -> tuple[Array, Array, Array]:
    """The gradients of the products and of the first states of an LSTM."""
    entering, forgetting, new, leaving = gates_of(kept)
    outer = np.tanh(cells)
    through = leaving * (1 - outer * outer)  # from hidden states to cell states
    slopes = np.concatenate(
        [entering * (1 - entering), forgetting * (1 - forgetting), 1 - new * new, leaving * (1 - leaving)], -1
    )
    factors = np.concatenate([new, before(cell, cells), entering, outer], -1)
    of_kept = None if grads[2] is None else np.concatenate(gates_of(grads[2]), -1)
    found, of_hidden, of_cell = [], np.zeros_like(cell), np.zeros_like(cell)
    for t in range(len(cells) - 1, -1, -1):
        of_hidden = plus(of_hidden, at_step(grads[0], t))
        of_cell = plus(of_cell + of_hidden * through[t], at_step(grads[1], t))
        of_gate = np.concatenate([of_cell, of_cell, of_cell, of_hidden], -1) * factors[t]
        of_gate = slopes[t] * plus(of_gate, at_step(of_kept, t))
        found.append(of_gate)
        of_hidden, of_cell = times(of_gate, weight), of_cell * forgetting[t]
    return np.stack(found[::-1]), of_hidden, of_cell


@operator(
    aten=(),
    batch=one_by_one,
    joint=lstm_cotangents,
    inputs=("projected", "hidden", "cell", "weight", "bias"),
    takes_none=True,
)
def _lstm_sequence(projected: Array, hidden: Array, cell: Array, weight: Array, bias: Array) -> tuple[Array, ...]:
    """The hidden states, cell states and gates of an LSTM at all time steps."""
    found = recurrent.forward(projected, hidden, cell, weight, bias)
    if found is not None:
        return tuple(found)
    hiddens: list[Array] = []
    cells: list[Array] = []
    kept: list[Array] = []
    for row in projected:
        gates = activated(row + (product(hidden, weight.T) + bias))
        entering, forgetting, new, leaving = gates
        cell = forgetting * cell + entering * new
        hidden = leaving * np.tanh(cell)
        for states, state in ((hiddens, hidden), (cells, cell), (kept, np.stack(gates))):
            states.append(state)
    return np.stack(hiddens), np.stack(cells), np.stack(kept)


def gru_cotangents(
    grads: Sequence[Array | None], hidden: Array, weight: Array, result0: Array, result1: Array
) -> list[Array]:
    """The gradients of the inputs of a GRU, given those of its hidden states and of what it has kept."""
    found = None if grads[1] is not None else recurrent.backward(grads[0], None, hidden, weight, result0, None, result1)
    of_products, of_hidden, of_projected = found or gru_backward(grads, hidden, weight, result0, result1)
    return [of_projected, of_hidden, *of_weights(of_products, before(hidden, result0))]


def gru_backward(
    grads: Sequence[Array | None], hidden: Array, weight: Array, hiddens: Array, kept: Array
) -> tuple[Array, Array, Array]:
    """The gradients of the products, of the first state, and of the projected inputs of a GRU."""
    reset, update, new, new_h = gates_of(kept)
    of_kept = [None] * 4 if grads[1] is None else gates_of(grads[1])
    apart, slope = before(hidden, hiddens) - new, 1 - new * new
    products, projections, of_hidden = [], [], np.zeros_like(hidden)
    for t in range(len(hiddens) - 1, -1, -1):
        of_hidden = plus(of_hidden, at_step(grads[0], t))
        of_update = plus(of_hidden * apart[t], at_step(of_kept[1], t)) * update[t] * (1 - update[t])
        of_new = plus(of_hidden * (1 - update[t]), at_step(of_kept[2], t)) * slope[t]
        of_reset = plus(of_new * new_h[t], at_step(of_kept[0], t)) * reset[t] * (1 - reset[t])
        of_product = np.concatenate([of_reset, of_update, plus(of_new * reset[t], at_step(of_kept[3], t))], -1)
        products.append(of_product)
        projections.append(np.concatenate([of_reset, of_update, of_new], -1))
        of_hidden = of_hidden * update[t] + times(of_product, weight)
    return np.stack(products[::-1]), of_hidden, np.stack(projections[::-1])


@operator(
    aten=(),
    batch=one_by_one,
    joint=gru_cotangents,
    inputs=("projected", "hidden", "weight", "bias"),
    takes_none=True,
)
def _gru_sequence(projected: Array, hidden: Array, weight: Array, bias: Array) -> tuple[Array, ...]:
    """The hidden states of a GRU; and its gates, and the hidden part of the new one, at all time steps."""
    found = recurrent.forward(projected, hidden, None, weight, bias)
    if found is not None:
        return tuple(found)
    n, hiddens, kept = hidden.shape[-1], [], []
    for row in projected:
        products = product(hidden, weight.T) + bias
        reset, update = (logistic_of(row[:, i * n : (i + 1) * n] + products[:, i * n : (i + 1) * n]) for i in range(2))
        new_h = products[:, 2 * n :]
        new = np.tanh(row[:, 2 * n :] + reset * new_h)
        hidden = (hidden - new) * update + new
        hiddens.append(hidden)
        kept.append(np.stack([reset, update, new, new_h]))
    return np.stack(hiddens), np.stack(kept)


def lstm_sequence(projected: Tensor, state: State, weight: Tensor, bias: Tensor) -> tuple[Tensor, State]:
    """The hidden states of an LSTM, and its last states."""
    hiddens, cells, _ = call(_lstm_sequence, (projected, *state, weight, bias))
    return hiddens, (hiddens[-1], cells[-1])


def gru_sequence(projected: Tensor, state: State, weight: Tensor, bias: Tensor) -> tuple[Tensor, State]:
    """The hidden states of a GRU, and its last state."""
    hiddens, _ = call(_gru_sequence, (projected, *state, weight, bias))
    return hiddens, (hiddens[-1],)


SEQUENCES: dict[str, Callable[..., tuple[Tensor, State]]] = {"LSTM": lstm_sequence, "GRU": gru_sequence}


def are_plain(*tensors: Any) -> bool:
    """Whether all are ordinary tensors of one of the usual dtypes, of which nothing watches single time steps."""
    dtype = tensors[0]._array.dtype
    return (
        not STACK.depth
        and dtype.char in "fd"
        and all(type(x) in (Tensor, Parameter) and type(x._array) is np.ndarray for x in tensors)
        and all(x._array.dtype is dtype for x in tensors)
    )
