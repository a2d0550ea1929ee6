"""The negative binomial distribution: the number of successes before a given number of failures."""

from collections.abc import Sequence
from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.odds import Odds
from rushlight.nn.functional import logsigmoid
from rushlight.tensors import Tensor

__all__ = ["NegativeBinomial"]


class NegativeBinomial(Odds, Distribution):
    """The number of successes, of probability `probs` or log odds `logits`, before `total_count` failures.

    >>> import rushlight as torch
    >>> torch.distributions.NegativeBinomial(2.0, 0.5).mean
    tensor(2.)
    """

    total_count: Tensor

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support: constraints.Constraint = constraints.nonnegative_integer

    def __init__(
        self,
        total_count: Tensor | float,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ):
        (self.total_count,) = self._take(probs, logits, total_count)
        super().__init__(self._param.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """total_count exp(logits)."""
        return self.total_count * torch.exp(self.logits)

    @property
    def mode(self) -> Tensor:
        """The most probable count."""
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        """The mean divided by the probability of failure."""
        return self.mean / torch.sigmoid(-self.logits)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Poisson numbers with gamma distributed rates."""
        with torch.no_grad():
            rates = Gamma(self.total_count, torch.exp(-self.logits), validate_args=False)
            return torch.poisson(rates.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        n = self.total_count
        ways = torch.lgamma(n + value) - torch.lgamma(1.0 + value) - torch.lgamma(n)
        ways = ways.masked_fill(n + value == 0.0, 0.0)
        return n * logsigmoid(-self.logits) + value * logsigmoid(self.logits) + ways
