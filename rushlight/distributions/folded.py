"""Absolute values of symmetric distributions: the base of half-normal and half-Cauchy."""

import math
from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.tensors import Tensor

__all__ = ["Folded"]


class Folded(TransformedDistribution):
    """The absolute value of a sample of `base_dist`, which is symmetric around 0 and has a `scale`."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    @property
    def scale(self) -> Tensor:
        """The scale of `base_dist`."""
        return self.base_dist.scale

    @property
    def mode(self) -> Tensor:
        """The most probable value, 0."""
        return torch.zeros_like(self.scale)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        return torch.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -torch.inf)

    def cdf(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: Tensor) -> Tensor:
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)
