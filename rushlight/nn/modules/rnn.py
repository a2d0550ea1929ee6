"""Recurrent layers: RNN, LSTM and GRU, with several layers and both directions, for padded or packed sequences."""

import math
from typing import Any

from rushlight.core.advice import advised
from rushlight.core.lines import warn
from rushlight.dtypes import dtype as Dtype
from rushlight.nn import init
from rushlight.nn.functional.recurrence import GATES, State
from rushlight.nn.functional.recurrent_layers import run_layers
from rushlight.nn.modules.base.making import Device, uninitialized
from rushlight.nn.modules.rnn_checks import RNNChecks, check_options
from rushlight.nn.parameter import Parameter
from rushlight.nn.utils.rnn import PackedSequence
from rushlight.ops.making.creation import zeros
from rushlight.tensors import Tensor

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """`tensor.index_select(dim, permutation)`, with a FutureWarning that recommends it."""
    warn("`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead", FutureWarning)
    return tensor.index_select(dim, permutation)


class RNNBase(RNNChecks):
    """Base class of recurrent layers.

    Inputs are (T, N, input_size), (N, T, input_size) with `batch_first`, (T, input_size) for one sequence, or packed.
    Results are the hidden states of the last layer at all times, and the last state of every layer and direction.
    `dropout` is applied between layers.

    ValueError for sizes below 1 and for inputs with other numbers of dimensions, RuntimeError for inputs and states of
    other sizes.

    >>> import rushlight as torch
    >>> layer = torch.nn.GRU(3, 4)
    >>> isinstance(layer, torch.nn.RNNBase), layer.mode, layer.hidden_size
    (True, 'GRU', 4)
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        super().__init__()
        check_options(input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size)
        if mode not in GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout: float = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for suffix in ["", "_reverse"][: self._directions]:
                self._make_weights(layer, suffix, device, dtype)
        self.reset_parameters()

    def _make_weights(self, layer: int, suffix: str, device: Device, dtype: Dtype | None) -> None:
        """Registers the weights of one layer and direction."""
        gates = GATES[self.mode] * self.hidden_size
        inputs = self.input_size if layer == 0 else self._output_size * self._directions
        shapes: dict[str, tuple[int, ...]] = {"weight_ih": (gates, inputs), "weight_hh": (gates, self._output_size)}
        if self.bias:
            shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        names = [f"{name}_l{layer}{suffix}" for name in shapes]
        for name, shape in zip(names, shapes.values(), strict=True):
            self.register_parameter(name, uninitialized(shape, device, dtype))
        self._all_weights.append(names)

    def __getstate__(self) -> Any:
        """The state with the list of all weights, which PyTorch's layers have too."""
        names = [name for names in self._all_weights for name in names]
        weights = [getattr(self, name) for name in names]
        return {**self.__dict__, "_flat_weights_names": names, "_flat_weights": weights}

    def __setstate__(self, state: Any) -> None:
        """Restores the state without that list, since the weights are parameters here."""
        self.__dict__.update({name: value for name, value in state.items() if not name.startswith("_flat_weight")})

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The weights, as a list for each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def reset_parameters(self) -> None:
        """Initializes all weights with uniform random numbers between ±1 / sqrt(hidden_size)."""
        bound = 1 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self) -> None:
        """Does nothing: it would rearrange the weights in the memory of GPUs."""

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """The hidden states at all times, and the last state, starting from the state `hx` (zeros by default)."""
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        self._check_dimensions(input, hx)
        batched = input.ndim == 3
        steps = input if batched else input.unsqueeze(1)
        if batched and self.batch_first:
            steps = steps.transpose(0, 1)
        state = self._as_state(hx)
        if state is not None and not batched:
            state = tuple(part.unsqueeze(1) for part in state)
        state = self._first_state(steps, steps.shape[1], state)
        output, last = self._run(steps, None, state)
        if not batched:
            return output.squeeze(1), self._as_given(tuple(part.squeeze(1) for part in last))
        return output.transpose(0, 1) if self.batch_first else output, self._as_given(last)

    def _forward_packed(
        self, input: PackedSequence, hx: Tensor | State | None
    ) -> tuple[PackedSequence, Tensor | State]:
        """`forward` for packed sequences; states are in the order in which the sequences were given."""
        data, batch_sizes, order, back = input
        if data.ndim != 2:
            raise RuntimeError(f"input must have 2 dimensions, got {data.ndim}")
        sizes = batch_sizes.tolist()
        state = self._as_state(hx)
        if state is not None and order is not None:
            state = tuple(part.index_select(1, order) for part in state)
        output, last = self._run(data, sizes, self._first_state(data, sizes[0], state))
        if back is not None:
            last = tuple(part.index_select(1, back) for part in last)
        return PackedSequence(output, batch_sizes, order, back), self._as_given(last)

    def _run(self, data: Tensor, sizes: list[int] | None, state: State) -> tuple[Tensor, State]:
        """Runs all layers and directions. `sizes` are the batch sizes of the time steps of packed data."""
        weights: list[dict[str, Tensor]] = [
            dict(zip(map(kind_of, names), weights, strict=True))
            for names, weights in zip(self._all_weights, self.all_weights, strict=True)
        ]
        dropout = self.dropout if self.training else 0.0
        return run_layers(self.mode, data, sizes, state, weights, self._directions, dropout)

    def _as_state(self, hx: Any) -> State | None:
        """The state that the user gave, as a tuple."""
        return None if hx is None else (hx,)

    def _as_given(self, state: State) -> Tensor | State:
        """The state in the form that users get: a tensor, or a tuple for LSTM."""
        return state[0]

    def _sizes(self) -> tuple[int, ...]:
        """The size of each tensor of a state."""
        return (self._output_size,)

    def _first_state(self, data: Tensor, batch: int, state: State | None) -> State:
        """The initial state, zeros if none was given; raises PyTorch's errors for a state that does not match."""
        self._check_features(data)
        shapes = [(self.num_layers * self._directions, batch, size) for size in self._sizes()]
        if state is None:
            return tuple(zeros(shape, dtype=data.dtype) for shape in shapes)
        for i, (part, shape) in enumerate(zip(state, shapes, strict=True)):
            if part.shape != shape:
                name = f"hidden[{i}]" if len(shapes) > 1 else "hidden"
                raise RuntimeError(advised(f"Expected {name} size {shape}, got {list(part.shape)}"))
        return state

    def extra_repr(self) -> str:
        """Sizes, and the options that differ from their defaults."""
        usual = {
            "proj_size": 0,
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0,
            "bidirectional": False,
        }
        options = "".join(
            f", {name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value
        )
        return f"{self.input_size}, {self.hidden_size}{options}"


