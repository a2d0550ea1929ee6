"""The computation of recurrent layers: one step of each kind of cell, and all steps of a layer in one direction.

A state is a tuple of tensors (N, hidden): the hidden state, and for LSTM also the cell state. The gates are
concatenated along the last dimension, in PyTorch's order.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.nn.functional.batching import as_samples
from rushlight.ops.activation import relu
from rushlight.ops.activation.logistic import logistic_of
from rushlight.ops.products.products import linear
from rushlight.ops.shapes.joining import cat
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

State = tuple[Tensor, ...]


def tanh_step(projected: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    """The next state of an Elman network: tanh(projected input + projected hidden state)."""
    return ((projected + linear(state[0], weight, bias)).tanh(),)


def relu_step(projected: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    """The next state of an Elman network with ReLU in place of tanh."""
    return (relu(projected + linear(state[0], weight, bias)),)


def activated(gates: Any) -> Any:
    """The input, forget, cell and output gates of an LSTM after their nonlinearities."""
    n = gates.shape[-1] // 4
    entering, forgetting = logistic_of(gates[..., :n]), logistic_of(gates[..., n : 2 * n])
    return entering, forgetting, np.tanh(gates[..., 2 * n : 3 * n]), logistic_of(gates[..., 3 * n :])


def lstm_cotangents(grads: Sequence[Array], gates: Any, cell: Any, result1: Any) -> Any:
    """The gradients of the gates and of the previous cell state, given those of the next states."""
    grad_hidden, grad_cell = grads
    entering, forgetting, new, leaving = activated(gates)
    shown = np.tanh(result1)
    grad_cell = grad_cell + grad_hidden * leaving * (1 - shown * shown)
    parts = [
        grad_cell * new * entering * (1 - entering),
        grad_cell * cell * forgetting * (1 - forgetting),
        grad_cell * entering * (1 - new * new),
        grad_hidden * shown * leaving * (1 - leaving),
    ]
    return [np.concatenate(parts, -1), grad_cell * forgetting]


@operator(aten=(), batch=as_samples, joint=lstm_cotangents, inputs=("gates", "cell"))
def _lstm_states(gates: Array, cell: Array) -> tuple[Array, Array]:
    """The next hidden and cell state of an LSTM."""
    entering, forgetting, new, leaving = activated(gates)
    cell = forgetting * cell + entering * new
    return leaving * np.tanh(cell), cell


def lstm_step(projected: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    """A step of long short-term memory, with input, forget, cell and output gates.

    Source: S. Hochreiter, J. Schmidhuber, "Long short-term memory", 1997.
    """
    hidden, cell = state
    return _lstm_states(projected + linear(hidden, weight, bias), cell)


def gru_step(projected: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    """A step of the gated recurrent unit, with reset, update and new gates.

    Source: K. Cho et al., "Learning phrase representations using RNN encoder-decoder", 2014.
    """
    (hidden,) = state
    reset, update, new = projected.chunk(3, -1)
    reset_h, update_h, new_h = linear(hidden, weight, bias).chunk(3, -1)
    new = (new + (reset + reset_h).sigmoid() * new_h).tanh()
    return ((hidden - new) * (update + update_h).sigmoid() + new,)


STEPS: dict[str, Callable[..., State]] = {
    "RNN_TANH": tanh_step,
    "RNN_RELU": relu_step,
    "LSTM": lstm_step,
    "GRU": gru_step,
}
GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}


def run_forwards(inputs: Sequence[Any], state: Any, step: Any) -> tuple[list[Tensor], State]:
    """Runs over projected inputs, one for each time step; the batch shrinks as sequences end.

    Returns the hidden states of all time steps, and the last state of each sequence.
    """
    outputs, ended = [], []
    for projected in inputs:
        running = len(projected)
        if running < len(state[0]):
            ended.append(tuple(part[running:] for part in state))
            state = tuple(part[:running] for part in state)
        state = step(projected, state)
        outputs.append(state[0])
    ended.append(state)
    return outputs, tuple(cat(parts) if len(parts) > 1 else parts[0] for parts in zip(*reversed(ended), strict=True))


def run_backwards(inputs: Sequence[Any], state: Any, step: Any) -> tuple[list[Tensor], State]:
    """The same from the last time step to the first; the batch grows as sequences start."""
    first, outputs = state, []
    state = tuple(part[: len(inputs[-1])] for part in first)
    for projected in reversed(inputs):
        running, before = len(projected), len(state[0])
        if running > before:
            state = tuple(cat([part, new[before:running]]) for part, new in zip(state, first, strict=True))
        state = step(projected, state)
        outputs.append(state[0])
    return outputs[::-1], state
