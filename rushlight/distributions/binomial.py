"""The binomial distribution: the number of successes in several trials."""

from collections.abc import Sequence
from typing import Any, ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.odds import Odds
from rushlight.tensors import Tensor

__all__ = ["Binomial"]


class Binomial(Odds, Distribution):
    """The number of successes in `total_count` trials, each with probability `probs` or log odds `logits`.

    >>> import rushlight as torch
    >>> torch.distributions.Binomial(3, torch.tensor([0.0, 1.0])).sample()
    tensor([0., 3.])
    """

    total_count: Tensor

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self,
        total_count: Tensor | int = 1,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ):
        (self.total_count,) = self._take(probs, logits, total_count)
        super().__init__(self._param.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The integers from 0 to `total_count`."""
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        """total_count probs."""
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        """The most probable count."""
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        """total_count probs (1 - probs)."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """log (n over k) + k logits - n log(1 + exp(logits)), computed without overflow."""
        self._check_sample(value)
        n, logits = self.total_count, self.logits
        ways = torch.lgamma(n + 1) - torch.lgamma(value + 1) - torch.lgamma(n - value + 1)
        positive = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2  # the mean of both one-sided slopes at 0
        return ways + value * logits - n * (positive + torch.log1p(torch.exp(-logits.abs())))

    def entropy(self) -> Tensor:
        """The entropy in nats. NotImplementedError if `total_count` is not the same everywhere."""
        self._count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All counts, along dimension 0. NotImplementedError if `total_count` is not the same everywhere."""
        values = torch.arange(1 + self._count("enumerate_support"), dtype=self._param.dtype)
        return self._listed(values, expand)

    def _count(self, method: str) -> int:
        """The common value of `total_count`."""
        largest = int(self.total_count.max())
        if self.total_count.min() != largest:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{method}`.")
        return largest
