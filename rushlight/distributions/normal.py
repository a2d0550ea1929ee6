"""The normal distribution."""

import math
from collections.abc import Sequence
from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.utils import _standard_normal, broadcast_all
from rushlight.tensors import Tensor

__all__ = ["Normal"]


class Normal(ExponentialFamily):
    """The normal distribution with mean `loc` and standard deviation `scale`. ValueError unless `scale` is positive.

    >>> import rushlight as torch
    >>> normal = torch.distributions.Normal(torch.tensor([0.0]), torch.tensor([1.0]))
    >>> normal.log_prob(torch.tensor([0.0]))
    tensor([-0.9189])
    >>> normal.rsample((3,)).shape
    torch.Size([3, 1])
    """

    loc: Tensor
    scale: Tensor

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support: constraints.Constraint = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0

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

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Samples with gradients for the parameters: `loc + scale * noise` (Kingma and Welling 2014)."""
        return self.loc + _standard_normal(self._extended_shape(sample_shape), self.loc.dtype) * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        return -((value - self.loc) ** 2) / (2 * self.scale**2) - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        return 0.5 * (1 + torch.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Tensor:
        return 0.5 + 0.5 * math.log(2 * math.pi) + torch.log(self.scale)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        x, y = natural_params
        return -0.25 * x.pow(2) / y + 0.5 * torch.log(-math.pi / y)
