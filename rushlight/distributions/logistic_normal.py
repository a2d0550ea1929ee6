"""The logistic-normal distribution, of vectors that sum to 1."""

from typing import ClassVar

from rushlight.distributions import constraints
from rushlight.distributions.normal import Normal
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import StickBreakingTransform
from rushlight.tensors import Tensor

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """Vectors of n + 1 components that sum to 1, from n normal numbers by stick breaking.

    `loc` and `scale` are the means and standard deviations of the normal numbers.

    >>> import rushlight as torch
    >>> torch.distributions.LogisticNormal(torch.zeros(3), torch.ones(3)).sample().shape
    torch.Size([4])
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None):
        base = Normal(loc, scale, validate_args=validate_args)
        base = base if base.batch_shape else base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        """The means of the normal numbers."""
        return self.base_dist.base_dist.loc

    @property
    def scale(self) -> Tensor:
        """The standard deviations of the normal numbers."""
        return self.base_dist.base_dist.scale
