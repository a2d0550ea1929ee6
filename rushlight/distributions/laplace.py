"""The Laplace distribution."""

from collections.abc import Sequence
from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import broadcast_all
from rushlight.tensors import Tensor

__all__ = ["Laplace"]


class Laplace(Distribution):
    """The two-sided exponential distribution with mean `loc` and rate `1 / scale`.

    >>> import rushlight as torch
    >>> torch.distributions.Laplace(0.0, 1.0).cdf(torch.tensor(0.0))
    tensor(0.5000)
    """

    loc: Tensor
    scale: Tensor

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support: constraints.Constraint = constraints.real
    has_rsample = True

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean, `loc`."""
        return self.loc

    mode = mean

    @property
    def variance(self) -> Tensor:
        """2 scale²."""
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return (2**0.5) * self.scale

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        low = torch.finfo(self.loc.dtype).eps - 1
        u = torch.empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).uniform_(low, 1)
        return self.loc - self.scale * u.sign() * torch.log1p(-u.abs())

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        deviation = value - self.loc
        return 0.5 - 0.5 * deviation.sign() * torch.expm1(-deviation.abs() / self.scale)

    def icdf(self, value: Tensor) -> Tensor:
        off = value - 0.5
        return self.loc - self.scale * off.sign() * torch.log1p(-2 * off.abs())

    def entropy(self) -> Tensor:
        return 1 + torch.log(2 * self.scale)
