"""LSTM and GRU layers over a whole sequence, as one operator each.

The backward pass goes back through the time steps with one product for each. What does not depend on later steps is
computed for all steps at once: the slopes of the nonlinearities, and the gradients of the weights.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import one_by_one
from rushlight.core.fusion import fused
from rushlight.core.interpreters import STACK
from rushlight.core.operators import call
from rushlight.kernels.products import product
from rushlight.nn.functional.recurrence import State, activated
from rushlight.nn.parameter import Parameter
from rushlight.ops.activation.logistic import logistic_of
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["SEQUENCES", "are_plain"]


@fused
def next_cell(entering: Array, forgetting: Array, new: Array, cell: Array) -> Array:
    """The next cell state of an LSTM, given its gates before their nonlinearities."""
    return logistic_of(forgetting) * cell + logistic_of(entering) * np.tanh(new)


@fused
def shown(leaving: Array, cell: Array) -> Array:
    """The hidden state of an LSTM."""
    return logistic_of(leaving) * np.tanh(cell)


@fused
def mixed_new(reset: Array, reset_h: Array, new: Array, new_h: Array) -> Array:
    """The new gate of a GRU."""
    return np.tanh(new + logistic_of(reset + reset_h) * new_h)


@fused
def updated(new: Array, hidden: Array, update: Array, update_h: Array) -> Array:
    """The next hidden state of a GRU."""
    return (hidden - new) * logistic_of(update + update_h) + new


def before(first: Array, states: Array) -> Array:
    """The states before each time step."""
    return np.concatenate([first[None], states[:-1]])


def times(grad: Array, weight: Array) -> Array:
    """`grad @ weight` of arrays or tensors."""
    return product(grad, weight) if type(grad) is np.ndarray is type(weight) else np.matmul(grad, weight)


def of_weights(grads: Array, states: Array) -> list[Array]:
    """The gradients of the weight and the bias that made projections of the states (T, N, H)."""
    rows = grads.reshape(-1, grads.shape[-1])
    return [times(rows.T, states.reshape(-1, states.shape[-1])), np.sum(rows, 0)]


def lstm_cotangents(
    grads: Sequence[Array], hidden: Array, cell: Array, weight: Array, result0: Array, result1: Array, result2: Array
) -> list[Array]:
    """The gradients of the inputs of an LSTM, given those of its hidden states, cell states and gates."""
    entering, forgetting, new, leaving = activated(result2)
    outer = np.tanh(result1)
    through = leaving * (1 - outer * outer)  # from hidden states to cell states
    slopes = np.concatenate(
        [
            new * entering * (1 - entering),
            before(cell, result1) * forgetting * (1 - forgetting),
            entering * (1 - new * new),
            outer * leaving * (1 - leaving),
        ],
        -1,
    )
    found, of_hidden, of_cell = [], 0, 0
    for t in range(len(result0) - 1, -1, -1):
        of_hidden = grads[0][t] + of_hidden
        of_cell = grads[1][t] + of_cell + of_hidden * through[t]
        of_gate = slopes[t] * np.concatenate([of_cell, of_cell, of_cell, of_hidden], -1) + grads[2][t]
        found.append(of_gate)
        of_hidden, of_cell = times(of_gate, weight), of_cell * forgetting[t]
    of_gates = np.stack(found[::-1])
    return [of_gates, of_hidden, of_cell, *of_weights(of_gates, before(hidden, result0))]


@operator(
    aten=(),
    batch=one_by_one,
    joint=lstm_cotangents,
    inputs=("projected", "hidden", "cell", "weight", "bias"),
)
def _lstm_sequence(projected: Array, hidden: Array, cell: Array, weight: Array, bias: Array) -> tuple[Array, ...]:
    """The hidden states, cell states and gates of an LSTM at all time steps."""
    n, turned = hidden.shape[-1], weight.T
    hiddens: list[Array] = []
    cells: list[Array] = []
    gates: list[Array] = []
    for row in projected + bias:
        gate = row + product(hidden, turned)
        entering, forgetting, new, leaving = (gate[:, i * n : (i + 1) * n] for i in range(4))
        cell = next_cell(entering, forgetting, new, cell)
        hidden = shown(leaving, cell)
        for states, state in ((hiddens, hidden), (cells, cell), (gates, gate)):
            states.append(state)
    return np.stack(hiddens), np.stack(cells), np.stack(gates)


def gru_cotangents(
    grads: Sequence[Array], projected: Array, hidden: Array, weight: Array, result0: Array, result1: Array
) -> list[Array]:
    """The gradients of the inputs of a GRU, given those of its hidden states and of their projections."""
    n = result0.shape[-1]
    reset = logistic_of(projected[..., :n] + result1[..., :n])
    update = logistic_of(projected[..., n : 2 * n] + result1[..., n : 2 * n])
    new = np.tanh(projected[..., 2 * n :] + reset * result1[..., 2 * n :])
    earlier = before(hidden, result0)
    of_new = (1 - update) * (1 - new * new)
    of_reset = of_new * result1[..., 2 * n :] * reset * (1 - reset)
    of_update = (earlier - new) * update * (1 - update)
    slopes = np.concatenate([of_reset, of_update, of_new * reset], -1)
    hiddens, projections, of_hidden = [], [], 0
    for t in range(len(result0) - 1, -1, -1):
        of_hidden = grads[0][t] + of_hidden
        of_projection = slopes[t] * np.concatenate([of_hidden] * 3, -1) + grads[1][t]
        hiddens.append(of_hidden)
        projections.append(of_projection)
        of_hidden = of_hidden * update[t] + times(of_projection, weight)
    of_hiddens, of_projections = np.stack(hiddens[::-1]), np.stack(projections[::-1])
    of_projected = np.concatenate([of_hiddens * of_reset, of_hiddens * of_update, of_hiddens * of_new], -1)
    return [of_projected, of_hidden, *of_weights(of_projections, earlier)]


@operator(aten=(), batch=one_by_one, joint=gru_cotangents, inputs=("projected", "hidden", "weight", "bias"))
def _gru_sequence(projected: Array, hidden: Array, weight: Array, bias: Array) -> tuple[Array, ...]:
    """The hidden states of a GRU at all time steps, and their projections."""
    n, turned = hidden.shape[-1], weight.T
    hiddens, projections = [], []
    for row in projected:
        projection = product(hidden, turned) + bias
        reset, update, new = (row[:, i * n : (i + 1) * n] for i in range(3))
        reset_h, update_h, new_h = (projection[:, i * n : (i + 1) * n] for i in range(3))
        hidden = updated(mixed_new(reset, reset_h, new, new_h), hidden, update, update_h)
        hiddens.append(hidden)
        projections.append(projection)
    return np.stack(hiddens), np.stack(projections)


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
