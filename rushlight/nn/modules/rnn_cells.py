"""Recurrent cells: one time step of RNN, LSTM and GRU."""

import math
from typing import Any

from rushlight.core.advice import advised
from rushlight.dtypes import dtype as Dtype
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.functional.recurrence import GATES, STEPS, State
from rushlight.nn.modules.base.making import Device, uninitialized
from rushlight.nn.modules.module import Module
from rushlight.ops.making.creation import zeros
from rushlight.tensors import Tensor

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]


class RNNCellBase(Module):
    """Base class of recurrent cells: inputs (N, input_size) or (input_size), states (N, hidden_size) or (hidden_size).

    ValueError for inputs and states with other numbers of dimensions, RuntimeError for those of other sizes.

    >>> import rushlight as torch
    >>> cell = torch.nn.GRUCell(3, 4)
    >>> isinstance(cell, torch.nn.RNNCellBase), cell.weight_ih.shape  # three gates of 4
    (True, torch.Size([12, 3]))
    """

    _mode: str

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        gates = num_chunks * hidden_size
        shapes: dict[str, Any] = {"weight_ih": (gates, input_size), "weight_hh": (gates, hidden_size)}
        for name, shape in {**shapes, "bias_ih": gates, "bias_hh": gates}.items():
            present = bias or name.startswith("weight")
            self.register_parameter(name, uninitialized(shape, device, dtype) if present else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initializes all weights with uniform random numbers between ±1 / sqrt(hidden_size)."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _next(self, input: Tensor, state: State | None, parts: int) -> State:
        """The next state, a tuple of `parts` tensors, from the previous one (None: zeros)."""
        self._check(input, state)
        batched = input.ndim == 2
        if not batched:
            input = input.unsqueeze(0)
            state = state and tuple(part.unsqueeze(0) for part in state)
        if state is None:
            state = (zeros(len(input), self.hidden_size, dtype=input.dtype),) * parts
        projected = F.linear(input, self.weight_ih, self.bias_ih)
        state = STEPS[self._mode](projected, state, self.weight_hh, self.bias_hh)
        return state if batched else tuple(part.squeeze(0) for part in state)

    def _check(self, input: Tensor, state: State | None) -> None:
        """Raises PyTorch's errors for inputs and states that do not match."""
        name = type(self).__name__
        if input.ndim not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.ndim}D instead")
        parts = state or ()
        for i, part in enumerate(parts):
            if part.ndim not in (1, 2):
                which = f"hx[{i}]" if len(parts) > 1 else "hidden"
                raise ValueError(f"{name}: Expected {which} to be 1D or 2D, got {part.ndim}D instead")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                advised(f"input has inconsistent input_size: got {input.shape[-1]} expected {self.input_size}")
            )
        for i, part in enumerate(state or ()):
            self._check_state(i, part if input.ndim == 2 else part.unsqueeze(0), len(input) if input.ndim == 2 else 1)

    def _check_state(self, number: int, state: Tensor, samples: int) -> None:
        """Raises PyTorch's errors for a state whose shape is not (samples, hidden_size)."""
        if state.shape[0] != samples:
            raise RuntimeError(f"Input batch size {samples} doesn't match hidden{number} batch size {state.shape[0]}")
        if state.shape[1] != self.hidden_size:
            raise RuntimeError(
                advised(
                    f"hidden{number} has inconsistent hidden_size: got {state.shape[1]} expected {self.hidden_size}"
                )
            )

    def extra_repr(self) -> str:
        """Sizes, and the options that differ from their defaults."""
        bias = "" if self.bias else f", bias={self.bias}"
        nonlinearity = getattr(self, "nonlinearity", "tanh")
        return f"{self.input_size}, {self.hidden_size}{bias}" + (
            "" if nonlinearity == "tanh" else f", nonlinearity={nonlinearity}"
        )


class RNNCell(RNNCellBase):
    """One step of an RNN: tanh, or relu, of W_ih x + b_ih + W_hh h + b_hh.

    RuntimeError for inputs of another size than `input_size`.

    >>> import rushlight as torch
    >>> torch.nn.RNNCell(10, 20)(torch.ones(3, 10)).shape
    torch.Size([3, 20])
    """

    _mode = "RNN_TANH"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        super().__init__(input_size, hidden_size, bias, GATES[self._mode], device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next hidden state. RuntimeError for an unknown nonlinearity."""
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        self._mode = f"RNN_{self.nonlinearity.upper()}"
        return self._next(input, None if hx is None else (hx,), 1)[0]


class LSTMCell(RNNCellBase):
    """One step of long short-term memory.

    RuntimeError for inputs of another size than `input_size`.

    >>> import rushlight as torch
    >>> hidden, cell = torch.nn.LSTMCell(10, 20)(torch.ones(3, 10))
    >>> hidden.shape, cell.shape
    (torch.Size([3, 20]), torch.Size([3, 20]))
    """

    _mode = "LSTM"

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Device = None, dtype: Dtype | None = None
    ):
        super().__init__(input_size, hidden_size, bias, GATES[self._mode], device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> Any:
        """The next hidden and cell states."""
        if isinstance(hx, Tensor):
            raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
        if hx is not None and len(hx) != 2:
            raise RuntimeError("lstm_cell expects two hidden states")
        return self._next(input, None if hx is None else tuple(hx), 2)


class GRUCell(RNNCellBase):
    """One step of a gated recurrent unit.

    RuntimeError for inputs of another size than `input_size`.

    >>> import rushlight as torch
    >>> torch.nn.GRUCell(10, 20)(torch.ones(3, 10)).shape
    torch.Size([3, 20])
    """

    _mode = "GRU"

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Device = None, dtype: Dtype | None = None
    ):
        super().__init__(input_size, hidden_size, bias, GATES[self._mode], device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next hidden state."""
        return self._next(input, None if hx is None else (hx,), 1)[0]
