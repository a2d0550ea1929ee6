"""The half-Cauchy distribution."""

import rushlight as torch
from rushlight.distributions.cauchy import Cauchy
from rushlight.distributions.folded import Folded
from rushlight.distributions.transforms import AbsTransform
from rushlight.distributions.utils import constant_like
from rushlight.tensors import Tensor

__all__ = ["HalfCauchy"]


class HalfCauchy(Folded):
    """The absolute value of a Cauchy number with median 0 and the given `scale`.

    >>> import rushlight as torch
    >>> torch.distributions.HalfCauchy(1.0).cdf(torch.tensor(0.0))
    tensor(0.)
    """

    def __init__(self, scale: Tensor | float, validate_args: bool | None = None):
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean, which is infinite."""
        return constant_like(self.scale, self._extended_shape(), torch.inf)

    @property
    def variance(self) -> Tensor:
        """The variance, which is infinite."""
        return self.base_dist.variance
