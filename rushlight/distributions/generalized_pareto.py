"""The generalized Pareto distribution, of excesses over a threshold."""

from collections.abc import Sequence
from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import broadcast_all
from rushlight.tensors import Tensor

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """Values above `loc`: they exceed loc + z scale with probability (1 + concentration z)**(-1 / concentration).

    For concentration 0 this is exp(-z); for negative concentrations z is at most -1 / concentration.

    >>> import rushlight as torch
    >>> torch.distributions.GeneralizedPareto(0.0, 1.0, 0.0).mean
    tensor(1.)
    """

    loc: Tensor
    scale: Tensor
    concentration: Tensor

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(
        self,
        loc: Tensor | float,
        scale: Tensor | float,
        concentration: Tensor | float,
        validate_args: bool | None = None,
    ):
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints.Constraint:
        """The numbers from `loc` on, up to a bound if the concentration is negative."""
        bound = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, torch.where(self.concentration < 0, bound, torch.inf))

    @property
    def mean(self) -> Tensor:
        """The mean; NaN where the concentration is at least 1."""
        finite = self.concentration < 1
        return torch.where(
            finite, self.loc + self.scale / (1 - torch.where(finite, self.concentration, 0.5)), torch.nan
        )

    @property
    def variance(self) -> Tensor:
        """The variance; NaN where the concentration is at least a half."""
        finite = self.concentration < 0.5
        k = torch.where(finite, self.concentration, 0.25)
        return torch.where(finite, self.scale**2 / ((1 - k) ** 2 * (1 - 2 * k)), torch.nan)

    @property
    def mode(self) -> Tensor:
        """The most probable value, `loc`."""
        return self.loc

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def _zero(self) -> tuple[Tensor, Tensor]:
        """Where the concentration is 0, and the concentrations with 1 in these places."""
        zero = torch.isclose(self.concentration, torch.zeros_like(self.concentration))
        return zero, torch.where(zero, 1.0, self.concentration)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        z, (zero, k) = (value - self.loc) / self.scale, self._zero()
        power = 1 / k + torch.ones_like(z)
        lost = torch.where(power == 0, power, power * torch.log1p(k * z))
        return -self.scale.log() - torch.where(zero, z, lost)

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of values above `value`."""
        self._check_sample(value)
        z, (zero, k) = (value - self.loc) / self.scale, self._zero()
        return torch.where(zero, -z, -torch.log1p(k * z) / k)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of values up to `value`."""
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value: Tensor) -> Tensor:
        return torch.exp(self.log_cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        zero, k = self._zero()
        log_rest = torch.log1p(-value)
        return torch.where(
            zero, self.loc - self.scale * log_rest, self.loc + self.scale / k * torch.expm1(-k * log_rest)
        )

    def entropy(self) -> Tensor:
        return torch.log(self.scale) + self.concentration + 1
