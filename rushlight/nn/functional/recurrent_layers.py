"""Recurrent layers as functions of their weights: `torch.lstm` and so on, which `nn.LSTM` and the others call too.

The weights are in PyTorch's order: for each layer and direction those of the input, those of the hidden state, their
biases, and for LSTM with projections the projection.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from rushlight.nn.functional.dropping import dropout as drop
from rushlight.nn.functional.recurrence import GATES, STEPS, State, run_backwards, run_forwards
from rushlight.nn.functional.sequences import SEQUENCES, are_plain
from rushlight.ops.products.products import linear
from rushlight.ops.shapes.joining import cat, stack
from rushlight.tensors import Tensor

__all__ = ["gru", "lstm", "rnn_relu", "rnn_tanh"]

Weights = Sequence[Tensor]


def run_layers(
    mode: str,
    data: Tensor,
    sizes: list[int] | None,
    state: State,
    weights: Sequence[dict[str, Tensor]],
    directions: int,
    dropout: float,
) -> tuple[Tensor, State]:
    """Runs all layers and directions: returns the hidden states of the last layer, and the last states of all layers.

    `sizes` are the batch sizes of the time steps of packed data. RuntimeError if there are no time steps.
    """
    if len(data if sizes is None else sizes) == 0:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    last = []
    for first in range(0, len(weights), directions):
        outputs = []
        for number in range(first, first + directions):
            named = weights[number]
            projected = linear(data, named["weight_ih"], named.get("bias_ih"))
            states, end = run_layer(
                mode, projected, sizes, tuple(part[number] for part in state), named, number > first
            )
            outputs.append(states)
            last.append(end)
        data = outputs[0] if directions == 1 else cat(outputs, -1)
        if dropout and first + directions < len(weights):
            data = drop(data, dropout)
    return data, tuple(stack(parts) for parts in zip(*last, strict=True))


def run_layer(
    mode: str, projected: Tensor, sizes: list[int] | None, state: State, weights: dict[str, Tensor], backwards: bool
) -> tuple[Tensor, State]:
    """Runs one layer in one direction over its projected inputs: its hidden states, and the last states."""
    if sizes is None and mode in SEQUENCES and "bias_hh" in weights and "weight_hr" not in weights:
        arguments = projected, *state, weights["weight_hh"], weights["bias_hh"]
        if are_plain(*arguments):
            output, end = SEQUENCES[mode](projected.flip(0) if backwards else projected, state, *arguments[-2:])
            return output.flip(0) if backwards else output, end
    inputs = projected.unbind(0) if sizes is None else projected.split(sizes)
    run = run_backwards if backwards else run_forwards
    states, end = run(inputs, state, step_of(mode, weights))
    return stack(states) if sizes is None else cat(states), end


def step_of(mode: str, weights: dict[str, Tensor]) -> Any:
    """The function for one time step of a layer with given weights."""
    step = partial(STEPS[mode], weight=weights["weight_hh"], bias=weights.get("bias_hh"))
    if "weight_hr" not in weights:
        return step

    def projecting(projected: Tensor, state: State) -> State:
        hidden, cell = step(projected, state)
        return linear(hidden, weights["weight_hr"]), cell

    return projecting


def named_weights(params: Weights, has_biases: bool, projects: bool, number: int) -> list[dict[str, Tensor]]:
    """The weights of each layer and direction, by name. RuntimeError for a wrong number of weights."""
    names = ["weight_ih", "weight_hh", *["bias_ih", "bias_hh"] * has_biases, *["weight_hr"] * projects]
    if len(params) != number * len(names):
        raise RuntimeError(
            f"got an incorrect number of RNN parameters: {number} layers and directions have {len(names)} each "
            f"({', '.join(names)}), got {len(params)}"
        )
    starts = range(0, len(params), len(names))
    return [dict(zip(names, params[start : start + len(names)], strict=True)) for start in starts]


def run_function(mode: str, data: Tensor, sizes: Any, state: State, options: Sequence[Any]) -> tuple[Tensor, State]:
    """Runs the layers for one of the public functions below; `options` are its arguments from `params` on."""
    params, has_biases, num_layers, dropout, train, bidirectional = options
    number = num_layers * (2 if bidirectional else 1)
    projects = mode == "LSTM" and state[0].shape[-1] != state[1].shape[-1]
    weights = named_weights(params, has_biases, projects, number)
    check_state(mode, state, weights[0], (number, data.shape[1] if sizes is None else int(sizes[0])))
    steps = None if sizes is None else sizes.tolist()
    return run_layers(mode, data, steps, state, weights, number // num_layers, dropout if train else 0.0)


def check_state(mode: str, state: State, weights: dict[str, Tensor], leading: tuple[int, int]) -> None:
    """Raises RuntimeError for an initial state whose shape does not match."""
    hidden, cell = weights["weight_hh"].shape[1], weights["weight_hh"].shape[0] // GATES[mode]
    for i, (part, size) in enumerate(zip(state, (hidden, cell), strict=False)):
        if part.shape != (*leading, size):
            name = f"hidden[{i}]" if len(state) > 1 else "hidden"
            raise RuntimeError(f"Expected {name} size {(*leading, size)}, got {list(part.shape)}")


def called(mode: str, input: Tensor, hx: Any, params: Any, *rest: Any) -> tuple[Tensor, State]:
    """Calls a function below in either form; the form for packed data has the batch sizes before the state."""
    data, sizes, options, batch_first = input, None, [params, *rest[:-1]], rest[-1]
    if isinstance(params if mode != "LSTM" else hx, Tensor):
        sizes, hx, options, batch_first = hx, params, list(rest), False
    elif batch_first:
        data = input.transpose(0, 1)
    state = tuple(hx) if mode == "LSTM" else (hx,)
    if mode == "LSTM" and len(state) != 2:
        raise RuntimeError("lstm expects two hidden states")
    output, last = run_function(mode, data, sizes, state, options)
    return output.transpose(0, 1) if batch_first else output, last


def lstm(
    input: Tensor,
    hx: Any,
    params: Any,
    has_biases: Any,
    num_layers: int | bool,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """`nn.LSTM` with given weights: the hidden states at all steps, and the last hidden and cell states.

    `input` is (steps, batch, size), or batch first; `hx` is the pair of initial states, (layers * directions, batch,
    hidden); `params` are the weights in the order of `nn.LSTM(...).parameters()`. `dropout` is applied between layers
    if `train` is True. For packed sequences the call is `lstm(data, batch_sizes, hx, params, has_biases, num_layers,
    dropout, train, bidirectional)`. RuntimeError for states and numbers of weights that do not match.

    >>> import rushlight as torch
    >>> layer, zero = torch.nn.LSTM(3, 4), torch.zeros(1, 2, 4)
    >>> weights = list(layer.parameters())
    >>> output, hidden, cell = torch.lstm(torch.ones(5, 2, 3), (zero, zero), weights, True, 1, 0.0, False, False, False)
    >>> output.shape, hidden.shape, cell.shape
    (torch.Size([5, 2, 4]), torch.Size([1, 2, 4]), torch.Size([1, 2, 4]))
    """
    options = params, has_biases, num_layers, dropout, train, bidirectional, batch_first
    output, (hidden, cell) = called("LSTM", input, hx, *options)
    return output, hidden, cell


def gru(
    input: Tensor,
    hx: Any,
    params: Any,
    has_biases: Any,
    num_layers: int | bool,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Tensor, Tensor]:
    """`nn.GRU` with given weights: the hidden states at all steps, and the last ones.

    The arguments are those of `lstm`, except `hx`, a single tensor (layers * directions, batch, hidden).

    >>> import rushlight as torch
    >>> layer, zero = torch.nn.GRU(3, 4), torch.zeros(1, 2, 4)
    >>> weights = list(layer.parameters())
    >>> output, hidden = torch.gru(torch.ones(5, 2, 3), zero, weights, True, 1, 0.0, False, False, False)
    >>> output.shape, hidden.shape
    (torch.Size([5, 2, 4]), torch.Size([1, 2, 4]))
    """
    options = params, has_biases, num_layers, dropout, train, bidirectional, batch_first
    output, (hidden,) = called("GRU", input, hx, *options)
    return output, hidden


def rnn_tanh(
    input: Tensor,
    hx: Any,
    params: Any,
    has_biases: Any,
    num_layers: int | bool,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Tensor, Tensor]:
    """`nn.RNN` with given weights: the hidden states at all steps, and the last ones.

    The arguments are those of `lstm`, except `hx`, a single tensor (layers * directions, batch, hidden).

    >>> import rushlight as torch
    >>> layer, zero = torch.nn.RNN(3, 4), torch.zeros(1, 2, 4)
    >>> weights = list(layer.parameters())
    >>> output, hidden = torch.rnn_tanh(torch.ones(5, 2, 3), zero, weights, True, 1, 0.0, False, False, False)
    >>> output.shape, hidden.shape
    (torch.Size([5, 2, 4]), torch.Size([1, 2, 4]))
    """
    options = params, has_biases, num_layers, dropout, train, bidirectional, batch_first
    output, (hidden,) = called("RNN_TANH", input, hx, *options)
    return output, hidden


def rnn_relu(
    input: Tensor,
    hx: Any,
    params: Any,
    has_biases: Any,
    num_layers: int | bool,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Tensor, Tensor]:
    """`nn.RNN` with given weights and nonlinearity "relu": the hidden states at all steps, and the last ones.

    The arguments are those of `lstm`, except `hx`, a single tensor (layers * directions, batch, hidden).

    >>> import rushlight as torch
    >>> layer, zero = torch.nn.RNN(3, 4), torch.zeros(1, 2, 4)
    >>> weights = list(layer.parameters())
    >>> output, hidden = torch.rnn_relu(torch.ones(5, 2, 3), zero, weights, True, 1, 0.0, False, False, False)
    >>> output.shape, hidden.shape
    (torch.Size([5, 2, 4]), torch.Size([1, 2, 4]))
    """
    options = params, has_biases, num_layers, dropout, train, bidirectional, batch_first
    output, (hidden,) = called("RNN_RELU", input, hx, *options)
    return output, hidden
