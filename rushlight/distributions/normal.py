"""The normal distribution."""

import math
from collections.abc import Sequence
from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.parameters import broadcast_all
from rushlight.size import Size
from rushlight.tensors import Tensor


class Normal(Distribution):
    """The normal distribution of mean `loc` and standard deviation `scale`. ValueError unless `scale` is positive.

    >>> import rushlight as torch
    >>> normal = torch.distributions.Normal(torch.tensor([0.0]), torch.tensor([1.0]))
    >>> normal.log_prob(torch.tensor([0.0]))
    tensor([-0.9189])
    >>> normal.rsample((3,)).shape
    torch.Size([3, 1])
    """

    arg_constraints: ClassVar = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
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
    def stddev(self) -> Tensor:
        """The standard deviation, `scale`."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """The variance, `scale` squared."""
        return self.scale.pow(2)

    def expand(self, batch_shape: Sequence[int]) -> "Normal":
        """The same distributions in a larger batch; the parameters are views."""
        shape = Size(batch_shape)
        expanded = Normal(self.loc.expand(shape), self.scale.expand(shape), validate_args=False)
        expanded._validate_args = self._validate_args
        return expanded

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Samples without gradient, of shape `sample_shape + batch_shape`."""
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Samples with gradients for the parameters: `loc + scale * noise` (Kingma and Welling 2014)."""
        noise = torch.empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).normal_()
        return self.loc + noise * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density at `value`."""
        self._validate_sample(value)
        deviation = -((value - self.loc) ** 2) / (2 * self.scale**2)
        return deviation - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of at most `value`."""
        self._validate_sample(value)
        return 0.5 * (1 + torch.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile of the probability `value`: the inverse of `cdf`."""
        return self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Tensor:
        """The entropy in nats."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + torch.log(self.scale)
