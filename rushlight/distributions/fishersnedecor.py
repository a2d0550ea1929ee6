"""The F distribution: the ratio of two chi-squared numbers, each divided by its degrees of freedom."""

from collections.abc import Sequence
from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.utils import broadcast_all
from rushlight.tensors import Tensor

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The F distribution with `df1` and `df2` degrees of freedom.

    >>> import rushlight as torch
    >>> torch.distributions.FisherSnedecor(1.0, 4.0).mean
    tensor(2.)
    """

    df1: Tensor
    df2: Tensor

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "df1": constraints.positive,
        "df2": constraints.positive,
    }
    support: constraints.Constraint = constraints.positive
    has_rsample = True

    def __init__(self, df1: Tensor | float, df2: Tensor | float, validate_args: bool | None = None):
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(self.df1.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean; NaN where `df2` is at most 2."""
        df2 = self.df2.masked_fill(self.df2 <= 2, torch.nan)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        """The most probable value; NaN where `df1` is at most 2."""
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return mode.masked_fill(self.df1 <= 2, torch.nan)

    @property
    def variance(self) -> Tensor:
        """The variance; NaN where `df2` is at most 4."""
        df2 = self.df2.masked_fill(self.df2 <= 4, torch.nan)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        tiny = torch.finfo(self.df1.dtype).tiny
        return (self._gamma1.rsample(sample_shape) / self._gamma2.rsample(sample_shape).clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        half1, half2, quotient = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        constant = (half1 + half2).lgamma() - half1.lgamma() - half2.lgamma()
        power = half1 * quotient.log() + (half1 - 1) * torch.log(value)
        return constant + power - (half1 + half2) * torch.log1p(quotient * value)
