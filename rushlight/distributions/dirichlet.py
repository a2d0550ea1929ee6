"""The Dirichlet distribution of vectors with non-negative elements that sum to 1."""

from collections.abc import Sequence
from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.nn.functional import one_hot
from rushlight.tensors import Tensor

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    """Vectors that sum to 1, with the `concentration` along the last dimension. Samples have implicit gradients.

    >>> import rushlight as torch
    >>> torch.distributions.Dirichlet(torch.tensor([1.0, 3.0])).mean
    tensor([0.2500, 0.7500])
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "concentration": constraints.independent(constraints.positive, 1)
    }
    support: constraints.Constraint = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None):
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean of each component."""
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        """The most probable vector; a unit vector if all concentrations are below 1."""
        excess = (self.concentration - 1).clamp(min=0.0)
        inside = excess / excess.sum(-1, True)
        corner = one_hot(inside.argmax(dim=-1), excess.shape[-1]).to(inside)
        return torch.where((self.concentration < 1).all(dim=-1, keepdim=True), corner, inside)

    @property
    def variance(self) -> Tensor:
        """The variance of each component."""
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return torch._sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        a = self.concentration
        return torch.xlogy(a - 1.0, value).sum(-1) + torch.lgamma(a.sum(-1)) - torch.lgamma(a).sum(-1)

    def entropy(self) -> Tensor:
        a, total, k = self.concentration, self.concentration.sum(-1), self.concentration.shape[-1]
        inner = ((a - 1.0) * torch.digamma(a)).sum(-1)
        return torch.lgamma(a).sum(-1) - torch.lgamma(total) - (k - total) * torch.digamma(total) - inner

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.concentration,)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        (x,) = natural_params
        return x.lgamma().sum(-1) - torch.lgamma(x.sum(-1))
