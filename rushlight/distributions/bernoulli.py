"""The Bernoulli distribution: 0 or 1."""

from collections.abc import Sequence
from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.odds import Odds
from rushlight.distributions.utils import broadcast_all
from rushlight.nn.functional import binary_cross_entropy_with_logits
from rushlight.tensors import Tensor

__all__ = ["Bernoulli"]


class Bernoulli(Odds, ExponentialFamily):
    """1 with probability `probs`, else 0; `logits` are log odds. Exactly one is given (ValueError otherwise).

    >>> import rushlight as torch
    >>> torch.distributions.Bernoulli(0.25).log_prob(torch.tensor(1.0)).exp()
    tensor(0.2500)
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support: constraints.Constraint = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ):
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean, `probs`."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """The more probable value; NaN where both are as probable."""
        return (self.probs > 0.5).to(self.probs).masked_fill(self.probs == 0.5, torch.nan)

    @property
    def variance(self) -> Tensor:
        """probs (1 - probs)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._listed(torch.arange(2, dtype=self._param.dtype), expand)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (torch.logit(self.probs),)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        return torch.log1p(torch.exp(natural_params[0]))
