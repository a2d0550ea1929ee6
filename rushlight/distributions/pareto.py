"""The Pareto distribution."""

from typing import Any, ClassVar

from rushlight.distributions import constraints
from rushlight.distributions.exponential import Exponential
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import AffineTransform, ExpTransform
from rushlight.distributions.utils import broadcast_all
from rushlight.tensors import Tensor

__all__ = ["Pareto"]


class Pareto(TransformedDistribution):
    """Numbers above `scale` that exceed x with probability (scale / x)**alpha.

    >>> import rushlight as torch
    >>> torch.distributions.Pareto(1.0, 2.0).mean
    tensor(2.)
    """

    scale: Tensor
    alpha: Tensor

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "alpha": constraints.positive,
        "scale": constraints.positive,
    }

    def __init__(self, scale: Tensor | float, alpha: Tensor | float, validate_args: bool | None = None):
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """The numbers from `scale` on."""
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self) -> Tensor:
        """The mean; infinite where `alpha` is at most 1."""
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Tensor:
        """The most probable value, `scale`."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """The variance; infinite where `alpha` is at most 2."""
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())
