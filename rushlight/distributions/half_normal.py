"""The half-Normal distribution."""

import math

from rushlight.distributions.folded import Folded
from rushlight.distributions.normal import Normal
from rushlight.distributions.transforms import AbsTransform
from rushlight.tensors import Tensor

__all__ = ["HalfNormal"]


class HalfNormal(Folded):
    """The absolute value of a normal number with mean 0 and standard deviation `scale`.

    >>> import rushlight as torch
    >>> torch.distributions.HalfNormal(1.0).cdf(torch.tensor(0.0))
    tensor(0.)
    """

    def __init__(self, scale: Tensor | float, validate_args: bool | None = None):
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """scale √(2 / π)."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        """scale² (1 - 2 / π)."""
        return self.scale.pow(2) * (1 - 2 / math.pi)
