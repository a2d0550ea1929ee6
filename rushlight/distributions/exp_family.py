"""Exponential families: the log density is natural parameters times statistics, minus a log normalizer."""

from collections.abc import Sequence
from typing import Any

import rushlight as torch
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import _sum_rightmost
from rushlight.tensors import Tensor

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """Distributions whose entropy follows from the gradient of their log normalizer.

    F. Nielsen and R. Nock, "Entropies and cross-entropies of exponential families", 2010.

    >>> import rushlight as torch
    >>> family = torch.distributions.Normal(0.0, 1.0)
    >>> isinstance(family, torch.distributions.ExponentialFamily), family.entropy()
    (True, tensor(1.4189))
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        """The natural parameters."""
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        """The log normalizer as a function of the natural parameters."""
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        """The mean of the logarithm of the carrier measure."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy in nats, of the batch's shape."""
        parameters, normalizer, slopes = self._normalized()
        return normalizer - self._mean_carrier_measure - self._product(parameters, slopes)

    def _normalized(self) -> tuple[list[Tensor], Tensor, tuple[Tensor, ...]]:
        """The natural parameters, the log normalizer, and its derivatives with respect to them."""
        parameters = [p if p.requires_grad else p.detach().requires_grad_() for p in self._natural_params]
        with torch.enable_grad():
            normalizer = self._log_normalizer(*parameters)
            slopes: Any = torch.autograd.grad(normalizer.sum(), parameters, create_graph=True)
        return parameters, normalizer, slopes

    def _product(self, parameters: Sequence[Tensor], slopes: Sequence[Tensor]) -> Tensor:
        """The sum of parameters times derivatives, for each distribution of the batch."""
        batch = len(self._batch_shape)
        pairs = zip(parameters, slopes, strict=True)
        first, *others = (_sum_rightmost(p * slope, slope.dim() - batch) for p, slope in pairs)
        return sum(others, first)
