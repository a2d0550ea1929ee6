"""Student's t distribution."""

import math
from collections.abc import Sequence
from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.chi2 import Chi2
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import _standard_normal, broadcast_all
from rushlight.tensors import Tensor

__all__ = ["StudentT"]


class StudentT(Distribution):
    """Student's t distribution with `df` degrees of freedom, shifted by `loc` and scaled by `scale`.

    >>> import rushlight as torch
    >>> torch.distributions.StudentT(4.0).variance
    tensor(2.)
    """

    df: Tensor
    loc: Tensor
    scale: Tensor

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support: constraints.Constraint = constraints.real
    has_rsample = True

    def __init__(
        self,
        df: Tensor | float,
        loc: Tensor | float = 0.0,
        scale: Tensor | float = 1.0,
        validate_args: bool | None = None,
    ):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean, `loc`; NaN where `df` is at most 1."""
        return self.loc.masked_fill(self.df <= 1, torch.nan)

    @property
    def mode(self) -> Tensor:
        """The most probable value, `loc`."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The variance; infinite where `df` is at most 2, NaN where it is at most 1."""
        df = torch.where(self.df > 2, self.df, 3.0)
        variance = torch.where(self.df > 2, self.scale.pow(2) * df / (df - 2), torch.inf)
        return variance.masked_fill(self.df <= 1, torch.nan)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """A normal number divided by the root of a chi-squared one over `df`, which has implicit gradients."""
        x = _standard_normal(self._extended_shape(sample_shape), self.df.dtype)
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * torch.rsqrt(z / self.df))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        df, y = self.df, (value - self.loc) / self.scale
        constant = self.scale.log() + 0.5 * df.log() + 0.5 * math.log(math.pi)
        constant = constant + torch.lgamma(0.5 * df) - torch.lgamma(0.5 * (df + 1.0))
        return -0.5 * (df + 1.0) * torch.log1p(y**2.0 / df) - constant

    def entropy(self) -> Tensor:
        df, more = self.df, 0.5 * (self.df + 1)
        log_beta = torch.lgamma(0.5 * df) + math.lgamma(0.5) - torch.lgamma(more)
        tails = more * (torch.digamma(more) - torch.digamma(0.5 * df))
        return self.scale.log() + tails + 0.5 * df.log() + log_beta
