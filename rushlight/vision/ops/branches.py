"""Stochastic depth: skipping whole branches of residual networks at random (G. Huang et al., 2016)."""

from rushlight import nn
from rushlight.ops.making.creation import empty
from rushlight.tensors import Tensor

__all__ = ["StochasticDepth", "stochastic_depth"]


def stochastic_depth(input: Tensor, p: float, mode: str, training: bool = True) -> Tensor:
    """Sets the whole input ("batch"), or each sample ("row"), to zero with probability p; else divides it by 1 - p."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"drop probability has to be between 0 and 1, but got {p}")
    if mode not in ("batch", "row"):
        raise ValueError(f"mode has to be either 'batch' or 'row', but got {mode}")
    if not training or p == 0.0:
        return input
    size = [input.shape[0] if mode == "row" else 1, *[1] * (input.ndim - 1)]
    noise = empty(size, dtype=input.dtype).bernoulli_(1.0 - p)
    return input * (noise.div_(1.0 - p) if p < 1.0 else noise)


class StochasticDepth(nn.Module):
    """`stochastic_depth` as a module."""

    p: float
    mode: str

    def __init__(self, p: float, mode: str):
        super().__init__()
        self.p, self.mode = p, mode

    def forward(self, input: Tensor) -> Tensor:
        """The input, or in training the result of `stochastic_depth`."""
        return stochastic_depth(input, self.p, self.mode, self.training)

    def extra_repr(self) -> str:
        """The probability and the mode."""
        return f"p={self.p}, mode={self.mode}"
