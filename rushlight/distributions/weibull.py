"""The Weibull distribution."""

from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.exponential import Exponential
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import AffineTransform, PowerTransform
from rushlight.distributions.utils import broadcast_all, euler_constant
from rushlight.tensors import Tensor

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """`scale` times an exponential number to the power 1 / `concentration`.

    >>> import rushlight as torch
    >>> torch.distributions.Weibull(2.0, 1.0).mean
    tensor(2.)
    """

    scale: Tensor
    concentration: Tensor

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "scale": constraints.positive,
        "concentration": constraints.positive,
    }
    support = constraints.positive

    def __init__(self, scale: Tensor | float, concentration: Tensor | float, validate_args: bool | None = None):
        self.scale, self.concentration = broadcast_all(scale, concentration)
        base = Exponential(torch.ones_like(self.scale), validate_args=validate_args)
        transforms = [
            PowerTransform(exponent=self.concentration_reciprocal),
            AffineTransform(loc=0, scale=self.scale),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    @property
    def concentration_reciprocal(self) -> Tensor:
        """1 / `concentration`."""
        return self.concentration.reciprocal()

    @property
    def mean(self) -> Tensor:
        """scale Γ(1 + 1 / concentration)."""
        return self.scale * torch.exp(torch.lgamma(1 + self.concentration_reciprocal))

    @property
    def mode(self) -> Tensor:
        """scale ((concentration - 1) / concentration)^(1 / concentration)."""
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration_reciprocal

    @property
    def variance(self) -> Tensor:
        """scale² (Γ(1 + 2 / concentration) - Γ(1 + 1 / concentration)²)."""
        power = self.concentration_reciprocal
        second, first = torch.exp(torch.lgamma(1 + 2 * power)), torch.exp(2 * torch.lgamma(1 + power))
        return self.scale.pow(2) * (second - first)

    def entropy(self) -> Tensor:
        power = self.concentration_reciprocal
        return euler_constant * (1 - power) + torch.log(self.scale * power) + 1
