"""The multinomial distribution: how often each category occurs in several trials."""

from collections.abc import Sequence
from typing import Any, ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.binomial import Binomial
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.odds import Shares
from rushlight.distributions.utils import broadcast_all
from rushlight.tensors import Tensor

__all__ = ["Multinomial"]


class Multinomial(Shares, Distribution):
    """How often each of K categories occurs in `total_count` trials; `probs` and `logits` as for Categorical.

    NotImplementedError for a `total_count` that is not a number.

    >>> import rushlight as torch
    >>> torch.distributions.Multinomial(5, torch.tensor([0.0, 1.0])).sample()
    tensor([0., 5.])
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        """Vectors of counts that sum to `total_count`."""
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Tensor:
        """The mean of each count."""
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        """The variance of each count."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        events = self._categorical.sample((self.total_count, *sample_shape)).movedim(0, -1)
        counts = torch.zeros(self._extended_shape(sample_shape), dtype=torch.int64)
        return counts.scatter_add_(-1, events, torch.ones_like(events)).type_as(self.probs)

    def entropy(self) -> Tensor:
        """The entropy in nats: that of a sequence of trials, minus that of their order."""
        n = torch.tensor(self.total_count)
        each = Binomial(total_count=self.total_count, probs=self.probs)
        counts = each.enumerate_support(expand=False)[1:]
        order = (torch.exp(each.log_prob(counts)) * torch.lgamma(counts + 1)).sum([0, -1])
        return n * self._categorical.entropy() - torch.lgamma(n + 1) + order

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -torch.inf), 0)
        ways = torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1)
        return ways + (logits * value).sum(-1)