def kind_of(name: str) -> str:
    """The kind of a weight from its name: `weight_ih` for `weight_ih_l0_reverse`, for example."""
    return name.partition("_l")[0]


class RNN(RNNBase):
    """Elman network, with tanh or relu: h_t = tanh(W_ih x_t + b_ih + W_hh h_(t-1) + b_hh).

    The input is (steps, batch, input_size), (batch, steps, input_size) with `batch_first`, or (steps, input_size) for a
    single sequence. The initial state is (layers * directions, batch, hidden_size), by default zeros. Returns the
    hidden states of the last layer at all steps, (steps, batch, directions * hidden_size) or batch first, and the last
    state, in the shape of the initial one (also with `batch_first`). ValueError for another `nonlinearity`,
    RuntimeError for sizes that do not match.

    >>> import rushlight as torch
    >>> output, last = torch.nn.RNN(10, 20, 2)(torch.ones(5, 3, 10))
    >>> output.shape, last.shape
    (torch.Size([5, 3, 20]), torch.Size([2, 3, 20]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(
            f"RNN_{nonlinearity.upper()}",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            device=device,
            dtype=dtype,
        )
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory; states are pairs of hidden and cell states.

    The input is (steps, batch, input_size), (batch, steps, input_size) with `batch_first`, or (steps, input_size) for a
    single sequence. The initial state is a pair of tensors (layers * directions, batch, hidden_size), by default zeros.
    Returns the hidden states of the last layer at all steps, (steps, batch, directions * hidden_size) or batch first,
    and the last pair of states, in the shape of the initial one (also with `batch_first`). With `proj_size`, hidden
    states are projected to that size. RuntimeError for sizes that do not match.

    Sources: S. Hochreiter, J. Schmidhuber, "Long short-term memory", 1997; H. Sak et al., "Long short-term memory based
    recurrent neural network architectures", 2014 (projections).

    >>> import rushlight as torch
    >>> output, (hidden, cell) = torch.nn.LSTM(10, 20, 2)(torch.ones(5, 3, 10))
    >>> output.shape, hidden.shape, cell.shape
    (torch.Size([5, 3, 20]), torch.Size([2, 3, 20]), torch.Size([2, 3, 20]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        super().__init__(
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            proj_size,
            device,
            dtype,
        )

    def _as_state(self, hx: Any) -> State | None:
        return None if hx is None else tuple(hx)

    def _as_given(self, state: State) -> State:
        return state

    def _sizes(self) -> tuple[int, ...]:
        return self._output_size, self.hidden_size

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape of the cell state for an input, padded or packed."""
        return self._state_shape(input, batch_sizes, self.hidden_size)

    def check_forward_args(self, input: Tensor, hidden: State, batch_sizes: Tensor | None) -> None:
        """Raises the errors of `check_input`, and of `check_hidden_size` for both states."""
        self.check_input(input, batch_sizes)
        shapes = self.get_expected_hidden_size(input, batch_sizes), self.get_expected_cell_size(input, batch_sizes)
        for i, shape in enumerate(shapes):
            self.check_hidden_size(hidden[i], shape, f"Expected hidden[{i}] size {{}}, got {{}}")

    def permute_hidden(self, hx: State, permutation: Tensor | None) -> State:
        """Both states with the sequences in another order."""
        return hx if permutation is None else tuple(part.index_select(1, permutation) for part in hx)


class GRU(RNNBase):
    """Gated recurrent units.

    The input is (steps, batch, input_size), (batch, steps, input_size) with `batch_first`, or (steps, input_size) for a
    single sequence. The initial state is (layers * directions, batch, hidden_size), by default zeros. Returns the
    hidden states of the last layer at all steps, (steps, batch, directions * hidden_size) or batch first, and the last
    state, in the shape of the initial one (also with `batch_first`). RuntimeError for sizes that do not match.

    Source: K. Cho et al., "Learning phrase representations using RNN encoder-decoder", 2014.

    >>> import rushlight as torch
    >>> output, last = torch.nn.GRU(10, 20, bidirectional=True)(torch.ones(5, 3, 10))
    >>> output.shape, last.shape
    (torch.Size([5, 3, 40]), torch.Size([2, 3, 20]))
    >>> output, last = torch.nn.GRU(10, 20, batch_first=True)(torch.ones(3, 5, 10))
    >>> output.shape, last.shape
    (torch.Size([3, 5, 20]), torch.Size([1, 3, 20]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        super().__init__(
            "GRU",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            device=device,
            dtype=dtype,
        )
