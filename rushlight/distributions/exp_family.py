"""Exponential families: the log density is natural parameters times statistics, minus a log normalizer."""

from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.distributions.distribution import Distribution
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
        carried = self._mean_carrier_measure
        normalizer, products = self._bregman(lambda parameter: parameter)
        return normalizer - carried - products

    def _bregman(self, direction: Callable[[Tensor], Tensor]) -> tuple[Tensor, Tensor]:
        """The log normalizer, and the sum of its gradients times `direction` of each natural parameter."""
        parameters = [parameter.detach().requires_grad_() for parameter in self._natural_params]
        normalizer = self._log_normalizer(*parameters)
        slopes = torch.autograd.grad(normalizer.sum(), parameters, create_graph=True)
        pairs = zip(parameters, slopes, strict=True)
        products = [(direction(p) * slope).reshape((*self._batch_shape, -1)).sum(-1) for p, slope in pairs]
        return normalizer, torch.stack(products).sum(0)
