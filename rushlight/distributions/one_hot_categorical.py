"""Categories as one-hot vectors, also with straight-through gradients."""

from collections.abc import Sequence
from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.odds import Shares
from rushlight.nn.functional import one_hot
from rushlight.tensors import Tensor

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(Shares, Distribution):
    """One of K categories, as a one-hot vector; `probs` and `logits` as for Categorical.

    >>> import rushlight as torch
    >>> torch.distributions.OneHotCategorical(torch.tensor([0.0, 1.0])).sample()
    tensor([0., 1.])
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    support: constraints.Constraint = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None):
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean, `probs`."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """The most probable category, as a one-hot vector."""
        return one_hot(self.probs.argmax(dim=-1), num_classes=self.probs.shape[-1]).to(self.probs)

    @property
    def variance(self) -> Tensor:
        """The variance of each element."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        events = self._categorical.sample(sample_shape)
        return one_hot(events, self._categorical._num_events).to(self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        n = self.event_shape[0]
        values = torch.eye(n, dtype=self._param.dtype).view((n, *(1 for _ in self.batch_shape), n))
        return values.expand((n, *self.batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """`OneHotCategorical` whose samples pass their gradient on to `probs` unchanged.

    Y. Bengio, N. Léonard and A. Courville, "Estimating or propagating gradients through stochastic neurons for
    conditional computation", 2013.

    >>> import rushlight as torch
    >>> probs = torch.tensor([0.2, 0.8], requires_grad=True)
    >>> sample = torch.distributions.OneHotCategoricalStraightThrough(probs).rsample()
    >>> sample.sum().item(), sample.requires_grad
    (1.0, True)
    """

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        probs = self.probs
        return self.sample(sample_shape) + (probs - probs.detach())
