"""The categorical distribution: one of several categories."""

from collections.abc import Sequence
from typing import Any, ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import constant_like, exactly_one, lazy_property, logits_to_probs, probs_to_logits
from rushlight.size import Size
from rushlight.tensors import Tensor

__all__ = ["Categorical"]


class Categorical(Distribution):
    """One of the categories 0 to K - 1, where K is the size of the last dimension of `probs` or `logits`.

    `probs` are divided by their sum; exactly one of the two is given (ValueError otherwise).

    >>> import rushlight as torch
    >>> policy = torch.distributions.Categorical(logits=torch.tensor([0.0, 0.0], requires_grad=True))
    >>> policy.log_prob(torch.tensor(1))
    tensor(-0.6931, grad_fn=<SqueezeBackward1>)
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    has_enumerate_support = True

    def __init__(self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None):
        self._given, parameter = exactly_one(probs, logits)
        if parameter.dim() < 1:
            raise ValueError(f"`{self._given}` parameter must be at least one-dimensional.")
        if probs is None:
            self.logits = parameter - parameter.logsumexp(dim=-1, keepdim=True)
        else:
            self.probs = parameter / parameter.sum(-1, keepdim=True)
        self._num_events = parameter.shape[-1]
        super().__init__(parameter.shape[:-1], validate_args=validate_args)

    @property
    def _param(self) -> Tensor:
        """`probs` or `logits`, whichever was given."""
        return getattr(self, self._given)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The integers from 0 to K - 1."""
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities."""
        return logits_to_probs(self.logits)

    @property
    def param_shape(self) -> Size:
        """The shape of `probs` and `logits`."""
        return self._param.shape

    @property
    def mean(self) -> Tensor:
        """NaN: categories have no mean."""
        return constant_like(self.probs, self._extended_shape(), torch.nan)

    variance = mean

    @property
    def mode(self) -> Tensor:
        """The most probable category."""
        return self.probs.argmax(dim=-1)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Categories, as int64, of shape `sample_shape + batch_shape`."""
        rows = self.probs.reshape(-1, self._num_events)
        return torch.multinomial(rows, Size(sample_shape).numel(), True).T.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        events, logits = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, events[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        logits = self.logits.clamp(min=torch.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._listed(torch.arange(self._num_events), expand)
