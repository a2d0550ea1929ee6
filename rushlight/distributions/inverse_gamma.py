"""The inverse gamma distribution."""

from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import PowerTransform
from rushlight.tensors import Tensor

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """The reciprocal of a gamma number with shape `concentration` and `rate`.

    >>> import rushlight as torch
    >>> torch.distributions.InverseGamma(3.0, 4.0).mean
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Tensor | float, rate: Tensor | float, validate_args: bool | None = None):
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    @property
    def concentration(self) -> Tensor:
        """The concentration of the gamma number."""
        return self.base_dist.concentration

    @property
    def rate(self) -> Tensor:
        """The rate of the gamma number."""
        return self.base_dist.rate

    @property
    def mean(self) -> Tensor:
        """The mean; infinite where the concentration is at most 1."""
        return torch.where(self.concentration > 1, self.rate / (self.concentration - 1), torch.inf)

    @property
    def mode(self) -> Tensor:
        """rate / (concentration + 1)."""
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        """The variance; infinite where the concentration is at most 2."""
        finite = self.rate.square() / ((self.concentration - 1).square() * (self.concentration - 2))
        return torch.where(self.concentration > 2, finite, torch.inf)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()
