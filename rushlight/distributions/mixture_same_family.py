"""Mixtures of distributions of the same family."""

from collections.abc import Sequence
from typing import Any, ClassVar

import rushlight as torch
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.constraints import Constraint, MixtureSameFamilyConstraint, dependent_property
from rushlight.distributions.distribution import Distribution
from rushlight.size import Size
from rushlight.tensors import Tensor

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A mixture: a Categorical selects one of the components, which are the last batch dimension of a distribution.

    ValueError for distributions of other kinds, and for batches that do not match.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Categorical, MixtureSameFamily, Normal
    >>> parts = Normal(torch.tensor([-1.0, 3.0]), torch.ones(2))
    >>> MixtureSameFamily(Categorical(torch.tensor([0.5, 0.5])), parts).mean
    tensor(1.)
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = {}
    has_rsample = False

    def __init__(self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None):
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        ours, batch = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        if any(1 != i != j != 1 for i, j in zip(reversed(ours), reversed(batch), strict=False)):
            raise ValueError(
                f"`mixture_distribution.batch_shape` ({ours}) is not compatible with "
                f"`component_distribution.batch_shape`({batch})"
            )
        self._num_component = mixture_distribution.logits.shape[-1]
        count = component_distribution.batch_shape[-1]
        if self._num_component != count:
            raise ValueError(
                f"`mixture_distribution component` ({self._num_component}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({count})"
            )
        self._event_ndims = len(component_distribution.event_shape)
        super().__init__(batch, component_distribution.event_shape, validate_args=validate_args)

    @dependent_property
    def support(self) -> Any:
        """The support of the components."""
        return MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Any:
        """The categorical distribution of the component's index."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Any:
        """The distributions of the components."""
        return self._component_distribution

    @property
    def mean(self) -> Tensor:
        """The components' means, weighted with their probabilities."""
        return self._mixed(self.component_distribution.mean)

    @property
    def variance(self) -> Tensor:
        """The variance: the mean of the components' variances, plus the variance of their means."""
        spread = (self.component_distribution.mean - self._pad(self.mean)).pow(2.0)
        return self._mixed(self.component_distribution.variance) + self._mixed(spread)

    def cdf(self, x: Tensor) -> Tensor:
        return torch.sum(self.component_distribution.cdf(self._pad(x)) * self.mixture_distribution.probs, dim=-1)

    def log_prob(self, x: Tensor) -> Tensor:
        self._check_sample(x)
        parts = self.component_distribution.log_prob(self._pad(x))
        return torch.logsumexp(parts + torch.log_softmax(self.mixture_distribution.logits, dim=-1), dim=-1)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with torch.no_grad():
            dim = len(sample_shape) + len(self.batch_shape)
            numbers = self.mixture_distribution.sample(sample_shape)
            samples = self.component_distribution.sample(sample_shape)
            chosen = numbers.reshape((*numbers.shape, *(1 for _ in range(self._event_ndims + 1))))
            chosen = chosen.repeat((*(1 for _ in range(numbers.dim() + 1)), *self.event_shape))
            return torch.gather(samples, dim, chosen).squeeze(dim)

    def _mixed(self, values: Tensor) -> Tensor:
        """The weighted mean over the components."""
        return torch.sum(self._pad_mixture_dimensions(self.mixture_distribution.probs) * values, -1 - self._event_ndims)

    def _pad(self, x: Tensor) -> Tensor:
        """A value with an additional dimension for the components."""
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x: Tensor) -> Tensor:
        """The components' weights, with additional dimensions for the batch and the event."""
        ours = len(self.mixture_distribution.batch_shape)
        missing = 0 if ours == 1 else len(self.batch_shape) - ours
        ones = [1] * missing, [1] * self._event_ndims
        return x.reshape(Size((*x.shape[:-1], *ones[0], x.shape[-1], *ones[1])))

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
