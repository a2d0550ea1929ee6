"""What recurrent layers check: their options, their inputs and their states."""

import numbers
from typing import Any

from rushlight.core.advice import advised
from rushlight.core.lines import warn
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = ["RNNChecks", "check_options"]


class RNNChecks(Module):
    """The checks of a recurrent layer, which raise PyTorch's errors."""

    mode: str
    input_size: int
    num_layers: int
    batch_first: bool
    bidirectional: bool
    hidden_size: int
    proj_size: int

    @property
    def _directions(self) -> int:
        """The number of directions."""
        return 2 if self.bidirectional else 1

    @property
    def _output_size(self) -> int:
        """The size of the hidden state."""
        return self.proj_size or self.hidden_size

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Raises ValueError for an input of another dtype than the weights, RuntimeError for one of another shape."""
        dimensions = 3 if batch_sizes is None else 2
        if input.dim() != dimensions:
            raise RuntimeError(f"input must have {dimensions} dimensions, got {input.dim()}")
        self._check_features(input)

    def _check_features(self, input: Tensor) -> None:
        """Raises ValueError for an input of another dtype than the weights, RuntimeError for another last size."""
        weight = next(self.parameters())
        if input.dtype != weight.dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). Convert input: "
                f"input.to({weight.dtype}), or convert model: model.to({input.dtype})"
            )
        got = input.shape[-1]
        if got != self.input_size:
            raise RuntimeError(
                advised(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {got}")
            )

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape of the hidden state for an input, padded or packed."""
        return self._state_shape(input, batch_sizes, self._output_size)

    def _state_shape(self, input: Tensor, batch_sizes: Tensor | None, size: int) -> tuple[int, int, int]:
        """The shape of a state for an input, padded or packed."""
        batch = input.shape[0 if self.batch_first else 1] if batch_sizes is None else int(batch_sizes[0])
        return self.num_layers * self._directions, batch, size

    def check_hidden_size(
        self,
        hx: Tensor,
        expected_hidden_size: tuple[int, int, int],
        msg: str = "Expected hidden size {}, got {}",
    ) -> None:
        """Raises RuntimeError for a state of another shape."""
        if hx.shape != expected_hidden_size:
            raise RuntimeError(advised(msg.format(tuple(expected_hidden_size), list(hx.shape))))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raises the errors of `check_input` and `check_hidden_size`."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The state with the sequences in another order."""
        return hx if permutation is None else hx.index_select(1, permutation)

    def _check_dimensions(self, input: Tensor, hx: Any) -> None:
        """Raises PyTorch's errors for inputs and states with wrong numbers of dimensions."""
        name = "RNN" if self.mode.startswith("RNN") else self.mode
        if input.ndim not in (2, 3):
            kind = "" if name == "LSTM" else " tensor" if name == "RNN" else ""
            raise ValueError(advised(f"{name}: Expected input to be 2D or 3D, got {input.ndim}D{kind} instead"))
        state = self._as_state(hx)
        if state is None or all(part.ndim == input.ndim for part in state):
            return
        batched = "batched 3-D" if input.ndim == 3 else "unbatched 2-D"
        wanted = f"should also be {input.ndim}-D but got"
        if len(state) == 1:
            raise RuntimeError(advised(f"For {batched} input, hx {wanted} {state[0].ndim}-D tensor"))
        got = ", ".join(f"{part.ndim}-D" for part in state)
        raise RuntimeError(advised(f"For {batched} input, hx and cx {wanted} ({got}) tensors"))


def check_options(
    input_size: int, hidden_size: int, num_layers: int, bias: bool, batch_first: bool, dropout: Any, proj_size: int
) -> None:
    """Raises PyTorch's errors for invalid options."""
    is_number = isinstance(dropout, numbers.Number) and not isinstance(dropout, bool)
    if not is_number or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
        )
    if dropout > 0 and num_layers == 1:
        warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
            f"greater than 1, but got dropout={dropout} and num_layers={num_layers}",
        )
    types = {
        "bias": (bias, bool),
        "batch_first": (batch_first, bool),
        "input_size": (input_size, int),
        "hidden_size": (hidden_size, int),
    }
    for name, (value, kind) in types.items():
        if not isinstance(value, kind):
            raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
    for name, value in (("input_size", input_size), ("hidden_size", hidden_size), ("num_layers", num_layers)):
        if value <= 0:
            raise ValueError(advised(f"{name} must be greater than zero, but got {value}"))
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")
