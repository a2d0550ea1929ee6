"""The Kumaraswamy distribution, on the unit interval."""

from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import AffineTransform, PowerTransform
from rushlight.distributions.uniform import Uniform
from rushlight.distributions.utils import broadcast_all, euler_constant
from rushlight.tensors import Tensor

__all__ = ["Kumaraswamy"]


class Kumaraswamy(TransformedDistribution):
    """Numbers in [0, 1] with the distribution function 1 - (1 - x**concentration1)**concentration0.

    >>> import rushlight as torch
    >>> torch.distributions.Kumaraswamy(1.0, 1.0).mean
    tensor(0.5000)
    """

    concentration1: Tensor
    concentration0: Tensor

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, concentration1: Tensor | float, concentration0: Tensor | float, validate_args: bool | None = None
    ):
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        low, high = torch.zeros_like(self.concentration0), torch.ones_like(self.concentration0)
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(Uniform(low, high, validate_args=validate_args), transforms, validate_args=validate_args)

    def _moment(self, n: int) -> Tensor:
        """The mean of x**n: b B(1 + n / a, b)."""
        a, b = self.concentration1, self.concentration0
        x = 1 + n / a
        return b * torch.exp(torch.lgamma(x) + torch.lgamma(b) - torch.lgamma(x + b))

    @property
    def mean(self) -> Tensor:
        """The first moment: b B(1 + 1 / a, b) for concentrations a = `concentration1` and b = `concentration0`."""
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        """The most probable value; NaN where a concentration is below 1."""
        a, b = self.concentration1, self.concentration0
        log_mode = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        return log_mode.masked_fill((b < 1) | (a < 1), torch.nan).exp()

    @property
    def variance(self) -> Tensor:
        """The second moment minus the square of the mean."""
        return self._moment(2) - self.mean**2

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = torch.digamma(b + 1) + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - torch.log(a) - torch.log(b)
