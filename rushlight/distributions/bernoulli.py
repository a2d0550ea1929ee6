"""The Bernoulli distribution: 0 or 1."""

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.parameters import broadcast_all, logits_to_probs, one_of, probs_to_logits
from rushlight.nn.functional import binary_cross_entropy_with_logits
from rushlight.size import Size
from rushlight.tensors import Tensor


class Bernoulli(Distribution):
    """1 with probability `probs`, else 0; `logits` are log odds. Exactly one is given (ValueError otherwise).

    >>> import rushlight as torch
    >>> torch.distributions.Bernoulli(0.25).log_prob(torch.tensor(1.0)).exp()
    tensor(0.2500)
    """

    arg_constraints: ClassVar = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ):
        (parameter,) = broadcast_all(one_of(probs, logits))
        setattr(self, "logits" if probs is None else "probs", parameter)
        super().__init__(parameter.shape, validate_args=validate_args)

    @cached_property
    def logits(self) -> Tensor:
        """The log odds of 1."""
        with torch.enable_grad():
            return probs_to_logits(self.probs, is_binary=True)

    @cached_property
    def probs(self) -> Tensor:
        """The probability of 1."""
        with torch.enable_grad():
            return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The shape of `probs` and `logits`."""
        return self._batch_shape

    @property
    def mean(self) -> Tensor:
        """The mean, `probs`."""
        return self.probs

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.probs * (1 - self.probs)

    @property
    def mode(self) -> Tensor:
        """The more probable value; NaN where both are as probable."""
        return (self.probs > 0.5).to(self.probs).masked_fill(self.probs == 0.5, torch.nan)

    def expand(self, batch_shape: Sequence[int]) -> "Bernoulli":
        """The same distributions in a larger batch; the parameters are views."""
        name = "probs" if "probs" in self.__dict__ else "logits"
        expanded = Bernoulli(**{name: getattr(self, name).expand(*batch_shape)}, validate_args=False)
        expanded._validate_args = self._validate_args
        return expanded

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Zeros and ones of the parameters' dtype, of shape `sample_shape + batch_shape`."""
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of `value`."""
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        """The entropy in nats."""
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """0 and 1, along dimension 0."""
        values = torch.arange(2, dtype=self.probs.dtype).view(-1, *(1 for _ in self._batch_shape))
        return values.expand(-1, *self._batch_shape) if expand else values
